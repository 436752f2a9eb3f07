// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of what opens and what closes a path to commands, the nearer
// counts, of two at one place the opening one. What is kept from being written,
// and a credential, no entry opens. A path counts by where it leads (measured
// with 2.1.330 on Linux: TestTheAnswersAgreeOnWhatIsOpenedAndClosed).

package grants

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// Place is why commands may write where no setting says so.
type Place int

const (
	// BySetting: an entry opens or closes it.
	BySetting Place = iota
	// StartDir is where the session starts.
	StartDir
	// GitDir is what all worktrees of the project share, where it lies elsewhere.
	GitDir
	// EveryCommand may write it: temporary files and logs.
	EveryCommand
)

// Grant opens or closes a path, and what lies below it, to commands.
type Grant struct {
	Entry
	Place Place
	// Final: nothing opens what it closes.
	Final   bool
	pattern settings.Pattern
	// depth is how much of the path that was asked about it covers (covers).
	depth int
}

// covers is how many elements of a path, which is free of links, the grant takes,
// plus 1; 0 if it does not cover it.
func (g Grant) covers(path string) int {
	if g.Place != BySetting {
		if pathname.Within(path, g.Real) {
			return strings.Count(strings.TrimSuffix(g.Real, "/"), "/") + 1
		}
		return 0
	}
	if depth, ok := g.pattern.Covers(path); ok {
		return depth + 1
	}
	return 0
}

// Dir is the directory that the grant is about, for a pattern the one above its first
// wildcard.
func (g Grant) Dir() string {
	if g.Place != BySetting {
		return g.Real
	}
	return pathname.BeforeWildcard(g.Real)
}

// Reason is why commands may read or write a path, or may not.
type Reason int

const (
	// Unnamed: no grant covers it.
	Unnamed Reason = iota
	// Opened, and not closed.
	Opened
	// Reopened below what closes it.
	Reopened
	// Hidden by the nearest grant.
	Hidden
	// HiddenInside what is opened.
	HiddenInside
	// Kept from being written.
	Kept
	// Protected by the runtime itself, whatever the settings say.
	Protected
)

// Ruling is the answer about a path. By is the grant that decides, and the nearest of
// those that it overrules; At is the protected path.
type Ruling struct {
	Allowed bool
	Why     Reason
	By      []Grant
	At      string
}

// Set is everything that opens or closes paths to the sandboxed commands of a
// session.
type Set struct {
	r          host.Reader
	start, git string
	// opens are written and read, shows read, keeps not written, hides neither.
	opens, shows, keeps, hides func() []Grant
}

// SetOf are those of a session. On Linux an entry with a wildcard but for a last
// "/**" opens and closes nothing for writing (measured with 2.1.324 and 2.1.330), and one
// that leads through a symlink opens nothing, but for allowRead where the symlink is
// above its last name (2.1.330). linked says that such an entry counts all the same:
// what is called protected does not rest on a symlink staying one.
func SetOf(r host.Reader, s session.Settings, linked bool) *Set {
	g := &Set{r: r, start: RealPath(r, s.Dirs.Start)}
	git, opened := gitOf(r, g.start)
	g.git = git
	linux := r.System().GOOS == "linux"
	settled := func(list []Grant) []Grant {
		return slices.DeleteFunc(list, func(e Grant) bool { return linux && !e.pattern.Literal() })
	}
	g.hides = sync.OnceValue(func() []Grant {
		return slices.Concat(credentials(r, s), granted(Entries(r, s, claude.KeyDenyRead.String())),
			ruled(r, s, claude.ToolRead))
	})
	g.keeps = sync.OnceValue(func() []Grant {
		return settled(append(granted(Entries(r, s, claude.KeyDenyWrite.String())), ruled(r, s, claude.ToolEdit)...))
	})
	g.shows = sync.OnceValue(func() []Grant {
		return granted(slices.DeleteFunc(Entries(r, s, AllowReadKey), func(e Entry) bool {
			return !linked && filepath.Join(RealPath(r, filepath.Dir(e.Named)), filepath.Base(e.Named)) != e.Real
		}))
	})
	g.opens = sync.OnceValue(func() []Grant {
		entries := slices.Concat(Entries(r, s, AllowWriteKey), allowing(r, s), Entries(r, s, DirectoriesKey))
		return append(g.places(s, opened), settled(granted(slices.DeleteFunc(entries, func(e Entry) bool {
			return !linked && linux && e.Named != e.Real
		})))...)
	})
	return g
}

