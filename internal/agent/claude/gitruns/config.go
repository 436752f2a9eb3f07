// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git of the user's own runs outside the sandbox, and the
// runtime starts it there. Neither its configuration nor a program that this
// names may lie where commands can write.

// Package gitruns says what git of the user's own starts by itself and checks out, what other
// version control runs of a repository, and whether commands may change that.
//
// Contract: git is asked and its files are read; nothing of a repository is started.
package gitruns

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// gitDirs are settings whose value is a directory of programs.
var gitDirs = []string{"core.hookspath", "init.templatedir"}

// Openings lists what of the user's own git configuration commands can
// change. Both launches read it. The runtime asks for the state of the work tree
// when it starts, which runs the filters of this configuration; it switches the
// rest off for its own git (measured with 2.1.324 and 2.1.329), so the rest runs
// when the user, a hook or a status line calls git.
func Openings(ctx context.Context, r host.Reader, s session.Settings) (found []opening.Opening) {
	g := grants.Of(r, s)
	home := s.Dirs.Home
	tree := host.FindTree(r, s.Dirs.Start)
	found = append(found, rebaseOpenings(r, tree)...)
	found = append(found, originOpenings(ctx, r, tree)...)
	found = append(found, linkOpenings(r, tree, maxLinkDirs)...)
	onlyHead, shared := false, session.HasPolicy(r, tree.Root)
	for _, l := range s.Layers {
		onlyHead = onlyHead || settings.TextOf(l.Doc.Get(claude.KeyWorktreeBase...)) == "head"
		shared = shared && (l.Scope == settings.Project || !l.Doc.Get(claude.KeySandboxEnabled...).True())
	}
	c := newCheckouts(ctx, r, tree)
	o, policy := c.leftOutHere(ctx)
	if policy != nil {
		found = append(found, o)
	}
	found = append(found, c.baseOpenings(ctx, policy, onlyHead, shared)...)
	if shared {
		found = append(found, c.checkoutOpenings(ctx, s)...)
	}
	if path := tree.StrayCommonDir(r); path != "" {
		found = append(found, opening.Opening{Status: report.Fail, Voids: true, Where: path, What: path,
			Opens: path + " leads git to the configuration of another directory. git writes this file for linked worktrees " +
				"only: a command may have left it.", Step: iso.LookThenRemove})
	}
	files := map[string]string{}
	var order []string
	file := func(path, where string) {
		if _, is := files[path]; !is {
			files[path], order = where, append(order, path)
		}
	}
	own := host.GitConfigs(r)
	for _, path := range append(own, "/etc/gitconfig") {
		file(path, path)
	}
	var more []string
	if path := r.System().Get("GIT_CONFIG_GLOBAL"); filepath.IsAbs(path) {
		more = append(more, path)
	}
	list, err := gitrepo.UserConfig(ctx, r, more...)
	aliases := gitAliases(list)
	for _, set := range list {
		where := lineOf(r, set)
		if path, yes := set.Includes(home); yes {
			file(path, where)
		}
		file(set.Origin, set.Origin)
		found = append(found, gitProgram(g, set, where, ownGit, aliases)...)
	}
	ofRepository, repo := repoOpenings(g, ctx, tree)
	found = append(found, ofRepository...)
	found = append(found, hookOpenings(g, tree, list, repo)...)
	found = append(found, nestedOpenings(ctx, g, tree)...)
	project := host.ProjectDirs(r, s.Dirs.Start)
	for _, path := range order {
		by, yes := g.Writable(path)
		lies := "below " + by.Real
		if by.Place == grants.StartDir || !yes && r.Through(path, project) && g.Users(path) {
			lies, yes = "in the project, or reached through it", true
		}
		if yes {
			found = append(found, opening.Opening{Status: report.Fail, Voids: true, Where: files[path], What: path,
				Opens: fmt.Sprintf("Commands can change %s (%s), which is your git configuration: git runs programs that it "+
					"names, outside the sandbox, when a session starts.", path, lies),
				Step: "keep your git configuration, and what it includes, outside of what commands may write"})
		}
	}
	if w := host.WaitsFor(r, s.Dirs.Start); w != nil && w.From != "" && !slices.ContainsFunc(found,
		func(o opening.Opening) bool { return o.What == w.Path }) {
		o := opening.Opening{Status: report.Unknown, Group: opening.Unresolved, Where: w.From, What: w.Path,
			Opens: w.Path + " is not a regular file, and git would wait for it forever: it answers nothing here.",
			Step:  "remove the line that names it, or make it a file"}
		if _, yes := g.Writable(w.Path); yes {
			o.Status, o.Group, o.Voids = report.Fail, opening.Exposed, true
			o.Opens = "Commands can change " + w.Path + ", which git reads as your configuration or patterns. It is no " +
				"regular file now: git would wait for it forever."
		}
		found = append(found, o)
	} else if err != nil && len(list) == 0 && !strings.Contains(err.Error(), "not installed") {
		found = append(found, opening.Opening{Status: report.Unknown, Group: opening.Unresolved, Where: own[0],
			What: "your git configuration", Opens: "Your git configuration could not be read: " + err.Error() + ".",
			Step: "correct it: git config --global --list"})
	}
	return found
}

