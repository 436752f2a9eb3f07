// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the rooms below the agents have to know of one stands in a
// value, which its package makes known when it is loaded.

package env

import (
	"slices"
	"sync"
)

// Agent is what an agent's runtime calls its things on a machine.
type Agent struct {
	// Names are those by which a System means it, first that of its tool among the
	// pinned ones; one has "" for whoever names none.
	Names []string
	// Program is its executable, Says what that prints behind its version. A version is
	// one of semver.org.
	Program, Says string
	// Installed is its package of npm, Package the one that holds nothing but Program
	// for a platform; "" if there is none.
	Installed string
	Package   func(goos, goarch string, musl bool) string
	// Dir is its directory in the home, Variable the variable that names another, and
	// Repository the private repository whose scripts may be linked there.
	Dir, Variable, Repository string
	// Settings is the file of the user's settings in it, Managed that of whoever
	// administers a machine with this GOOS; nil if there is none.
	Settings string
	Managed  func(goos string) string
	// Session is a variable of all its commands, Sandboxed one of those in its sandbox.
	Session, Sandboxed string
	// Temporary lists the directories for temporary files that commands of any
	// session may write; getenv is asked for the user's environment.
	Temporary func(getenv func(string) string, uid int) []string
	// Instructions is the file in its directory that every session reads, Texts are the
	// directories there of texts for the model, Commands that of the user's own, and
	// Records that of what sessions leave, with a directory for each project.
	Instructions, Commands, Records string
	Texts                           []string
	// Logins, Machine, Sessions and State are patterns of gitignore(5) for what belongs
	// to one machine: credentials, settings, records of sessions, state.
	Logins, Machine, Sessions, State []string
	// Secrets are places below the home that hold credentials, Outside those whose
	// content runs, or is trusted, outside its sandbox: a row is what is there, and where.
	Secrets, Outside [][]string
	// Helpers are the keys of settings whose whole value is a command line that prints
	// a credential.
	Helpers []string
}

// known are the agents of this program.
var known []Agent

// Add makes an agent known.
func Add(a Agent) { known = append(known, a) }

// Helpers lists those of all agents.
var Helpers = sync.OnceValue(func() (list []string) {
	for _, a := range known {
		list = append(list, a.Helpers...)
	}
	return list
})

// Agents lists the known ones.
func Agents() []Agent { return slices.Clone(known) }

// Tool is its name among the pinned ones.
func (a Agent) Tool() string {
	if a.Names == nil {
		return ""
	}
	return a.Names[0]
}

// OfTool is the agent whose executable is a pinned tool; false if it is of none.
func OfTool(tool string) (Agent, bool) {
	i := slices.IndexFunc(known, func(a Agent) bool { return tool != "" && a.Tool() == tool })
	if i < 0 {
		return Agent{}, false
	}
	return known[i], true
}

// agent is the one that the system means.
func (s System) agent() Agent {
	for _, a := range known {
		if slices.Contains(a.Names, s.Agent) {
			return a
		}
	}
	return Agent{}
}

// AgentSession says whether this process was started by an agent: state may not
// change then (ARCHITECTURE, law 2).
func (s System) AgentSession() (variable string, in bool) {
	for _, a := range known {
		if s.Get(a.Session) != "" {
			return a.Session, true
		}
	}
	return s.Sandboxed()
}

// Sandboxed says whether this process is in an agent's sandbox.
func (s System) Sandboxed() (variable string, in bool) {
	for _, a := range known {
		if s.Get(a.Sandboxed) != "" {
			return a.Sandboxed, true
		}
	}
	return "", false
}

// Temporary lists the directories for temporary files that commands of any agent
// may write.
func (s System) Temporary() (list []string) {
	for _, a := range known {
		if a.Temporary != nil {
			list = append(list, a.Temporary(s.Get, s.UID)...)
		}
	}
	return list
}
