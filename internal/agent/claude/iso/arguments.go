// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an argument that would undo the launch is refused, and no
// argument lets the runtime open, outside the sandbox, what a symlink of a
// command leads to. A path that the user adds to a launch is shown as what it
// is, links resolved.

package iso

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// otherSettings are the options that put settings beside the launch's, and what
// they do. The last two are not in --help; their allowRead of "~/" opens the home (measured
// with 2.1.330; that standard input's rules count, with 2.1.332).
var otherSettings = map[string]string{"--settings": lastSettings, "--setting-sources": lastSettings,
	"--managed-settings": managedSettings, "--managed-settings-in-initialize": managedSettings}

// elsewhereOption is in no --help: with --deep-link-origin the session works in the directory
// that it names, in the home too, where commands then wrote (measured with 2.1.332).
const elsewhereOption = "--deep-link-cwd-b64"

const managedSettings = "what it allows counts more than the policy"
const lastSettings = "of several the runtime takes the last: the policy would be gone"

// anyway starts where a launch was refused.
var anyway = report.Line{Words: "iso --anyway"}

// refusedArgument says what is wrong with the runtime's arguments, nil if nothing
// is. The error is a *report.Error.
func (l *Launch) refusedArgument(args []string) error {
	const leave = "leave it out, or: "
	refuse := func(what, why, next string) error {
		return &report.Error{Code: report.ExitUsage, What: what, Why: why, Next: next, Lines: []report.Line{anyway}}
	}
	for _, arg := range claude.Options(args) {
		name, _, _ := strings.Cut(arg, "=")
		if why := otherSettings[name]; why != "" {
			return refuse(name+" would replace the launch's own settings", why, leave)
		}
		if name == elsewhereOption {
			return refuse(name+" would start the session in another directory",
				"commands would write there, and the policy would protect this project alone", leave)
		}
	}
	if claude.Serves(args) {
		return refuse("mcp serve answers without permission rules or prompts",
			"its Read and Write tools reach every file of yours; only its commands are sandboxed",
			"start a session instead, or: ")
	}
	if word := claude.Elsewhere(args); word != "" {
		return refuse(word+" would start the session in another process",
			"that process has the environment of the shell that started it, with its credentials", leave)
	}
	for _, dir := range l.Added {
		if l.Place.holdsHome(dir) {
			return refuse("--add-dir "+dir+" would open your home",
				"commands could change your shell's start files, and the agent could read what no rule names",
				"name a directory below it, or: ")
		}
	}
	return l.Exchanged
}

// exchanged says that an argument names a file that commands can replace: a log
// where they write, or a prompt that leads out of there. nil if none does; the
// error is a *report.Error.
func exchanged(h host.Reader, p Place, args []string) error {
	written := host.Written(h, p.Start)
	for _, a := range claude.FileArguments(args) {
		path := pathname.From(p.Start, a.Path)
		if !h.Through(path, written) {
			continue
		}
		e := &report.Error{Code: report.ExitUsage, Where: path,
			What: "commands can replace the file of " + a.Option + " by a symlink",
			Why:  "the runtime would append its log to any file of yours, outside the sandbox",
			Next: "name a file outside of the project, such as " + a.Option + " ~/claude.log"}
		switch {
		case a.Path == claude.StandardInput:
			e.Where = host.Real(h, path)
			e.What = "commands can write what the session reads by " + a.Option
			e.Why = "one line of it replaces the launch's own settings: the sandbox would be off"
			e.Next = "copy it out of the project first"
		case a.Session:
			e.What = "commands can write the transcript of " + a.Option
			e.Why = "it says in which directory the session works, and commands would write there"
			e.Next = "if you trust it, copy it out of the project: " + a.Option + " ~/session.jsonl"
		case !a.Log:
			real := host.Real(h, path)
			if pathname.WithinAny(real, written) {
				continue
			}
			e.What = "the file of " + a.Option + " leads out of the project, to " + real
			e.Why = "commands can make such a symlink, and the model would receive what it leads to"
			e.Next = "if you want that, name the file itself: " + a.Option + " PATH"
		}
		return e
	}
	return nil
}

// added lists the directories that arguments add to a launch, absolute, links
// resolved.
func added(h host.Reader, p Place, args []string) (dirs []string) {
	for _, dir := range claude.AddedDirs(args) {
		dirs = report.Union(dirs, p.given(h, dir))
	}
	return dirs
}

// given is a path of an argument, absolute, links resolved.
func (p Place) given(h host.Reader, path string) string {
	path, _ = pathname.Expand(path, p.Home)
	return host.Real(h, pathname.From(p.Start, path))
}

// Started is an argument that starts programs outside the sandbox. Path is where it
// leads, absolute, "" for JSON or an address; Writable says that commands may
// write there.
type Started struct {
	Option, Path string
	Writable     bool
}

// starting lists the arguments that name plugins, servers or agents.
func starting(h host.Reader, p Place, args []string) (list []Started) {
	for _, s := range claude.Starting(args) {
		one := Started{Option: s.Option}
		if path := p.given(h, s.Value); s.Option != "--plugin-url" && !strings.HasPrefix(strings.TrimSpace(s.Value), "{") {
			one.Path = path
			one.Writable = pathname.WithinAny(path, host.Written(h, p.Start))
		}
		list = append(list, one)
	}
	return list
}