// gitOf is the git directory of which hooks and config are kept from commands, "" for
// none, and whether they may write the rest. They may in a linked worktree, where the
// session starts at its root; neither holds for a submodule, nor for a git directory
// that lies elsewhere (measured with 2.1.330).
func gitOf(r host.Reader, start string) (git string, opened bool) {
	t := host.FindTree(r, start)
	switch linked := t.Git != t.Common; {
	case linked && t.Root == start && !strings.Contains(t.Common, "/.git/modules/"):
		return RealPath(r, t.Common), true
	case !linked && t.Root != "" && t.Common == filepath.Join(t.Root, ".git"):
		return RealPath(r, t.Common), false
	}
	return "", false
}

// places are opened without a setting.
func (g *Set) places(s session.Settings, git bool) (list []Grant) {
	add := func(why Place, dir string) {
		list = append(list, Grant{Entry: Entry{Named: dir, Real: RealPath(g.r, dir)}, Place: why})
	}
	add(StartDir, s.Dirs.Start)
	if git {
		add(GitDir, g.git)
	}
	sys := g.r.System()
	getenv := func(name string) string {
		if set := s.InForce().Scalar(claude.KeyEnv.Below(name)...).Value; set != nil {
			return set.Text
		}
		return sys.Get(name)
	}
	for _, dir := range append(claude.Temporary(getenv, sys.UID), claude.Temporary(sys.Get, sys.UID)...) {
		add(EveryCommand, dir)
	}
	for _, name := range claude.Logs {
		dir := filepath.Join(s.Dirs.Home, name)
		if nearest(g.hides(), RealPath(g.r, dir)) == nil {
			add(EveryCommand, dir)
		}
	}
	return list
}

// Always are the grants that no setting gives, of those that can be on this platform.
func (g *Set) Always() []Grant {
	elsewhere := g.r.System().GOOS != "darwin"
	return slices.DeleteFunc(slices.Clone(g.opens()), func(o Grant) bool {
		return o.Place == BySetting || elsewhere && o.Named == claude.DarwinTemporary
	})
}

// Opens says whether the entry at a place opens its path to commands: only for reading,
// with read, and then not what is open without a setting. Of one that opens a pattern
// nobody knows here what else closes.
func (g *Set) Opens(where string, read bool) bool {
	list, answer := g.opens(), g.Write
	always := map[string]bool{}
	if read {
		list, answer = g.shows(), g.Read
		for _, o := range g.Always() {
			always[o.Real] = true
		}
	}
	return slices.ContainsFunc(list, func(o Grant) bool {
		return o.Where == where && !always[o.Real] && (!o.pattern.Literal() || answer(o.Dir()).Allowed)
	})
}

func granted(entries []Entry) (list []Grant) {
	for _, e := range entries {
		list = append(list, Grant{Entry: e, pattern: settings.PatternAt(e.Real)})
	}
	return list
}

// credentials are those of credentials.files that are no longer there for commands.
func credentials(r host.Reader, s session.Settings) (list []Grant) {
	for _, c := range s.InForce().Credentials(claude.KeyCredentialFiles) {
		named := s.Dirs.Resolve(c.Name, c.Scope)
		if c.Ignored != "" || c.Mode == claude.Mask || named == "" {
			continue
		}
		real := RealPath(r, named)
		list = append(list, Grant{Final: true, pattern: settings.PatternAt(real), Entry: Entry{
			Key: claude.KeyCredentialFiles.String(), Text: c.Name, Where: c.Where(), Candidate: c.Candidate,
			Named: named, Real: real}})
	}
	return list
}

