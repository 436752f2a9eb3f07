// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: rules see the text of a command and nothing of what it
// does: what they miss is said beside what they catch.

package access

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// OfCommand is about a command line.
func OfCommand(r host.Reader, subject, root string) Question {
	c := NewLine(subject, r.Places().Home, root)
	c.r = r
	q := Question{Subject: c, Text: subject}
	if len(subject) > shell.MaxLine {
		q.Notes = append(q.Notes, report.Note{Text: "only the first 16 kB were checked"})
	}
	if slices.ContainsFunc(c.parts, func(p simple) bool { return p.Open }) {
		q.Notes = append(q.Notes, report.Note{Text: "part of it is expanded by the shell (a variable, a substitution): " +
			"rules see the text as written"})
	}
	return q
}

// Line is a command line and the simple commands in it.
type Line struct {
	Text       string
	home, root string
	parts      []simple
	r          host.Reader // nil: nothing is said of its programs
}

// NewLine takes a line apart that is typed in root.
func NewLine(text, home, root string) Line {
	return Line{Text: text, home: home, root: root, parts: commandsOf(text, home)}
}

// caught is a rule that matches a part of the line.
type caught struct {
	by   report.Evidence
	part string
}

// Rule says what becomes of it when the agent runs it.
func (c Line) Rule(s *Start) ([]report.Ruling, []report.Note) {
	r := report.Ruling{Who: WhoBash, Does: DoesRun}
	deny, ask := c.matching(s, claude.Deny), c.matching(s, claude.Ask)
	allow, all := c.allowed(s, false)
	switch {
	case len(deny) > 0:
		r.Answer, r.Why, r.By = report.Denied, "a deny rule matches "+deny[0].part, evidenceOf(deny)
	case len(ask) > 0:
		r.Why, r.By = "an ask rule matches "+ask[0].part, evidenceOf(ask)
		r = s.asks(r)
	case all && c.checked(s):
		r.Answer, r.Why, r.By = report.Allowed, "allow rules match every part of it: no prompt", allow
	case s.autoAllowed():
		auto := s.Settings.Scalar(claude.KeyAutoAllowBashIfSandboxed...)
		r.Answer, r.Why, r.By = report.Allowed, "no rule matches, and sandboxed commands run without a prompt",
			[]report.Evidence{s.At(auto.Candidate, claude.KeyAutoAllowBashIfSandboxed...)}
	case all:
		r.Open = true
		r.Answer, r.Why, r.By = report.Asks, "allow rules match every part of it, but the runtime prompts where it cannot "+
			"check a line before it runs (a substitution, a variable, a group), and for files outside the project", allow
	default:
		r.Open = true
		r.Answer, r.Why = report.Asks, "no rule matches: the runtime prompts, unless it knows that the command only reads, "+
			"or the session's mode approves it or refuses it"
		r.By = []report.Evidence{report.FileEvidence("permissions", "no rule of any scope matches a part of it")}
	}
	rulings := []report.Ruling{r}
	if r.Answer != report.Denied {
		where := c.place(s)
		rulings = append(rulings, where)
		if where.Answer == report.Denied {
			rulings = append(rulings, c.leaving(s))
		}
	}
	return rulings, append(c.missed(s), c.programs(s)...)
}

func evidenceOf(list []caught) (by []report.Evidence) {
	for _, c := range list {
		by = report.Union(by, c.by)
	}
	return by
}

// matching are the rules of a list, deny or ask, that match a part.
func (c Line) matching(s *Start, list string) (found []caught) {
	for _, part := range c.parts {
		found = append(found, part.matching(s, list)...)
	}
	return append(found, c.files(s, list)...)
}

func (p simple) matching(s *Start, list string) (found []caught) {
	for rule := range s.rules(list, claude.ToolBash) {
		if rule.bare || slices.ContainsFunc(p.forms(), func(form string) bool {
			return policy.CommandMatches(rule.content, form)
		}) {
			found = append(found, caught{s.At(rule.Candidate, claude.KeyPermissions.Below(list)...), p.Text()})
		}
	}
	return found
}

// readers and writers are the programs whose arguments the runtime takes for
// files, and holds against rules for paths (measured with 2.1.329; tar, xxd,
// dd, less, gzip and every interpreter are not among them). Of those in firsts
// the first argument is no file.
var (
	readers = strings.Fields("cat head tail wc sort uniq cut tr od hexdump strings nl tac rev md5sum sha1sum sha256sum " +
		"file stat find ls grep egrep rg jq sed awk base64 diff cmp comm paste fold column expand fmt pr cp mv")
	writers = strings.Fields("tee touch rm")
	firsts  = strings.Fields("grep egrep rg jq sed awk tr")
)

