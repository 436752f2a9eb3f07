// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: repositories are found by looking at directories alone. No
// symlink is followed, no git is started, and what could not be read is named.

package scope

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// DefaultDepth is how many directories deep below a root a repository may lie.
const DefaultDepth = 5

// walkers is how many directories are read at once: most of the time goes into
// waiting for the kernel.
const walkers = 4

// told is how many directories, and how many repositories, are looked at
// between two words about the progress.
const told = 64

// skipped are names of directories that hold copies of other people's code,
// builds and caches.
var skipped = []string{"node_modules", "bower_components", "jspm_packages", "vendor", ".venv", "venv", ".tox", ".nox",
	"__pycache__",
	"site-packages", ".eggs", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".cache", "build", "dist", "target", "_build",
	".gradle", ".m2", ".terraform", ".next", ".nuxt", ".svelte-kit", ".parcel-cache", ".turbo", ".direnv", "Pods",
	"DerivedData"}

// Walk is what was found below the roots.
type Walk struct {
	// Trees are the work trees, and bare repositories without Root; each
	// once, in the order of their paths.
	Trees []host.Tree
	// Unreadable are the directories that could not be read; Elsewhere those
	// on another file system.
	Unreadable, Elsewhere []string
	// Directories counts what was read.
	Directories int
}

// roots are the work trees' own directories.
func (w Walk) roots() (list []string) {
	for _, t := range w.Trees {
		if t.Root != "" {
			list = append(list, t.Root)
		}
	}
	return list
}

type walker struct {
	r       host.Reader
	o       Options
	mu      sync.Mutex
	wake    *sync.Cond
	todo    []place
	working int
	found   map[string]host.Tree
	seen    map[string]bool
	walk    Walk
}

// place is a directory to read, and how deep below its root it is.
type place struct {
	dir    string
	depth  int
	device uint64
}

// Find walks the roots. It ends early, with ctx's error, when ctx does.
func Find(ctx context.Context, r host.Reader, o Options) (Walk, error) {
	w := &walker{r: r, o: o, found: map[string]host.Tree{}, seen: map[string]bool{}}
	w.wake = sync.NewCond(&w.mu)
	for _, root := range outermost(o.Roots) {
		device, _ := deviceOf(r, root)
		w.todo = append(w.todo, place{root, 0, device})
	}
	stop := context.AfterFunc(ctx, w.wake.Broadcast)
	defer stop()
	var all sync.WaitGroup
	for range walkers {
		all.Go(func() { w.run(ctx) })
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return Walk{}, err
	}
	w.walk.Trees = slices.Collect(maps.Values(w.found))
	slices.SortFunc(w.walk.Trees, func(a, b host.Tree) int {
		return strings.Compare(a.Root+"\x00"+a.Common, b.Root+"\x00"+b.Common)
	})
	slices.Sort(w.walk.Unreadable)
	slices.Sort(w.walk.Elsewhere)
	return w.walk, nil
}

// outermost leaves out the roots that lie in others; they are absolute, links
// resolved.
func outermost(roots []string) []string {
	roots = slices.Clone(roots)
	slices.Sort(roots)
	var list []string
	for _, root := range slices.Compact(roots) {
		if !pathname.WithinAny(root, list) {
			list = append(list, root)
		}
	}
	return list
}

func (w *walker) run(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.todo) == 0 && w.working > 0 && ctx.Err() == nil {
			w.wake.Wait()
		}
		if len(w.todo) == 0 || ctx.Err() != nil {
			w.wake.Broadcast()
			return
		}
		p := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.working++
		w.mu.Unlock()
		entries, err := w.r.ReadDir(p.dir)
		inside, trees, elsewhere := w.look(p, entries)
		w.mu.Lock()
		w.working--
		w.todo = append(w.todo, inside...)
		w.note(p, trees, elsewhere, err)
		w.wake.Broadcast()
	}
}

// note keeps what reading a directory came to.
func (w *walker) note(p place, trees []host.Tree, elsewhere []string, err error) {
	w.walk.Directories++
	if w.walk.Directories%told == 0 && w.o.Progress != nil {
		w.o.Progress(engine.Progress{Text: fmt.Sprintf("looking for repositories: %d found in %d directories", len(w.found),
			w.walk.Directories)})
	}
	w.walk.Elsewhere = append(w.walk.Elsewhere, elsewhere...)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		w.walk.Unreadable = append(w.walk.Unreadable, p.dir)
	}
	for _, t := range trees {
		w.found[cmp.Or(t.Root, t.Common)] = t
	}
}

// look sorts a directory's entries: what is to be read next, and the work
// trees that begin here, or that a repository here has elsewhere.
func (w *walker) look(p place, entries []iofs.DirEntry) (inside []place, trees []host.Tree, elsewhere []string) {
	dirs := map[string]bool{}
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == ".git" && e.Type()&iofs.ModeSymlink == 0:
			trees = append(trees, w.trees(host.FindTree(w.r, p.dir))...)
		case !e.IsDir():
		case p.depth >= w.o.Depth || name == ".git" || slices.Contains(skipped, name):
			dirs[name] = true
		default:
			dirs[name] = true
			next := place{filepath.Join(p.dir, name), p.depth + 1, p.device}
			if device, ok := deviceOf(w.r, next.dir); ok && device != p.device && !w.o.OtherFileSystems {
				elsewhere = append(elsewhere, next.dir)
				continue
			}
			inside = append(inside, next)
		}
	}
	if dirs["objects"] && dirs["refs"] && len(trees) == 0 {
		if info, err := w.r.Lstat(filepath.Join(p.dir, "HEAD")); err == nil && info.Mode().IsRegular() {
			return nil, w.trees(host.Tree{Git: p.dir, Common: p.dir}), nil // a bare repository
		}
	}
	return inside, trees, elsewhere
}

// trees are a work tree and the others of its repository, wherever they lie.
func (w *walker) trees(t host.Tree) []host.Tree {
	list := []host.Tree{t}
	if t.Git != t.Common { // the main checkout and its own list come from there
		w.mu.Lock()
		known := w.seen[t.Common]
		w.seen[t.Common] = true
		w.mu.Unlock()
		if known {
			return list
		}
	}
	for _, dir := range host.Checkouts(w.r, t) {
		if real, err := w.r.Resolve(dir); err == nil && real != t.Root {
			if other := host.FindTree(w.r, real); other.Root == real && other.Common == t.Common {
				list = append(list, other)
			}
		}
	}
	return list
}

func deviceOf(r host.Reader, dir string) (uint64, bool) {
	info, err := r.Lstat(dir)
	if err != nil {
		return 0, false
	}
	return host.Device(info)
}
