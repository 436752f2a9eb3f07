// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of a line that allow rules match it is claimed that it runs unasked
// only where the runtime can check it before it runs (measured with 2.1.330:
// TestAllowedLinesRunUnasked).

package access

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// allowed says whether allow rules match every part: as it stands, or without what
// starts another program and is taken off for a yes. A run outside of the sandbox is
// approved by patterns alone, not by a rule for every command.
func (c Line) allowed(s *Start, unsandboxed bool) (by []report.Evidence, all bool) {
	for _, part := range c.parts {
		if slices.ContainsFunc(part.To, func(to string) bool { return to != nowhere }) { // a write of its own
			return nil, false
		}
		rule, matched := s.allows(part, unsandboxed)
		if !matched {
			return nil, false
		}
		by = report.Union(by, s.At(rule.Candidate, claude.KeyAllow...))
	}
	return by, len(c.parts) > 0
}

func (s *Start) allows(part simple, unsandboxed bool) (rule, bool) {
	for words := range part.layers() {
		for rule := range s.rules(claude.Allow, claude.ToolBash) {
			every := rule.bare || rule.content == "*"
			if every && !unsandboxed || !every && policy.CommandMatches(rule.content, strings.Join(words, " ")) {
				return rule, true
			}
		}
		if len(words) == 0 || !slices.Contains(strippedForYes, words[0]) {
			break
		}
	}
	return rule{}, false
}

// checked says whether the runtime sees before it runs what the line does, so that allow
// rules alone decide: simple commands of plain words, one after the other, in pipes and
// in conditions, whose files lie in the project. Of what else it can check nothing is
// claimed.
func (c Line) checked(s *Start) bool {
	file, err := shell.Parsed(c.Text, syntax.LangBash)
	if err != nil {
		return false
	}
	plain := true
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.File, *syntax.BinaryCmd, *syntax.Redirect, *syntax.Word, *syntax.SglQuoted, *syntax.DblQuoted,
			*syntax.Comment:
		case *syntax.Stmt:
			plain = plain && !n.Background && !n.Coprocess && !slices.ContainsFunc(n.Redirs, writes)
		case *syntax.CallExpr:
			plain = plain && len(n.Assigns) == 0
			for _, w := range n.Args[:min(2, len(n.Args))] { // a rule is held against the text
				plain = plain && w.Lit() != ""
			}
		case *syntax.Lit:
			plain = plain && !strings.ContainsAny(n.Value, `\{*?[$`)
		default:
			plain = false
		}
		return plain
	})
	return plain && !slices.ContainsFunc(c.parts, func(part simple) bool { return part.outside(s) })
}

// writes says whether a redirection takes or makes a file.
func writes(r *syntax.Redirect) bool { return r.Op != syntax.DplOut && r.Word.Lit() != nowhere }

// outside says whether a program whose arguments the runtime takes for files is given
// one outside of the session's start directory.
func (c simple) outside(s *Start) bool {
	words := c.core()
	if len(words) == 0 || !slices.Contains(slices.Concat(readers, writers, movers), path.Base(words[0])) {
		return false
	}
	return slices.ContainsFunc(words[1:], func(word string) bool {
		named, _ := pathname.Expand(word, s.Dirs.Home)
		return !pathname.Within(path.Clean(pathname.From(s.Dirs.Start, named)), s.Dirs.Start)
	})
}

// movers are further programs whose arguments it takes for files where it asks whether a
// line is allowed.
var movers = []string{"cd", "mkdir", "rmdir"}

// nowhere is no file that is written.
const nowhere = "/dev/null"
