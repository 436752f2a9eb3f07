// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where two ways through a line meet, both count.

package shell

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/report"
)

// state is what is known at one point of a line. A nil state is never reached.
type state struct {
	// cwd are the directories that the shell may be in; lost says that it
	// may be in others too.
	cwd  []string
	lost bool
	// vars are the values that variables may have; nil: not known.
	vars  map[string][]Value
	funcs map[string]*syntax.Stmt
	// path are directories in front of PATH.
	path []string
	in   input
	// mute says that what is printed goes to a file.
	mute bool
}

// input is the standard input of a command.
type input struct {
	// file is read; or text, of a here-document; or, if piped, whatever
	// another command writes.
	file  *word
	text  string
	isDoc bool
}

func (s *state) clone() *state {
	if s == nil {
		return nil
	}
	c := *s
	c.cwd, c.path = slices.Clone(s.cwd), slices.Clone(s.path)
	c.vars, c.funcs = maps.Clone(s.vars), maps.Clone(s.funcs)
	return &c
}

// forget makes every variable that is set one that may hold anything.
func (s *state) forget() {
	for name := range s.vars {
		s.vars[name] = nil
	}
}

// merge is what is known where two ways meet.
func merge(a, b *state) *state {
	if a == nil {
		return b
	}
	if b == nil || a == b {
		return a
	}
	m := a.clone()
	m.lost = a.lost || b.lost
	m.cwd = report.Union(a.cwd, b.cwd...)
	m.path = report.Union(a.path, b.path...)
	for name, values := range b.vars {
		have, set := a.vars[name]
		if set && (have == nil || values == nil) || !set {
			m.vars[name] = nil // set on one way alone, or unknown
			continue
		}
		m.vars[name] = report.Union(have, values...)
	}
	for name := range a.vars {
		if _, set := b.vars[name]; !set {
			m.vars[name] = nil
		}
	}
	for name, f := range b.funcs {
		if have, ok := a.funcs[name]; !ok || have != f {
			m.funcs[name] = nil // which one is not known
		}
	}
	for name := range a.funcs {
		if _, ok := b.funcs[name]; !ok {
			m.funcs[name] = nil
		}
	}
	if len(m.cwd) > MaxValues {
		m.lost = true
	}
	return m
}

// same says whether nothing was learnt between two points.
func same(a, b *state) bool {
	return a == b || a != nil && b != nil && a.lost == b.lost && slices.Equal(a.cwd, b.cwd) &&
		slices.Equal(a.path, b.path) && maps.EqualFunc(a.vars, b.vars, slices.Equal) && maps.Equal(a.funcs, b.funcs)
}
