// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"slices"
	"testing"
)

// What files of the directory decide for a program counts as code, also under its other name.
func TestFilesOfTheDirectoryDecide(t *testing.T) {
	decides := func(line, dir string) bool {
		return slices.ContainsFunc(place.Line(line).Uses, func(u Use) bool { return u.Kind == Decides && u.Path == dir })
	}
	if !decides("uv --directory ~/srv run srv", "/h/srv") || !decides("poetry -C ~/srv run srv", "/h/srv") {
		t.Error("uv and poetry run elsewhere with the option that says so")
	}
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
		"buf lint":           true, // plugins of buf.yaml
		"buf format -w":      false,
		"asdf exec x":        true,
		"asdf completion x":  false,
		// The value of an option is no subcommand.
		"uv --directory . run srv":         true,
		"uv --directory=. run srv":         true,
		"uv --project . run srv":           true,
		"uv --color never run srv":         true,
		"uv -q tool run x":                 false,
		"uv --version":                     false,
		"docker --context x compose up":    true,
		"docker -H ssh://h compose up":     true,
		"docker --context x ps":            false,
		"docker run -v .:/w image compose": false,
		"go -C . test ./...":               true,
		"pip --proxy x install -e .":       true,
	} {
		got := slices.ContainsFunc(place.Line(line).Uses, func(u Use) bool { return u.Kind == Decides })
		if got != want {
			t.Errorf("%s: %t, want %t", line, got, want)
		}
	}
}
