// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a symlink takes the place of nothing, of a symlink that
// leads nowhere or into the repository, or of a file with the same bytes. What
// else is there stays, and is said. A program of the repository is linked
// under its bare name, in the build for this machine, and never takes the
// place of a file.

package sync

import (
	"bytes"
	"errors"
	"fmt"
	iofs "io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

// LinkState is how a symlink is now.
type LinkState string

// The states of a link.
const (
	Linked    LinkState = "linked"
	Missing   LinkState = "missing"
	Nowhere   LinkState = "leads nowhere"
	Elsewhere LinkState = "leads elsewhere"
	Same      LinkState = "a file with the same content"
	Differs   LinkState = "a file with other content"
	Emptyable LinkState = "a directory"
)

// Link is one symlink that should lead into the repository, and how it is.
type Link struct {
	Path  string    `json:"path"`
	To    string    `json:"to"`
	State LinkState `json:"state"`
	// Now is where it leads now, if it leads elsewhere or nowhere.
	Now string `json:"now,omitempty"`
}

// look says how the link at path to rel is now. ours says that it leads into the
// repository, though perhaps to another file.
func (p *planner) look(rel, path string) (l Link, info iofs.FileInfo, ours bool, err error) {
	l = Link{Path: path, To: p.known(rel), State: Missing}
	info, err = p.r.Lstat(path)
	if errors.Is(err, iofs.ErrNotExist) {
		return l, nil, false, nil
	}
	if err != nil {
		return l, nil, false, unreadable(path, err)
	}
	to := host.Resolved(p.r, p.at(rel))
	real, resolveErr := p.r.Resolve(path)
	if resolveErr == nil && real == to {
		l.State = Linked // by whatever way
		return l, info, true, nil
	}
	switch {
	case info.Mode()&iofs.ModeSymlink != 0:
		l.State, l.Now = Elsewhere, p.target(path)
		if _, err := p.r.Stat(path); err != nil || resolveErr != nil {
			l.State = Nowhere
		}
		now := filepath.Clean(l.Now)
		return l, info, pathname.Within(real, p.real) && resolveErr == nil || pathname.Within(now, p.dir) ||
			pathname.Within(now, p.real), nil
	case info.IsDir():
		l.State = Emptyable
		return l, info, false, nil
	}
	l.State = Differs
	if _, file := p.entries[rel]; !file || !info.Mode().IsRegular() {
		return l, info, false, nil
	}
	now, err := p.r.ReadAll(path)
	if err != nil {
		return l, info, false, unreadable(path, err)
	}
	b, err := p.bytes(rel)
	if err == nil && bytes.Equal(now, b) {
		l.State = Same
	}
	return l, info, false, err
}

// link adds what makes path lead to rel.
func (p *planner) link(s *report.Section, rel, path, why string) error {
	l, info, ours, err := p.look(rel, path)
	if err != nil {
		return err
	}
	p.links = append(p.links, l)
	target, err := p.place(path)
	if err != nil {
		return err
	}
	c := report.Change{ID: report.ID("sync/link " + path), Why: why, Path: path, Target: target, After: []byte(l.To),
		Mode: symlink}
	switch l.State {
	case Linked:
		return nil
	case Missing:
	case Nowhere, Elsewhere:
		if l.State == Elsewhere && !ours {
			p.found(report.Warn, true, p.home(path)+ownLink, path, "a symlink to "+l.Now+"; remove it to have one to "+l.To)
			return nil
		}
		c.Before = []byte(l.Now)
	case Same:
		b, err := p.bytes(rel)
		if err != nil {
			return err
		}
		c.Before, c.Turns, c.ModeBefore = b, true, info.Mode().Perm()
		p.keepExecutable(s, rel, b, info.Mode().Perm())
	default:
		if !p.instructions(rel) || !info.Mode().IsRegular() {
			p.found(report.Warn, true, p.home(path)+differs, path, "compare: diff "+path+" "+l.To)
			return nil
		}
		now, err := p.r.ReadAll(path)
		if err != nil {
			return unreadable(path, err)
		}
		if err := p.backup(s, path, now, info.Mode().Perm()); err != nil {
			return err
		}
		c.Before, c.Turns, c.ModeBefore = now, true, info.Mode().Perm()
	}
	s.Items = append(s.Items, c)
	return nil
}

// keepExecutable makes the repository's file executable where the file that
// gives way is.
func (p *planner) keepExecutable(s *report.Section, rel string, b []byte, was iofs.FileMode) {
	e := p.entries[rel]
	if was&0o100 == 0 || e.mode&0o100 != 0 || e.bytes != nil {
		return
	}
	s.Items = append(s.Items, report.Change{ID: report.ID("sync/" + rel),
		Why: "executable, as the file that the symlink replaces", Path: p.known(rel), Target: p.at(rel),
		Within: p.real, Before: b, After: b, ModeBefore: e.mode, Mode: fs.Executable(e.mode), SetMode: true})
}

// instructions says whether rel is the one file among the parts that the agent reads: of
// one that a link replaces the bytes are kept.
func (p *planner) instructions(rel string) bool {
	return slices.ContainsFunc(syncrepo.Layout(p.r.Places()), func(part syncrepo.Part) bool {
		return part.Name == rel && !part.Dir && part.Place != ""
	})
}

// backup keeps the bytes of the file at path beside it, under a name that is
// free or holds them already.
func (p *planner) backup(s *report.Section, path string, b []byte, mode iofs.FileMode) error {
	for n := 1; ; n++ {
		name := path + ".bak"
		if n > 1 {
			name += fmt.Sprint(n)
		}
		_, err := p.r.Lstat(name)
		if err == nil {
			if now, err := p.r.ReadAll(name); err == nil && bytes.Equal(now, b) {
				return nil
			}
			continue
		}
		if !errors.Is(err, iofs.ErrNotExist) {
			return unreadable(name, err)
		}
		target, err := p.place(name)
		if err != nil {
			return err
		}
		s.Items = append(s.Items, report.Change{ID: report.ID("sync/backup " + name),
			Why: "keeps the " + filepath.Base(path) + " that was here", Path: name, Target: target, After: b, Mode: mode})
		return nil
	}
}

// linkParts adds the links of every part but memory and programs.
func (p *planner) linkParts(s *report.Section) error {
	for _, part := range syncrepo.Layout(p.r.Places()) {
		if part.Place == "" || part.Name == syncrepo.Memory || part.Name == syncrepo.Bin {
			continue
		}
		for _, rel := range p.names(part.Name) {
			if _, never := syncrepo.Ignored(rel); never {
				continue
			}
			path := part.Place
			inPart, below := pathname.Below(rel, part.Name)
			if below != part.Dir {
				continue
			}
			if below {
				path = filepath.Join(part.Place, inPart)
			}
			if err := p.link(s, rel, path, "leads to the file in the repository"); err != nil {
				return err
			}
		}
	}
	return nil
}

// systems and machines are the words that a build's name may end in, by Go's
// name for them; the source document has "linux" and "macos".
var (
	systems  = map[string]string{"linux": "linux", "macos": "darwin", "darwin": "darwin"}
	machines = map[string]string{"amd64": "amd64", "x86_64": "amd64", "x64": "amd64", "arm64": "arm64", "aarch64": "arm64"}
)

// The ranks of a build, the better the higher; 0 is none for this machine.
const (
	anywhere = 1 + iota
	forSystem
	forMachine
)

// build is the bare name of a program and how well its build suits: "foo-linux"
// and "foo-linux-arm64" are foo.
func build(name string, sys env.System) (bare string, rank int) {
	words := strings.Split(name, "-")
	n := len(words)
	if n > 2 && systems[words[n-2]] != "" && machines[words[n-1]] != "" {
		if systems[words[n-2]] == sys.GOOS && machines[words[n-1]] == sys.GOARCH {
			return strings.Join(words[:n-2], "-"), forMachine
		}
		return "", 0
	}
	if n > 1 && systems[words[n-1]] != "" {
		if systems[words[n-1]] == sys.GOOS {
			return strings.Join(words[:n-1], "-"), forSystem
		}
		return "", 0
	}
	return name, anywhere
}

// mine says whether name is of what no program of the repository takes it from.
func (p *planner) mine(name string) bool {
	return name == "steward-setup" || name == "steward-hook" || name == p.agent.Layout(p.r.Places()).Program ||
		name+".sh" == scripts.FrameworkWrapper || slices.Contains(scripts.Wrappers, name+".sh")
}

// programs links the executables of bin, and the scripts that are executable,
// where the user's own programs are.
func (p *planner) programs(s *report.Section) error {
	type choice struct {
		rel  string
		rank int
	}
	best := map[string]choice{}
	for _, rel := range append(p.names(syncrepo.Bin), p.names("scripts")...) {
		dir, name := path.Split(rel)
		inBin := dir == syncrepo.Bin+"/"
		if !inBin && (dir != "scripts/" || !strings.HasSuffix(name, ".sh")) || p.entries[rel].mode&0o111 == 0 ||
			strings.HasPrefix(name, ".") {
			continue
		}
		bare, rank := name, anywhere
		if inBin {
			bare, rank = build(name, p.r.System())
		}
		if bare != "" && rank > best[bare].rank {
			best[bare] = choice{rel, rank}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(best)) {
		if err := p.program(s, name, best[name].rel); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) program(s *report.Section, name, rel string) error {
	at := filepath.Join(p.r.Places().UserBin, name)
	l, info, ours, err := p.look(rel, at)
	if err != nil && info == nil {
		return err
	}
	switch {
	case info != nil && info.Mode()&iofs.ModeSymlink == 0 && l.State != Linked:
		p.links = append(p.links, l)
		p.found(report.Warn, false, p.home(at)+" is a file of yours: "+rel+" is not linked", at,
			"a symlink never replaces a file here")
		return nil
	case l.State == Elsewhere && !ours && p.mine(name):
		p.links = append(p.links, l)
		p.found(report.Warn, true, p.home(at)+" stays: "+rel+" would replace it", at, "a symlink to "+l.Now)
		return nil
	}
	if found, err := p.r.Look(name); err == nil && filepath.Dir(found) != p.r.Places().UserBin {
		p.found(report.Warn, false, rel+" has the name of another program: "+found, p.known(rel),
			"where "+p.home(p.r.Places().UserBin)+" comes first on PATH, it is started instead")
	} else if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return unreadable(at, err)
	}
	return p.link(s, rel, at, "makes "+name+" a command of yours")
}
