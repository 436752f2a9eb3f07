// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an alias, a function or a script of another name that
// starts the agent as another session than the one that was tested is told,
// and so is a definition that a function or a trap makes later.

package launchword

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/rcfiles"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// OtherWords warns of aliases and functions of other names, and of scripts in
// the user's own directories on PATH, that start the agent with options or
// variables that change what was tested.
func OtherWords(f report.Finding, w Judge, defs []shellrc.Def) report.Finding {
	for _, d := range slices.Concat(defs, w.scripts()) {
		b, ok := w.other(d)
		if !ok {
			continue
		}
		plain, hard := b, Between{}
		if b.Iso {
			plain, hard = hard, plain
		}
		f = Stands(f, plain, hard)
	}
	return f
}

// other says how a definition starts the agent as another session; ok is false
// where it does not.
func (w Judge) other(d shellrc.Def) (b Between, ok bool) {
	text := cmp.Or(d.Value, d.Body)
	b = Between{Status: report.Warn, Where: d.Where()}
	for _, l := range shell.Starts(text, w.R.Places().Home) {
		args, iso, is := w.agentIn(l.Words)
		if !is {
			continue
		}
		b.Iso = iso
		b.Voids = w.voids(b.Iso, args)
		effect, unknown := w.firstEffect(args)
		if e, sure := variableEffect(l.Env); effect == "" && sure {
			effect = e
		}
		if effect = cmp.Or(effect, unknown); effect == "" {
			continue
		}
		if effect == unknown {
			effect += opening.UnknownHarm
		}
		b.Summary = "`" + d.Name + "` starts the agent too: " + effect
		b = b.off()
		b.Voids = false // of the words that are judged
		return b, true
	}
	return b, false
}

// agentIn are the arguments that words give the agent, and whether it is claude-iso that
// they start; is says whether they start it.
func (w Judge) agentIn(words []string) (args []string, iso, is bool) {
	for i, word := range words {
		if n := isoWords(words[i:]); n > 0 {
			return words[i+n:], true, true
		}
		if w.isRuntime(word) {
			return words[i+1:], false, true
		}
	}
	return nil, false, false
}

// isRuntime says whether a word is the runtime that was tested, by its name or its path.
func (w Judge) isRuntime(word string) bool {
	if word == claude.Program || !filepath.IsAbs(word) {
		return word == claude.Program
	}
	real, err := w.R.Resolve(word)
	return err == nil && real == w.Runtime.Real
}

// maxInPath bounds how many files of a directory on PATH are looked at.
const maxInPath = 300

// agentWord finds the agent's name, or what starts it, as a word.
var agentWord = lazy.Regexp(`\bclaude(-iso)?\b|\bsteward-setup iso\b`)

// scripts are the shell scripts in directories on PATH below the home that name
// the agent, but for those called claude, which are judged as the word.
func (w Judge) scripts() (list []shellrc.Def) {
	p := w.R.Places()
	for _, dir := range filepath.SplitList(w.R.System().Get("PATH")) {
		if !pathname.Within(dir, p.Home) {
			continue
		}
		entries, err := w.R.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries[:min(len(entries), maxInPath)] {
			path := filepath.Join(dir, e.Name())
			info, err := w.R.Stat(path)
			if err != nil || e.Name() == claude.Program || !info.Mode().IsRegular() || info.Size() > maxByHand {
				continue
			}
			text, err := w.R.Script(path)
			if err == nil && shell.IsScript(text) && agentWord().Match(text) {
				list = append(list, shellrc.Def{File: path, Line: 1, Name: e.Name(), Body: string(text)})
			}
		}
	}
	return list
}

// maxByHand is more than a script by hand that starts something takes, in
// bytes.
const maxByHand = 32 << 10

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
		at.Body = text
		in := f.Inside(user, at)
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
			if words := shell.Words(c.Value, user.Home); len(words) > 1 && slices.Contains(rcfiles.Registers, words[0]) &&
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

// LaterWords warns of such definitions, unless what they start is claude-iso or
// the runtime as it is.
func LaterWords(f report.Finding, w Judge, defs []shellrc.Def) report.Finding {
	for _, d := range defs {
		b := w.Def(d, kindOf(d))
		if b.Status == report.Pass {
			continue
		}
		b.Status, b.Voids, b.Summary = report.Warn, false, "after this function or trap has run, "+
			opening.LowerFirst(b.Summary)
		f = Stands(f, b, Between{})
	}
	return f
}
