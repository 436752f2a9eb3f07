// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: uninstall takes back what the receipts know, as one plan
// that is approved like any other, and says what stays and how that goes.

package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shellrc"
	"github.com/steward-setup/steward-setup/internal/ui/text"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/install"
)

func newUninstall(a *app) *cobra.Command {
	var o planFlags
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Undo everything that was applied, and list what remains",
		Long: `uninstall undoes all runs that are not undone yet, newest first, as one plan: each
file gets back its content from before the first run. A file that was edited
since keeps your edits and is named. It does not remove the lines in your rc
files, the packages or its own records; it prints the commands for that.`,
		Example: `  steward-setup uninstall                         show, ask, restore
  steward-setup uninstall --plan                  write nothing
  steward-setup uninstall --apply 7f3a-91c2-...   without a terminal: exactly that plan`,
		Args: cobra.NoArgs,
		RunE: a.onHost(func(cmd *cobra.Command, h *host.Host, _ []string) error { return a.uninstall(cmd.Context(), h, o) }),
	}
	o.add(cmd, restores, "restore")
	return cmd
}

func (a *app) uninstall(ctx context.Context, h *host.Host, o planFlags) error {
	c := a.restore(h, o, "uninstall")
	if err := c.may(); err != nil {
		return err
	}
	out, applier := a.output("uninstall", a.facts(h)), a.applier(h)
	u, err := applier.PlanUninstall(h)
	if err != nil {
		return out.end(0, err)
	}
	u.Section.Items = slices.Concat(u.Section.Items, committed(ctx, h, u.Section.Items), rcLines(h))
	p := withTimer(h, report.NewPlan([]report.Section{u.Section}))
	if u.All == 0 && len(p.Items()) == 0 && o.apply == "" {
		return out.nothingToUndo()
	}
	c.page = tui.Confirmation{Title: u.Section.Title, Why: u.Section.Why, Yes: "uninstall"}
	if c.always = len(p.Changes()) == 0 && len(u.Section.Removes) > 0; c.always {
		c.goesOn(u.Section.Removes)
	}
	c.write = func(ctx context.Context, p report.Plan, emit engine.Sink) error {
		return applier.ApplyUninstall(ctx, u, p, p.ID, emit)
	}
	c.after = func() { a.remains(h, out, u) }
	return c.settle(ctx, out, p)
}

// committed are the lines that bring back, in each work tree, what is removed there and
// everyone who clones it has.
func committed(ctx context.Context, h *host.Host, items []report.Item) (lines []report.Item) {
	type from struct{ root, commit string }
	files := map[from]string{}
	for _, item := range items {
		c, ok := item.(report.Change)
		if !ok || c.After != nil {
			continue
		}
		repo, err := gitrepo.Open(ctx, h, filepath.Dir(c.Path))
		if err != nil || repo.Root == "" {
			continue
		}
		rel, err := filepath.Rel(repo.Root, c.Path)
		if is, unknown := repo.InHead(ctx, repo.Root, rel); is && err == nil && unknown == nil {
			at := from{root: repo.Root}
			if tracked, err := repo.Tracked(ctx, repo.Root, rel); err == nil && !tracked { // git rm --cached
				at.commit = "HEAD "
			}
			files[at] += " " + scripts.Quote(rel)
		}
	}
	order := func(a, b from) int { return strings.Compare(a.root+" "+a.commit, b.root+" "+b.commit) }
	for _, at := range slices.SortedFunc(maps.Keys(files), order) {
		lines = append(lines, report.Command{ID: report.ID("committed/" + at.root + at.commit), Optional: true,
			Why:  "bring back what is committed, and others use; or commit the removal, for everyone",
			Line: "git -C " + scripts.Quote(at.root) + " checkout " + at.commit + "--" + files[at]})
	}
	return lines
}

