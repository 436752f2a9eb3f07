// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every copy of a file of ours is named with how it came to
// differ: an earlier version wrote it, a hand changed it, or it is gone. What
// install would write in its place is shown as a diff.

package update

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shellrc"
	"github.com/steward-setup/steward-setup/steps/install"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// copied is a copy of a file of ours.
type copied struct {
	path   string
	starts bool // it has to be executable
}

// judged is a copy that is not as it should be.
type judged struct {
	copied
	status report.Status
	what   string
}

func copies(ctx context.Context, r host.Reader, o Options) report.Finding {
	list := expected(ctx, r, o)
	if len(list) == 0 {
		return report.Finding{Status: report.Warn, Summary: "nothing is installed for this user",
			Evidence: []report.Evidence{report.FileEvidence(r.Places().Scripts(), "no hook script"),
				report.FileEvidence(r.Places().Isolation(), "no claude-iso")}, Remedies: []report.Remedy{verify.Again()}}
	}
	f := report.Finding{Status: report.Pass, Summary: fmt.Sprintf("all copies of our scripts are current (%d)", len(list))}
	var drifted []judged
	var current []report.Evidence // those of the others
	for _, c := range list {
		status, what, seen := o.Agent.Copy(r, c.path, o.Framework, c.starts)
		if status == report.Pass {
			current = append(current, seen...)
			continue
		}
		f.Evidence = append(f.Evidence, seen...)
		drifted = append(drifted, judged{c, status, what})
	}
	shared := sharedHooks(r)
	for _, file := range shared.Drift() {
		path := filepath.Join(shared.Path, file.Name)
		what := "was edited by hand"
		if b, err := r.Read(path); err == nil {
			s, ours := scripts.Recognize(b)
			if v, known := scripts.Written(b); known && !(ours && s.Current) {
				what = "is from an earlier version, of " + v.Day
			} else if !known && file.State == githooks.Foreign {
				what = "was " + scripts.Foreign
			}
		}
		if file.State == githooks.Missing || file.State == githooks.NotExecutable {
			what = "is " + string(file.State)
		}
		f.Evidence = append(f.Evidence, report.FileEvidence(path, what))
		drifted = append(drifted, judged{copied{path, true}, report.Warn, what})
	}
	others := otherPrograms(r, list)
	for _, path := range slices.Sorted(maps.Keys(others)) {
		f.Evidence = append(f.Evidence, report.FileEvidence(path, others[path]))
	}
	f.Evidence = append(f.Evidence, current...)
	if len(drifted) > 0 {
		f.Status, f.Summary = said(drifted, len(list)+len(shared.Hooks))
		f.Remedies = mending(ctx, r, o, drifted, shared)
	}
	if len(others) > 0 {
		what := "the scripts call another copy of steward-setup than this one"
		if f.Status == report.Pass {
			f.Status, f.Summary = report.Warn, what
			f.Remedies = []report.Remedy{install.Planned("show what makes scripts call this version; nothing is written", "")}
		} else {
			f.Summary += "; " + what
		}
	}
	return f
}

// otherPrograms are those that the scripts in list call and that are not this program,
// nor the small one that lies beside it, each with what is seen of it. A script that
// calls what is no program is named by itself.
func otherPrograms(r host.Reader, list []copied) map[string]string {
	own := r.System().Executable
	beside := filepath.Join(filepath.Dir(own), "steward-hook")
	called := map[string]string{} // and "" for this program: it has 40 MB, and is read once
	for _, c := range list {
		b, err := r.Read(c.path)
		s, ours := scripts.Recognize(b)
		if _, judged := called[s.Binary]; err != nil || !ours || s.Binary == "" || judged {
			continue
		}
		called[s.Binary] = ""
		this := own
		if filepath.Base(s.Binary) == filepath.Base(beside) {
			this = beside
		}
		if differ(r, s.Binary, this) {
			called[s.Binary] = filepath.Base(c.path) + " calls it; it differs from " + this
		}
	}
	maps.DeleteFunc(called, func(_, differs string) bool { return differs == "" })
	return called
}

// differ says whether two files that can be read hold other bytes.
func differ(r host.Reader, a, b string) bool {
	if host.Resolved(r, a) == host.Resolved(r, b) {
		return false
	}
	one, errA := r.ReadAll(a)
	other, errB := r.ReadAll(b)
	return errA == nil && errB == nil && !bytes.Equal(one, other)
}

