// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the runtime keeps commands from .git/hooks, and not from what a
// hook there starts. git runs hooks at the root of the work tree, so that a relative
// path, a symlink and a hook manager lead to files of the project.

package gitruns

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
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
func hookOpenings(g grants.Ground, t host.Tree, own, repo []gitrepo.Setting) (found []opening.Opening) {
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
	for _, set := range own { // git copies them into the repositories that it makes
		if dir := filepath.Join(expandedFrom(g, set.Value), "hooks"); set.Key == gitDirs[1] {
			for _, name := range scripts.GitHooks {
				if at := filepath.Join(dir, name); g.Exists(at) {
					found = append(found, hookOpening(g, t, at)...)
				}
			}
		}
	}
	return found
}

// expandedFrom is a directory as git finds it from the start directory.
func expandedFrom(g grants.Ground, path string) string {
	path, _ = pathname.Expand(path, g.Session.Dirs.Home)
	return pathname.From(g.Session.Dirs.Start, path)
}

// wordsOfShell is a command of a shell into which xargs or find puts the name of a
// file: one that is called "$(x)" runs x.
var wordsOfShell = lazy.Regexp(`\b(xargs|find|fd|parallel)\b[^\n|;]*\s[a-z]*sh\s+-\w*c\s+('[^'\n]*\{\}|"[^"\n]*\{\})`)

var (
	// besideHooks are ways of a hook to write the directory of hooks, beside those of any script.
	besideHooks = lazy.Regexp(`(?:\$\{?GIT_DIR\}?|\$\(git rev-parse --git(?:-common)?-dir\))/hooks\b`)
	// managers are programs that run what a file of the project lists.
	managers = lazy.Regexp(`\b(husky-run|overcommit|lint-staged|lefthook|pre_commit)\b`)
)

// maxBeside bounds how far hooks are followed to files beside them.
const maxBeside = 3

// hookOpening judges one hook. What it names that is not resolved is passed over, as in
// other scripts of the user's.
func hookOpening(g grants.Ground, t host.Tree, hook string) []opening.Opening {
	b, found := hookText(g, hook, hook, g.Host.Script)
	if found != nil || b == nil || !host.Program(g.Host, hook) {
		return found
	}
	if shell.IsScript(b) {
		return hookScript(g, t, hook, hook, b, maxBeside)
	}
	if strings.HasPrefix(string(b), "#!") {
		return hookCode(g, t, hook, b)
	}
	return nil
}

// besideOpening judges a script beside a hook, which needs no first line that names a shell.
func besideOpening(g grants.Ground, t host.Tree, hook, path string, depth int) []opening.Opening {
	b, found := hookText(g, hook, path, g.Host.Read)
	if found != nil || b == nil {
		return found
	}
	if found := hookScript(g, t, hook, path, b, depth); found != nil {
		return found
	}
	return managed(hook, path, b) // by a function that is given its name
}

// hookText is the text of a hook, or of a script beside it, as read reads it; or what is
// found where it is a symlink that commands can lead elsewhere. Both are nil for one of the
// setup's, one that is not read, and one in a directory that is told as a whole.
func hookText(g grants.Ground, hook, path string, read func(string) ([]byte, error)) ([]byte, []opening.Opening) {
	if _, yes := g.Writable(filepath.Join(filepath.Dir(path), commandline.AnyFile)); yes || githooks.Ours(g.Host, path) {
		return nil, nil
	}
	if to, err := g.Host.Readlink(path); err == nil {
		if to = pathname.From(filepath.Dir(path), to); g.Leads(to) {
			return nil, hookRuns(hook, path, to)
		}
	}
	b, err := read(path)
	if err != nil {
		return nil, nil
	}
	return b, nil
}

// hookRuns says that a hook runs what commands can change, at where.
func hookRuns(hook, where, what string) []opening.Opening {
	return []opening.Opening{{Status: report.Warn, Where: where, What: hook,
		Opens: fmt.Sprintf("The git hook %s runs %s: commands can change that, and your own git runs it outside the "+
			"sandbox.", hook, what),
		Step: "look at what a session changed before you use git, or add it to " + claude.KeyDenyWrite.String()}}
}

// hookScript judges the text b of a script at path, which is a hook or lies beside it; depth
// is how much further files beside it are followed.
func hookScript(g grants.Ground, t host.Tree, hook, path string, b []byte, depth int) []opening.Opening {
	if at := wordsOfShell().FindIndex(b); at != nil {
		return hookRuns(hook, commandline.LineAt(path, string(b), at[0]),
			"what a file is called, which is put into the words of sh -c")
	}
	place := commandline.Place(g)
	place.Dir, place.Moves = t.Root, false
	b = besideHooks().ReplaceAllLiteral(commandline.InItsPlace(path, b), []byte(filepath.Dir(path)))
	beside := listed(g, path, string(b))
	for _, u := range place.Line(string(b)).Uses {
		if what, leads := leadsOut(g, u); leads {
			return hookRuns(hook, commandline.LineAt(path, string(b), u.From), what)
		}
		if u.Kind == shell.Runs && u.Path != path && u.Path != hook && pathname.Within(u.Path, filepath.Dir(hook)) {
			beside = append(beside, u.Path)
		}
	}
	for _, at := range beside {
		if depth > 0 {
			if found := besideOpening(g, t, hook, at, depth-1); found != nil {
				return found
			}
		}
	}
	return nil
}

// listed are the files of the directory NAME.d beside a hook, if its text names one: as
// dispatchers start them.
func listed(g grants.Ground, path, text string) (files []string) {
	if !strings.Contains(text, ".d/") && !strings.Contains(text, ".d\"") {
		return nil
	}
	entries, err := g.Host.ReadDir(path + ".d")
	for _, e := range entries {
		if at := filepath.Join(path+".d", e.Name()); err == nil && e.Type().IsRegular() {
			files = append(files, at)
		}
	}
	return files
}

// leadsOut says what a use of a hook's is of, and whether commands can change that.
func leadsOut(g grants.Ground, u shell.Use) (what string, leads bool) {
	at, what := u.Path, u.Path
	switch u.Kind {
	case shell.Decides, shell.Configures:
		at, what = filepath.Join(at, commandline.AnyFile), "files of "+u.Path+" ("+u.By+")"
	case shell.Runs, shell.Found:
	default:
		return "", false
	}
	_, yes := g.Writable(at)
	return what, yes || u.Kind == shell.Found && g.Leads(at)
}

// hookCode judges the text b of a hook in another language.
func hookCode(g grants.Ground, t host.Tree, hook string, b []byte) []opening.Opening {
	place := commandline.Place(g)
	place.Dir, place.Moves = t.Root, false
	for _, s := range commandline.StartedBy(place, hook, b) {
		for _, u := range s.Reach.Uses {
			if what, leads := leadsOut(g, u); leads {
				return hookRuns(hook, commandline.LineAt(hook, string(b), s.At), what)
			}
		}
	}
	return managed(hook, hook, b)
}

// managed is a manager of hooks that a text at path starts, which runs what the project lists.
func managed(hook, path string, b []byte) []opening.Opening {
	for _, at := range managers().FindAllIndex(b, -1) {
		line := strings.TrimSpace(string(b[bytes.LastIndexByte(b[:at[0]], '\n')+1 : at[0]]))
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "//") {
			return hookRuns(hook, commandline.LineAt(path, string(b), at[0]), "what "+string(b[at[0]:at[1]])+
				" finds in the project")
		}
	}
	return nil
}
