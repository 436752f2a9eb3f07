// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the doctor asks here what only Claude Code can answer.

// Package fixes is Claude Code behind what the doctor asks of a runtime: what a fix of
// the catalog writes, what it would open, and which settings decide about a call.
//
// Contract: what a fix would write is worked out, never written.
package fixes

import (
	"cmp"
	"context"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/startfailure"
	"github.com/steward-setup/steward-setup/internal/agent/claude/starts"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/manifests"
)

// Claude is Claude Code for the doctor.
type Claude struct{ checks.Claude }

// Catalog implements doctor.Agent.
func (Claude) Catalog() (name string, text []byte) {
	return "manifests/troubleshooting.toml", []byte(manifests.Troubleshooting)
}

// Change implements doctor.Agent.
func (Claude) Change(ctx context.Context, r host.Reader, root, id string, fix catalog.Fix) (report.Change, error) {
	if fix.Exclude {
		here := Exclude(ctx, r, root, id, fix)
		if here.Change == nil {
			return report.Change{}, errors.New(cmp.Or(here.Refused, here.Refuted))
		}
		return *here.Change, nil
	}
	file := report.Change{ID: report.ID("doctor/" + id), Mode: 0o644, Why: fix.Title, Price: fix.Price}
	switch fix.Scope {
	case catalog.User:
		file.Path = r.Places().UserSettings()
	case catalog.Local:
		file.Path, file.Within = filepath.Join(root, claude.LocalFile), root
	default:
		file.Path, file.Within = filepath.Join(root, claude.Dir, claude.SettingsFile), root
	}
	var err error
	if file.Target, err = r.Resolve(file.Path); err != nil {
		return file, err
	}
	if file.Within != "" && !pathname.Within(file.Target, file.Within) {
		return file, errors.New(file.Path + " points outside the project")
	}
	file.Before, err = r.Read(file.Target)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return file, err
	}
	if info, err := r.Stat(file.Target); err == nil {
		file.ModeBefore = info.Mode().Perm()
	}
	have, err := settings.Check(file.Path, file.Before)
	if err != nil {
		return file, err
	}
	want, err := written(fix)
	if err != nil {
		return file, err
	}
	merged, err := settings.Merge(have, want, func(settings.Conflict) bool { return true })
	if err != nil {
		return file, err
	}
	if string(merged.After) != string(file.Before) {
		file.After = merged.After
	}
	return file, nil
}

// Effect implements doctor.Agent.
func (Claude) Effect(fix catalog.Fix) catalog.Effect {
	return catalog.Effect{Allows: onlyAllows(fix), Hosts: SetBy(fix, claude.KeyAllowedDomains) != nil,
		Sockets: SetBy(fix, claude.KeyAllowAllUnixSockets) != nil}
}

// Spelled implements doctor.Agent: below the home a path is written with "~/",
// which means the same to the runtime in every scope.
func (Claude) Spelled(path, home string) string {
	if path == home {
		return "~/"
	}
	return pathname.Tilde(path, home)
}

// Line implements doctor.Agent.
func (c Claude) Line(ctx context.Context, r host.Reader, root string, fix catalog.Fix,
	hosts ...string) *report.Command {
	const why = "see the change, and the line that makes it"
	if len(AddedBy(fix, claude.KeyAllowedDomains)) == 1 && len(hosts) > 0 && hosts[0] != "" {
		line := c.Allow(ctx, r, root, hosts...)
		c := report.Own(line.Words, report.Command{Why: why + line.After})
		return &c
	}
	if write := AddedBy(fix, claude.KeyAllowWrite); len(write) == 1 {
		if group, _, ok := CacheAt(write[0], r.Places().Home); ok {
			c := report.Own("install --plan --caches="+group, report.Command{Why: why})
			return &c
		}
	}
	return nil
}

// Allow implements doctor.Agent.
func (Claude) Allow(ctx context.Context, r host.Reader, root string, hosts ...string) report.Line {
	return access.Allow(access.Plain(ctx, r, root), hosts...)
}

// WouldOpen implements doctor.Agent.
func (Claude) WouldOpen(ctx context.Context, r host.Reader, root string) func(report.Change) ([]string, error) {
	opens := checks.WouldOpen(ctx, r, root)
	return func(c report.Change) ([]string, error) {
		return opens(func(r host.Reader) host.Reader { return host.Changed(r, c) })
	}
}

