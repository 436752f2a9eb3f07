// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every path that the program owns or looks for under the
// user's home is named here, once, from HOME, XDG_* and the agent's own variable.

package env

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/report"
)

// Places are absolute, clean paths. None of them need exist.
type Places struct {
	// Home is $HOME, or where its links lead.
	Home string
	// Agent is the agent that is meant, AgentDir its own directory.
	Agent    Agent
	AgentDir string
	// SyncRepo is the private repository whose scripts may be linked.
	SyncRepo string
	// State, Cache and Config are this program's own directories.
	State, Cache, Config string
	// UserBin is where a program of the user's own belongs.
	UserBin string
	// OSRelease and Managed are system files: the distribution's name, and
	// the runtime's managed settings ("" if it has none).
	OSRelease, Managed string
	// Accounts is the table of users (passwd(5)).
	Accounts string
}

// UserSettings is the runtime's user-scope settings file.
func (p Places) UserSettings() string { return filepath.Join(p.AgentDir, p.Agent.Settings) }

// Scripts is the directory of the hook scripts.
func (p Places) Scripts() string { return filepath.Join(p.AgentDir, "scripts") }

// Isolation is the directory of the clean-env wrapper.
func (p Places) Isolation() string { return filepath.Join(p.AgentDir, "agent-isolation") }

// Places returns the places for this environment. A HOME that is not set or
// not absolute is an error: nothing could be named safely.
func (s System) Places() (Places, error) { return s.PlacesAt(s.Get("HOME")) }

// NoHome is the error of a home directory in which there can be no setup.
func NoHome(what string) error {
	return &report.Error{Code: report.ExitUsage, Where: "HOME", What: what, Why: "every file of the setup lies below it",
		Next: "run again with HOME set to your home directory"}
}

// PlacesAt are the places with the home at real: where $HOME leads, if it is
// or contains a link. A variable that names a place below $HOME names it below
// real.
func (s System) PlacesAt(real string) (Places, error) {
	home := real
	if !filepath.IsAbs(home) {
		return Places{}, NoHome("is not set to an absolute path")
	}
	home = filepath.Clean(home)
	at := func(name string) (string, bool) {
		v := s.Get(name)
		rel, err := filepath.Rel(s.Get("HOME"), v)
		if filepath.IsAbs(v) && err == nil && filepath.IsLocal(rel) {
			return filepath.Join(home, rel), true
		}
		return v, filepath.IsAbs(v)
	}
	xdg := func(name, fallback string) string {
		if v, ok := at(name); ok {
			return filepath.Join(v, "steward-setup")
		}
		return filepath.Join(home, fallback, "steward-setup")
	}
	agent := s.agent()
	own, managed := filepath.Join(home, agent.Dir), ""
	if v, ok := at(agent.Variable); ok {
		own = filepath.Clean(v)
	}
	if agent.Managed != nil {
		managed = filepath.Join(s.Root, agent.Managed(s.GOOS))
	}
	return Places{
		Home:      home,
		Agent:     agent,
		AgentDir:  own,
		SyncRepo:  filepath.Join(home, agent.Repository),
		State:     xdg("XDG_STATE_HOME", ".local/state"),
		Cache:     xdg("XDG_CACHE_HOME", ".cache"),
		Config:    xdg("XDG_CONFIG_HOME", ".config"),
		UserBin:   filepath.Join(home, ".local", "bin"),
		OSRelease: filepath.Join(s.Root, "/etc/os-release"),
		Managed:   managed,
		Accounts:  filepath.Join(s.Root, "/etc/passwd"),
	}, nil
}
