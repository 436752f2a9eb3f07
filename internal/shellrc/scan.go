// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: rc files are followed into what they source, but only
// below the user's home: what the system ships is not where a user puts a
// line, and would fill the answer with doubts. What is defined counts as the
// shell leaves it: after the last line that was read, in the order in which
// they are read.

package shellrc

import (
	"cmp"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// maxFiles bounds how many files are followed.
const maxFiles = 64

// Disk reads files and directories; host.Reader is one.
type Disk interface {
	Read(path string) ([]byte, error)
	ReadDir(path string) ([]iofs.DirEntry, error)
}

// Scan is what a shell's rc files and the files that they source were seen to
// do.
type Scan struct {
	// Interactive and Login are the rc files that exist, in the order in
	// which the shell reads them; see User.Files.
	Interactive, Login []string
	files              map[string]File
	// cut says that maxFiles was reached.
	cut bool
}

// Answer is what is known about one question to a Scan.
type Answer struct {
	// Found are the places, in the order in which the shell meets them;
	// the Path of each is the file that was wanted.
	Found []Ref
	// Maybe are places that could not be judged; Doubts say, one line
	// each, why the answer "not found" would not be certain.
	Maybe  []Ref
	Doubts []string
}

// Scan reads the rc files of s.
func (u User) Scan(d Disk, s Shell) Scan {
	sc := Scan{files: make(map[string]File)}
	interactive, login := u.Files(s)
	if s == Fish {
		snippets := FilesIn(d, filepath.Join(u.fishDir(), "conf.d"), "*.fish")
		interactive, login = append(snippets, interactive...), append(slices.Clone(snippets), login...)
	}
	for _, path := range interactive {
		if sc.read(u, d, s, path) {
			if sc.Interactive = append(sc.Interactive, path); s == Tcsh {
				break
			}
		}
	}
	for _, path := range login {
		second := s == Tcsh && len(sc.Interactive) > 0 && slices.Contains(interactive, path) && path != sc.Interactive[0]
		if second || !sc.read(u, d, s, path) {
			continue
		}
		if sc.Login = append(sc.Login, path); s == Bash {
			break
		}
	}
	if path := sc.env(u, s); path != "" && sc.read(u, d, s, path) {
		sc.Interactive, sc.Login = []string{path}, append(sc.Login, path)
	}
	return sc
}

// env is the file for interactive shells that the login files name in ENV, "" if
// the environment names one, or they do not.
func (sc *Scan) env(u User, s Shell) (path string) {
	if !s.HasENV() || u.Getenv("ENV") != "" {
		return ""
	}
	if path = sc.sets("ENV", u.Home, sc.Login...); slices.Contains(sc.Interactive, path) {
		return ""
	}
	return path
}

// sets is the whole path that files and what they source leave in a variable, "" if there is none.
func (sc *Scan) sets(name, home string, files ...string) (path string) {
	for _, f := range sc.reach(files) {
		for _, set := range f.Sets {
			if set.Name == name {
				path = strings.NewReplacer("${HOME}", home, "$HOME", home, `"`, "", "'", "").Replace(set.Value)
			}
		}
	}
	path, _ = pathname.Expand(path, home)
	if path = filepath.Clean(path); !filepath.IsAbs(path) || strings.ContainsAny(path, "$`*?[") {
		return ""
	}
	return path
}

// read reads path and what it sources, and says whether path exists.
func (sc *Scan) read(u User, d Disk, s Shell, path string) bool {
	if _, done := sc.files[path]; done {
		return true
	}
	b, err := d.Read(path)
	if errors.Is(err, iofs.ErrNotExist) {
		return false
	}
	if len(sc.files) >= maxFiles {
		sc.cut = true
		return true
	}
	f := File{Path: path, Unread: err}
	if err == nil {
		f = u.Read(s, path, b)
	}
	sc.files[path] = f
	for _, ref := range f.Sources {
		for _, next := range ref.expand(d) {
			if pathname.Within(next, u.Home) {
				sc.read(u, d, s, next)
			}
		}
	}
	return true
}

// maxExpanded bounds the directories that a pattern is expanded in.
const maxExpanded = 256

// expand lists the files that a reference names now.
func (r Ref) expand(d Disk) []string {
	if !r.Glob {
		return []string{r.Path}
	}
	paths := []string{"/"}
	for name := range strings.SplitSeq(strings.Trim(r.Path, "/"), "/") {
		var next []string
		for _, dir := range paths[:min(len(paths), maxExpanded)] {
			if strings.ContainsAny(name, `*?[\`) {
				next = append(next, FilesIn(d, dir, name)...)
			} else {
				next = append(next, filepath.Join(dir, name))
			}
		}
		paths = next
	}
	return paths
}

// FilesIn lists what a pattern means in a directory: hidden names only if it begins with a dot, as to every shell.
func FilesIn(d Disk, dir, pattern string) []string {
	entries, err := d.ReadDir(dir)
	if err != nil {
		return nil
	}
	var files []string
	for _, e := range entries {
		hidden := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(pattern, ".")
		if ok, _ := filepath.Match(pattern, e.Name()); ok && !hidden {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// Sources says where one of the rc files given (Interactive or Login), or a
// file that it sources, sources a file that is wanted. wanted gets absolute
// paths.
func (sc Scan) Sources(rcs []string, wanted func(path string) bool) (a Answer) {
	for _, f := range sc.reach(rcs) {
		for _, ref := range f.Sources {
			for _, path := range sc.names(ref) {
				if wanted(path) {
					ref.Path, ref.Glob = path, false
					a.Found = append(a.Found, ref)
				}
			}
		}
		for _, ref := range f.Maybe {
			if wanted(ref.Path) {
				a.Maybe = append(a.Maybe, ref)
			}
		}
		if f.Unread != nil {
			a.Doubts = append(a.Doubts, fmt.Sprintf("%s cannot be understood wholly: %v", f.Path, f.Unread))
		}
		for _, ref := range f.Dynamic {
			a.Doubts = append(a.Doubts, fmt.Sprintf("%s sources %s, which only the shell can expand", ref.Where(), ref.Text))
		}
	}
	if sc.cut {
		a.Doubts = append(a.Doubts, fmt.Sprintf("more than %d files are sourced", maxFiles))
	}
	return a
}

// names lists the files that a reference names, of a pattern those that were
// read.
func (sc Scan) names(ref Ref) []string {
	if !ref.Glob {
		return []string{ref.Path}
	}
	var paths []string
	for path := range sc.files {
		if ok, _ := filepath.Match(ref.Path, path); ok {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Aliases lists the aliases of that name that any of the rc files sets,
// Functions the functions.
func (sc Scan) Aliases(name string) []Def { return named(sc.Files(), name, File.aliases) }

// AliasesIn lists the aliases of that name that are set when rcs (Interactive or
// Login) are read.
func (sc Scan) AliasesIn(rcs []string, name string) []Def {
	return named(sc.reach(rcs), name, File.aliases)
}

// Functions lists the functions of that name that any of the rc files
// defines.
func (sc Scan) Functions(name string) []Def {
	return named(sc.Files(), name, func(f File) []Def { return f.Functions })
}

// Defined lists every alias and function that any of the rc files sets.
func (sc Scan) Defined() (defs []Def) {
	for _, f := range sc.Files() {
		defs = append(append(defs, f.Aliases...), f.Functions...)
	}
	return defs
}

func (f File) aliases() []Def { return f.Aliases }

func named(files []File, name string, of func(File) []Def) (defs []Def) {
	for _, f := range files {
		for _, d := range of(f) {
			if d.Name == name {
				defs = append(defs, d)
			}
		}
	}
	return defs
}

// reach lists the files that are read when rcs are, each once.
func (sc Scan) reach(rcs []string) (files []File) {
	seen := make(map[string]bool)
	var visit func(path string)
	visit = func(path string) {
		f, ok := sc.files[path]
		if !ok || seen[path] {
			return
		}
		seen[path] = true
		files = append(files, f)
		for _, ref := range f.Sources {
			for _, path := range sc.names(ref) {
				visit(path)
			}
		}
	}
	for _, rc := range rcs {
		visit(rc)
	}
	return files
}

// Undone lists what keeps the function name from being the one that the files
// that are wanted define, when rcs are read: what defines it again or takes it
// away behind them, or, where none of them is reached, the command that ends
// the reading before. It is empty where no file that is wanted is sourced.
func (sc Scan) Undone(rcs []string, wanted func(path string) bool, name string) []Def {
	w := walk{scan: sc, wanted: wanted, name: name, seen: make(map[string]bool)}
	for _, rc := range rcs {
		w.file(rc)
	}
	if w.reached {
		return w.undone
	}
	return w.ended
}

// walk follows the files in the order in which a shell reads them, each once.
type walk struct {
	scan    Scan
	wanted  func(path string) bool
	name    string
	seen    map[string]bool
	reached bool
	// undone is what came behind the last file that is wanted; ended are the
	// commands that ended a reading before one was reached.
	undone, ended []Def
	// exited says that the shell is no more, or another program.
	exited bool
}

// step is one statement of a file that matters here.
type step struct {
	line   int
	source *Ref
	def    *Def // defines or takes away the function
	end    *Def
}

func (w *walk) file(path string) {
	f, ok := w.scan.files[path]
	if !ok || w.seen[path] {
		return
	}
	w.seen[path] = true
	for _, s := range w.steps(f) {
		switch {
		case w.exited:
			return
		case s.end != nil:
			if w.exited = s.end.Name != "return"; !w.reached {
				w.ended = append(w.ended, *s.end)
			}
			return
		case s.def != nil:
			w.undone = append(w.undone, *s.def)
		default:
			for _, next := range w.scan.names(*s.source) {
				if w.file(next); w.wanted(next) && !w.exited {
					w.reached, w.undone = true, nil
				}
			}
		}
	}
}

// steps are those of a file in their order; on one line, what is sourced is
// taken to come first.
func (w *walk) steps(f File) (steps []step) {
	for i := range f.Sources {
		steps = append(steps, step{line: f.Sources[i].Line, source: &f.Sources[i]})
	}
	for _, list := range [][]Def{f.Functions, f.Undone} {
		for i := range list {
			if list[i].Name == w.name {
				steps = append(steps, step{line: list[i].Line, def: &list[i]})
			}
		}
	}
	for i := range f.Ends {
		steps = append(steps, step{line: f.Ends[i].Line, end: &f.Ends[i]})
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.line, b.line) })
	return steps
}
