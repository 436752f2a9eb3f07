// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the agent has other names too. An alias, a function or a
// script of the user's own that starts it as another session than the one that
// was tested is told; the launches are judged by their own words.

package verify

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// otherWords warns of aliases and functions of other names, and of scripts in
// the user's own directories on PATH, that start the agent with options or
// variables that change what was tested.
func otherWords(f report.Finding, w wordJudge, defs []shellrc.Def) report.Finding {
	for _, d := range slices.Concat(defs, w.scripts()) {
		b, ok := w.other(d)
		if !ok {
			continue
		}
		plain, hard := b, between{}
		if b.iso {
			plain, hard = hard, plain
		}
		f = stands(f, plain, hard)
	}
	return f
}

// other says how a definition starts the agent as another session; ok is false
// where it does not.
func (w wordJudge) other(d shellrc.Def) (b between, ok bool) {
	text := cmp.Or(d.Value, d.Body)
	b = between{status: report.Warn, where: d.Where()}
	for _, l := range shell.Starts(text, w.r.Places().Home) {
		i := slices.IndexFunc(l.Words, w.starts)
		if i < 0 {
			continue
		}
		args := l.Words[i+1:]
		if b.iso = filepath.Base(l.Words[i]) != "claude" && l.Words[i] != w.runtime.Real; !b.iso {
			b.voids = w.voidsPlain(args)
		} else {
			b.voids = w.voidsIso(args)
		}
		effect, unknown := firstEffect(args)
		if e, sure := variableEffect(l.Env); effect == "" && sure {
			effect = e
		}
		if effect = cmp.Or(effect, unknown); effect == "" {
			continue
		}
		if effect == unknown {
			effect += unknownHarm
		}
		b.summary = "`" + d.Name + "` starts the agent too: " + effect
		b = b.off()
		b.voids = false // of the words that are judged
		return b, true
	}
	return b, false
}

// starts says whether a word is the agent or claude-iso.
func (w wordJudge) starts(word string) bool {
	if word == "claude" || word == "claude-iso" {
		return true
	}
	if !filepath.IsAbs(word) || filepath.Base(word) != "claude" {
		return false
	}
	real, err := w.r.Resolve(word)
	return err == nil && real == w.runtime.Real
}

// maxInPath bounds how many files of a directory on PATH are looked at.
const maxInPath = 300

// agentWord finds the agent's name as a word.
var agentWord = lazy.Regexp(`\bclaude(-iso)?\b`)

// scripts are the shell scripts in directories on PATH below the home that name
// the agent, but for those called claude, which are judged as the word.
func (w wordJudge) scripts() (list []shellrc.Def) {
	p := w.r.Places()
	for _, dir := range filepath.SplitList(w.r.System().Get("PATH")) {
		if !pathname.Within(dir, p.Home) {
			continue
		}
		entries, err := w.r.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries[:min(len(entries), maxInPath)] {
			path := filepath.Join(dir, e.Name())
			info, err := w.r.Stat(path)
			if err != nil || e.Name() == "claude" || !info.Mode().IsRegular() || info.Size() > maxByHand {
				continue
			}
			text, err := w.r.Read(path)
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
