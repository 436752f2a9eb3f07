// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a cell of the screen is a rectangle of whole pixels, so
// that lines and boxes meet; nothing is drawn that is not on the screen.

package main

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"

	"github.com/hinshun/vt10x"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Sizes in pixels, at twice the density of an ordinary screen.
const (
	cellWidth = 17
	margin    = 2 * cellWidth
)

// The bits of a glyph's mode, as vt10x 2022-03-01 numbers them without
// exporting names. Faint arrives as blink (see translate.go). Reverse needs
// no bit: the colours of the cell are exchanged already.
const (
	underlineMode = 1 << 1
	boldMode      = 1 << 2
	italicMode    = 1 << 4
	faintMode     = 1 << 5
)

// pen draws screens.
type pen struct {
	regular, bold, italic []font.Face // the first that has a character draws it
	cellHeight, ascent    int
}

// newPen loads the DejaVu fonts from a directory.
func newPen(dir string) (*pen, error) {
	p := &pen{}
	for file, faces := range map[string][]*[]font.Face{
		"DejaVuSansMono.ttf":         {&p.regular},
		"DejaVuSansMono-Bold.ttf":    {&p.bold},
		"DejaVuSansMono-Oblique.ttf": {&p.italic},
	} {
		face, err := loadFace(filepath.Join(dir, file))
		if err != nil {
			return nil, err
		}
		*faces[0] = append(*faces[0], face)
	}
	// The proportional font has signs that the others lack.
	fallback, err := loadFace(filepath.Join(dir, "DejaVuSans.ttf"))
	if err != nil {
		return nil, err
	}
	for _, faces := range []*[]font.Face{&p.regular, &p.bold, &p.italic} {
		*faces = append(*faces, p.regular[0], fallback)
	}
	m := p.regular[0].Metrics()
	p.ascent, p.cellHeight = m.Ascent.Round(), m.Ascent.Round()+m.Descent.Round()
	return p, nil
}

// loadFace scales a font so that a character of DejaVu Sans Mono, 1233 of
// 2048 units wide, fills a cell's width exactly.
func loadFace(path string) (font.Face, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	parsed, err := opentype.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return opentype.NewFace(parsed, &opentype.FaceOptions{Size: cellWidth * 2048. / 1233, DPI: 72,
		Hinting: font.HintingNone})
}

// cell is the rectangle of a cell in the picture.
func (p *pen) cell(x, y int) image.Rectangle {
	return image.Rect(0, 0, cellWidth, p.cellHeight).Add(image.Pt(margin+x*cellWidth, margin+y*p.cellHeight))
}

// draw makes a picture of a screen. The error names a character that no font
// has.
func (p *pen) draw(screen vt10x.View) (*image.RGBA, error) {
	screen.Lock()
	defer screen.Unlock()
	columns, rows := screen.Size()
	img := image.NewRGBA(image.Rectangle{Max: p.cell(columns-1, rows-1).Max.Add(image.Pt(margin, margin))})
	draw.Draw(img, img.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	cursor := screen.Cursor()
	for y := range rows {
		for x := range columns {
			glyph := screen.Cell(x, y)
			if screen.CursorVisible() && cursor.X == x && cursor.Y == y {
				glyph.FG, glyph.BG = glyph.BG, glyph.FG
			}
			if err := p.glyph(img, p.cell(x, y), glyph); err != nil {
				return nil, fmt.Errorf("column %d, row %d: %w", x+1, y+1, err)
			}
		}
	}
	return img, nil
}

func (p *pen) glyph(img *image.RGBA, cell image.Rectangle, g vt10x.Glyph) error {
	front, back := rgb(g.FG), rgb(g.BG)
	if g.Mode&faintMode != 0 {
		front = faint(front, back)
	}
	colour := image.NewUniform(front)
	draw.Draw(img, cell, image.NewUniform(back), image.Point{}, draw.Src)
	if g.Mode&underlineMode != 0 {
		line := image.Rect(cell.Min.X, cell.Min.Y+p.ascent+3, cell.Max.X, cell.Min.Y+p.ascent+5)
		draw.Draw(img, line, colour, image.Point{}, draw.Src)
	}
	if g.Char == 0 || g.Char == ' ' {
		return nil
	}
	faces := p.regular
	switch {
	case g.Mode&boldMode != 0:
		faces = p.bold
	case g.Mode&italicMode != 0:
		faces = p.italic
	}
	for _, face := range faces {
		if _, ok := face.GlyphAdvance(g.Char); !ok {
			continue
		}
		at, mask, from, _, ok := face.Glyph(fixed.P(cell.Min.X, cell.Min.Y+p.ascent), g.Char)
		if ok {
			draw.DrawMask(img, at.Intersect(img.Bounds()), colour, image.Point{}, mask, from, draw.Over)
		}
		return nil
	}
	return fmt.Errorf("no font has %q", g.Char)
}

// save draws the terminal's screen into a PNG file.
func (p *pen) save(path string, t *terminal) error {
	img, err := p.draw(t.screen)
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(file, img); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

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
