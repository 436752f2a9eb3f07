// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package play is Claude Code behind the seam of internal/agent: how a session
// of it is started, how it speaks to its model, and what it says of its calls.
//
// Contract: a fact names the version that it was measured with.
package play

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// Claude is Claude Code.
type Claude struct{}

func init() { agent.Add(Claude{}, "") } // transcripts without a name are of it

// Name implements agent.Agent.
func (Claude) Name() string { return claude.Name }

// projectSettings are the settings files of a project.
var projectSettings = []string{claude.SettingsFile, claude.LocalSettingsFile}

// Switches of the runtime, and the variable that names the certificate which it
// trusts besides.
const (
	noUpdates  = "DISABLE_AUTOUPDATER"
	noChecks   = "DISABLE_INSTALLATION_CHECKS"
	alsoTrusts = "NODE_EXTRA_CA_CERTS"
)

// Layout implements agent.Agent. Each start of the runtime asks npm for the
// directory of its global packages, which takes 0.11 s of a processor, and looks
// there for parts that the native runtime brings along, and for an agent for Java.
// Without an answer it looks in the usual directories alone (read in 2.1.330).
func (Claude) Layout(places env.Places) agent.Layout {
	return agent.Layout{Program: claude.Program, Own: places.AgentDir, Records: claude.Records, Dir: claude.Dir,
		Settings: projectSettings,
		Silent:   []string{"npm"}, Endpoint: endpoint, Page: claude.FetchedHost, Places: claude.Isolations,
		Temporary: claude.TemporaryVariable,
		Clean: iso.AllowVariable + "=" + strings.Join([]string{claude.AddressVariable, alsoTrusts, claude.KeyVariable,
			claude.QuietVariable, noUpdates, noChecks, claude.TemporaryVariable, claude.NoMarketplaceVariable}, " "),
		Secrets: []agent.Secret{
			{Path: claude.LoginFile, Before: `{"claudeAiOauth":{"accessToken":"`,
				After: `","refreshToken":"none","expiresAt":4102444800000,"scopes":["user:inference"]}}` + "\n"},
			{Path: "projects/-another-project/00000000-0000-4000-8000-000000000000.jsonl",
				Before: `{"type":"user","message":{"role":"user","content":"`, After: "\"}}\n"}}}
}

// Start implements agent.Agent. Tools that the runtime would ask about are allowed,
// since nobody can answer: what is refused then is refused by a rule, a hook or the
// sandbox. Read is not among them: within the project it is not asked about. On a
// terminal nothing is allowed but by the settings.
func (Claude) Start(r host.Reader, s agent.Start) (agent.Started, error) {
	started := agent.Started{Environ: environ(r, s), Files: settingsOf(r, s)}
	if s.Terminal {
		started.Args = []string{"rehearse", "--strict-mcp-config"}
		started.Files = withHook(started.Files, r.Places().UserSettings(), s.StatusLine)
		other := filepath.Join(r.Places().AgentDir, claude.CoworkFile)
		if claude.SwitchedOn(r.System().Get(claude.CoworkVariable)) || slices.ContainsFunc(started.Files,
			func(f fs.Laid) bool { return f.Path == other || bytes.Contains(f.Data, []byte(claude.CoworkVariable)) }) {
			started.Files = withHook(started.Files, other, s.StatusLine)
		}
	} else {
		started.Args = []string{"-p", "rehearse", "--output-format", "stream-json", "--verbose", "--model",
			"claude-sonnet-4-5", "--strict-mcp-config", "--allowedTools=" + strings.Join(allowed, ",")}
		started.Files = inPrint(started.Files)
	}
	if s.Hooks {
		started.Args = append(started.Args, "--include-hook-events")
		started.Hooks = hookPaths(r)
	}
	state, err := trust(r, s)
	started.Files = append(started.Files, fs.Laid{Path: inforce.StateFile(r), Mode: 0o600, Data: state})
	return started, err
}