// lineOf is the place of a setting, "path:line" if the line can be told.
func lineOf(r host.Reader, set gitrepo.Setting) string {
	b, err := r.Read(set.Origin)
	if err != nil {
		return set.Origin
	}
	name := set.Key[strings.LastIndex(set.Key, ".")+1:]
	word, _, _ := strings.Cut(set.Value, "\n")
	best := 0
	for i, line := range strings.Split(string(b), "\n") {
		key, value, _ := strings.Cut(line, "=")
		if !strings.HasSuffix(strings.ToLower(strings.TrimSpace(key)), name) {
			continue
		}
		if strings.Contains(strings.ReplaceAll(value, `\`, ""), strings.ReplaceAll(word, `\`, "")) {
			return fmt.Sprintf("%s:%d", set.Origin, i+1)
		}
		if best == 0 {
			best = i + 1
		}
	}
	if best == 0 {
		return set.Origin
	}
	return fmt.Sprintf("%s:%d", set.Origin, best)
}

// gitProgram judges one setting. git starts its programs at the root of the
// work tree; an alias is read as the command of git's that it is.
func gitProgram(g grants.Ground, set gitrepo.Setting, where, config string,
	aliases map[string]string) (found []opening.Opening) {
	if slices.Contains(gitDirs, set.Key) {
		path := expandedFrom(g, set.Value)
		o := opening.Opening{Status: report.Fail, Where: where, What: set.Key}
		if !filepath.IsAbs(set.Value) && !strings.HasPrefix(set.Value, "~/") {
			o.Status = report.Warn
		}
		o.Step = "add " + path + " to " + claude.KeyDenyWrite.String() + ", or name another directory"
		if _, yes := g.Writable(path + "/pre-commit"); !yes {
			return nil
		}
		o.Opens = fmt.Sprintf("%s in %s is %s: commands can put hooks there, and your own git runs them, outside the "+
			"sandbox.", set.Key, config, path)
		return []opening.Opening{o}
	}
	if o, yes := anyTransport(set, where, config); yes {
		return []opening.Opening{o}
	}
	text := set.Value
	credential := strings.HasPrefix(set.Key, "credential.")
	transport, isTransport := gitTransport(set)
	switch rest, isShell := strings.CutPrefix(text, "!"); {
	case isTransport:
		text = transport
	case !shell.GitStarts(set.Key):
		return pushedTo(g, set, where, config)
	case isShell:
		text = rest
	case strings.HasPrefix(set.Key, "alias."):
		text = aliasLine(text, aliases)
	case strings.HasPrefix(set.Key, "submodule."):
		return nil // a command of git's
	case credential && !filepath.IsAbs(text): // gitcredentials(7)
		name, rest, _ := strings.Cut(text, " ")
		if name == "store" {
			return storesLogins(g, set, where, config, rest)
		}
		if path, err := g.Look("git-credential-" + name); err != nil || !g.Exists(path) {
			return nil // one of git's own directory
		}
		text = "git-credential-" + text
	}
	if _, options, stores := strings.Cut(text, "credential-store"); credential && stores {
		found = append(found, storesLogins(g, set, where, config, options)...)
	}
	found = append(found, namedByFile(set.Key, config, where, text)...)
	return append(found, gitRuns(g, set.Key, config, where, commandline.Place(g).Line(text))...)
}

// storesLogins names the file in which git keeps logins (git-credential-store(1),
// --file), if commands may write, and so read it.
func storesLogins(g grants.Ground, set gitrepo.Setting, where, config, options string) []opening.Opening {
	_, file, is := strings.Cut(options, "--file")
	file = strings.TrimLeft(file, "= ")
	if !is || file == "" {
		return nil
	}
	if quote := file[:1]; strings.Contains(`"'`, quote) {
		file, _, _ = strings.Cut(file[1:], quote)
	} else {
		file, _, _ = strings.Cut(file, " ") // what follows is for the shell
	}
	path := expandedFrom(g, file)
	if _, yes := g.Writable(path); !yes {
		return nil
	}
	return []opening.Opening{{Status: report.Fail, Where: where, What: set.Key,
		Opens: "Commands can read the logins that git stores: " + set.Key + " in " + config + " keeps them in " + path + ".",
		Step:  "let git store logins in your home, without --file"}}
}