// said is the worst of what drifted, and each kind of it with its number.
func said(drifted []judged, of int) (status report.Status, summary string) {
	status = report.Warn
	var kinds []string
	counts := map[string][]string{}
	for _, d := range drifted {
		if d.status == report.Unknown {
			status = report.Unknown
		}
		if counts[d.what] == nil {
			kinds = append(kinds, d.what)
		}
		counts[d.what] = append(counts[d.what], filepath.Base(d.path))
	}
	for i, kind := range kinds {
		who := counts[kind]
		if kinds[i] = strings.Join(who, ", ") + " " + kind; len(who) > 2 {
			kinds[i] = fmt.Sprintf("%d files: each %s", len(who), kind)
		}
	}
	return status, fmt.Sprintf("%d of %d copies drifted: %s", len(drifted), of, strings.Join(kinds, "; "))
}

// expected are the copies that belong on this machine: every hook script but a
// status line that nothing calls, the wrapper of the login shell, any other
// that is there, and git's hook of the repository if it is ours. None where
// nothing of ours is there.
func expected(ctx context.Context, r host.Reader, o Options) []copied {
	var list []copied
	any := false
	there := func(path string) bool {
		is := host.There(r, path)
		any = any || is
		return is
	}
	for _, name := range scripts.Hooks {
		path := filepath.Join(r.Places().Scripts(), name)
		if there(path) || !o.Agent.Idle(r, path) {
			list = append(list, copied{path, true})
		}
	}
	wanted := ""
	if kind, known := shellrc.ShellAt(host.LoginShell(r), r.Resolve); known {
		wanted = scripts.Wrapper(kind)
	}
	for _, name := range scripts.Wrappers {
		path := filepath.Join(r.Places().Isolation(), name)
		if there(path) || name == wanted {
			list = append(list, copied{path, false})
		}
	}
	if !any {
		return nil
	}
	if path, ok := repositoryHook(ctx, r, o); ok {
		list = append(list, copied{path, true})
	}
	return list
}

// repositoryHook is git's post-checkout hook of the project, if it is ours.
func repositoryHook(ctx context.Context, r host.Reader, o Options) (path string, ok bool) {
	dir := cmp.Or(o.Project, r.System().Cwd)
	repo, err := gitrepo.Open(ctx, r, dir)
	if err != nil {
		return "", false
	}
	hooks, err := repo.HooksPath(ctx)
	if err != nil || githooks.Shared(r, hooks.Path) {
		return "", false
	}
	path = filepath.Join(hooks.Path, "post-checkout")
	b, err := r.Read(path)
	return path, err == nil && scripts.Ours(b)
}

// sharedHooks is the shared hooks directory if it is ours.
func sharedHooks(r host.Reader) githooks.Directory {
	d := githooks.Look(r)
	if !d.Installed {
		return githooks.Directory{}
	}
	return d
}

// mending are the changes that install, or scope, would make of what drifted,
// and the line that shows them. A hook script that a hand changed is replaced
// only if install is told so.
func mending(ctx context.Context, r host.Reader, o Options, drifted []judged,
	shared githooks.Directory) (list []report.Remedy) {
	changes, err := o.Agent.Copies(ctx, r, o.Project, o.Framework)
	changes = append(changes, sharedChanges(r, shared, drifted)...)
	covered := func(path string) bool {
		return slices.ContainsFunc(drifted, func(d judged) bool { return host.Resolved(r, d.path) == host.Resolved(r, path) })
	}
	flags, global := "", false
	for _, c := range changes {
		if !covered(c.Path) {
			continue
		}
		list = append(list, c)
		global = global || filepath.Dir(c.Path) == shared.Path && shared.Path != ""
		if c.Before != nil && !c.Link() && !scripts.Ours(c.Before) && filepath.Dir(c.Path) != shared.Path {
			flags = " --replace-scripts"
		}
	}
	if err == nil && len(list) == 0 {
		err = errors.New("install proposes no change")
	}
	command := install.Planned("show these changes; nothing is written", flags)
	if err != nil {
		command.Why = "see why: " + err.Error()
	}
	list = append(list, command)
	if global {
		list = append(list, report.Own("scope whole-user --plan", report.Command{ID: "scope",
			Why: "show the changes of git's shared hooks; nothing is written"}))
	}
	return list
}

// sharedChanges bring git's shared hooks up to date, filled as they are.
func sharedChanges(r host.Reader, shared githooks.Directory, drifted []judged) (list []report.Change) {
	if shared.Path == "" {
		return nil
	}
	want, err := shared.Filled.Bytes()
	if err != nil {
		return nil
	}
	d := install.NewDraft(r)
	for _, j := range drifted {
		if filepath.Dir(j.path) != shared.Path {
			continue
		}
		f, err := d.Open(j.path, "")
		if err != nil {
			continue
		}
		c, needed := d.Change(report.ID("git-hooks/"+filepath.Base(j.path)), "git's hook, as this version writes it", f, want,
			scripts.Mode)
		if needed {
			list = append(list, c)
		}
	}
	return list
}
