// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: about a file the sandbox and the agent's own tools are
// asked apart, since neither heeds the other's settings: the sandbox takes the
// deny rules for paths as well, the tools take nothing but rules (measured
// with Claude Code 2.1.329). A write of a sandboxed command arrives only where
// something opens it; elsewhere it fails, or, below a hidden directory, seems
// to succeed and is gone (measured with Claude Code 2.1.329 on Linux).

package access

import (
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// OfPath is about a file or directory; a relative one stands below the
// working directory.
func OfPath(r host.Reader, subject string) (Question, error) {
	named := subject
	home := r.Places().Home
	switch {
	case named == "~" || strings.HasPrefix(named, "~/"):
		named = filepath.Join(home, named[1:])
	case !filepath.IsAbs(named):
		if !filepath.IsAbs(r.System().Cwd) {
			return Question{}, &report.Error{Code: report.ExitUsage, Where: subject,
				What: "is relative, and the working directory is gone"}
		}
		named = filepath.Join(r.System().Cwd, named)
	}
	f := File{Named: filepath.Clean(named), Real: host.Real(r, filepath.Clean(named))}
	q := Question{Text: f.Named}
	if f.Real != f.Named {
		q.Notes = append(q.Notes, report.Note{Text: "it resolves through a symlink to " + f.Real})
	}
	info, err := r.Lstat(f.Real)
	f.Dir = err == nil && info.IsDir() || strings.HasSuffix(subject, "/")
	// The service of a socket that is not there may be down.
	f.Socket = err == nil && info.Mode()&iofs.ModeSocket != 0 || err != nil && filepath.Ext(f.Named) == ".sock"
	if err != nil {
		q.Notes = append(q.Notes, report.Note{Text: "it does not exist, as far as you can see"})
	}
	q.Subject = f
	return q, nil
}

// File is a path as it was named and with its links followed.
type File struct {
	Named, Real string
	Dir, Socket bool
}

// Rule says who may read and write it.
func (f File) Rule(s *Start) ([]report.Ruling, []report.Note) {
	read, readBy := f.Reads(s)
	write, writeBy := f.Writes(s, read)
	list := []report.Ruling{
		{Who: WhoCommand, Does: DoesRead, Answer: read.Answer, Final: read.Final, Why: read.Why, By: readBy},
		{Who: WhoCommand, Does: DoesWrite, Answer: write.Answer, Final: write.Final, Why: write.Why, By: writeBy},
	}
	if f.Socket {
		list = append([]report.Ruling{f.connects(s, read, readBy)}, list...)
	}
	denyRead, readable := f.byRule(s, claude.Deny, claude.ToolRead)
	if readable && s.State.Mode != inforce.OnAutoAllow {
		list = append(list, report.Ruling{Who: WhoNamed, Does: DoesRead, Answer: report.Denied, By: denyRead,
			Why: "the rule is also matched against the text of the command"})
	}
	return append(list, f.byTools(s)...), nil
}

// Decision is an answer with its sentence; Final: nothing that opens changes it.
type Decision struct {
	Answer report.Answer
	Why    string
	Final  bool
}

// byTools are the rulings over the agent's own tools.
func (f File) byTools(s *Start) []report.Ruling {
	rules := func(tool string) (report.Ruling, bool) {
		return byRules(func(list string) []report.Evidence {
			by, _ := f.byRule(s, list, tool)
			return by
		})
	}
	none := []report.Evidence{report.FileEvidence("permissions", "no rule of any scope matches it")}
	read, ruled := rules(claude.ToolRead)
	switch {
	case ruled && read.Answer == report.Denied:
		read.Why = "a deny rule; no prompt"
	case ruled:
	case pathname.Within(f.Real, s.Dirs.Start):
		read = report.Ruling{Answer: report.Allowed, By: none,
			Why: "it is in the session's start directory; the sandbox does not apply to this tool"}
	default:
		read = report.Ruling{Answer: report.Asks, Open: true, By: none,
			Why: "no rule covers it, and it is outside the project; the sandbox does not apply to this tool"}
	}
	write, ruled := rules(claude.ToolEdit)
	switch {
	case ruled && write.Answer == report.Denied:
		write.Why = "a deny rule; Edit(…) covers both tools"
	case read.Answer == report.Denied:
		write = report.Ruling{Answer: report.Denied, By: read.By,
			Why: "a path that a rule makes unreadable is not writable either"}
	case !ruled:
		write = report.Ruling{Answer: report.Asks, Open: true, By: none, Why: "no rule covers it"}
	}
	read.Who, read.Does, write.Who, write.Does = WhoRead, DoesRead, WhoWrite, WriteIt
	return []report.Ruling{read, write}
}

// byRule lists the rules of a list that match the file for a tool.
func (f File) byRule(s *Start, list, tool string) (by []report.Evidence, ok bool) {
	for rule := range s.rules(list, tool) {
		p, understood := ruleFor(rule.content, rule.Scope, s.Dirs)
		if understood && f.covered(p) > 0 {
			by = append(by, s.At(rule.Candidate, claude.KeyPermissions.Below(list)...))
		}
	}
	return by, by != nil
}

// covered is how deep the pattern reaches to the file, by either of its
// names, plus 1; 0 if it does not cover it.
func (f File) covered(p Pattern) int {
	best := 0
	for _, name := range []string{f.Named, f.Real} {
		if depth, ok := p.Covers(name); ok {
			best = max(best, depth+1)
		}
	}
	return best
}

// claim is a setting that opens or closes the file, and how near it names it.
type claim struct {
	by    report.Evidence
	depth int
	// final: nothing overrules it.
	final bool
}

func nearer(a, b claim) int { return b.depth - a.depth }

// unrestricted is the decision where no sandbox restricts files; by is nil where
// one does. does says what a command does without one.
func (s *Start) unrestricted(does string) (d Decision, by []report.Evidence) {
	if on, why := s.Sandboxed(); !on {
		return Decision{Answer: report.Allowed, Why: "no sandbox is in force: a command " + does}, []report.Evidence{why}
	}
	if open := s.Settings.Scalar(claude.KeyFilesystemDisabled...); open.Value.True() {
		return Decision{Answer: report.Allowed, Why: inforce.FilesOpen},
			[]report.Evidence{s.At(open.Candidate, claude.KeyFilesystemDisabled...)}
	}
	return d, nil
}

func noEntry(key claude.KeyPath, does string) report.Evidence {
	return report.FileEvidence(key.String(), "no entry of any scope "+does+" it")
}

// Reads says whether a sandboxed command reads the file: of what opens and
// what closes it the nearer counts, of two at one place the opening one, and
// credentials.files above all (measured).
func (f File) Reads(s *Start) (Decision, []report.Evidence) {
	if free, by := s.unrestricted("reads what you can read"); by != nil {
		return free, by
	}
	closed, opened := f.closing(s), f.opening(s)
	switch {
	case len(closed) == 0:
		return Decision{Answer: report.Allowed, Why: "nothing hides it, and what is not hidden can be read"},
			[]report.Evidence{noEntry(claude.KeyDenyRead, "covers")}
	case closed[0].final:
		return Decision{Answer: report.Denied, Final: true,
				Why: "it is listed as a credential, and no allowRead overrides that"},
			evidence(closed[0], without(opened, closed[0]))
	case len(opened) > 0 && opened[0].depth >= closed[0].depth:
		return Decision{Answer: report.Allowed, Why: "opened again within what is hidden"}, evidence(opened[0], closed)
	}
	why := "hidden: inside, it does not exist or permission is denied"
	if len(opened) > 0 {
		why = "the more specific rule denies it"
	}
	return Decision{Answer: report.Denied, Why: why}, evidence(closed[0], opened)
}

// evidence is the deciding claim, and the nearest of those that it overrules.
func evidence(first claim, others []claim) []report.Evidence {
	list := []report.Evidence{first.by}
	if len(others) > 0 {
		o := others[0].by
		o.Text = "overridden: " + o.Text
		list = append(list, o)
	}
	return list
}

// without drops the claims that are no nearer than the directory of another:
// who asks about a credential need not hear of every opening above it.
func without(list []claim, c claim) []claim {
	return slices.DeleteFunc(slices.Clone(list), func(o claim) bool { return o.depth < c.depth })
}

// closing are the settings that hide the file from commands, the deciding one
// first.
func (f File) closing(s *Start) []claim {
	var list []claim
	for _, c := range s.Settings.CredentialFiles() {
		if c.Ignored != "" || c.Mode == claude.Mask {
			continue
		}
		if p, ok := SettingPattern(c.Name, c.Scope, s.Dirs); ok && f.covered(p) > 0 {
			list = append(list, claim{s.At(c.Candidate, claude.KeyCredentialFiles...), f.covered(p), true})
		}
	}
	if len(list) > 0 {
		slices.SortStableFunc(list, nearer)
		return list
	}
	list = append(f.entries(s, claude.KeyDenyRead), f.sealed(s, claude.Deny, claude.ToolRead)...)
	slices.SortStableFunc(list, nearer)
	return list
}

// sealed are the rules of a list that hold for commands by the sandbox. On Linux one
// with wildcards but a last "/**" opens and closes nothing for writing, nor does such
// an entry (measured with 2.1.324 and 2.1.330).
func (f File) sealed(s *Start, in, tool string) (list []claim) {
	// Not Rules: an allow rule that a deny rule takes the force from still
	// opens its path to be read (measured).
	for _, rule := range s.Settings.List(claude.KeyPermissions.Below(in)...) {
		of, content, bare := splitRule(rule.Value.Text)
		if rule.Ignored != "" || of != tool || bare {
			continue
		}
		if p, ok := sealFor(content, rule.Scope, s.Dirs); ok && f.covered(p) > 0 && (tool != claude.ToolEdit || p.literal()) {
			list = append(list, claim{s.At(rule, claude.KeyPermissions.Below(in)...), f.covered(p), false})
		}
	}
	return list
}

// opening are the settings that let commands read the file: what may be
// written can be read too.
func (f File) opening(s *Start) []claim {
	list := append(f.writable(s), f.entries(s, claude.KeyAllowRead)...)
	slices.SortStableFunc(list, nearer)
	return list
}

// entries are those of a list of sandbox.filesystem that cover the file.
func (f File) entries(s *Start, key claude.KeyPath) (list []claim) {
	reads := key.Leaf() == claude.KeyDenyRead.Leaf() || key.Leaf() == claude.KeyAllowRead.Leaf()
	for _, c := range s.Settings.List(key...) {
		p, ok := SettingPattern(c.Value.Text, c.Scope, s.Dirs)
		if ok && c.Ignored == "" && f.covered(p) > 0 && (reads || p.literal()) {
			list = append(list, claim{s.At(c, key...), f.covered(p), false})
		}
	}
	return list
}

// connects says whether a sandboxed command reaches what listens on a socket. On
// Linux none can be made, whatever opens its path (measured with 2.1.329).
func (f File) connects(s *Start, read Decision, readBy []report.Evidence) report.Ruling {
	r := report.Ruling{Who: WhoCommand, Does: Connects}
	on, why := s.Sandboxed()
	all := s.Settings.Scalar(claude.KeyAllowAllUnixSockets...)
	switch {
	case !on:
		r.Answer, r.Why, r.By = report.Allowed, "no sandbox is in force: a command connects to what you can connect to",
			[]report.Evidence{why}
	case !all.Value.True():
		r.Answer, r.Why = report.Denied, "the sandbox refuses every unix socket; no path in allowRead or allowUnixSockets "+
			"opens this one on Linux"
		r.By = []report.Evidence{report.FileEvidence(claude.KeyAllowAllUnixSockets.String(), "no scope sets it")}
	case read.Answer == report.Denied:
		r.Answer, r.Why, r.By = report.Denied, "unix sockets are allowed, but this one lies in what is hidden: allowRead "+
			"has to name it too", readBy
	default:
		r.Answer, r.Why, r.By = report.Allowed, "all unix sockets are allowed",
			[]report.Evidence{s.At(all.Candidate, claude.KeyAllowAllUnixSockets...)}
	}
	return r
}

// writable are the settings that let commands write the file.
func (f File) writable(s *Start) (list []claim) {
	if pathname.Within(f.Real, s.Dirs.Start) {
		list = append(list, claim{by: report.FileEvidence(s.Dirs.Start, "the directory that the session starts in can be "+
			"read and written"), depth: elements(s.Dirs.Start) + 1})
	}
	if pathname.Within(f.Real, s.Git) && !pathname.Within(s.Git, s.Dirs.Start) {
		list = append(list, claim{by: report.FileEvidence(s.Git, "the git directory of the worktree can be read and written"),
			depth: elements(s.Git) + 1})
	}
	list = append(list, f.entries(s, claude.KeyAllowWrite)...)
	list = append(list, f.sealed(s, claude.Allow, claude.ToolEdit)...)
	slices.SortStableFunc(list, nearer)
	return list
}

// writes says whether a write of a sandboxed command arrives.
func (f File) Writes(s *Start, read Decision) (Decision, []report.Evidence) {
	if free, by := s.unrestricted("writes what you can write"); by != nil {
		return free, by
	}
	kept := append(f.entries(s, claude.KeyDenyWrite), f.sealed(s, claude.Deny, claude.ToolEdit)...)
	open := f.writable(s)
	fixed, always := claude.ProtectedAt(f.Real, s.Dirs.Start, s.Git)
	switch {
	case always:
		return Decision{Answer: report.Denied, Final: true, Why: "its content runs, or is trusted, outside the sandbox: " +
				"the runtime keeps it read-only"},
			[]report.Evidence{report.FileEvidence(fixed, "read-only whatever the settings say")}
	case len(kept) > 0:
		return Decision{Answer: report.Denied, Final: true, Why: "write-protected, whatever allows it"},
			evidence(kept[0], open)
	case len(open) > 0 && read.Answer == report.Denied:
		closed := f.closing(s)
		return Decision{Answer: report.Denied, Final: closed[0].final, Why: "a hidden path cannot be written: the write " +
			"fails or is discarded"}, evidence(closed[0], open)
	case len(open) > 0:
		return Decision{Answer: report.Allowed, Why: "allowed for writing"}, []report.Evidence{open[0].by}
	case read.Answer == report.Denied:
		return Decision{Answer: report.Denied, Final: read.Final, Why: "hidden: a write fails, or seems to succeed and is " +
				"discarded when the command ends"},
			[]report.Evidence{f.closing(s)[0].by}
	}
	return Decision{Answer: report.Denied, Why: "read-only: outside of the project only TMPDIR and allowWrite are " +
			"writable"},
		[]report.Evidence{noEntry(claude.KeyAllowWrite, "covers")}
}

// autoAllowed says that sandboxed commands run without rules for paths.
func (s *Start) autoAllowed() bool { return s.State.Mode == inforce.OnAutoAllow }
