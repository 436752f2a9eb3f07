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
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// OfPath is about a file or directory; a relative one stands below the
// working directory.
func OfPath(r host.Reader, subject string) (Question, error) {
	home := r.Places().Home
	named, _ := pathname.Expand(subject, home)
	if !filepath.IsAbs(named) {
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
	read := f.Reads(s)
	list := []report.Ruling{read, f.Writes(s)}
	if f.Socket {
		list = append([]report.Ruling{f.connects(s, read)}, list...)
	}
	denyRead := s.pathRules(claude.Deny, f.names(), claude.ToolRead)
	if denyRead != nil && s.State.Mode != inforce.OnAutoAllow {
		list = append(list, report.Ruling{Who: WhoNamed, Does: DoesRead, Answer: report.Denied, By: denyRead,
			Why: "the rule is also matched against the text of the command"})
	}
	var notes []report.Note
	switch mode := s.Settings.Scalar(claude.KeyDefaultMode...); settings.TextOf(mode.Value) {
	case claude.ModePlan:
		notes = []report.Note{{Text: "sessions start in plan mode, in which the tools write nothing", Where: mode.Where()}}
	case claude.ModeAuto, claude.ModeBypass:
		notes = []report.Note{{Text: "sessions start in a mode in which most questions are not asked", Where: mode.Where()}}
	}
	return append(list, f.byTools(s)...), notes
}

// unrestricted is the ruling where no sandbox restricts files; By is nil where one does.
// what says what a command does without one.
func (s *Start) unrestricted(does, what string) report.Ruling {
	r := report.Ruling{Who: WhoCommand, Does: does, Answer: report.Allowed}
	if on, why := s.Sandboxed(); !on {
		r.Why, r.By = "no sandbox is in force: a command "+what, []report.Evidence{why}
	} else if open := s.Settings.Scalar(claude.KeyFilesystemDisabled...); open.Value.True() {
		r.Why, r.By = inforce.FilesOpen, []report.Evidence{s.At(open.Candidate, claude.KeyFilesystemDisabled...)}
	}
	return r
}

func noEntry(key claude.KeyPath, does string) report.Evidence {
	return report.FileEvidence(key.String(), "no entry of any scope "+does+" it")
}

// Reads says whether a sandboxed command reads the file: it has to see the way to it
// as well.
func (f File) Reads(s *Start) report.Ruling {
	ruling := s.unrestricted(DoesRead, "reads what you can read")
	if ruling.By != nil {
		return ruling
	}
	r := s.grants.Read(f.Real)
	if named := s.grants.Read(f.Named); r.Allowed && !named.Allowed {
		r = named
	}
	ruling.By = s.evidence(r.By)
	if !r.Allowed {
		ruling.Answer = report.Denied
	}
	switch r.Why {
	case grants.Reopened:
		ruling.Why = "opened again within what is hidden"
	case grants.HiddenInside:
		ruling.Why = "the more specific rule denies it"
	case grants.Hidden:
		ruling.Why = "hidden: inside, it does not exist or permission is denied"
		if r.By[0].Final {
			ruling.Final, ruling.Why = true, "it is listed as a credential, and no allowRead overrides that"
		}
	default:
		ruling.Why = "nothing hides it, and what is not hidden can be read"
		ruling.By = []report.Evidence{noEntry(claude.KeyDenyRead, "covers")}
	}
	return ruling
}

// evidence is the deciding grant, and the nearest of those that it overrules.
func (s *Start) evidence(by []grants.Grant) (list []report.Evidence) {
	for i, g := range by[:min(len(by), 2)] {
		e := s.grantedBy(g)
		if i > 0 {
			e.Text = "overridden: " + e.Text
		}
		list = append(list, e)
	}
	return list
}

func (s *Start) grantedBy(g grants.Grant) report.Evidence {
	switch g.Place {
	case grants.StartDir:
		return report.FileEvidence(g.Real, "the directory that the session starts in can be read and written")
	case grants.GitDir:
		return report.FileEvidence(g.Real, "the git directory of the worktree can be read and written")
	case grants.EveryCommand:
		return report.FileEvidence(g.Real, "every command may read and write it: temporary files and logs")
	}
	return s.At(g.Candidate, strings.Split(g.Key, ".")...)
}

// connects says whether a sandboxed command reaches what listens on a socket. On
// Linux none can be made, whatever opens its path (measured with 2.1.329).
func (f File) connects(s *Start, read report.Ruling) report.Ruling {
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
			"has to name it too", read.By
	default:
		r.Answer, r.Why, r.By = report.Allowed, "all unix sockets are allowed",
			[]report.Evidence{s.At(all.Candidate, claude.KeyAllowAllUnixSockets...)}
	}
	return r
}

// Protects says whether the runtime itself keeps a path from commands, whatever the
// settings say; the path is free of links.
func (s *Start) Protects(path string) bool { return s.grants.Write(path).Why == grants.Protected }

// Writes says whether a write of a sandboxed command arrives.
func (f File) Writes(s *Start) report.Ruling {
	ruling := s.unrestricted(DoesWrite, "writes what you can write")
	if ruling.By != nil {
		return ruling
	}
	r := s.grants.Write(f.Real)
	ruling.By = s.evidence(r.By)
	if !r.Allowed {
		ruling.Answer, ruling.Final = report.Denied, len(r.By) > 0 && r.By[0].Final
	}
	switch r.Why {
	case grants.Protected:
		ruling.Final = true
		ruling.Why = "its content runs, or is trusted, outside the sandbox: the runtime keeps it read-only"
		ruling.By = []report.Evidence{report.FileEvidence(r.At, "read-only whatever the settings say")}
	case grants.Kept:
		ruling.Final, ruling.Why = true, "write-protected, whatever allows it"
	case grants.HiddenInside:
		ruling.Why = "a hidden path cannot be written: the write fails or is discarded"
	case grants.Opened:
		ruling.Why, ruling.By = "allowed for writing", ruling.By[:1]
	case grants.Hidden:
		ruling.Why = "hidden: a write fails, or seems to succeed and is discarded when the command ends"
		ruling.By = ruling.By[:1]
	default:
		ruling.Why = "read-only: outside of the project only TMPDIR, logs and what a setting opens are writable"
		ruling.By = []report.Evidence{noEntry(claude.KeyAllowWrite, "covers")}
	}
	return ruling
}

// autoAllowed says that sandboxed commands run without rules for paths.
func (s *Start) autoAllowed() bool { return s.State.Mode == inforce.OnAutoAllow }
