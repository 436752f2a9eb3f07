// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what git starts by itself is judged as a hook is; what somebody
// types is that person's wish, and only where the program lies is judged.

package gitruns

import (
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/writable"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// ownGit is the configuration that git of the runtime reads, too.
const ownGit = "your git configuration"

// gitStart says when git starts the program of a setting.
type gitStart int

const (
	// typed: somebody asks for it by its name.
	typed gitStart = iota
	// shown: on a terminal, for somebody who looks at it.
	shown
	// byItself: for what the files, the remote or the commit hold.
	byItself
	// atStart: git of the runtime does so too when a session starts.
	atStart
)

// gitTyped and gitShown are the settings of the first two kinds, by git-config(1).
var (
	gitTyped = lazy.Regexp(`^(alias|difftool|mergetool|guitool|man|browser|sendemail|instaweb|imap|tar)\.`)
	gitShown = lazy.Regexp(`^pager\.|(pager|editor)$`)
	gitAsks  = lazy.Regexp(`^filter\.`)
)

func gitStartOf(key, config string) gitStart {
	switch {
	case gitTyped().MatchString(key):
		return typed
	case gitShown().MatchString(key):
		return shown
	case gitAsks().MatchString(key) && config == ownGit:
		return atStart
	}
	return byItself
}

// gitRuns judges what a setting of git's starts: of what commands can change the
// worst, and all that is unknown.
func gitRuns(g writable.Ground, key, config, where string, reach shell.Reach) (found []opening.Opening) {
	how, when, who := gitStartOf(key, config), "", "Your own git runs it outside the sandbox."
	if how == atStart {
		when, who = " when a session starts", "The runtime's git runs it outside the sandbox when a session starts."
	}
	what := key + " in " + config
	if how >= byItself {
		for _, gap := range reach.Gaps {
			found = append(found, opening.Opening{Status: report.Unknown, Group: opening.Unresolved,
				Opens: fmt.Sprintf("What %s runs%s is unknown (%s).", what, when, gap.Why)})
		}
	}
	var worst *opening.Opening
	for _, u := range reach.Uses {
		o, yes := opening.Opening{}, false
		path := u.Path
		switch {
		case u.Kind == shell.Configures && how >= byItself:
			o, yes = commandline.Configures(g, u, what, where)
		case u.Kind == shell.Unclear && how == atStart:
			o, yes = commandline.Unclear(g, u, what, where)
		case u.Kind == shell.Decides && how > typed:
			path += "/" + commandline.AnyFile
			fallthrough
		case u.Kind == shell.Runs, u.Kind == shell.Found:
			_, yes = g.Writable(path)
			yes = yes || u.Kind == shell.Found && g.Leads(path)
			o = opening.Opening{Status: report.Fail, Voids: how == atStart,
				Opens: fmt.Sprintf("Commands can change what %s runs: %s. %s", what, u.Path, who)}
		}
		if yes && (worst == nil || worst.Status != report.Fail && o.Status == report.Fail) {
			worst = &o
		}
	}
	if worst != nil {
		found = append(found, *worst)
	}
	for i := range found {
		found[i].Where, found[i].What = where, key
		if found[i].Remedy == nil {
			found[i].Remedy = anotherProgram(where)
		}
	}
	return found
}

func anotherProgram(where string) report.Remedy {
	return report.DocLink{Title: "name a program outside of what commands may write, by its absolute path", Target: where}
}

// maxAliases bounds aliases of aliases.
const maxAliases = 8

// gitAliases are the aliases of the user's by their names.
func gitAliases(list []gitrepo.Setting) map[string]string {
	aliases := map[string]string{}
	for _, set := range list {
		if name, is := strings.CutPrefix(set.Key, "alias."); is {
			aliases[name] = set.Value
		}
	}
	return aliases
}

// aliasLine is the command line that an alias without "!" means. git takes an
// alias in front of it first, whatever it is, but not one of its own commands.
func aliasLine(text string, aliases map[string]string) string {
	for range maxAliases {
		name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
		next, is := aliases[strings.ToLower(name)]
		switch line, isShell := strings.CutPrefix(next, "!"); {
		case !is:
			return "git " + text
		case isShell:
			return line + " " + rest
		}
		text = next + " " + rest
	}
	return "git " + text
}

// gitTransport is the command of an address "ext::command" (gitremote-helpers(7),
// git-remote-ext(1)) that a setting names or puts in the place of others.
func gitTransport(set gitrepo.Setting) (command string, yes bool) {
	address := set.Value
	for _, end := range []string{".insteadof", ".pushinsteadof"} {
		if rest, is := strings.CutSuffix(set.Key, end); is {
			address = strings.TrimPrefix(rest, "url.")
		}
	}
	if !strings.HasPrefix(set.Key, "url.") && !strings.HasPrefix(set.Key, "remote.") {
		return "", false
	}
	return strings.CutPrefix(address, "ext::")
}
