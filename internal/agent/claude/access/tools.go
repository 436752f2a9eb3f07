// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the agent's own tools are held by rules, by the working directories
// of a session, and by what the runtime asks about whatever the settings say (measured
// with 2.1.330: TestToolsAreJudgedWhereNoRuleDecides).

package access

import (
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// byTools are the rulings over the agent's own tools.
func (f File) byTools(s *Start) []report.Ruling {
	read, write := f.readTool(s), f.writeTool(s)
	read.Who, read.Does, write.Who, write.Does = WhoRead, DoesRead, WhoWrite, WriteIt
	return []report.Ruling{read, write}
}

// unruled is the evidence of a tool where no rule decides.
var unruled = []report.Evidence{report.FileEvidence("permissions", "no rule of any scope matches it")}

func (f File) readTool(s *Start) report.Ruling {
	ruled := f.byRules(s, claude.ToolRead)
	own := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return f.within(filepath.Join(s.Dirs.Agent, name)) })
	}
	working := f.inWorking(s, false)
	switch held := s.held(claude.KeyBlockReads); {
	case ruled.Answer == report.Denied:
		ruled.Why += "; no prompt"
		return ruled
	case held != nil && f.inWorking(s, true) == "" && !own(claude.ReadAsked):
		return report.Ruling{Answer: report.Denied, Why: "it is outside of the working directories, in which the tool is " +
			"held whatever allows the path; no prompt", By: held}
	case ruled.Answer == report.Asks:
		return s.asks(ruled)
	case ruled.Answer == report.Allowed:
		return ruled
	case working != "":
		return report.Ruling{Answer: report.Allowed, Why: working + "; the sandbox does not apply to this tool", By: unruled}
	case own(claude.ReadUnasked):
		return report.Ruling{Answer: report.Allowed, Why: "the runtime reads its own notes unasked", By: unruled}
	}
	return s.asks(report.Ruling{Open: true, By: unruled,
		Why: "no rule covers it, and it is outside the project; the sandbox does not apply to this tool"})
}

func (f File) writeTool(s *Start) report.Ruling {
	ruled := f.byRules(s, claude.ToolEdit)
	unread := s.pathRules(claude.Deny, f.names(), claude.ToolRead)
	accepts := s.startsIn(claude.ModeAcceptEdits)
	switch held := s.held(claude.KeyBlockWrites); {
	case ruled.Answer == report.Denied:
		ruled.Why += "; Edit(…) covers both tools"
		return ruled
	case unread != nil:
		return report.Ruling{Answer: report.Denied, By: unread,
			Why: "a path that a rule makes unreadable is not writable either"}
	case held != nil && f.inWorking(s, true) == "":
		return report.Ruling{Answer: report.Denied, Why: "it is outside of the working directories, in which the tools are " +
			"held whatever allows the path; no prompt", By: held}
	case ruled.Answer == report.Asks:
		return s.asks(ruled)
	case slices.ContainsFunc(f.names(), claude.WriteAsked):
		return s.asks(report.Ruling{
			By:  []report.Evidence{report.FileEvidence(f.Real, "asked about whatever the settings say")},
			Why: "it runs, or is trusted, outside the sandbox: the tools ask, whatever rule allows it"})
	case ruled.Answer == report.Allowed:
		return ruled
	case accepts != nil && f.inWorking(s, false) != "":
		return report.Ruling{Answer: report.Allowed, By: accepts,
			Why: "sessions start in a mode that accepts edits in the working directories"}
	}
	return s.asks(report.Ruling{Open: true, By: unruled, Why: "no rule covers it"})
}

// startsIn is the evidence that sessions start in a permission mode; nil if they do not.
func (s *Start) startsIn(mode string) []report.Evidence {
	set := s.Settings.Scalar(claude.KeyDefaultMode...)
	if settings.TextOf(set.Value) != mode {
		return nil
	}
	return []report.Evidence{s.At(set.Candidate, claude.KeyDefaultMode...)}
}

// asks is a ruling that a person is asked, or, in a mode in which nobody is, refused.
func (s *Start) asks(r report.Ruling) report.Ruling {
	r.Answer = report.Asks
	if refuses := s.startsIn(claude.ModeDontAsk); refuses != nil {
		r.Answer, r.Open, r.By = report.Denied, false, slices.Concat(r.By, refuses)
		r.Why += "; sessions start in a mode that refuses what would be asked"
	}
	return r
}

// names are those that a rule may know the file by.
func (f File) names() []string { return slices.Compact([]string{f.Named, f.Real}) }

// within says whether the file lies in a directory, by its name and by where that leads.
func (f File) within(dir string) bool {
	return pathname.Within(f.Named, dir) && pathname.Within(f.Real, dir)
}

// inWorking says which of a session's working directories the file lies in; "" for none.
// A tool that is held in them is held out of those that a project adds (measured with
// 2.1.330).
func (f File) inWorking(s *Start, held bool) string {
	if f.within(s.Dirs.Start) {
		return "it is in the session's start directory"
	}
	for _, d := range s.directories {
		if held && d.Scope.OfProject() {
			continue
		}
		if (pathname.Within(f.Named, d.Named) || pathname.Within(f.Named, d.Real)) && pathname.Within(f.Real, d.Real) {
			return "it is in an additional directory of the settings"
		}
	}
	return ""
}

// held is the evidence of a switch that holds a tool in the working directories; nil if
// none does.
func (s *Start) held(key claude.KeyPath) []report.Evidence {
	set := s.Settings.Scalar(key...)
	for _, c := range append(set.Others, set.Candidate) {
		if c.Value.True() {
			return []report.Evidence{s.At(c, key...)}
		}
	}
	return nil
}

// byRules is the ruling of the rules of a tool; Answer is "" where none has one. A rule
// that allows has to cover the file by its name and by where that leads, and one of Edit
// allows it to be read as well (measured with 2.1.330).
func (f File) byRules(s *Start, tool string) report.Ruling {
	r, _ := byRules(func(list string) (by []report.Evidence) {
		if list != claude.Allow {
			return s.pathRules(list, f.names(), tool)
		}
		tools := []string{tool}
		if tool == claude.ToolRead {
			tools = append(tools, claude.ToolEdit)
		}
		for _, name := range f.names() {
			covering := s.pathRules(list, []string{name}, tools...)
			if covering == nil {
				return nil
			}
			by = report.Union(by, covering...)
		}
		return by
	})
	return r
}

// pathRules are the rules of a list that are about one of these names, for one of these
// tools.
func (s *Start) pathRules(list string, names []string, tools ...string) (by []report.Evidence) {
	for _, tool := range tools {
		by = append(by, s.those(list, tool, func(r rule) bool {
			return slices.ContainsFunc(names, func(name string) bool {
				return settings.RuleCovers(r.content, r.Scope, s.Dirs, name)
			})
		})...)
	}
	return by
}
