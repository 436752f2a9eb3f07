// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: without anybody who could press a key, the answer is no.

package tui

import (
	"context"
	"image/color"
	"io"
	"math"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
)

func TestInputThatEndsMeansNo(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	b := &fake{}
	out, err := RunWizard(ctx, Terminal{In: strings.NewReader(""), Out: io.Discard, Environ: []string{"TERM=xterm"}}, b,
		Options{})
	if err != nil || out.End != Interrupted || out.Written != 0 || b.writes() != 0 {
		t.Errorf("%+v, %v, %d writes", out, err, b.writes())
	}
	if ctx.Err() != nil {
		t.Error("the wizard waited for a key that cannot come")
	}
}

func TestAContextThatEndsMeansNo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never, _ := io.Pipe()
	out, err := RunWizard(ctx, Terminal{In: never, Out: io.Discard, Environ: []string{"TERM=xterm"}}, &fake{}, Options{})
	if err != nil || out.End != Interrupted || out.Written != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

// luminance is that of WCAG 2.1, "relative luminance".
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	part := func(v uint32) float64 {
		x := float64(v) / 0xffff
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
}

func TestColoursCanBeRead(t *testing.T) {
	for _, dark := range []bool{true, false} {
		back := color.Color(color.White)
		if dark {
			back = color.Black
		}
		st := stylesFor(dark)
		for name, style := range map[string]lipgloss.Style{"dim": st.dim, "pass": st.pass, "warn": st.warn, "fail": st.fail,
			"unknown": st.unknown} {
			a, b := luminance(style.GetForeground()), luminance(back)
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
				t.Errorf("dark %v: %s has a contrast of %.1f", dark, name, ratio)
			}
			if _, none := style.GetForeground().(lipgloss.NoColor); none {
				t.Errorf("dark %v: %s has no colour", dark, name)
			}
		}
	}
}
