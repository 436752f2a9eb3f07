// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the runtime keeps commands from .git/hooks, and not from what a
// hook there starts. git runs hooks at the root of the work tree, so that a relative
// path, a symlink and a hook manager lead to files of the project.

package gitruns

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/writable"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// hookOpenings names what the hooks of the user and of the repository run of what
// commands can change: of each hook the first file. Hooks in a directory that commands
// can write are told with that directory.
func hookOpenings(g writable.Ground, t host.Tree, own, repo []gitrepo.Setting) (found []opening.Opening) {
	if t.Root == "" {
		return nil
	}
	shared := ""
	for _, set := range slices.Concat(own, repo) { // the last one counts
		if set.Key == gitDirs[0] {
			shared = expandedFrom(g, set.Value)
		}
	}
	for _, name := range scripts.GitHooks {
		path := filepath.Join(t.Common, "hooks", name)
		if shared != "" {
			if at := filepath.Join(shared, name); g.Exists(at) {
				found = append(found, hookOpening(g, t, at)...)
			}
			if !githooks.Read(g.Host, filepath.Join(shared, name)).Hands {
				continue
			}
		}
		if g.Exists(path) {
			found = append(found, hookOpening(g, t, path)...)
		}
	}
	return found
}

// expandedFrom is a directory as git finds it from the start directory.
func expandedFrom(g writable.Ground, path string) string {
	if rest, tilde := strings.CutPrefix(path, "~/"); tilde {
		return filepath.Join(g.Session.Dirs.Home, rest)
	}
	return pathname.From(g.Session.Dirs.Start, path)
}

// wordsOfShell is a command of a shell into which xargs or find puts the name of a
// file: one that is called "$(x)" runs x.
var wordsOfShell = lazy.Regexp(`\b(xargs|find|fd|parallel)\b[^\n|;]*\s[a-z]*sh\s+-\w*c\s+('[^'\n]*\{\}|"[^"\n]*\{\})`)

// hookOpening judges one hook. What it names that is not resolved is passed over, as in
// other scripts of the user's.
func hookOpening(g writable.Ground, t host.Tree, path string) []opening.Opening {
	if _, yes := g.Writable(filepath.Join(filepath.Dir(path), commandline.AnyFile)); yes || githooks.Ours(g.Host, path) {
		return nil
	}
	runs := func(where, what string) []opening.Opening {
		return []opening.Opening{{Status: report.Warn, Where: where, What: path,
			Opens: fmt.Sprintf("The git hook %s runs %s: commands can change that, and your own git runs it outside the "+
				"sandbox.", path, what),
			Remedy: report.DocLink{Title: "look at what a session changed before you use git, or add it to " +
				claude.KeyDenyWrite.String(), Target: where}}}
	}
	if to, err := g.Host.Readlink(path); err == nil {
		if to = pathname.From(filepath.Dir(path), to); g.Leads(to) {
			return runs(path, to)
		}
	}
	b, err := g.Host.Script(path)
	if err != nil || !host.Program(g.Host, path) || !shell.IsScript(b) {
		return nil
	}
	line := func(at int) string { return fmt.Sprintf("%s:%d", path, 1+strings.Count(string(b[:at]), "\n")) }
	if at := wordsOfShell().FindIndex(b); at != nil {
		return runs(line(at[0]), "what a file is called, which is put into the words of sh -c")
	}
	place := commandline.Place(g)
	place.Dir, place.Moves = t.Root, false
	for _, u := range place.Line(string(b)).Uses {
		at, what := u.Path, u.Path
		switch u.Kind {
		case shell.Decides, shell.Configures:
			at, what = filepath.Join(at, commandline.AnyFile), "files of "+u.Path+" ("+u.By+")"
		case shell.Runs, shell.Found:
		default:
			continue
		}
		if _, yes := g.Writable(at); yes || u.Kind == shell.Found && g.Leads(at) {
			return runs(line(u.From), what)
		}
	}
	return nil
}
