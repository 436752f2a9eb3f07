// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the colours of the pictures, once; the 240 beyond the
// first sixteen are xterm's (256colres.h).

package main

import (
	"image/color"

	"github.com/hinshun/vt10x"
)

var (
	paper = color.RGBA{0x14, 0x17, 0x1e, 0xff}
	ink   = color.RGBA{0xd6, 0xda, 0xe3, 0xff}
	// sixteen are the colours that a terminal's user chooses: muted, with
	// at least 4.5:1 against paper but for the two blacks.
	sixteen = [16]color.RGBA{
		{0x2a, 0x2f, 0x3a, 0xff}, {0xe0, 0x6c, 0x75, 0xff}, {0x98, 0xc3, 0x79, 0xff}, {0xe5, 0xc0, 0x7b, 0xff},
		{0x61, 0xaf, 0xef, 0xff}, {0xc6, 0x78, 0xdd, 0xff}, {0x56, 0xb6, 0xc2, 0xff}, {0xab, 0xb2, 0xbf, 0xff},
		{0x6b, 0x74, 0x86, 0xff}, {0xf0, 0x80, 0x88, 0xff}, {0xae, 0xd6, 0x92, 0xff}, {0xf2, 0xd1, 0x94, 0xff},
		{0x7f, 0xc1, 0xf7, 0xff}, {0xd6, 0x90, 0xea, 0xff}, {0x74, 0xcd, 0xd8, 0xff}, {0xf2, 0xf4, 0xf8, 0xff},
	}
)

// rgb returns the colour of a cell.
func rgb(c vt10x.Color) color.RGBA {
	switch {
	case c == vt10x.DefaultFG:
		return ink
	case c == vt10x.DefaultBG:
		return paper
	case c < 16:
		return sixteen[c]
	case c < 232: // a cube of six steps
		level := func(n vt10x.Color) uint8 {
			if n == 0 {
				return 0
			}
			return uint8(55 + 40*n)
		}
		n := c - 16
		return color.RGBA{level(n / 36), level(n / 6 % 6), level(n % 6), 0xff}
	case c < 256: // a ramp of greys
		grey := uint8(8 + 10*(c-232))
		return color.RGBA{grey, grey, grey, 0xff}
	}
	return color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff}
}

// faint is c drawn at a bit more than half its strength on back.
func faint(c, back color.RGBA) color.RGBA {
	mix := func(a, b uint8) uint8 { return uint8((int(a)*55 + int(b)*45) / 100) }
	return color.RGBA{mix(c.R, back.R), mix(c.G, back.G), mix(c.B, back.B), 0xff}
}
