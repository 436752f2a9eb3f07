// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is defined counts as the shell leaves it: after the
// last line that was read, in the order in which they are read.

package shellrc

import (
	"cmp"
	"slices"
)

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
func (w *walk) steps(f File) []step {
	var steps []step
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
