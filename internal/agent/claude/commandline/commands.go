// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command that runs outside the sandbox is judged by what
// it runs: what a sandboxed command can write fails, what is unknown is
// unknown, and neither is silent. A hook runs in the directory that the agent
// last changed to, and a sandboxed command can put anything there.

// Package commandline says what a command line that runs outside the sandbox starts, and
// whether a command of the agent may change that.
//
// Contract: what such a command can write fails, what is unknown is unknown, and neither is
// silent.
package commandline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// Place is where the user's own commands run.
func Place(g grants.Ground) shell.Place {
	return shell.Place{Home: g.Session.Dirs.Home, Dir: g.Session.Dirs.Start, Moves: g.Moves != grants.Stays,
		Project: g.Session.Dirs.Start, Root: host.FindTree(g.Host, g.Session.Dirs.Start).Root, Agent: iso.InShell,
		Look: g.Look, Shim: func(path string) string { return Shim(g, path) }, Getenv: g.Host.System().Get,
		Stays: func(dir string) bool {
			info, err := g.Host.Stat(dir)
			_, writable := g.Writable(dir)
			return err == nil && info.IsDir() && (!writable || dir == g.Session.Dirs.Start) // whose parent is not writable
		}}
}

// Reach is what a wired command runs.
func Reach(g grants.Ground, c WiredCommand) shell.Reach {
	if c.Args == nil {
		return Place(g).Line(c.Command.Text)
	}
	return Place(g).Exec(c.Command.Text, settings.TextsOf(c.Args))
}

// AnyFile stands for whatever file of a directory decides what runs.
const AnyFile = "package.json"

// Openings judges what a command runs that is started outside the
// sandbox; what says which one it is.
func Openings(g grants.Ground, reach shell.Reach, what, where string) (found []opening.Opening) {
	add := func(o opening.Opening, yes bool) {
		if yes {
			found = append(found, o)
		}
	}
	for _, u := range reach.Uses {
		add(Moving(g, u, what, where))
		if u.Moves {
			continue
		}
		switch u.Kind {
		case shell.Reads:
			o, yes := toldBy(g, u, what, where)
			add(o, yes && !slices.ContainsFunc(found, func(have opening.Opening) bool { return have.What == o.What }))
		case shell.Repository:
			if o, yes := g.Opening(u.Path+"/.git/config", where, ""); yes && u.Path != "" {
				found = append(found, ofRepository(o, u, what, where, " in "+u.Path))
			} else if _, yes := g.Writable(u.Path + "/.git/commondir"); yes && u.Path != "" && u.By != claude.Program {
				found = append(found, besideItsConfig(u, what, where))
			}
		case shell.Decides:
			if o, yes := g.Opening(u.Path+"/"+AnyFile, where, ""); yes {
				o.Opens = fmt.Sprintf("%s in %s runs files of %s outside the sandbox, and commands can change them.", u.By, what,
					u.Path)
				if strings.HasPrefix(u.By, "git ") {
					found = append(found, ofRepository(o, u, what, where, " nested in "+u.Path))
					continue
				}
				if o.Path == nil {
					o.What, o.Remedy, o.Step = u.By, nil, ownFiles
				}
				found = append(found, o)
			}
		case shell.Configures:
			add(Configures(g, u, what, where))
		case shell.Chosen:
			add(Chosen(g, u, what, where))
		case shell.Writes:
			add(copiedBy(g, u, what, where))
		case shell.Unclear:
			o, yes := Unclear(g, u, what, where)
			add(o, yes && !slices.ContainsFunc(found, func(have opening.Opening) bool {
				return have.What == o.What && have.Where == o.Where
			}))
		default:
			// What is not there yet could be put there; an argument may
			// mean something else.
			info, err := g.Host.Stat(u.Path)
			if err == nil && !info.Mode().IsRegular() && !(info.IsDir() && u.Kind == shell.Runs) || err != nil &&
				u.Kind == shell.Names {
				continue
			}
			can := "Commands can change " + what + ", which runs outside the sandbox: " + u.Path
			o, yes := g.Opening(u.Path, where, can)
			if !yes && u.Kind == shell.Found && g.Leads(u.Path) {
				o, yes = opening.Opening{Status: report.Fail, Voids: true, Where: where, What: u.Path, Opens: can + "."}, true
			}
			if yes && u.Kind == shell.Found && !g.Exists(u.Path) {
				o = opening.Opening{Status: report.Warn, Where: where, What: u.By, Step: ownFiles,
					Opens: fmt.Sprintf("%s in %s is not installed, and commands can create it: %s is on your PATH.", u.By, what,
						filepath.Dir(u.Path))}
			}
			if yes {
				o.Plain = o.Plain || u.Kind == shell.Found && g.Dropped(u.Path)
				if real := grants.RealPath(g.Host, u.Path); real != u.Path {
					o.Opens = strings.TrimSuffix(o.Opens, ".") + " (" + real + ")."
				}
				if o.Path == nil {
					o.Remedy, o.Step = nil, ownFiles
				}
				found = append(found, o)
			} else if u.Kind != shell.Names {
				found = append(found, scriptOpenings(g, u, what)...)
			}
		}
	}
	for _, gap := range reach.Gaps {
		text := redact.Command(gap.Text)
		found = append(found, opening.Opening{Status: report.Unknown, Group: opening.Unresolved, Where: where, What: text,
			Opens: fmt.Sprintf("What %s runs outside the sandbox is unknown: %s (%s).", what, text, gap.Why),
			Step:  "write out the path of what it runs"})
	}
	return found
}

