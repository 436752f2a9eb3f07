// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what git starts by itself is judged as a hook is; what somebody
// types is that person's wish, and only where the program lies is judged.

package gitruns

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
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
func gitRuns(g grants.Ground, key, config, where string, reach shell.Reach) (found []opening.Opening) {
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
				Opens: fmt.Sprintf("Commands can change what %s runs: %s. %s", what, g.WithLink(u.Path), who)}
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
		if found[i].Next() == nil {
			found[i].Step = "name a program outside of what commands may write, by its absolute path"
		}
	}
	return found
}

// namesFiles are the settings in whose commands git puts names, by gitattributes(5): %f
// is the path of a file, %P that of a merge, %S, %X and %Y what its versions are called.
var namesFiles = lazy.Regexp(`^filter\..*\.(clean|smudge|process)$|^merge\..*\.driver$`)

// evaluatesName is a command that expands a name once more.
var evaluatesName = lazy.Regexp(`(?:^|[\s;&|(])eval\s[^;&|]*%[fPSXY]`)

// namedByFile judges a name that a command of git's has in quotes. git puts the name
// into quotes of its own, which end those around it, so that the shell expands what
// stands in the name (seen with git 2.39: a file called "$(x)", which a command makes,
// runs x).
func namedByFile(key, config, where, text string) (found []opening.Opening) {
	if !namesFiles().MatchString(key) || !quotesName(text) && !evaluatesName().MatchString(text) {
		return nil
	}
	start := gitStartOf(key, config) == atStart
	who := "Your own git runs it"
	if start {
		who = "The runtime's git runs it when a session starts"
	}
	return []opening.Opening{{Status: report.Fail, Voids: start, Where: where, What: key,
		Opens: fmt.Sprintf("%s in %s has a file's name in quotes, and git quotes it itself: a file that a command calls "+
			"$(x) runs x. %s, outside the sandbox.", key, config, who),
		Step: `give the name as an argument: sh -c 'cat "$1"' -- %f`}}
}

// quotesName says whether a command has such a name within quotes: what a substitution
// in them runs has quotes of its own.
func quotesName(text string) bool {
	var outer []byte // the quotes around each substitution
	quote, ticks := byte(0), false
	for i := 0; i < len(text); i++ {
		next := byte(0)
		if i+1 < len(text) {
			next = text[i+1]
		}
		switch c := text[i]; {
		case c == '\\' && quote != '\'':
			i++
		case c == '%' && next == '%':
			i++
		case c == '%' && quote != 0 && next != 0 && strings.IndexByte("fPSXY", next) >= 0:
			return true
		case (c == '\'' || c == '"') && quote == 0:
			quote = c
		case c == quote:
			quote = 0
		case c == '`' && quote != '\'' && !ticks:
			outer, quote, ticks = append(outer, quote), 0, true
		case c == '`' && ticks && len(outer) > 0:
			quote, outer, ticks = outer[len(outer)-1], outer[:len(outer)-1], false
		case c == '$' && next == '(' && quote != '\'':
			outer, quote, i = append(outer, quote), 0, i+1
		case c == ')' && quote == 0 && len(outer) > 0:
			quote, outer = outer[len(outer)-1], outer[:len(outer)-1]
		}
	}
	return false
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

// gitAddress is the address that a setting names or puts in the place of others, "" if it
// does neither.
func gitAddress(set gitrepo.Setting) string {
	for _, end := range []string{".insteadof", ".pushinsteadof"} {
		if rest, is := strings.CutSuffix(set.Key, end); is {
			return strings.TrimPrefix(rest, "url.")
		}
	}
	if strings.HasPrefix(set.Key, "remote.") && strings.HasSuffix(set.Key, "url") {
		return set.Value
	}
	return ""
}

// pushedTo judges an address that is a directory where commands make repositories. git starts
// the hooks of one for a push, and what its configuration names (seen with git 2.39). A .git
// there says nothing: git takes the hooks of the directory around an empty one.
func pushedTo(g grants.Ground, set gitrepo.Setting, where, config string) []opening.Opening {
	address := strings.TrimPrefix(gitAddress(set), "file://")
	// A colon before the first slash is a host's or a protocol's (connect.c of git).
	if host, _, colon := strings.Cut(address, ":"); address == "" || colon && !strings.Contains(host, "/") {
		return nil
	}
	path := expandedFrom(g, address)
	self := host.FindTree(g.Host, g.Session.Dirs.Start).Root == filepath.Clean(path)
	if strings.HasPrefix(set.Key, "remote.") && self || !changes(g, filepath.Join(path, "hooks", "post-receive")) {
		return nil
	}
	return []opening.Opening{{Status: report.Warn, Where: where, What: set.Key,
		Opens: fmt.Sprintf("%s in %s leads to %s: commands can put hooks into a repository there, and your own git runs "+
			"them when you push, outside the sandbox.", set.Key, config, path),
		Step: "keep that repository outside of what commands may write"}}
}

// anyTransport warns of a setting by which an address may name a program (ext::sh -c x),
// also that of a submodule: git asks of no address whose it is then (git-config(1),
// protocol.<name>.allow).
func anyTransport(set gitrepo.Setting, where, config string) (o opening.Opening, yes bool) {
	if set.Key != "protocol.allow" && set.Key != "protocol.ext.allow" || !strings.EqualFold(set.Value, "always") {
		return o, false
	}
	return opening.Opening{Status: report.Warn, Where: where, What: set.Key, Opens: fmt.Sprintf("%s in %s lets git start "+
		"what an address names (ext::): that of a submodule or of a repository which commands made, outside the sandbox.",
		set.Key, config), Step: "remove the line, or set it to user"}, true
}

// gitTransport is the command of an address "ext::command" (gitremote-helpers(7),
// git-remote-ext(1)).
func gitTransport(set gitrepo.Setting) (command string, yes bool) {
	return strings.CutPrefix(gitAddress(set), "ext::")
}
