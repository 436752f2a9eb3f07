// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a shell starts in projects, too: what its start files source by a
// relative path, a pattern or the directory that it is in, is a file of the project.

package rcfiles

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// sources judges what a file sources, also what is not there yet; sets are the
// variables that are set there.
func (j *rcJudge) sources(f shellrc.File, sets []shellrc.Def) {
	for _, ref := range slices.Concat(f.Sources, f.Maybe) {
		path := ref.Path
		if ref.Glob {
			path = pathname.BeforeWildcard(path) + "/*"
		}
		j.runs(shellrc.Def{File: ref.File, Line: ref.Line}, path, "sources")
	}
	for _, ref := range f.Dynamic { // relative: shells start in projects too
		path := literalPath(fromHere(ref.Text, sets))
		if m := globHere().FindStringSubmatch(ref.Text); m != nil {
			path = m[1] + "*"
		}
		if path != "" {
			j.runs(shellrc.Def{File: ref.File, Line: ref.Line}, filepath.Join(j.Session.Dirs.Start, path), "sources")
		}
	}
}

// globHere is a relative path with a wildcard in its last part.
var globHere = lazy.Regexp(`^["']?((?:[\w.@+-]+/)*)[\w.@+-]*[*?\[][^/]*$`)

// literalPath is a relative path that is written without anything to expand, ""
// otherwise.
func literalPath(text string) string {
	text = strings.Trim(text, `"'`)
	if text == "" || filepath.IsAbs(text) || strings.ContainsAny(text, "$`~*?[{(<") {
		return ""
	}
	return text
}

// here are ways to write the directory that a shell is in, or the root of the
// project there.
var here = lazy.Regexp("^\"?(?:\\$PWD|\\$\\{PWD\\}|(?:\\$?\\(|`)(?:command |builtin )?(?:pwd|git rev-parse " +
	"--show-toplevel)[^)`]*[)`])(\"?/|\"?$)")

// fromHere is a word as a path from there, if it is one: it may begin with a
// variable that sets name.
func fromHere(text string, sets []shellrc.Def) string {
	if m := evaluated().FindStringSubmatchIndex(text); m != nil && m[0] <= 1 {
		for _, set := range sets {
			rest := strings.TrimPrefix(text[m[1]:], "}")
			switch {
			case set.Name != text[m[2]:m[3]]:
				continue
			case here().MatchString(set.Value):
				text = "$PWD" + rest
			case literalPath(set.Value) != "" && strings.Trim(rest, `"`) == "":
				text = set.Value
			}
			break
		}
	}
	return here().ReplaceAllString(text, "./")
}
