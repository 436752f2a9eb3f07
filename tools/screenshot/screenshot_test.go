// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hinshun/vt10x"
)

const fontDir = "/usr/share/fonts/truetype/dejavu"

func testPen(t *testing.T) *pen {
	t.Helper()
	if _, err := os.Stat(filepath.Join(fontDir, "DejaVuSansMono.ttf")); err != nil && os.Getenv("CI") != "true" {
		t.Skip("fonts-dejavu-core is not installed")
	}
	p, err := newPen(fontDir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// screen is what a terminal shows after output.
func screen(t *testing.T, columns, rows int, output string) vt10x.Terminal {
	t.Helper()
	s := vt10x.New(vt10x.WithSize(columns, rows))
	out := &translator{to: s}
	for i := range len(output) { // byte by byte: sequences arrive in pieces
		if err := out.pass([]byte{output[i]}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestColoursAndStylesReachThePixels(t *testing.T) {
	p := testPen(t)
	middle, below := p.cellHeight/2, p.ascent+4
	for name, c := range map[string]struct {
		output string
		row    int // of the cell's pixels
		want   color.RGBA
	}{
		"plain":             {"█", middle, ink},
		"nothing":           {" ", middle, paper},
		"red":               {"\x1b[31m█", middle, sixteen[1]},
		"bright red":        {"\x1b[91m█", middle, sixteen[9]},
		"bold red":          {"\x1b[1;31m█", middle, sixteen[9]},
		"palette":           {"\x1b[38;5;196m█", middle, color.RGBA{0xff, 0, 0, 0xff}},
		"grey":              {"\x1b[38;5;232m█", middle, color.RGBA{8, 8, 8, 0xff}},
		"true colour":       {"\x1b[38;2;200;60;10m█", middle, color.RGBA{200, 60, 10, 0xff}},
		"with colons":       {"\x1b[38:2::200:60:10m█", middle, color.RGBA{200, 60, 10, 0xff}},
		"nearly black":      {"\x1b[38;2;0;0;4m█", middle, color.RGBA{0, 1, 4, 0xff}},
		"background":        {"\x1b[48;2;1;2;3m ", middle, color.RGBA{1, 2, 3, 0xff}},
		"reverse":           {"\x1b[7m ", middle, ink},
		"faint":             {"\x1b[2m█", middle, faint(ink, paper)},
		"no longer faint":   {"\x1b[2m\x1b[22m█", middle, ink},
		"underline":         {"\x1b[4m ", below, ink},
		"curly underline":   {"\x1b[4:3m ", below, ink},
		"underline put off": {"\x1b[4m\x1b[4:0m ", below, paper},
		"a keyboard mode":   {"\x1b[31m\x1b[>4;2m█", middle, sixteen[1]},
		"a keyboard stack":  {"\x1b[3G\x1b[s\x1b[1G\x1b[<1u█", middle, ink},
		"cursor":            {"\x1b[?25h\x1b[1G", middle, ink},
	} {
		t.Run(name, func(t *testing.T) {
			img, err := p.draw(screen(t, 4, 1, "\x1b[?25l"+c.output))
			if err != nil {
				t.Fatal(err)
			}
			if got := img.RGBAAt(p.cell(0, 0).Min.X+cellWidth/2, p.cell(0, 0).Min.Y+c.row); got != c.want {
				t.Errorf("drawn in %v, want %v", got, c.want)
			}
		})
	}
}

func TestBoxesMeet(t *testing.T) {
	p := testPen(t)
	img, err := p.draw(screen(t, 3, 2, "\x1b[?25l───\r\n │ "))
	if err != nil {
		t.Fatal(err)
	}
	// Somewhere in the first row of cells a line of pixels has no gap.
	first, last := p.cell(0, 0), p.cell(2, 0)
	whole := false
	for y := first.Min.Y; y < first.Max.Y && !whole; y++ {
		whole = true
		for x := first.Min.X; x < last.Max.X; x++ {
			whole = whole && img.RGBAAt(x, y) == ink
		}
	}
	if !whole {
		t.Error("a line across three cells has gaps")
	}
}

func TestACharacterWithoutAFontIsAnError(t *testing.T) {
	p := testPen(t)
	if _, err := p.draw(screen(t, 4, 1, "漢")); err == nil || !strings.Contains(err.Error(), "column 1, row 1") {
		t.Errorf("got %v, want its place", err)
	}
}

func TestKeysFilesAreCheckedFirst(t *testing.T) {
	good := "# a comment\n\nwait Project policy\nkey ctrl+c\nkey j\ntype a b\nshot one\n"
	steps, err := parseSteps(good)
	if err != nil || len(steps) != 5 || steps[0] != (step{3, "wait", "Project policy"}) {
		t.Errorf("%v, %v", steps, err)
	}
	for _, bad := range []string{"wait", "key hyper", "shot a/b", "shot ../b", "press x"} {
		if _, err := parseSteps("wait x\n" + bad); err == nil || !strings.HasPrefix(err.Error(), "2: ") {
			t.Errorf("%q: %v, want an error at line 2", bad, err)
		}
	}
}

func TestAProgramIsPlayedAndPictured(t *testing.T) {
	testPen(t)
	dir := t.TempDir()
	keys := filepath.Join(dir, "keys")
	steps := "wait name?\ntype Ada\nkey enter\nwait hello Ada in 80x24\nshot hello\n"
	if err := os.WriteFile(keys, []byte(steps), 0o644); err != nil {
		t.Fatal(err)
	}
	// Were the program not ended, this test would be: it sleeps for an hour.
	script := `printf 'name? '; read name; set -- $(stty size); echo "hello $name in $2x$1"; sleep 3600`
	if err := run([]string{"-keys", keys, "-out", dir, "--", "/bin/sh", "-c", script}); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(dir, "hello.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds().Dx() != 80*cellWidth+2*margin {
		t.Errorf("the picture is %v", img.Bounds())
	}
}