// Configures warns of a program that takes configuration of its directory for code.
func Configures(g grants.Ground, u shell.Use, what, where string) (o opening.Opening, yes bool) {
	_, yes = g.Writable(u.Path + "/" + AnyFile)
	return opening.Opening{Status: report.Warn, Where: where, What: u.By,
		Step:  "remove " + u.By + ", or let it use a configuration file outside the project",
		Opens: fmt.Sprintf("%s runs configuration of the project as code, outside the sandbox (in %s).", u.By, what)}, yes
}

// Unclear warns of a program that nobody knows here, and that runs where
// commands may write: it may take configuration, plugins or tasks from there, as
// most build tools do. What helps is another directory. Silent are a script of
// the user's own, which is read, and a program that is written with its path:
// such a one was made or chosen for this command.
func Unclear(g grants.Ground, u shell.Use, what, where string) (o opening.Opening, yes bool) {
	if _, yes := g.Writable(u.Path + "/" + AnyFile); !yes {
		return o, false
	}
	if path, err := g.Look(u.By); err == nil {
		if b, err := g.Host.Script(path); err == nil && b != nil &&
			pathname.Within(grants.RealPath(g.Host, path), grants.RealPath(g.Host, g.Session.Dirs.Home)) {
			return o, false
		}
	}
	return opening.Opening{Status: report.Warn, Group: opening.UnknownProgram, Where: where, What: u.By,
		Opens: fmt.Sprintf("%s in %s runs outside the sandbox, and steward-setup does not know this program. If it reads "+
			"configuration or plugins from its directory, commands can change what it does.", u.By, what),
		Step: "start " + u.By + " in another directory (cd / && …), with absolute paths"}, true
}

// ownFiles ends that a command runs what commands can change.
const ownFiles = "let it run files outside the project only, by their absolute paths (python3: add -I)"

// MaxScripts bounds how deep scripts that start scripts are read.
const MaxScripts = 3

// fromData is a variable of a script that holds what a command printed or what was
// read, and what printed it; wholeWord one that is the name of a program. Where a
// program was looked up (lookups), it is not data.
var (
	fromData  = lazy.Regexp(`\b(\w+)=["']?(?:\$\(|` + "`" + `)\s*([\w./-]+)|\bread\s+(?:-\w+\s+)*(\w+)`)
	wholeWord = lazy.Regexp(`^"?\$\{?(\w+)\}?"?(?:\s|$)`)
	lookups   = []string{"command", "which", "type", "whence"}
)

// namedByData says whether data names the program of which a gap tells.
func namedByData(script string, gap shell.Gap) bool {
	word := wholeWord().FindStringSubmatch(gap.Text)
	return gap.Program && word != nil && slices.ContainsFunc(fromData().FindAllStringSubmatch(script, -1),
		func(m []string) bool { return word[1] == m[1]+m[3] && !slices.Contains(lookups, m[2]) })
}