// ruled are the deny rules of a tool that hold for commands by the sandbox.
func ruled(r host.Reader, s session.Settings, tool string) (list []Grant) {
	key := claude.KeyPermissions.Below(claude.Deny)
	for _, c := range s.InForce().Taken(key...) {
		of, content, call, _ := claude.SplitRule(c.Value.Text)
		if of != tool || !call {
			continue
		}
		if p, ok := settings.SealPattern(content, c.Scope, s.Dirs); ok {
			named := p.Text()
			real := RealPath(r, named)
			list = append(list, Grant{pattern: settings.PatternAt(real), Entry: Entry{Key: settings.KeyPath(key),
				Text: c.Value.Text, Where: c.Where(), Candidate: c, Named: named, Real: real}})
		}
	}
	return list
}

// nearest are the grants that cover a path, the nearest first.
func nearest(list []Grant, path string) (found []Grant) {
	for _, g := range list {
		if g.depth = g.covers(path); g.depth > 0 {
			found = append(found, g)
		}
	}
	slices.SortStableFunc(found, func(a, b Grant) int { return b.depth - a.depth })
	return found
}

// Read says whether commands may read a path, which is free of links.
func (g *Set) Read(path string) Ruling {
	closed := g.closed(path)
	if len(closed) == 0 {
		return Ruling{Allowed: true}
	}
	opened := nearest(append(slices.Clone(g.opens()), g.shows()...), path)
	switch by := append(closed[:1:1], opened...); {
	case closed[0].Final:
		return Ruling{Why: Hidden, By: slices.DeleteFunc(by, func(o Grant) bool { return o.depth < closed[0].depth })}
	case len(opened) == 0:
		return Ruling{Why: Hidden, By: by}
	case opened[0].depth >= closed[0].depth:
		return Ruling{Allowed: true, Why: Reopened, By: append(opened[:1:1], closed...)}
	default:
		return Ruling{Why: HiddenInside, By: by}
	}
}

// closed are the grants that hide a path, the deciding one first. The runtime spells
// a path that is not UTF-8 otherwise, and so hides nothing (measured with 2.1.330).
func (g *Set) closed(path string) []Grant {
	found := nearest(g.hides(), path)
	if !utf8.ValidString(path) {
		found = slices.DeleteFunc(found, func(c Grant) bool { return !utf8.ValidString(prefix(path, c.depth)) })
	}
	if final := slices.IndexFunc(found, func(c Grant) bool { return c.Final }); final > 0 {
		found[0], found[final] = found[final], found[0]
	}
	return found
}

// prefix are the first elements of an absolute path, of which covers counts one more.
func prefix(path string, covers int) string {
	parts := strings.Split(path, "/")
	return "/" + filepath.Join(parts[:min(covers, len(parts))]...)
}

// Write says whether what commands write to a path arrives; the path is free of links.
// What hides a path that is not there yet does not keep it from being made.
func (g *Set) Write(path string) Ruling {
	opened := nearest(g.opens(), path)
	if at, yes := claude.ProtectedAt(path, g.start, g.git); yes {
		return Ruling{Why: Protected, At: at}
	}
	if kept := nearest(g.keeps(), path); len(kept) > 0 {
		return Ruling{Why: Kept, By: append(kept[:1:1], opened...)}
	}
	hidden := g.closed(path)
	if len(opened) == 0 && len(hidden) > 0 {
		return Ruling{Why: Hidden, By: hidden}
	}
	closed := slices.DeleteFunc(hidden, func(c Grant) bool {
		info, err := g.r.Lstat(prefix(path, c.depth))
		if err != nil || info.IsDir() || c.Final {
			return err != nil
		}
		shown := nearest(g.shows(), path) // a file is hidden by itself, and not where it is shown
		return len(shown) > 0 && shown[0].depth >= c.depth
	})
	switch {
	case len(opened) == 0:
		return Ruling{}
	case len(closed) > 0 && (closed[0].Final || closed[0].depth > opened[0].depth):
		return Ruling{Why: HiddenInside, By: append(closed[:1:1], opened...)}
	}
	return Ruling{Allowed: true, Why: Opened, By: opened}
}