// calling are rcLines where what such a line calls is removed.
func calling(h *host.Host, items []report.Item) []report.Item {
	if !slices.ContainsFunc(items, func(item report.Item) bool {
		c, ok := item.(report.Change)
		return ok && c.After == nil && pathname.Within(c.Path, h.Places().Isolation())
	}) {
		return nil
	}
	return rcLines(h)
}

// rcLines are the commands that take the lines out of rc files that call the
// setup: those files are the user's, and nothing of them is written here.
func rcLines(h *host.Host) (items []report.Item) {
	sh := readShell(h)
	lines := map[string][]int{}
	var files []string
	add := func(file string, line int) {
		files, lines[file] = report.Union(files, file), report.Union(lines[file], line)
	}
	for _, ref := range append(slices.Clone(sh.Sourced.Found), sh.SourcedByLogin.Found...) {
		if pathname.Within(ref.Path, h.Places().Isolation()) {
			add(ref.File, ref.Line)
		}
	}
	for _, d := range sh.Aliased {
		add(d.File, d.Line)
	}
	editor := "${EDITOR:-vi}"
	if sh.Kind == shellrc.Fish || sh.Kind == shellrc.Tcsh { // which know no such braces
		editor = "sh -c '" + editor + ` "$@"' -`
	}
	for _, file := range files {
		slices.Sort(lines[file])
		real := host.Resolved(h, file)
		b, _ := h.Read(real) // the line numbers say it, too
		content := strings.Split(string(b), "\n")
		var said []string
		for _, n := range lines[file] {
			one := fmt.Sprintf("line %d", n)
			if n <= len(content) {
				one += ": " + text.Line(strings.TrimSpace(content[n-1]))
			}
			said = append(said, one)
		}
		items = append(items, report.Command{ID: report.ID("uninstall/rc/" + file),
			Line: fmt.Sprintf("%s +%d %s", editor, lines[file][0], scripts.Quote(real)), Why: "remove from " + text.Home(real,
				h.Places().Home) + " (and an if block left empty): " + strings.Join(said, "; ")})
	}
	return items
}

// withTimer is the plan with the commands that stop a timer which it takes
// away: they need its file, so they stand first.
func withTimer(h *host.Host, p report.Plan) report.Plan {
	if stops := install.StopTimers(h, p.Changes()); stops != nil {
		p.Sections[0].Items = append(stops, p.Sections[0].Items...)
	}
	return report.NewPlan(p.Sections)
}

// remains says what was edited and what was never in a receipt, with the lines
// that lead on.
func (a *app) remains(h *host.Host, out *output, u engine.Uninstall) {
	p := h.Places()
	out.Emit(engine.Note{Text: "What remains:"})
	for _, f := range u.Section.Findings {
		for _, remedy := range f.Remedies {
			if c, ok := remedy.(report.Command); ok && f.Decide {
				out.Emit(engine.Note{Text: "  " + f.Summary + "; to " + c.Why + ":  " + c.Line})
			}
		}
	}
	line := ""
	for _, dir := range []string{p.State, p.Cache} {
		if host.There(h, dir) {
			line += " " + scripts.Quote(dir)
		}
	}
	switch {
	case line == "":
	case u.Lives:
		out.Emit(engine.Note{Text: "  the sync repository with the symlinks to it, and the record of the runs, with the " +
			"old bytes of the files that the symlinks replaced"})
	default:
		out.Emit(engine.Note{Text: "  the record of the runs, with the old bytes of every file; undo needs it and fails " +
			"after this command:  rm -r" + line})
	}
	var tools []string
	for _, t := range []proc.Tool{proc.Bubblewrap, proc.Socat, proc.Tool(h.Places().Agent.Tool())} {
		if _, err := h.Look(proc.Version(t).Program()); err == nil {
			tools = append(tools, string(t))
		}
	}
	packages := ""
	if tools != nil {
		packages = "the packages " + inWords(tools, "and") + ", and "
	}
	out.Emit(engine.Note{Text: "  " + packages + "this program:  " + scripts.Quote(a.sys.Executable)})
}
