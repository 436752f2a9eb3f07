// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a variable of the user's shell, or of the user's
// settings, would run outside the sandbox, or take settings from, lies where no
// command may write. A value is never shown, only the path in it that leads
// there.

package dotfiles

import (
	"cmp"
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
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// ours are variables that this program reads itself, whatever claude-iso hands
// on: settings, approvals and stored proofs lie there.
var ours = []string{claude.ConfigDirVariable, "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"}

// variable is one that a session has: of the user's shell, or set by settings
// that no project writes.
type variable struct {
	name, value string
	// of says whose it is; where and path are its place in settings, plain
	// that claude-iso does not hand it on.
	of, where string
	path      []string
	plain     func(project []string) bool
}

func variablesOf(r host.Reader, s session.Settings) (list []variable) {
	env := r.System().Env
	for _, v := range iso.Choose(env) {
		value := env.Get(v.Name)
		list = append(list, variable{name: v.Name, value: value, of: "of your shell", plain: func(project []string) bool {
			return !v.Kept || !slices.Contains(ours, v.Name) && iso.LeavesOut(r, v, project, value)
		}})
	}
	for _, l := range s.Layers {
		if l.Scope.OfProject() {
			continue // project-code
		}
		for _, m := range settings.MembersOf(l.Doc.Get(claude.KeyEnv...)) {
			list = append(list, variable{name: m.Key, value: m.Value.Text, of: "of your settings", where: l.Doc.Where(m.Value),
				path: claude.KeyEnv.Below(m.Key), plain: func([]string) bool { return false }})
		}
	}
	return list
}

// whereStarted ends what is said of variables of a shell.
const whereStarted = " in the shell where you start claude"

// YourShell is who sets a variable in the shell or in its start files.
const YourShell = "Your shell"

// Steers judges what a variable that somebody sets means to the runtime itself, as
// "env" of the user's settings is judged. Where requests go, and with which login,
// is the user's own matter.
func Steers(who, name, value, where string, root bool) (o opening.Opening, yes bool) {
	v := claude.VariableSet(name, value, root)
	o = opening.Opening{Status: report.Warn, What: name, Where: where,
		Opens: who + " sets " + name + ", which " + v.Effect + ".", Step: "unset " + name + whereStarted}
	switch {
	case value == "", v.Safe(), v.Personal, v.Class == claude.Redirects, slices.Contains(ours, name),
		!v.Own() && !v.Runtime, v.Foreign():
		return o, false
	case v.Replaces:
		o.Status, o.Voids = report.Fail, true
	case !v.Acts():
		o.Status, o.Group = report.Unknown, opening.UnknownKey
		o.Opens = who + " sets " + name + ". What that does to a session is not documented."
	}
	return o, true
}

// VariableOpenings lists the variables of the user's own, in the shell or in
// settings, that lead to where commands may write: what an agent at work puts
// there is run, or read as settings, by the next session outside the sandbox. And
// those of the shell that change what the runtime does. A variable that leads to
// another host is the user's own matter; PATH is another (PathOpenings).
func VariableOpenings(r host.Reader, s session.Settings) []opening.Opening {
	g, dropped := grants.Of(r, s), host.Written(r, s.Dirs.Start)
	var found []opening.Opening
	for _, v := range variablesOf(r, s) {
		row := claude.VariableOf(v.name)
		o := opening.Opening{Status: report.Fail, Voids: true, Plain: v.plain(dropped), Path: v.path, What: v.name}
		if row.Indirect {
			o.Status, o.Voids = report.Warn, false
		}
		var paths []string
		var gaps []shell.Gap
		if v.name != "PATH" && !row.Data && KnownEffect(v.name) != "" {
			paths, gaps = Led(g, commandline.Place(g), v.name, v.value)
		}
		i := slices.IndexFunc(paths, g.Leads)
		switch {
		case i >= 0:
			o.Where, o.Opens = cmp.Or(v.where, paths[i]), commandline.WritableAnd(v.name+" "+v.of, paths[i], row.Effect)
		case len(gaps) > 0:
			o.Status, o.Voids, o.Group, o.Where = report.Unknown, false, opening.Unresolved, cmp.Or(v.where, v.name)
			o.Opens = "What " + v.name + " " + v.of + " runs outside the sandbox is unknown (" + gaps[0].Why + ")."
		default:
			if steered, yes := Steers(YourShell, v.name, v.value, v.name, s.ByRoot); yes && v.path == nil {
				steered.Plain = o.Plain
				found = append(found, steered)
			}
			continue
		}
		if v.path == nil {
			o.Remedy = report.DocLink{Title: "unset " + v.name + whereStarted + ", or point it outside of what " +
				"commands may write", Target: filepath.Clean(o.Where)}
		}
		found = append(found, o)
	}
	return found
}

// loading are options and the file that each loads: of Perl, Ruby, Java, Node,
// Bun and go, by their manuals.
var loading = lazy.Regexp(`(?:^|[\s"'])(-I\s*|-r\s*|--(?:require|import|loader|experimental-loader|preload)[= ]\s*|` +
	`-(?:javaagent|agentpath|Xbootclasspath/[ap]):|--?toolexec[ =]|-(?:cp|classpath|-class-path|-module-path)[ =]|` +
	`-XX:(?:Flags|VMOptionsFile)=|@)([^\s"',]+)`)

// noFile are options whose value may hold a slash and is no path: java(1) -Duser.timezone=Europe/Berlin, go's
// linker -X=example.com/x.Version=1, node(1) --conditions=a/b.
var noFile = lazy.Regexp(`-Duser\.(?:timezone|language|country|region|variant)=[^\s"']*|` +
	`-X[= ]+[\w.\-/]+\.\w+=[^\s"']*|--conditions[= ]+[^\s"']*`)

// Led lists the paths that the value of a variable leads to from a place, and what
// of it nobody knows.
func Led(g grants.Ground, place shell.Place, name, value string) (paths []string, gaps []shell.Gap) {
	switch claude.HoldsOf(name) {
	default:
		paths = PathsIn(g.Host, place.Dir, name, value)
	case claude.HoldsLine:
		reach := place.Line(strings.TrimLeft(value, "|- ")) // less(1): LESSOPEN="|-x %s"
		for _, u := range reach.Uses {
			switch u.Kind {
			case shell.Runs:
				paths = append(paths, u.Path)
			case shell.Decides:
				paths = append(paths, filepath.Join(u.Path, commandline.AnyFile))
			case shell.Names:
				if info, err := g.Host.Stat(u.Path); err == nil && info.Mode().IsRegular() {
					paths = append(paths, u.Path)
				}
			}
		}
		gaps = reach.Gaps
		// What an option names is known of some programs alone; a whole path is one for all.
		for _, path := range PathsIn(g.Host, place.Dir, name, value) {
			short := pathname.Tilde(path, g.Host.Places().Home)
			if !slices.Contains(paths, path) && (strings.Contains(value, path) || strings.Contains(value, short)) {
				paths = append(paths, path)
			}
		}
	case claude.HoldsCommands:
		paths = vimCommands(g, place.Dir, name, value)
	}
	return paths, gaps
}

// PathsIn lists the paths that a value holds, each from the directory start. A word
// without a slash is one if such a file is there, or if nothing but a path can stand
// there.
func PathsIn(r host.Reader, start, name, value string) (paths []string) {
	holds := claude.HoldsOf(name)
	always := holds == claude.HoldsPath || holds == claude.HoldsPaths || holds == claude.HoldsPathsOrHere
	if holds == claude.HoldsOptions || holds == claude.HoldsModules {
		value = noFile().ReplaceAllString(value, "")
	}
	entries := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t\n:;='\"`()|&<>", r) })
	switch {
	case value == "":
	case holds == claude.HoldsPath, holds == claude.HoldsName:
		entries = []string{value}
	case holds == claude.HoldsPathsOrHere && slices.Contains(strings.Split(value, ":"), ""):
		entries = append(entries, ".")
	case holds == claude.HoldsOptions, holds == claude.HoldsModules:
		for _, m := range loading().FindAllStringSubmatch(value, -1) {
			if strings.TrimSpace(m[1]) == "-r" && holds == claude.HoldsOptions && !strings.HasPrefix(m[2], ".") ||
				strings.Contains(m[1], "toolexec") && !strings.Contains(m[2], "/") {
				continue // Ruby looks for such a name in its own directories, go on PATH
			}
			entries = append(entries, "./"+m[2])
			if strings.HasPrefix(m[2], "/") || strings.HasPrefix(m[2], "~") {
				entries[len(entries)-1] = m[2]
			}
		}
	}
	for _, e := range entries {
		e = strings.TrimPrefix(e, "@") // lua(1): LUA_INIT
		if strings.HasPrefix(e, "-") { // -I./lib, -r../x
			i := strings.IndexAny(e, "./~")
			if i < 0 {
				continue
			}
			e = e[i:]
		}
		switch at, home := pathname.Expand(e, r.Places().Home); {
		case home:
			e = at
		case filepath.IsAbs(e):
		case !strings.Contains(e, "/") && e != "." && e != "..":
			if _, err := r.Lstat(filepath.Join(start, e)); err != nil && !always &&
				!(holds == claude.HoldsName && strings.Contains(e, ".")) {
				continue
			}
			fallthrough
		default:
			e = filepath.Join(start, e)
		}
		paths = append(paths, filepath.Clean(e))
	}
	return paths
}

// UnknownEffect is what is said of a variable without a row.
const UnknownEffect = "may steer what runs outside the sandbox; not known to be harmless"

// KnownEffect says what a variable does to the programs that a session starts,
// "" if nothing is known.
func KnownEffect(name string) string {
	if v := claude.VariableOf(name); v.Acts() && !v.Tool {
		return v.Effect
	}
	return ""
}
