// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package claude holds what is Claude Code's own: the keys of its settings and
// of the front matter of its texts, and what each does to protection.
//
// Contract: it reads nothing and knows no machine. A key that no table names
// is Unknown, never harmless; a test reads the keys out of the real runtime
// and fails when it knows one that the tables do not.
package claude

import (
	"slices"
	"strings"
	"sync"
)

// Newest is the newest version whose keys were compared with the tables: a
// key that is in none of them means nothing to it, nor to one before it.
const Newest = "2.1.332"

// Class is what a key does to protection.
type Class uint8

// The classes. Runs: a program or a prompt that nobody typed, outside the
// sandbox. Redirects: where requests, logins or trust go. Opens: takes
// protection away. Protects: adds some.
const (
	Unknown Class = iota
	Harmless
	Protects
	Opens
	Redirects
	Runs
)

// Origin is the widest place from which the runtime takes a key.
type Origin uint8

// The origins: Any is every settings file, User leaves out those of a project,
// Managed is the administrator's alone.
const (
	Any Origin = iota
	User
	Managed
)

// Key is one key of a document.
type Key struct {
	// Path is dotted; the elements of lists and maps are left out.
	Path  string
	Class Class
	// Effect says what it does, as a predicate without a subject.
	Effect string
	// From is stated by the description in the runtime's own schema
	// (2.1.329).
	From Origin
	// Only is the one value that has the effect, "" for every value that
	// is not off. Map says that the keys below stand under names of the
	// user's.
	Only string
	Map  bool
	// Program says that the value names a program that runs unseen.
	Program bool
}

// Rows lists the settings table.
var Rows = sync.OnceValue(func() []Key {
	rows := slices.Concat(programKeys, trustKeys, policyKeys, sandboxKeys)
	for _, plain := range plainKeys {
		for path := range strings.FieldsSeq(plain.paths) {
			rows = append(rows, Key{Path: path, Class: Harmless, Effect: plain.about})
		}
	}
	return rows
})

// settingsTable finds a row by its path.
var settingsTable = sync.OnceValue(func() map[string]Key {
	m := map[string]Key{}
	for _, k := range Rows() {
		m[k.Path] = k
	}
	return m
})

// Setting is the row of a key of a settings document.
func Setting(path ...string) Key {
	name := strings.Join(path, ".")
	if k, ok := settingsTable()[name]; ok {
		return k
	}
	return Key{Path: name}
}

// Nested says whether the keys of the object at this path are in the table.
func Nested(path ...string) bool {
	name := strings.Join(path, ".")
	if settingsTable()[name].Map {
		return false
	}
	for k := range settingsTable() {
		if strings.HasPrefix(k, name+".") {
			return true
		}
	}
	return false
}
