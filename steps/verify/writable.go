// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nothing that runs outside the sandbox may be writable from
// inside it (DESIGN, law 7). What runs there is found where it is wired.

package verify

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// outsider is a file that runs outside the sandbox, or what such a file
// believes.
type outsider struct {
	path string
	// what it is, and where that is said.
	what, where string
	// does is what makes it one, "" for that it runs.
	does string
}

// writablePrograms lists the files that run outside and that a command could
// change.
func writablePrograms(r host.Reader, s Session) []opening {
	writes, kept := writesIn(r, s), keptIn(r, s)
	var allowed []string
	for _, e := range writes {
		allowed = append(allowed, e.real)
	}
	var found []opening
	project := host.ProjectDirs(r, s.dirs.Start)
	for _, o := range outsiders(r, s) {
		if o.does != "" && r.Through(o.path, project) {
			found = append(found, opening{status: report.Fail, voids: true, where: o.where, what: o.path,
				opens: "The agent can change " + o.what + ", which " + o.does + ": " + o.path + " is inside the project, or reached through it."})
			continue
		}
		real := realPath(r, o.path)
		for _, path := range slices.Compact([]string{o.path, real}) {
			entry, yes := policy.Writable(path, allowed, s.dirs.Home, s.dirs.Start)
			if !yes || under(path, kept) || entry == "." && alwaysKept(path, s.dirs.Start) {
				continue
			}
			can := "Commands can change " + o.what + ", which " + cmp.Or(o.does, "runs outside the sandbox") + ": " + path
			x := opening{status: report.Fail, voids: true, where: o.where, what: path,
				opens: can + " lies in the directory in which the session starts."}
			if i := slices.Index(allowed, entry); i >= 0 {
				x.where, x.path, x.what, x.plain = writes[i].where, writes[i].path, writes[i].text, writes[i].plain()
				x.opens = can + "."
			}
			found = append(found, x)
			break
		}
	}
	return found
}

// alwaysKept says whether the runtime keeps a path of the start directory from
// being written in the sandbox, whatever the settings say (measured with
// 2.1.329).
func alwaysKept(path, start string) bool {
	for _, kept := range []string{".claude/settings.json", ".claude/settings.local.json", ".claude/skills", ".claude/agents", ".claude/commands", ".claude/hooks",
		".git/hooks", ".git/config", ".mcp.json"} {
		if below(path, filepath.Join(start, kept)) {
			return true
		}
	}
	return false
}

// outsiders lists what runs outside the sandbox in a session: this program,
// its scripts, the agent and what the sandbox is made of, and what the user's
// own settings call. What a project's settings call is another check's.
func outsiders(r host.Reader, s Session) []outsider {
	var list []outsider
	put := func(path, what, where, does string) {
		if filepath.IsAbs(path) && !slices.ContainsFunc(list, func(o outsider) bool { return o.path == path }) {
			list = append(list, outsider{path, what, where, does})
		}
	}
	add := func(path, what, where string) {
		if info, err := r.Stat(path); err == nil && info.Mode().IsRegular() {
			put(path, what, where, "")
		}
	}
	places := r.Places()
	put(places.State, "your approvals", places.State, "decide what claude-iso starts")
	put(places.Config, "your own pins", places.Config, "decide which versions of the tools are held to be safe")
	if exe := r.System().Executable; exe != "" {
		add(exe, "this program", exe)
	}
	for _, ours := range []struct {
		dir   string
		names []string
	}{{places.Scripts(), scripts.Hooks}, {places.Isolation(), scripts.Wrappers}} {
		for _, name := range ours.names {
			path := filepath.Join(ours.dir, name)
			add(path, name, path)
			if b, err := r.Read(path); err == nil {
				if script, ours := scripts.Recognize(b); ours && script.Binary != "" {
					add(script.Binary, "the program that "+name+" calls", path)
				}
			}
		}
	}
	for _, program := range []string{"claude", "bwrap", "socat"} {
		if path, err := r.Look(program); err == nil {
			add(path, program, path)
		}
	}
	for _, l := range s.Layers {
		if l.Scope == settings.Project || l.Scope == settings.Local {
			continue
		}
		for _, c := range commandsOf(l) {
			words := commandWords(inProject(c.command.Text, s.dirs.Start), s.dirs.Home)
			for i, word := range words {
				add := add
				if i == 0 || i == 1 && slices.Contains(interpreters, filepath.Base(words[0])) {
					// What is not there yet could be put there. An
					// argument may mean something else.
					add = func(path, what, where string) {
						if info, err := r.Stat(path); err != nil || info.Mode().IsRegular() {
							put(path, what, where, "")
						}
					}
				}
				switch path, err := r.Look(word); {
				case filepath.IsAbs(word):
					add(filepath.Clean(word), c.what, l.Doc.Where(c.command))
				case strings.Contains(word, "/"):
					add(filepath.Join(s.dirs.Start, word), c.what, l.Doc.Where(c.command))
				case i == 0 && err == nil:
					add(path, c.what, l.Doc.Where(c.command))
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b outsider) int { return strings.Compare(a.path, b.path) })
	return list
}

// interpreters run the file that is their first argument; shells are left out
// of a command's words anyway.
var interpreters = []string{"python", "python3", "node", "perl", "ruby"}

// inProject is a command line in which the runtime's variable for the project
// is spelled out.
func inProject(command, start string) string {
	return strings.NewReplacer("${CLAUDE_PROJECT_DIR}", start, "$CLAUDE_PROJECT_DIR", start).Replace(command)
}

// wiredCommand is a command line in settings, and what calls it.
type wiredCommand struct {
	command *settings.Value
	what    string
}

// commandsOf lists the command lines of a document that the runtime runs.
func commandsOf(l settings.Layer) []wiredCommand {
	var list []wiredCommand
	add := func(v *settings.Value, what string) {
		if v != nil && v.Kind == settings.Str {
			list = append(list, wiredCommand{v, what})
		}
	}
	for _, h := range hooksIn(l) {
		add(h.hook.Get("command"), "a "+h.event+" hook")
	}
	add(l.Doc.Get("statusLine", "command"), "the status line")
	add(l.Doc.Get("fileSuggestion", "command"), "the file suggestion")
	for _, helper := range []string{"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper", "proxyAuthHelper"} {
		add(l.Doc.Get(helper), helper)
	}
	return list
}

// eventHook is one hook with its event and its block.
type eventHook struct {
	event       string
	block, hook *settings.Value
}

// hooksIn lists the hooks of a document.
func hooksIn(l settings.Layer) []eventHook {
	events := l.Doc.Get("hooks")
	if events == nil || events.Kind != settings.Object {
		return nil
	}
	var list []eventHook
	for _, event := range events.Members {
		for _, block := range event.Value.Items {
			if hooks := block.Get("hooks"); hooks != nil {
				for _, hook := range hooks.Items {
					list = append(list, eventHook{event.Key, block, hook})
				}
			}
		}
	}
	return list
}
