// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package env is the process environment as a value, and the places that
// follow from it.
//
// Contract: nothing outside internal/host reads the environment, the clock,
// the working directory or the platform; main builds one System and hands it
// down, so that a test can hand down another.
package env

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Env is an environment: names and values, fixed once made.
type Env struct{ vars map[string]string }

// New reads "NAME=value" strings as os.Environ returns them; the last of two
// equal names wins, as in the shells.
func New(environ []string) Env {
	vars := make(map[string]string, len(environ))
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "" {
			vars[name] = value
		}
	}
	return Env{vars}
}

// Get returns the variable's value, or "".
func (e Env) Get(name string) string { return e.vars[name] }

// Lookup returns the variable's value and whether it is set.
func (e Env) Lookup(name string) (string, bool) { v, ok := e.vars[name]; return v, ok }

// Names lists the variables in byte order.
func (e Env) Names() []string { return slices.Sorted(maps.Keys(e.vars)) }

// List is the environment as New reads it, in byte order of the names.
func (e Env) List() (environ []string) {
	for _, name := range e.Names() {
		environ = append(environ, name+"="+e.vars[name])
	}
	return environ
}

// System is what a run knows of its process and machine before it looks at
// anything.
type System struct {
	Env
	GOOS, GOARCH string
	UID, GID     int
	// Cores is how many processors this process may use, 0 if it is unknown.
	Cores int
	// Cwd is the working directory, Executable this program's own file
	// with links resolved; either may be "" if the OS does not say.
	Cwd, Executable string
	// Runtime is the file that is taken for the agent's runtime, whatever
	// PATH leads to; "" is whatever PATH leads to.
	Runtime string
	// Agent is a name of the agent whose places are meant.
	Agent string
	// Root is prefixed to system files such as /etc/os-release. It is ""
	// but in tests.
	Root string
	// StdinTTY, StdoutTTY and StderrTTY say whether a person is at the other end.
	StdinTTY, StdoutTTY, StderrTTY bool
	// Columns and Rows are the terminal's size in cells, 0 where neither standard
	// output nor standard error is one.
	Columns, Rows int
	Now           func() time.Time
	// Every calls f again and again after that long, until stop, which waits
	// for a call that is under way. It is nil where no time passes.
	Every func(each time.Duration, f func()) (stop func())
}

// Terminal says whether a question can be asked: both ends are a terminal.
func (s System) Terminal() bool { return s.StdinTTY && s.StdoutTTY }
