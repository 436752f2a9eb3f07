// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a setting of git's stands for is read as git reads it:
// an alias is a command of git's, and the address of a transport is a command.

package gitruns

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
)

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