// scriptOpenings judges what a script of the user's own surely runs of what commands can
// change. Which program a shell's script starts is unknown where data names it; of its
// arguments nothing is known here, and what else is not resolved is passed over.
func scriptOpenings(g grants.Ground, u shell.Use, what string) []opening.Opening {
	path := u.Path
	if g.Within++; g.Within > MaxScripts || !pathname.Within(grants.RealPath(g.Host, path),
		grants.RealPath(g.Host, g.Session.Dirs.Home)) {
		return nil
	}
	b, err := g.Host.Script(path)
	if _, ours := scripts.Recognize(b); err != nil || ours || ManagerOf(g.Host, path) != "" {
		return nil
	}
	if b == nil && u.Shell {
		b = plainText(g, path)
	} else if !shell.IsScript(b) {
		return codeOpenings(g, path, what, b)
	}
	g.Tells = g.Tells || claude.Tells(g.Event, string(b))
	var found []opening.Opening
	text := string(InItsPlace(path, b))
	reach, name := Place(g).Line(text), filepath.Base(path)+" ("+what+")"
	at := func(from int) string { return LineAt(path, text, from) }
	for _, u := range reach.Uses {
		if u.Kind != shell.Names {
			found = append(found, Openings(g, shell.Reach{Uses: []shell.Use{u}}, name, at(u.From))...)
		}
	}
	for _, gap := range reach.Gaps {
		if namedByData(text, gap) {
			from := max(0, strings.Index(text, gap.Text))
			found = append(found, Openings(g, shell.Reach{Gaps: []shell.Gap{gap}}, name, at(from))...)
		}
	}
	return found
}

// LineAt is the line of a file with a text, as PATH:LINE, that holds the byte at.
func LineAt(path, text string, at int) string {
	return fmt.Sprintf("%s:%d", path, 1+strings.Count(text[:min(at, len(text))], "\n"))
}

// Wanders is the ground of a command that a session starts; event is that of a
// hook, "" for a status line or a helper. The runtime starts each of them in
// the agent's working directory; claude.StayVariable puts that back after every
// command, but a CwdChanged hook runs before (measured with 2.1.329).
func Wanders(g grants.Ground, event string) grants.Ground {
	g.Event = event
	value, set := "", false
	for _, launch := range []struct {
		moves grants.Moves
		of    func(settings.Scope) bool
	}{
		{grants.BothMove, func(s settings.Scope) bool { return s != settings.Project && s != settings.Local }},
		{grants.PlainMoves, func(settings.Scope) bool { return true }},
	} {
		value, set = "", false
		for _, l := range g.Session.Layers {
			if v := l.Doc.Get(claude.KeyEnv.Below(claude.StayVariable)...); v != nil && !set && launch.of(l.Scope) {
				value, set = v.Text, true
			}
		}
		if !set {
			value = map[grants.Moves]string{grants.BothMove: "1", grants.PlainMoves: g.Host.System().Get(
				claude.StayVariable)}[launch.moves]
		}
		if event == claude.CwdChanged || !claude.SwitchedOn(value) {
			g.Moves = launch.moves
			return g
		}
	}
	g.Moves = grants.Stays
	return g
}

// Moving is the failure that commands choose where a command runs.
func Moving(g grants.Ground, u shell.Use, what, where string) (o opening.Opening, yes bool) {
	switch _, open := g.Writable(u.Path); {
	case u.Kind == shell.Repository && u.Path == "":
		o = opening.Opening{Status: report.Unknown, Group: opening.Unresolved, Where: where, What: u.By, Step: InProject,
			Opens: fmt.Sprintf("%s in %s runs what the repository there configures, and which directory that is, is unknown.",
				u.By, what)}
		return o, true
	case u.Moves && u.Kind == shell.Repository:
		o = ofRepository(o, u, what, where, " there")
		o.Opens += " It runs in the directory that the agent last changed to."
	case u.Moves && u.Kind == shell.Runs && !open:
		o = opening.Opening{Status: report.Fail, Voids: true, Where: where, What: u.By, Step: InProject,
			Opens: fmt.Sprintf("%s in %s is relative to the directory that the agent last changed to, and commands can put a "+
				"file there.", u.By, what)}
	default:
		return o, false
	}
	o.Plain = g.Moves == grants.PlainMoves
	return o, true
}

