// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a definition of claude that a start file makes only when a
// function or a trap runs is warned of where it is written; a shell that is
// asked at its first prompts does not have it yet.

package verify

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// maxLater bounds texts within texts that are read.
const maxLater = 3

// definedLater lists the definitions of a name in the functions of start files,
// and in the texts that trap, sched, zle -F and the like are given.
func definedLater(user shellrc.User, files []shellrc.File, name string) (found []shellrc.Def) {
	var look func(f shellrc.File, depth int)
	inside := func(f shellrc.File, at shellrc.Def, text string, depth int) {
		if depth >= maxLater || !strings.Contains(text, name) {
			return
		}
		in := user.Read(f.Shell, f.Path, []byte(text)).At(at)
		for _, d := range slices.Concat(in.Aliases, in.Functions) {
			if d.Name == name {
				found = append(found, d)
			}
		}
		look(in, depth+1)
	}
	look = func(f shellrc.File, depth int) {
		for _, d := range f.Functions {
			if d.Name != name && d.Body != "" {
				inside(f, d, d.Body, depth)
			}
		}
		for _, c := range f.Calls {
			if words := shell.Words(c.Value, user.Home); len(words) > 1 && slices.Contains(registers, words[0]) &&
				words[0] != "eval" {
				for _, text := range words[1:] {
					inside(f, c, text, depth)
				}
			}
		}
	}
	for _, f := range files {
		look(f, 0)
	}
	return found
}

// laterWords warns of such definitions, unless what they start is claude-iso or
// the runtime as it is.
func laterWords(f report.Finding, w wordJudge, defs []shellrc.Def) report.Finding {
	for _, d := range defs {
		b := w.def(d, kindOf(d))
		if b.status == report.Pass {
			continue
		}
		b.status, b.voids, b.summary = report.Warn, false, "after this function or trap has run, "+lowerFirst(b.summary)
		f = stands(f, b, between{})
	}
	return f
}
