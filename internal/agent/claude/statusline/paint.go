// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: colour is put around text that is already safe, never
// into it, and NO_COLOR leaves the same words.

package statusline

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
)

// part is a piece of the line and its colour: the numbers of an SGR sequence,
// "" for the terminal's own.
type part struct{ text, colour string }

type parts []part

const (
	boldRed = "1;31"
	green   = "32"
	yellow  = "33"
	cyan    = "36"
)

// paint puts the parts on one line, a space between them.
func (ps parts) paint(h host.Reader) string {
	plain := h.System().Get("NO_COLOR") != ""
	var b strings.Builder
	for _, p := range ps {
		if p.text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if plain || p.colour == "" {
			b.WriteString(p.text)
		} else {
			b.WriteString("\x1b[" + p.colour + "m" + p.text + "\x1b[0m")
		}
	}
	return b.String()
}

// folders are colours of the 256 that read on dark and on light and are none
// of those that mean something here.
var folders = [...]uint8{33, 38, 62, 67, 68, 69, 75, 97, 98, 104, 109, 133, 134, 140, 141, 173}

// colourOf returns the colour of a folder: always the same for the same path.
func colourOf(path string) string {
	f := fnv.New32a()
	f.Write([]byte(path))
	return colour256(folders[f.Sum32()%uint32(len(folders))])
}

func colour256(n uint8) string { return "38;5;" + strconv.Itoa(int(n)) }