// environ are the variables of a session.
func environ(r host.Reader, s agent.Start) []string {
	list := []string{claude.KeyVariable + "=" + key(s), claude.QuietVariable + "=1", noUpdates + "=1"}
	for _, name := range slices.Concat([]string{claude.ConfigDirVariable}, keptVariables, keptOfShell) {
		if value := r.System().Get(name); value != "" && (s.Settings || name == claude.ConfigDirVariable) {
			list = append(list, name+"="+value)
		}
	}
	if s.Terminal {
		// Else it looks how it was installed, and asks GitHub for a list of plugins,
		// by ssh and then by git (measured with 2.1.330).
		list = append(list, noChecks+"=1", claude.NoMarketplaceVariable+"=1")
	}
	return list
}

// Clean implements agent.Agent. It approves what the project's policy is now:
// whether the user has approved it is another check's question. A policy that is not
// understood is approved by nobody: the launch refuses, on a stage as elsewhere.
func (Claude) Clean(r host.Reader, dir string) (project string, _ fs.Laid) {
	set := approval.Set{SchemaVersion: 1}
	l, err := iso.Consider(r, dir)
	if err == nil {
		project = l.Place.Project
	}
	if err == nil && !l.Policy.Empty() {
		set = l.ApprovedIn(set)
	}
	return project, fs.Laid{Path: approval.Path(r.Places().State), Mode: 0o600, Data: set.Bytes()}
}

// Reaches implements agent.Agent.
func (Claude) Reaches(url, authority string) []string {
	if authority != "" {
		return []string{alsoTrusts + "=" + authority}
	}
	return []string{claude.AddressVariable + "=" + url}
}

// Light implements agent.Agent. The runtime's engine (JavaScriptCore, by Bun) compiles
// what runs often for a session of hours, and collects garbage that would end with the
// session. 2.1.141 to 2.1.332 know these; with another name they refuse to start.
func (Claude) Light() []string {
	return []string{"BUN_JSC_thresholdForOptimizeAfterWarmUp=100000", "BUN_JSC_largeHeapSize=268435456",
		"BUN_GC_TIMER_DISABLE=1"}
}

// Diverts implements agent.Agent: managed settings outrank everything that is
// pinned (measured with 2.1.329).
func (Claude) Diverts(r host.Reader) (path string, err error) {
	for _, f := range settingsOf(r, agent.Start{Settings: true, Hooks: true}) {
		if f.Path == r.Places().UserSettings() {
			continue
		}
		b, err := r.Read(f.Path)
		if err != nil || len(reduced(f.Path, b, policy, true)) != len(reduced(f.Path, b, whole, true)) {
			return f.Path, err
		}
	}
	return "", nil
}

// hookPaths are the scripts beside the user's settings, and what the hooks name.
func hookPaths(r host.Reader) (paths []string) {
	places := r.Places()
	if entries, err := r.ReadDir(places.Scripts()); err == nil {
		for _, e := range entries {
			paths = append(paths, filepath.Join(places.Scripts(), e.Name()))
		}
	}
	for _, path := range []string{places.UserSettings(), places.Managed} {
		for _, command := range hookCommands(r, path) {
			paths = append(paths, shell.Paths(command, places.Home)...)
		}
	}
	return paths
}

// hookCommands lists the commands of the hooks in a settings file, and the
// arguments of those that are started without a shell.
func hookCommands(r host.Reader, path string) []string {
	b, err := r.Read(path)
	if err != nil {
		return nil
	}
	d, _, err := settings.Read(path, b)
	if err != nil {
		return nil
	}
	var list []string
	for _, h := range d.Hooks() {
		command, args := h.Entry.Command()
		if command == nil {
			continue
		}
		list = append(list, command.Text)
		for _, arg := range settings.TextsOf(args) {
			list = append(list, scripts.Literal(arg))
		}
	}
	slices.Sort(list)
	return list
}
