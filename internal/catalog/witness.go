// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a witness names is read here and nowhere else.

package catalog

import (
	"path"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// Place is one of those that a symptom's witness names.
type Place struct {
	// Named is how the entry spells it.
	Named string
	// Variable is the environment variable that it is, "" for a file.
	Variable string
	// Path is the file, absolute, or the value of the variable, which may be no
	// path: "" where it is not set, or where the project of the file is not known.
	Path string
	// Home says that it is named as a file of the home.
	Home bool
}

// PlacesOf are the places that a witness names, one a word: "$NAME" is a variable,
// "~/x" a file of the home, "/x" one of the machine, any other a file of the project,
// "" where none is known.
func PlacesOf(witness, home, project string, variable func(name string) string) (list []Place) {
	for _, word := range strings.Fields(witness) {
		p := Place{Named: word}
		if name, is := strings.CutPrefix(word, "$"); is {
			p.Variable, p.Path = name, variable(name)
		} else if p.Path, p.Home = pathname.Expand(word, home); !path.IsAbs(p.Path) {
			if p.Path = ""; project != "" {
				p.Path = path.Join(project, word)
			}
		}
		list = append(list, p)
	}
	return list
}
