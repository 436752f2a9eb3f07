// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is never tracked is one list. .gitignore is made from
// it and a path is judged by it, so that a file that was added by force, or
// under a .gitignore that somebody edited, is refused all the same.

package syncrepo

import (
	"bytes"
	"path"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// Never is one pattern of what is never tracked.
type Never struct {
	// Pattern is in gitignore(5)'s form: one that begins with "/" is a path from
	// the top of the repository, another a name at any depth; one that ends in
	// "/" is a directory. One that begins with "!" excepts from those before it, and
	// has no Why.
	Pattern, Why string
}

// The reasons.
const (
	credential = "a credential"
	session    = "a record of sessions"
	machine    = "belongs to one machine"
	state      = "state or cache of the runtime"
)

// nevers is what the source document keeps on each machine, and what the runtimes
// write into their own directories besides. Names that mean credentials everywhere
// are among them, but for those that a text for the agent may have: it may be called
// credentials.md, and the directory of a skill credentials.
var nevers = sync.OnceValue(func() (list []Never) {
	add := func(why string, patterns ...string) {
		for _, p := range patterns {
			list = append(list, Never{p, why})
		}
	}
	var texts []string
	for _, a := range env.Agents() {
		texts = append(texts, a.Texts...)
	}
	for _, name := range sensitive.CredentialNames() {
		if name == "credentials.*" {
			continue
		}
		add(credential, name)
		for _, dir := range texts {
			if !strings.ContainsAny(name, "._*") {
				add("", "!/"+dir+"/"+name+"/")
			}
		}
	}
	for _, a := range env.Agents() {
		add(credential, a.Logins...)
		add(session, a.Sessions...)
		add(machine, a.Machine...)
		add(state, a.State...)
	}
	add(credential, "*.pem", "*.key")
	add(machine, "*.bak", lockName, fs.AnyTemp)
	add(state, ".DS_Store")
	return list
})

// Ignored says why rel, a slash-separated path from the top of the repository,
// is never tracked. Letters count alike in either case: on a case-insensitive
// file system Settings.json is settings.json.
func Ignored(rel string) (why string, ignored bool) {
	names := strings.Split(strings.ToLower(path.Clean(rel)), "/")
	for i := range names {
		for _, n := range nevers() {
			if n.matches(names[:i+1], i < len(names)-1) {
				why = n.Why
			}
		}
		if why != "" {
			return why, true
		}
	}
	return "", false
}

// matches says whether the pattern is about the last of names, which is a
// directory or is not, in those before it.
func (n Never) matches(names []string, isDir bool) bool {
	pattern := strings.TrimPrefix(strings.ToLower(n.Pattern), "!")
	pattern, anchored := strings.CutPrefix(pattern, "/")
	pattern, dir := strings.CutSuffix(pattern, "/")
	name := names[len(names)-1]
	if anchored {
		name = strings.Join(names, "/")
	}
	hit, _ := path.Match(pattern, name) // the patterns are good ones
	return hit && (!dir || isDir)
}

// Untrack is the line that takes a file out of the repository at dir and leaves it
// on the disk.
func Untrack(dir, rel string) string {
	git, name := "git -C "+scripts.Quote(dir), scripts.Quote(rel)
	return git + " rm --cached -- " + name + " && " + git + " commit -m " + scripts.Quote("Stop tracking "+rel)
}

const gitignoreHead = "# Never tracked: credentials, sessions, settings of one machine, state (steward-setup sync).\n"

// Gitignore is the text of a .gitignore that has every pattern of the list:
// what is in now, with those that it lacks below. It is now itself where none is
// missing.
func Gitignore(now []byte) []byte {
	have := map[string]bool{}
	for line := range strings.Lines(string(now)) {
		have[strings.TrimRight(line, " \t\r\n")] = true
	}
	var missing []string
	for _, n := range nevers() {
		if !have[n.Pattern] {
			missing = append(missing, n.Pattern)
		}
	}
	if len(missing) == 0 {
		return now
	}
	out := bytes.Clone(now)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	if !bytes.Contains(out, []byte(gitignoreHead)) {
		out = append(out, gitignoreHead...)
	}
	return append(out, strings.Join(missing, "\n")+"\n"...)
}
