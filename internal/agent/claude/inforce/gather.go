// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: exactly the files are read that the runtime would read for
// this start, and each that it would throw away is named. Of the runtime's own
// state, the file is read that the runtime reads, and of it the variables that
// it sets and what sends sessions away. The rest of that file may be secret.

package inforce

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// Invocation is how a session was started, or would be.
type Invocation struct {
	// Start is the directory, absolute and with links resolved.
	Start string
	// Args are the arguments of the runtime, without its name.
	Args []string
	// Version is the runtime's, "" if it is unknown.
	Version string
}

// Input is what Judge judges.
type Input struct {
	OS, Version string
	// Root is the root of the work tree that the session starts in, "" if
	// there is none.
	Root   string
	Layers []settings.ScopedDoc
	Dirs   settings.Dirs
	// User is the file of the user's settings.
	User string
	// Trial is the zero value if the sandbox was not tried.
	Trial Trial
	// Unread are the settings files of the session that could not be read, or are not
	// strict JSON: the runtime throws such a file away whole, unless the reason is Kept.
	// Doubts are those that can be read in more than one way; what the runtime takes of
	// them is among the layers.
	Unread, Doubts []Reason

	instead  []Reason // other settings of the user than those of SettingsFile
	above    *settings.Doc
	programs []program
}

// program is one that the sandbox is made of; path is "" if it is missing.
// own says that the project decides what it is.
type program struct {
	name, path string
	own        bool
}

// gatherer gathers one Input.
type gatherer struct {
	h  host.Reader
	in Input
}

// Gather reads what decides about a session. What cannot be read becomes a
// reason of the judgement, not an error.
func Gather(h host.Reader, s Invocation) Input {
	places := h.Places()
	flags := flagsOf(s.Args)
	g := &gatherer{h: h, in: Input{OS: h.System().GOOS, Version: s.Version, User: places.UserSettings(),
		Dirs: settings.Dirs{Home: places.Home, Agent: places.AgentDir, Start: s.Start}}}
	tree := host.FindTree(h, s.Start)
	g.in.Root = tree.Root
	g.managed(places.Managed)
	g.flag(flags, s.Start)
	if flags.loads("local") {
		for _, dir := range g.localDirs(tree, s.Start) {
			g.file(settings.Local, filepath.Join(dir, claude.LocalFile))
		}
	}
	if flags.loads("project") {
		g.file(settings.Project, filepath.Join(s.Start, claude.Dir, claude.SettingsFile))
		g.findAbove(tree.Root, s.Start)
	}
	g.background()
	state := g.state()
	if flags.loads("user") {
		g.users(places, state)
	}
	g.in.Layers = append(g.in.Layers, state...)
	if g.in.OS == "linux" {
		dirs := host.Written(h, s.Start)
		set := settings.Combine(g.in.Layers, g.in.Dirs).Scalar(claude.KeyEnv.Below("PATH")...).Value
		g.in.programs = []program{g.program("bwrap", set, dirs), g.program("socat", set, dirs)}
	}
	return g.in
}

// localDirs lists where settings.local.json is read, the stronger first: the
// main checkout, also for a start below it or in a linked worktree, and the
// start directory. A repository that is the home itself does not count.
func (g *gatherer) localDirs(t host.Tree, start string) []string {
	if t.Main == "" || t.Main == start || t.Main == g.in.Dirs.Home {
		return []string{start}
	}
	return []string{t.Main, start}
}

// findAbove looks for settings.json between the start directory and the root
// of its work tree, or the home where there is none.
func (g *gatherer) findAbove(root, start string) {
	for dir := start; dir != root; {
		parent := filepath.Dir(dir)
		if parent == dir || parent == g.in.Dirs.Home {
			return
		}
		dir = parent
		path := filepath.Join(dir, claude.Dir, claude.SettingsFile)
		if b, err := sensitive.ReadProject(g.h, g.in.Root, path); err == nil {
			// One that would be dropped would not be in force there either.
			if d, _, err := settings.Read(path, b); err == nil {
				g.in.above = d
			}
			return
		}
	}
}

