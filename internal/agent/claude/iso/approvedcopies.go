// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the user approved is what runs. A file of the project
// behind a hook or a server runs from a copy that no command can write, made
// at approval; what cannot be run so cannot be approved.

package iso

import (
	"cmp"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// File is a file of the project that an item runs.
type File struct {
	// Path is its absolute path, Rel the same below the root of the work
	// tree.
	Path, Rel string
	content   []byte
	// words are its places in the command (see shell.Use).
	words []shell.Use
}

// copyIn is where the copy lies that runs: in a directory of its own, so that
// nothing lies beside it that an interpreter could take for a module.
func (f File) copyIn(state string) string {
	digest := report.DigestOf(append([]byte(f.Rel+"\n"), f.content...))
	return filepath.Join(state, "approved", digest.Name(32), filepath.Base(f.Rel))
}

// kept says whether the copies are there, and are what was approved.
func (i Item) kept(h host.Reader) bool {
	return !slices.ContainsFunc(i.Files, func(f File) bool {
		b, err := h.Read(f.copyIn(h.Places().State))
		return err != nil || string(b) != string(f.content)
	})
}

const noFileYet = " is not a file, and a command could put one there"

// maxFile bounds a file that is copied, in bytes.
const maxFile = 1 << 20

// resolver finds what the items of a place run.
type resolver struct {
	h host.Reader
	p Place
	// open are the directories that sandboxed commands may write below.
	open []string
	// moves says that an item runs where a command has changed to.
	moves bool
}

func newResolver(h host.Reader, p Place, pol Policy) resolver {
	r := resolver{h: h, p: p, open: append(host.Written(h, p.Start), p.Root, p.Start, p.Project, p.Main)}
	for _, dir := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
		if !pathname.Within(p.Home, dir) { // others may write there
			r.open = append(r.open, dir)
		}
	}
	opens := func(doc *settings.Doc, scope settings.Scope, start string) {
		if doc == nil {
			return
		}
		dirs := settings.Dirs{Home: p.Home, Agent: h.Places().AgentDir, Start: start}
		for _, key := range policy.Opening() {
			for _, v := range settings.ItemsOf(doc.Get(key...)) {
				r.open = append(r.open, pathname.BeforeWildcard(policy.PathOf(dirs, key.String(), v.Text, scope)))
			}
		}
	}
	opens(pol.doc, settings.Project, p.Project)
	opens(readUsersRules(h, p).doc, settings.User, p.Start)
	return r
}

// writable says whether a sandboxed command may write a path. Symlinks are
// followed; of a path that is not there, those of its directory.
func (r resolver) writable(path string) bool {
	return pathname.WithinAny(path, r.open) || pathname.WithinAny(host.Real(r.h, path), r.open)
}

// InShell is what a command line has of the runtime.
var InShell = shell.Agent{Program: claude.Program,
	Plain:   []string{"--version", "-v", "--help", "doctor", "mcp", "config"},
	Project: claude.ProjectDirVariable, Own: claude.ConfigDirVariable,
	Loads: func(name string) bool { return claude.VariableOf(name).Loads() }}

// place is where commands of the project run.
func (r resolver) place() shell.Place {
	return shell.Place{Home: r.p.Home, Dir: r.p.Project, Moves: r.moves, Project: r.p.Project, Root: r.p.Root,
		Agent: InShell, Look: r.h.Look, Stays: func(dir string) bool {
			info, err := r.h.Stat(dir)
			return err == nil && info.IsDir() && !r.writable(dir)
		}}
}

// reach is what a hook or a server runs; why says why that cannot be said.
func (r resolver) reach(v *settings.Value) (reach shell.Reach, why string) {
	const undecided = " decides what it runs, and is not resolved"
	for _, key := range []string{claude.HeadersHelper, "cwd", "shell"} {
		if v.Get(key) != nil {
			return reach, key + undecided
		}
	}
	for _, m := range settings.MembersOf(v.Get("env")) {
		if claude.VariableSet(m.Key, m.Value.Text, true).Loads() {
			return reach, "env." + m.Key + undecided
		}
	}
	command, args := v.Command()
	if command == nil || command.Kind != settings.Str {
		return reach, ""
	}
	if args == nil && v.Get("type").Equal(settings.String("command")) {
		return r.place().Line(command.Text), ""
	}
	return r.place().Exec(command.Text, settings.TextsOf(args)), ""
}

