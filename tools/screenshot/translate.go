// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what vt10x would misread is put in words that it
// understands, and nothing else is touched.
//
// vt10x does not know the private markers < = > of a sequence and takes a
// keyboard mode for "reset every attribute" or "restore the cursor"; drops a
// character whose bytes come in two pieces; knows no faint text and no
// parameters with colons; and keeps true colours and palette numbers in the
// same integers, so that rgb(0,0,4) becomes blue.

package main

import (
	"io"
	"strings"
	"unicode/utf8"
)

// translator passes terminal output on.
type translator struct {
	to      io.Writer
	pending []byte // the beginning of what has not come whole yet
}

// longest is the length above which a sequence is taken for something else,
// in bytes.
const longest = 256

// pass takes the next piece of output.
func (t *translator) pass(p []byte) error {
	data := append(t.pending, p...)
	var out []byte
	for len(data) > 0 {
		n := 1
		switch {
		case data[0] == 0x1b:
			n = sequence(data)
		case !utf8.FullRune(data): // vt10x drops half a character
			n = 0
		}
		if n == 0 && len(data) < longest {
			break
		}
		n = max(n, 1)
		out, data = append(out, translate(string(data[:n]))...), data[n:]
	}
	t.pending = append([]byte(nil), data...)
	_, err := t.to.Write(out)
	return err
}

// sequence returns the length of the control sequence that data begins with:
// 2 if it is not a CSI (ECMA-48 5.4), 0 if its end is not there yet.
func sequence(data []byte) int {
	if len(data) < 2 {
		return 0
	}
	if data[1] != '[' {
		return 2
	}
	for i := 2; i < len(data); i++ {
		if data[i] >= 0x40 && data[i] <= 0x7e {
			return i + 1
		}
	}
	return 0
}

func translate(seq string) string {
	body, isCSI := strings.CutPrefix(seq, "\x1b[")
	switch {
	case !isCSI || body == "":
		return seq
	case strings.ContainsAny(body[:1], "<=>"):
		return ""
	case body[len(body)-1] != 'm' || body[0] == '?':
		return seq
	}
	return "\x1b[" + strings.Join(attributes(strings.Split(body[:len(body)-1], ";")), ";") + "m"
}

// attributes rewrites the parameters of a "select graphic rendition".
func attributes(in []string) []string {
	var out []string
	for i := 0; i < len(in); i++ {
		a := in[i]
		if colour := strings.Split(a, ":"); len(colour) > 1 && (colour[0] == "38" || colour[0] == "48") {
			// 38:2::R:G:B and 38:5:N are 38;2;R;G;B and 38;5;N; the
			// empty part is a colour space that nobody uses.
			colour = append(colour[:2], strings.FieldsFunc(strings.Join(colour[2:], ":"), func(r rune) bool {
				return r == ':'
			})...)
			out = append(out, distinct(colour)...)
			continue
		}
		switch base, style, _ := strings.Cut(a, ":"); {
		case a == "2":
			out = append(out, "5") // faint travels as blink; see faintMode
		case a == "22":
			out = append(out, "22", "25")
		case base == "4" && style == "0":
			out = append(out, "24")
		case base == "4":
			out = append(out, "4")
		case (a == "38" || a == "48") && i+4 < len(in) && in[i+1] == "2":
			out, i = append(out, distinct(in[i:i+5])...), i+4
		case (a == "38" || a == "48") && i+2 < len(in):
			out, i = append(out, in[i:i+3]...), i+2
		default:
			out = append(out, a)
		}
	}
	return out
}

// distinct moves a true colour that would be a palette number to the nearest
// one that is not: green 1 in place of 0, of 255.
func distinct(c []string) []string {
	zero := func(s string) bool { return strings.Trim(s, "0") == "" }
	if len(c) == 5 && c[1] == "2" && zero(c[2]) && zero(c[3]) {
		return []string{c[0], c[1], "0", "1", c[4]}
	}
	return c
}