// Rules implements doctor.Agent.
func (Claude) Rules(ctx context.Context, r host.Reader, dir string) catalog.Rules {
	s := access.Plain(ctx, r, dir)
	return catalog.Rules{
		Denies: func(host string) []report.Evidence {
			named := access.Host{Host: policy.Host{Name: host, Port: rehearsal.Port}}
			return named.Listed(s, claude.Deny)
		},
		Forbids: append(access.RulesOf(s, claude.Deny, claude.ToolBash), access.RulesOf(s, claude.Deny, "Bash(*)")...),
		Unsandboxed: func(line string) string {
			e, _ := access.NewLine(line, r.Places().Home, s.Dirs.Start).Excluded(s)
			return e.Where
		},
	}
}

// Off implements doctor.Agent.
func (Claude) Off(ctx context.Context, r host.Reader, dir string) (why report.Evidence, next report.Remedy) {
	s := access.Plain(ctx, r, dir)
	on, why := s.Sandboxed()
	if on || s.Settings.Scalar(claude.KeySandboxEnabled...).Value != nil {
		return report.Evidence{}, nil
	}
	// A file that is dropped comes first: what it holds is in force once it is mended.
	for _, b := range s.State.Broken {
		if b.File && !b.Kept {
			return report.FileEvidence(b.Where, b.What), report.DocLink{Title: inforce.FixFile, Target: b.Where}
		}
	}
	if u, ok := starts.WithoutPolicy(ctx, r, dir); ok { // install would not bring it there
		return report.FileEvidence(why.Where, u.What), u.Remedy
	}
	return why, report.Own("install", report.Command{ID: "install", Why: "add what is missing"})
}

// Mend implements doctor.Agent.
func (Claude) Mend(ctx context.Context, r host.Reader) (report.Command, bool) {
	return startfailure.Mends(ctx, r, "")
}

// Unplayed implements doctor.Agent.
func (Claude) Unplayed(r host.Reader, root string) []report.Evidence {
	return wiring.OtherHooks(r, root)
}

// allowKeys are the lists of what commands may do. permissions.ask, deny and
// excludedCommands are none: an entry of those changes who decides.
var allowKeys = []string{claude.KeyAllowRead.String(), claude.KeyAllowWrite.String(), claude.KeyAllowedDomains.String(),
	claude.KeyAllowUnixSockets.String(), claude.KeyAllow.String()}

// onlyAllows says whether a fix only adds entries to lists of what is allowed. A
// switch may change how the sandbox is made.
func onlyAllows(fix catalog.Fix) bool {
	doc, err := written(fix)
	return err == nil && len(doc.Root.Members) > 0 && listsAllowed(doc.Root, "")
}

// listsAllowed says whether an object has nothing but such lists; above begins its keys.
func listsAllowed(v *settings.Value, above string) bool {
	return !slices.ContainsFunc(v.Members, func(m settings.Member) bool {
		if m.Value.Kind == settings.Object {
			return !listsAllowed(m.Value, above+m.Key+".")
		}
		return m.Value.Kind != settings.Array || !slices.Contains(allowKeys, above+m.Key)
	})
}

// Where says in which file a fix stands, as people call it, and what it adds there.
func Where(fix catalog.Fix) (file string, lines []string) {
	lines = []string{fix.Settings}
	switch {
	case fix.Exclude:
		return ".git/info/exclude", claude.Excludable(func(string) bool { return false })
	case fix.Scope == catalog.User:
		return "~/.claude/settings.json", lines
	case fix.Scope == catalog.Local:
		return ".claude/settings.local.json of the worktree", lines
	}
	return ".claude/settings.json of the project", lines
}

// written is what a fix adds to settings.
func written(fix catalog.Fix) (*settings.Doc, error) {
	return settings.Parse("fix "+fix.Title, []byte(fix.Settings))
}

// SetBy is the value that a fix sets a key to, nil if it does not.
func SetBy(fix catalog.Fix, key claude.KeyPath) *settings.Value {
	doc, err := written(fix)
	if err != nil {
		return nil
	}
	return doc.Get(key...)
}

// AddedBy lists the texts that a fix adds to an array.
func AddedBy(fix catalog.Fix, key claude.KeyPath) []string { return settings.TextsOf(SetBy(fix, key)) }

// CacheAt is the group of caches of install that opens a path for writing, and
// what it opens.
func CacheAt(path, home string) (group, entry string, ok bool) {
	return policy.Embedded().CacheAt(claude.KeyAllowWrite.String(), path, home)
}