// users adds the user's settings: of CoworkFile where the environment, or "env" of
// settings that are no project's, switches that on, as far as the runtime obeys
// one that switches it off. Of a SettingsFile that does so itself "env" counts.
func (g *gatherer) users(places env.Places, state []settings.ScopedDoc) {
	before := g.in.Layers
	g.file(settings.User, g.in.User)
	usual, where := g.in.Layers[len(before):], ""
	for _, l := range slices.Concat(usual, before, state) {
		v := l.Doc.Get(claude.KeyEnv.Below(claude.CoworkVariable)...)
		if v != nil && claude.SwitchedOn(v.Text) && !l.Scope.OfProject() {
			where = l.Doc.Where(v)
			if slices.Contains(usual, l) {
				usual = nil
				if only, err := l.Doc.Only(claude.KeyEnv.Leaf()); err == nil {
					usual = []settings.ScopedDoc{{Scope: settings.User, Doc: only}}
				}
				continue
			}
			usual = nil // it is not read
		}
	}
	if claude.SwitchedOn(g.h.System().Get(claude.CoworkVariable)) {
		where, usual = claude.CoworkVariable, nil
	}
	if where == "" {
		return
	}
	g.in.Layers, g.in.User = slices.Clone(before), filepath.Join(places.AgentDir, claude.CoworkFile)
	g.file(settings.User, g.in.User)
	g.in.Layers = append(g.in.Layers, usual...)
	g.in.instead = append(g.in.instead, Reason{Short: "other user settings", Where: where,
		What: claude.CoworkVariable + " puts " + claude.CoworkFile + " in the place of your " + claude.SettingsFile,
		Next: "remove " + claude.CoworkVariable})
}

// background says that rules of the environment are in force.
func (g *gatherer) background() {
	get := g.h.System().Get
	if get(claude.RulesVariable) != "" && claude.Background(get(claude.SessionKindVariable)) {
		g.in.instead = append(g.in.instead, Reason{Short: "rules of the environment", Where: claude.RulesVariable,
			What: claude.RulesVariable + " adds permission rules and directories", Next: "unset " + claude.RulesVariable})
	}
}

func (g *gatherer) file(s settings.Scope, path string) {
	read := g.h.Read
	if s == settings.Project || s == settings.Local {
		read = func(path string) ([]byte, error) { return sensitive.ReadProject(g.h, g.in.Root, path) }
	}
	b, err := read(path)
	var linked *sensitive.LinkError
	switch {
	case errors.As(err, &linked):
		g.in.Unread = append(g.in.Unread,
			Reason{Short: filepath.Base(path) + " is a symlink to a secret", What: linked.Error(), Where: path,
				Next: "remove the link " + path})
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		g.in.Unread = append(g.in.Unread, Reason{Short: filepath.Base(path) + " is unreadable", What: "cannot be read: " +
			err.Error(), Where: path, Next: "make it readable"})
	default:
		g.add(s, path, b)
	}
}

func (g *gatherer) add(s settings.Scope, path string, b []byte) {
	d, doubt, err := settings.Read(path, b)
	if err == nil {
		g.in.Layers = append(g.in.Layers, settings.ScopedDoc{Scope: s, Doc: d})
		if err = doubt; doubt == nil {
			return
		}
	}
	where, what := path, err.Error()
	if e, ok := errors.AsType[*report.Error](err); ok {
		where, what = e.Where, e.What
	}
	if (s == settings.Project || s == settings.Local) && sensitive.Linked(g.h, path) {
		what = "is not strict JSON" // what it leads to is not the project's: no byte of it is shown
	}
	short := filepath.Base(path) + lineOf(where, path)
	switch {
	case doubt != nil:
		g.in.Doubts = append(g.in.Doubts, unjudged(where, short, what))
	case settings.Kept(err):
		g.in.Unread = append(g.in.Unread, unjudged(where, short, what))
	default:
		g.in.Unread = append(g.in.Unread, dropped(where, short, what))
	}
}

// lineOf returns ":line" of a place in the file at path.
func lineOf(where, path string) string {
	rest, ok := strings.CutPrefix(where, path+":")
	line, _, _ := strings.Cut(rest, ":")
	if !ok || line == "" {
		return ""
	}
	return ":" + line
}

// managed adds the managed settings: the files of managed-settings.d in the
// order of their names, each stronger than those before, all stronger than
// managed-settings.json. A file of them that is not an object keeps the
// runtime from starting.
func (g *gatherer) managed(path string) {
	for _, drop := range slices.Backward(DropIns(g.h, path)) {
		g.file(settings.Managed, drop)
	}
	g.file(settings.Managed, path)
}

// DropInDir is the directory beside managed-settings.json, given by its path,
// whose files are managed settings too.
func DropInDir(managed string) string { return strings.TrimSuffix(managed, ".json") + ".d" }