// ofRepository is the opening that a program runs what a repository configures
// which a command made; o says by which entry it may.
func ofRepository(o opening.Opening, u shell.Use, what, where, at string) opening.Opening {
	opens := fmt.Sprintf("%s in %s runs what the configuration of a repository%s names, outside the sandbox, and "+
		"commands can make one.", u.By, what, at)
	if u.By == claude.Program {
		opens = fmt.Sprintf("%s in %s runs the hooks of the settings%s, outside the sandbox, and commands can write some.",
			u.By, what, at)
	}
	return opening.Opening{Status: report.Fail, Voids: true, Plain: o.Plain, Where: where, What: u.By, Step: InProject,
		Opens: opens}
}

// InProject ends that a command depends on its directory.
const InProject = `git: write GIT_COMMON_DIR="$CLAUDE_PROJECT_DIR/.git" git -C "$CLAUDE_PROJECT_DIR" and, for status and diff, --ignore-submodules; ` +
	`other files: write absolute paths; or set env.` + claude.StayVariable + ` to 1 in your settings`

// besideItsConfig is the warning that a command that keeps writing
// .git/commondir in the background puts another configuration in the place of
// the project's.
func besideItsConfig(u shell.Use, what, where string) opening.Opening {
	return opening.Opening{Status: report.Warn, Where: where, What: u.By,
		Opens: fmt.Sprintf("%s in %s runs what the configuration of the repository names. A command in the background "+
			"can put another in its place (.git/commondir).", u.By, what),
		Step: `write GIT_COMMON_DIR="$CLAUDE_PROJECT_DIR/.git" git -C "$CLAUDE_PROJECT_DIR", or ask for less: ` +
			"git branch --show-current and git rev-parse run nothing"}
}

// Evaluates says whether a line takes the output of a command as code.
var Evaluates = lazy.Regexp(`^(builtin |command )?((eval|source|\.) |(export|declare|typeset)( -\w+)* "?(\$\(|` +
	"`))" +
	`|\|\s*(sh|bash|zsh|fish|source|\.)(\s|$)`)

// WritableAnd says of what leads to a path that commands can write what it does.
func WritableAnd(what, path, effect string) string {
	return what + " leads to " + path + ", which commands can write, and it " + effect + "."
}

// LoadsInto says what a variable does to the program that has it, "" if it is
// not known to do anything.
func LoadsInto(name string) string {
	if v := claude.VariableOf(name); v.Acts() && !v.Data {
		return v.Effect
	}
	return ""
}

// NoCode says whether no program takes code from where a variable leads.
func NoCode(name string) bool {
	v := claude.VariableOf(name)
	return v.Indirect && v.Class == claude.Redirects
}

// WiredCommand is a command line in settings, and what calls it. With args it
// is started without a shell. event is that of a hook.
type WiredCommand struct {
	Command, Args *settings.Value
	What, Event   string
}

// Wired lists the command lines of a document that the runtime runs.
func Wired(l settings.ScopedDoc) (list []WiredCommand) {
	add := func(v, args *settings.Value, what, event string) {
		if v != nil && v.Kind == settings.Str {
			list = append(list, WiredCommand{v, args, what, event})
		}
	}
	for _, h := range l.Doc.Hooks() {
		command, args := h.Entry.Command()
		add(command, args, "a "+h.Event+" hook", h.Event)
	}
	for _, starts := range []struct {
		key  claude.KeyPath
		what string
	}{{claude.KeyStatusLine, "the status line"}, {claude.KeySubagentStatusLine, "the status line of subagents"},
		{claude.KeyFileSuggestion, "the file suggestion"}} {
		command, _ := l.Doc.Get(starts.key...).Command()
		add(command, nil, starts.what, "")
	}
	for _, helper := range claude.Helpers {
		add(l.Doc.Get(helper), nil, helper, "")
	}
	search, args := l.Doc.Get(claude.KeyRipgrep...).Command() // it runs outside the sandbox (measured with 2.1.332)
	add(search, args, claude.KeyRipgrep.String(), "")
	return list
}