// files are the rules for paths that the files of the line run into. Where
// sandboxed commands run without a prompt the runtime leaves them to the
// sandbox (measured).
func (c Line) files(s *Start, list string) (found []caught) {
	if s.autoAllowed() {
		return nil
	}
	in := directories{"": s.Dirs.Start}
	for _, part := range c.parts {
		words := part.core()
		if len(words) > 0 && words[0] == "cd" {
			in[fmt.Sprint(part.Forks)] = c.enter(in.of(part), words[1:])
			continue
		}
		dir := in.of(part)
		for _, use := range []struct {
			tool  string
			paths []string
		}{{claude.ToolRead, append(arguments(words, readers), part.From...)},
			{claude.ToolEdit, append(written(words), part.To...)}} {
			for _, word := range use.paths {
				at := c.resolve(dir, word)
				if at == "" {
					continue
				}
				if by := s.pathRules(list, []string{at}, use.tool); by != nil {
					for _, e := range by {
						found = append(found, caught{e, word})
					}
				}
			}
		}
	}
	return found
}

// directories are where the shell is, by the process that moved there; "" is
// where the line starts. A directory is "" where only the shell knows it.
type directories map[string]string

// of is where a command runs: where the innermost process around it moved.
func (d directories) of(c simple) string {
	for n := len(c.Forks); n >= 0; n-- {
		if dir, moved := d[fmt.Sprint(c.Forks[:n])]; moved {
			return dir
		}
	}
	return d[""]
}

// enter is where cd leads from dir.
func (c Line) enter(dir string, args []string) string {
	for len(args) > 0 && slices.Contains([]string{"--", "-L", "-P", "-e"}, args[0]) {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		return c.home
	case args[0] == "-":
		return ""
	}
	return c.resolve(dir, args[0])
}

// arguments are the words of a program of the list that it takes for files.
func arguments(words, programs []string) (list []string) {
	if len(words) == 0 || !slices.Contains(programs, path.Base(words[0])) {
		return nil
	}
	skip := slices.Contains(firsts, path.Base(words[0]))
	for _, w := range words[1:] {
		switch {
		case strings.HasPrefix(w, "-"):
		case skip:
			skip = false
		default:
			list = append(list, w)
		}
	}
	return list
}

// written are the words that a program is taken to write.
func written(words []string) []string {
	if len(words) < 2 {
		return nil
	}
	switch name := path.Base(words[0]); {
	case name == "cp" || name == "mv":
		return words[len(words)-1:]
	case name == "sed" && slices.ContainsFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "-i") || strings.HasPrefix(w, "--in-place")
	}):
		return arguments(words, []string{"sed"})
	}
	return arguments(words, writers)
}

// resolve makes a word an absolute path; "" if only the shell knows it.
func (c Line) resolve(dir, word string) string {
	switch at, home := pathname.Expand(word, c.home); {
	case word == "" || strings.ContainsAny(word, "$*?`"):
		return ""
	case home:
		return at
	case filepath.IsAbs(word):
		return filepath.Clean(word)
	case dir == "":
		return ""
	}
	return filepath.Join(dir, word)
}

// place says whether the command runs outside of the sandbox.
func (c Line) place(s *Start) report.Ruling {
	r := report.Ruling{Who: "the command", Does: "leaves the sandbox without a request"}
	on, why := s.Sandboxed()
	if !on {
		r.Answer, r.Why, r.By = report.Allowed, "no sandbox is in force", []report.Evidence{why}
		return r
	}
	if by, yes := c.Excluded(s); yes {
		r.Answer, r.Why, r.By = report.Allowed, "an excluded command, as a whole line; allowUnsandboxedCommands does not "+
			"change that", []report.Evidence{by}
		return r
	}
	r.Answer, r.Why, r.By = report.Denied, "it is sandboxed: what it may read, write and reach is decided there",
		[]report.Evidence{why}
	return r
}

// Excluded is the first entry of excludedCommands that matches the line.
func (c Line) Excluded(s *Start) (by report.Evidence, yes bool) {
	for _, x := range s.Settings.Taken(claude.KeyExcludedCommands...) {
		if x.Value.Kind == settings.Str && c.matches(x.Value.Text) {
			return s.At(x, claude.KeyExcludedCommands...), true
		}
	}
	return by, false
}

// matches says whether a pattern of excludedCommands matches the line as a
// whole: one command, neither chained nor piped nor redirected elsewhere.
func (c Line) matches(pattern string) bool {
	if strings.Trim(pattern, "* ") == "" && pattern != "" {
		return true
	}
	return len(c.parts) == 1 && policy.CommandMatches(pattern, c.parts[0].Text())
}

// leaving says what becomes of a call that asks to run unsandboxed.
func (c Line) leaving(s *Start) report.Ruling {
	r := report.Ruling{Who: WhoBash, Does: DoesLeave}
	sealed := s.Settings.Scalar(claude.KeyAllowUnsandboxedCommands...)
	if sealed.Value.False() {
		r.Answer, r.Why, r.By = report.Denied, "the call is sandboxed anyway",
			[]report.Evidence{s.At(sealed.Candidate, claude.KeyAllowUnsandboxedCommands...)}
		return r
	}
	if by, all := c.allowed(s, true); all && c.checked(s) {
		r.Answer, r.Why, r.By = report.Allowed, "the patterns that allow it approve this too, without a prompt", by
		return r
	}
	r.Open = true
	r.Answer, r.Why = report.Asks, "the runtime prompts you, and denies it where no prompt is possible"
	r.By = []report.Evidence{report.FileEvidence(claude.KeyAllowUnsandboxedCommands.String(), "is not false in any scope")}
	return r
}
