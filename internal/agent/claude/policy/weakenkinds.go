// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: how bad a kind of weakening is, and whose word about it is
// heeded, is said here alone.

package policy

// grade is how bad a kind of weakening is, the worst last.
type grade int

const (
	_ grade = iota // it has a price that may be worth paying
	// unmeant: what the policy names is open, and nothing asks.
	unmeant
	// bypassing: what the policy names is reached past it, by the environment, by
	// an excluded command or by another proxy.
	bypassing
	// voiding takes the sandbox itself away, or all it does for files.
	voiding
)

// kinds are the kinds of weakening of which there is more to say than that they
// have a price (see OpensPath, PlainOnly and OwnOnly).
var kinds = map[string]struct {
	grade            grade
	path, plain, own bool
}{
	"sandbox-off":         {grade: voiding},
	"filesystem-off":      {grade: voiding},
	"may-run-without":     {grade: voiding},
	"runs-first":          {grade: bypassing},
	"replaces-settings":   {grade: bypassing},
	"excluded-any":        {grade: bypassing, plain: true},
	"own-proxy":           {grade: bypassing, plain: true},
	"credential-path":     {grade: unmeant, path: true},
	"writable-outside":    {grade: unmeant, path: true},
	"user-scope-relative": {path: true},
	"wide-domain":         {grade: unmeant},
	"fetch-any":           {grade: unmeant},
	"mask-ignored":        {grade: unmeant},
	"allow-outside":       {grade: unmeant},
	"reads-any":           {grade: unmeant},
	"writes-any":          {grade: unmeant},
	"auto":                {grade: unmeant, plain: true},
	"bypass":              {plain: true},
	"accept-edits":        {plain: true},
	"sends":               {own: true},
}

// Voids says whether a policy protects nobody while this one is in force.
func (w Weakening) Voids() bool { return kinds[w.Kind].grade == voiding }

// Bypasses says whether the policy stands and protects nobody.
func (w Weakening) Bypasses() bool { return kinds[w.Kind].grade == bypassing }

// Fails says whether nobody can mean it.
func (w Weakening) Fails() bool { return kinds[w.Kind].grade >= unmeant }

// OpensPath says whether it opens a place to commands.
func (w Weakening) OpensPath() bool { return kinds[w.Kind].path }

// PlainOnly says whether a project's word is heeded in plain starts alone:
// claude-iso takes none of this kind over.
func (w Weakening) PlainOnly() bool { return kinds[w.Kind].plain }

// OwnOnly says whether the runtime heeds the user's own word alone.
func (w Weakening) OwnOnly() bool { return kinds[w.Kind].own }
