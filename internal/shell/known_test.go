// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"slices"
	"testing"
)

// What files of the directory decide for a program counts as code, also under its other name.
func TestFilesOfTheDirectoryDecide(t *testing.T) {
	for line, want := range map[string]bool{
		"inv lint":           true,
		"corepack pnpm lint": true,
		"corepack enable":    false,
		"terragrunt plan":    true,
		"latexmk -pdf x.tex": true,
		"gem build x":        true,
		"gem list":           false,
		"nix-build":          true,
		"autoreconf -i":      true,
		"buf generate":       true,
		"buf lint":           false,
	} {
		got := slices.ContainsFunc(place.Line(line).Uses, func(u Use) bool { return u.Kind == Decides })
		if got != want {
			t.Errorf("%s: %t, want %t", line, got, want)
		}
	}
}
