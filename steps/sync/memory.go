// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a project's memory is shared under a key that is relative
// to the home, so that it is the same on every machine. It is taken into the
// repository only if that has none, and a directory that differs from the
// repository's is never replaced.

package sync

import (
	"bytes"
	"context"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

// rootKey and absolute are the source document's names for the memory of the
// home itself, and of a project outside of it.
const (
	rootKey  = "_root_"
	absolute = "ABS"
)

// maxKey is how long a key may be before the runtime cuts it and adds a digest
// of the path, which is another on each machine (measured with 2.1.329).
const maxKey = 200

// encodeOld is the key of a directory as the source document makes it: only "/" and
// "." become "-". The runtime's is pathname.Dashed (measured with 2.1.141 and 2.1.329).
func encodeOld(path string) string { return strings.NewReplacer("/", "-", ".", "-").Replace(path) }

// homeKeys are the keys of the home, that of today first.
func (p *planner) homeKeys() []string {
	var keys []string
	for _, home := range []string{p.r.Places().Home, filepath.Clean(p.r.System().Get("HOME"))} {
		keys = report.Union(keys, pathname.Dashed(home), encodeOld(home))
	}
	return keys
}

// normal is the name in the repository of the memory of a project with this key.
func normal(key string, homes []string) string {
	for _, home := range homes {
		if key == home {
			return rootKey
		}
		if rest, below := strings.CutPrefix(key, home+"-"); below {
			return rest
		}
	}
	return absolute + key
}

// keys are those that a project's memory may have on this machine, the one that
// the runtime of today uses first.
func keys(name string, homes []string) []string {
	if name == rootKey {
		return homes
	}
	if strings.HasPrefix(name, absolute+"-") {
		return []string{strings.TrimPrefix(name, absolute)}
	}
	var list []string
	for _, rest := range []string{pathname.Dashed(name), name} {
		for _, home := range homes {
			list = report.Union(list, home+"-"+rest)
		}
	}
	return list
}

// memory takes the memory of this machine's projects in, then links that of
// every project.
func (p *planner) memory(s *report.Section) error {
	projects := filepath.Join(p.r.Places().AgentDir, "projects")
	homes := p.homeKeys()
	list, err := p.r.ReadDir(projects)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return unreadable(projects, err)
	}
	taken := map[string]bool{}
	for _, e := range list {
		path := filepath.Join(projects, e.Name(), syncrepo.Memory)
		info, err := p.r.Lstat(path)
		if err != nil || !info.IsDir() {
			continue
		}
		if real, err := p.r.Resolve(path); err != nil || pathname.Within(real, p.real) {
			continue
		}
		taken[path] = true
		if err := p.takeMemory(s, normal(e.Name(), homes), path); err != nil {
			return err
		}
	}
	var names []string
	for _, rel := range p.names(syncrepo.Memory) {
		inMemory, _ := pathname.Below(rel, syncrepo.Memory)
		if name, _, below := strings.Cut(inMemory, "/"); below && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		for _, path := range p.memoryPlaces(projects, name, homes) {
			if taken[path] {
				continue
			}
			if err := p.link(s, syncrepo.Memory+"/"+name, path, sharedMemory); err != nil {
				return err
			}
		}
	}
	return nil
}

// memoryPlaces are the places of a project's memory: below the directories that
// the runtime has for it, or, if there is none, where it would have one.
func (p *planner) memoryPlaces(projects, name string, homes []string) []string {
	var list []string
	all := keys(name, homes)
	for _, key := range all {
		if info, err := p.r.Stat(filepath.Join(projects, key)); err == nil && info.IsDir() {
			list = append(list, filepath.Join(projects, key, syncrepo.Memory))
		}
	}
	if list == nil && len(all[0]) <= maxKey {
		list = []string{filepath.Join(projects, all[0], syncrepo.Memory)}
	}
	return list
}

// memoryFile is one file of a directory that may be taken in.
type memoryFile struct {
	rel  string // below the directory
	mode iofs.FileMode
	data []byte
}

