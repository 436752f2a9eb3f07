// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a package manager that links files from one store gives the
// user's global programs a second name in the project.

package openpaths

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// maxShared bounds how many entries are compared for one package manager. Where
// there are more, that is said.
const maxShared = 50_000

// maxLevels bounds how many directories deep a package is compared.
const maxLevels = 8

// packageStore is a package manager that links files from a store. Places are
// patterns of directories whose entries are packages: global ones are absolute,
// those of the project relative to its root.
type packageStore struct {
	name            string
	global, project []string
	mend, target    string
}

// packageStores are those of pnpm 9.15.9 (measured: one inode for the store, the
// project and a global program) and of uv (its documentation of link-mode, and of
// UV_TOOL_DIR).
func packageStores(r host.Reader) []packageStore {
	home, getenv := r.Places().Home, r.System().Get
	data := cmp.Or(getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share"))
	pnpm := filepath.Join(data, "pnpm")
	if r.System().GOOS == "darwin" && getenv("XDG_DATA_HOME") == "" {
		pnpm = filepath.Join(home, "Library", "pnpm")
	}
	pnpm = cmp.Or(getenv("PNPM_HOME"), pnpm)
	tools := cmp.Or(getenv("UV_TOOL_DIR"), filepath.Join(data, "uv", "tools"))
	return []packageStore{
		{"pnpm", []string{pnpm + "/global/*/.pnpm/*/node_modules"},
			[]string{"node_modules/.pnpm/*/node_modules", "node_modules"},
			"add package-import-method=copy, then run pnpm install --force in the project", filepath.Join(home, ".npmrc")},
		{"uv", []string{tools + "/*/lib/python*/site-packages"},
			[]string{".venv/lib/python*/site-packages"},
			"export UV_LINK_MODE=copy, then run uv sync --reinstall in the project", "the rc file of your shell"},
	}
}

// PackageOpenings lists, for each package manager, the first file of the user's
// global programs that has a second name in the project, where commands may
// write it. Only packages of the same name are compared.
func PackageOpenings(r host.Reader, s session.Settings) (found []opening.Opening) {
	g := grants.Of(r, s)
	for _, store := range packageStores(r) {
		w := sharing{r: r}
		at, dir := w.first(w.packages("", store.global), s.Dirs.Start, store.project, g.Kept)
		o := opening.Opening{Status: report.Warn, Where: at, What: at,
			Opens: fmt.Sprintf("Commands can write this file. It is a hard link to one of your global %s programs, which "+
				"run outside the sandbox (%s).", store.name, dir),
			Remedy: report.DocLink{Title: store.mend, Target: store.target}}
		if at == "" && w.seen > maxShared {
			o.Where, o.What = s.Dirs.Start, store.name
			o.Opens = fmt.Sprintf("Whether your global %s programs share files with the project is unknown: there are more "+
				"than %d files to compare.", store.name, maxShared)
		} else if at == "" {
			continue
		}
		found = append(found, o)
	}
	return found
}

// first is the first file of the project's packages that one of global has too,
// and the package there; "" if there is none but in kept.
func (w *sharing) first(global map[string][]string, start string, patterns, kept []string) (at, dir string) {
	if len(global) == 0 {
		return "", ""
	}
	project := w.packages(start, patterns)
	for _, name := range slices.Sorted(maps.Keys(global)) {
		for _, dir := range global[name] {
			for _, mine := range project[name] {
				if at := w.same(dir, mine, 0); at != "" && !grants.Under(at, kept) {
					return at, dir
				}
			}
		}
	}
	return "", ""
}

// sharing compares packages.
type sharing struct {
	r    host.Reader
	seen int
}

// packages lists the packages in the directories that patterns match, by name:
// those of a scope as @scope/name.
func (w *sharing) packages(root string, patterns []string) map[string][]string {
	list := map[string][]string{}
	for _, pattern := range patterns {
		base, rest := root, pattern
		if filepath.IsAbs(pattern) {
			base, rest = "/", strings.TrimPrefix(pattern, "/")
		}
		for _, dir := range w.matching(base, strings.Split(rest, "/")) {
			for _, e := range w.entries(dir) {
				if !strings.HasPrefix(e.Name(), "@") {
					w.add(list, e, dir, e.Name())
					continue
				}
				for _, scoped := range w.entries(filepath.Join(dir, e.Name())) {
					w.add(list, scoped, dir, e.Name()+"/"+scoped.Name())
				}
			}
		}
	}
	return list
}

// add notes a package: a symlink leads to one that is found elsewhere.
func (w *sharing) add(list map[string][]string, e fs.DirEntry, dir, name string) {
	if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
		list[name] = append(list[name], filepath.Join(dir, name))
	}
}

// matching are the directories below base that parts, of which some hold a
// wildcard, lead to.
func (w *sharing) matching(base string, parts []string) []string {
	if len(parts) == 0 {
		return []string{base}
	}
	if !strings.Contains(parts[0], "*") {
		return w.matching(filepath.Join(base, parts[0]), parts[1:])
	}
	var list []string
	for _, e := range w.entries(base) {
		if ok, err := filepath.Match(parts[0], e.Name()); err == nil && ok && e.IsDir() {
			list = append(list, w.matching(filepath.Join(base, e.Name()), parts[1:])...)
		}
	}
	return list
}

// entries of a directory; none once there were too many, or where there is no
// directory.
func (w *sharing) entries(dir string) []fs.DirEntry {
	entries, err := w.r.ReadDir(dir)
	if w.seen += len(entries); err != nil || w.seen > maxShared {
		return nil
	}
	return entries
}

// same is the first file of mine that is the same file as the one at the same
// place in global, "" if there is none.
func (w *sharing) same(global, mine string, depth int) string {
	for _, e := range w.entries(global) {
		at, other := filepath.Join(mine, e.Name()), filepath.Join(global, e.Name())
		if e.IsDir() {
			if depth < maxLevels {
				if found := w.same(other, at, depth+1); found != "" {
					return found
				}
			}
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || host.Names(info) < 2 {
			continue
		}
		if have, err := w.r.Lstat(at); err == nil && host.Same(info, have) {
			return at
		}
	}
	return ""
}