// DropIns lists the files there that the runtime reads, in the order of their
// names; none if the directory cannot be read.
func DropIns(r host.Reader, managed string) (paths []string) {
	dir := DropInDir(managed)
	entries, _ := r.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".") {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

// flag adds what --settings gives.
func (g *gatherer) flag(f flags, start string) {
	given := strings.TrimSpace(f.settings)
	switch {
	case given == "":
	case strings.HasPrefix(given, "{"):
		g.add(settings.Flag, "--settings", []byte(given))
	default:
		given = pathname.From(start, given)
		g.in.Dirs.Flag = filepath.Dir(given)
		g.file(settings.Flag, given)
	}
}

// program finds a program of the sandbox: where managed settings say, else on
// PATH, as the runtime does, which starts what lies in dirs too. set is PATH in
// settings, which takes the place of the user's own, or nil.
func (g *gatherer) program(name string, set *settings.Value, dirs []string) program {
	for _, l := range g.in.Layers {
		if v := l.Doc.Get(claude.KeySandbox.Below(name + "Path")...); l.Scope == settings.Managed && v != nil &&
			v.Kind == settings.Str {
			if host.Program(g.h, v.Text) {
				return program{name: name, path: v.Text}
			}
			return program{name: name}
		}
	}
	p := program{name: name, path: host.LookUp(g.h, g.h.System().Get("PATH"), g.in.Dirs.Start, name)}
	if set != nil {
		if found := host.LookUp(g.h, set.Text, g.in.Dirs.Start, name); found != "" {
			p.path = found
		}
	}
	p.own = p.path != "" && g.h.Through(p.path, dirs)
	return p
}

// flags are the arguments of the runtime that decide what it reads.
type flags struct {
	settings string
	sources  []string
	chosen   bool // --setting-sources was given
}

// flagsOf reads arguments; of several the last counts (measured).
func flagsOf(args []string) (f flags) {
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if name != "--settings" && name != "--setting-sources" {
			continue
		}
		if !joined && i+1 < len(args) {
			i++
			value = args[i]
		}
		if name == "--settings" {
			f.settings = value
		} else {
			f.chosen, f.sources = true, strings.Split(value, ",")
		}
	}
	return f
}

func (f flags) loads(source string) bool {
	return !f.chosen || slices.ContainsFunc(f.sources, func(s string) bool { return strings.TrimSpace(s) == source })
}

// StateFile is the file in which the runtime keeps its own state: which
// folders are trusted, the user's MCP servers, variables. It is .claude.json in
// the home, or in CLAUDE_CONFIG_DIR where that is set. But a file .config.json
// in the agent's directory that is not empty takes its place, also where both
// are there (measured with 2.1.329).
func StateFile(r host.Reader) string {
	files := StateFiles(r)
	if info, err := r.Stat(files[1]); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		return files[1]
	}
	return files[0]
}

// StateFiles are the two places of that file: the usual one, and the one that
// takes its place.
func StateFiles(r host.Reader) [2]string {
	places := r.Places()
	usual := places.Home
	if filepath.IsAbs(r.System().Get(claude.ConfigDirVariable)) {
		usual = places.AgentDir
	}
	return [2]string{filepath.Join(usual, claude.StateFile), filepath.Join(places.AgentDir, claude.OtherStateFile)}
}

// state lists what counts of the runtime's own state as layers of user scope, the
// weakest: a session has each variable that no settings set (measured with
// 2.1.329: whatever --setting-sources says, and in both launches), and the two
// switches that older versions kept there (code of 2.1.329). Of a file that is
// not JSON the runtime takes nothing.
func (g *gatherer) state() (layers []settings.ScopedDoc) {
	path := StateFile(g.h)
	b, err := g.h.Read(path)
	if err != nil {
		return nil
	}
	d, err := settings.Parse(path, b)
	if err != nil {
		return nil
	}
	for _, key := range []claude.KeyPath{claude.KeyEnv, claude.KeyRemoteControlAtStartup, claude.KeyAutoUploadSessions} {
		v := d.Get(key...)
		counts := v.True()
		if key.Leaf() == claude.KeyEnv.Leaf() {
			counts = v != nil && len(v.Members) > 0
		}
		if !counts {
			continue
		}
		if one, err := d.Only(key.Leaf()); err == nil {
			layers = append(layers, settings.ScopedDoc{Scope: settings.User, Doc: one})
		}
	}
	return layers
}