// takeMemory puts a symlink in the place of a directory: its files go into the
// repository if that has none of this name, or has the same.
func (p *planner) takeMemory(s *report.Section, name, path string) error {
	rel := syncrepo.Memory + "/" + name
	link := Link{Path: path, To: p.known(rel), State: Emptyable}
	p.links = append(p.links, link)
	files, odd, err := p.memoryFiles(path, "", 0)
	if err != nil {
		return err
	}
	if odd != "" {
		p.found(report.Warn, true, p.home(path)+" is not shared", filepath.Join(path, odd),
			"is neither a directory nor a regular file, or is never tracked")
		return nil
	}
	if p.leaves(rel) {
		p.leadsOut(path, "is not shared")
		return nil
	}
	has := p.has(rel)
	if !has && len(files) == 0 {
		p.links = p.links[:len(p.links)-1] // nothing to share
		return nil
	}
	place, err := p.place(path)
	if err != nil {
		return err
	}
	var removals []report.Item
	for _, f := range files {
		there := rel + "/" + f.rel
		if has {
			if b, err := p.bytes(there); err != nil || !bytes.Equal(b, f.data) {
				p.found(report.Warn, true, p.home(path)+differs, filepath.Join(path, f.rel),
					"not the same in "+p.known(there)+"; join them by hand")
				return nil //nolint:nilerr // it stays, and is named
			}
		}
		target, err := p.place(filepath.Join(path, f.rel))
		if err != nil {
			return err
		}
		removals = append(removals, report.Change{ID: report.ID("sync/away " + path + "/" + f.rel),
			Why: "is in the repository now", Path: filepath.Join(path, f.rel), Target: target,
			Before: f.data, Mode: f.mode, ModeBefore: f.mode})
	}
	if !has {
		for _, f := range files {
			s.Items = append(s.Items, p.add(rel+"/"+f.rel, "memory of a project, shared across machines", f.data, f.mode))
		}
	}
	s.Items = append(append(s.Items, removals...), report.Change{ID: report.ID("sync/link " + path),
		Why: sharedMemory, Path: path, Target: place, After: []byte(link.To), Mode: symlink, Emptied: true})
	return nil
}

// memoryFiles are the files of a memory directory; odd is one that cannot be
// taken in.
func (p *planner) memoryFiles(path, below string, depth int) (files []memoryFile, odd string, err error) {
	list, err := p.r.ReadDir(filepath.Join(path, below))
	if err != nil {
		return nil, "", unreadable(filepath.Join(path, below), err)
	}
	for _, e := range list {
		rel := filepath.Join(below, e.Name())
		_, never := syncrepo.Ignored(syncrepo.Memory + "/x/" + rel)
		switch {
		case e.IsDir() && depth < maxDepth:
			more, bad, err := p.memoryFiles(path, rel, depth+1)
			if err != nil || bad != "" {
				return nil, bad, err
			}
			files = append(files, more...)
		case !e.Type().IsRegular() || never || len(files) == maxFiles:
			return nil, rel, nil
		default:
			b, err := p.r.Read(filepath.Join(path, rel))
			if err != nil {
				return nil, "", unreadable(filepath.Join(path, rel), err)
			}
			info, err := e.Info()
			if err != nil {
				return nil, "", unreadable(filepath.Join(path, rel), err)
			}
			files = append(files, memoryFile{rel, info.Mode().Perm(), append([]byte{}, b...)})
		}
	}
	return files, "", nil
}

// Pulled is what a pull took.
type Pulled struct {
	Commits []string `json:"commits"`
	Files   []string `json:"files"`
	// Memory are those of the files that the agent reads in its next session of
	// their project.
	Memory []string `json:"memory"`
	// Unlinked are the symlinks that are not in place afterwards.
	Unlinked []Link `json:"unlinked"`
}

// Took says what Pull computed, and what of it is not linked.
func (e *Exchange) Took(ctx context.Context, r host.Reader, a Agent) Pulled {
	p := Pulled{Commits: append([]string{}, e.Arriving...), Files: []string{}, Memory: []string{}, Unlinked: []Link{}}
	for _, c := range e.Changes {
		rel := rel(c)
		p.Files = append(p.Files, rel)
		if part, _, below := strings.Cut(rel, "/"); below && part == syncrepo.Memory && c.After != nil {
			p.Memory = append(p.Memory, rel)
		}
	}
	if s, err := Look(ctx, r, a); err == nil { // else status says it
		p.Unlinked = append(p.Unlinked, s.Unlinked()...)
	}
	return p
}

// Lines say it, self being how this program is called.
func (p Pulled) Lines(self string) (lines []string) {
	if len(p.Memory) > 0 {
		lines = append(lines, "Memory that the agent reads in its next session: "+strings.Join(p.Memory, ", "))
	}
	for _, l := range p.Unlinked {
		if l.State == Missing {
			lines = append(lines, report.Things(len(p.Unlinked), "symlink")+" not in place: "+self+" sync link")
			break
		}
	}
	return lines
}