// resolve finds the files that an item runs, or why it cannot be approved.
func (r resolver) resolve(v *settings.Value) (files []File, refused string) {
	reach, why := r.reach(v)
	if why != "" {
		return nil, why
	}
	if len(reach.Gaps) > 0 {
		return nil, strings.TrimPrefix(redact.Command(reach.Gaps[0].Text)+": ", ": ") + reach.Gaps[0].Why
	}
	var gone string
	for _, u := range reach.Uses {
		if u.Kind == shell.Repository && (u.Path == "" || u.Moves || r.writable(u.Path) && u.Path != r.p.Project) {
			return nil, u.By + ": the configuration of the repository there decides what it runs, and commands can make one"
		}
		if why := r.written(u); why != "" {
			return nil, why
		}
		if u.Kind == shell.Reads || u.Kind == shell.Found || u.Kind == shell.Unclear || u.Kind == shell.Writes ||
			!r.writable(u.Path) {
			continue // claude-iso leaves the project's directories out of PATH
		}
		switch info, err := r.h.Stat(u.Path); {
		case u.Kind == shell.Decides || u.Kind == shell.Configures:
			return nil, fmt.Sprintf("%s: files in %s decide what it runs, and commands can change them", u.By, u.Path)
		case err != nil || !info.Mode().IsRegular():
			if u.Kind == shell.Runs {
				gone = cmp.Or(gone, u.Path+noFileYet)
			}
			continue
		}
		f, why := r.file(u)
		if why != "" {
			return nil, why
		}
		if i := slices.IndexFunc(files, func(have File) bool { return have.Rel == f.Rel }); i >= 0 {
			files[i].words = append(files[i].words, u)
			continue
		}
		files = append(files, f)
	}
	switch state := r.h.Places().State; {
	case gone != "" && len(files) == 0:
		return nil, gone
	case files != nil && r.writable(state):
		return nil, "no copy of " + files[0].Rel + " can be kept: commands may write " + state
	}
	return files, ambiguous(reach, files, r)
}

// written says why a file that an item writes keeps it from being approved: it
// runs outside the sandbox, so that a symlink of a command leads it anywhere,
// and what it copies is what the command last wrote.
func (r resolver) written(u shell.Use) string {
	switch {
	case u.Kind != shell.Writes || u.Path == "":
		return ""
	case r.writable(u.Path):
		return "it writes " + u.Path + ", and commands can put a symlink there"
	case u.By != "" && r.writable(u.By):
		return "it copies " + u.By + ", which commands can change, to " + u.Path
	}
	return ""
}

// ambiguous says which word may mean several files, "" if none does.
func ambiguous(reach shell.Reach, files []File, r resolver) string {
	known := map[int]string{}
	for _, f := range files {
		for _, u := range f.words {
			if have, is := known[u.From]; is && have != f.Path {
				return u.By + ": it may be " + have + " or " + f.Path
			}
			known[u.From] = f.Path
		}
	}
	for _, u := range reach.Uses {
		if _, replaced := known[u.From]; u.Kind == shell.Runs && r.writable(u.Path) && !replaced {
			return u.Path + noFileYet
		}
	}
	return ""
}

// file is a file of the project behind a word.
func (r resolver) file(u shell.Use) (f File, why string) {
	rel, below := pathname.Below(host.Real(r.h, u.Path), r.p.Root)
	if !below {
		return f, u.Path + " is not in the project, and commands can change it"
	}
	if u.From >= 0 && u.To == 0 {
		return f, u.By + ": the path of " + rel + " cannot be replaced by that of a copy"
	}
	b, err := r.h.ReadIn(r.p.Root, rel)
	switch {
	case err != nil:
		return f, u.Path + " cannot be read"
	case len(b) > maxFile:
		return f, fmt.Sprintf("%s is longer than %d bytes", u.Path, maxFile)
	}
	return File{Path: u.Path, Rel: rel, content: b, words: []shell.Use{u}}, r.shebang(u.Path, b)
}

// shebang says why the interpreter that a file names keeps it from being
// approved.
func (r resolver) shebang(path string, content []byte) string {
	words := shell.Interpreter(content)
	if len(words) == 0 {
		return ""
	}
	reach := r.place().Exec(words[0], append(words[1:], path))
	if len(reach.Gaps) > 0 {
		return path + ": " + redact.Command(reach.Gaps[0].Text) + ": " + reach.Gaps[0].Why
	}
	for _, u := range reach.Uses {
		if u.Path != path && u.Kind != shell.Reads && u.Kind != shell.Found && u.Kind != shell.Unclear &&
			u.Kind != shell.Writes && r.writable(u.Path) {
			return path + " runs by " + u.Path + CanChange
		}
	}
	return ""
}

// also are the files of the project that a shell script in turn runs: the copy
// does not cover them.
func (r resolver) also(f File) []string {
	if !shell.IsScript(f.content) {
		return nil
	}
	var list []string
	for _, u := range r.place().Line(string(f.content)).Uses {
		if (u.Kind == shell.Runs || u.Kind == shell.Decides || u.Kind == shell.Configures) && r.writable(u.Path) &&
			!slices.Contains(list, u.By) {
			list = append(list, u.By)
		}
	}
	return list
}

// copies are the values of an item that name its files, with the copies in
// their place.
func (i Item) copies(v *settings.Value, state string) (*settings.Value, error) {
	to := map[int]string{}
	var uses []shell.Use
	for _, f := range i.Files {
		for _, u := range f.words {
			to[u.From] = f.copyIn(state)
			uses = append(uses, u)
		}
	}
	if path, is := to[-1]; is {
		v = with(v, "command", settings.String(path))
	}
	if args := v.Get("args"); args != nil {
		list := slices.Clone(args.Items)
		for n := range list {
			if path, is := to[-2-n]; is {
				list[n] = settings.String(path)
			}
		}
		return with(v, "args", settings.List(list...)), nil
	}
	command := v.Get("command")
	if command == nil || len(uses) == 0 || uses[0].From < 0 {
		return v, nil
	}
	text, err := shell.Substitute(command.Text, uses, to)
	return with(v, "command", settings.String(text)), err
}

// copyMode lets the user's own hooks start a copy.
const copyMode iofs.FileMode = 0o700
