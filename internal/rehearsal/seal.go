// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the tool is asked to do stands in no command line: a
// runtime that reads paths in one would refuse the line, and nothing would be
// known of a program that has its paths from elsewhere.

package rehearsal

import (
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/model"
)

// sealedBy begins a word that is not to be read.
const sealedBy = "hex:"

// absolute finds the words of a command line that are absolute paths.
var absolute = lazy.Regexp(`(^| )('/[^']*'|/[A-Za-z0-9_@%+=:,./-]+)`)

// seal hides the paths of a call of the tool that lies at self. With
// blockReadsOutsideWorkingDirectories the runtime refuses a command that names
// a path outside (measured with 2.1.329). Any other line stays as it is.
func seal(self, line string) string {
	head, words, ok := strings.Cut(line, self+" stage ")
	if !ok || strings.ContainsAny(words, ";|&<>$`\\") {
		return line
	}
	return head + self + " stage " + absolute().ReplaceAllStringFunc(words, func(word string) string {
		path := strings.Trim(word, " '")
		return word[:strings.IndexAny(word, "'/")] + sealed(path)
	})
}

// sealed is a word of the tool's that is not to be read.
func sealed(word string) string { return sealedBy + hex.EncodeToString([]byte(word)) }

// unseal reads a word of the tool's.
func unseal(word string) string {
	if text, ok := strings.CutPrefix(word, sealedBy); ok {
		if b, err := hex.DecodeString(text); err == nil {
			return string(b)
		}
	}
	return word
}

// sealed are the turns of the session as the runtime is to see them. Hooks see
// what is asked: theirs is what is rehearsed.
func (j job) sealed() []model.Turn {
	if j.Session.Mode == Hooks {
		return j.Session.Turns
	}
	var turns []model.Turn
	for _, turn := range j.Session.Turns {
		turn = slices.Clone(turn)
		for i, c := range turn {
			if line, ok := c.Line(); ok {
				input := maps.Clone(c.Input)
				input["command"] = seal(j.Self, line)
				turn[i].Input = input
			}
		}
		turns = append(turns, turn)
	}
	return turns
}
