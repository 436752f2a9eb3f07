// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of the runtime's own state, the file is read that the
// runtime reads, and of it the variables that it sets and what sends sessions
// away. The rest of that file may be secret.

package inforce

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// StateFile is the file in which the runtime keeps its own state: which
// folders are trusted, the user's MCP servers, variables. It is .claude.json in
// the home, or in CLAUDE_CONFIG_DIR where that is set. But a file .config.json
// in the agent's directory that is not empty takes its place, also where both
// are there (measured with 2.1.329).
func StateFile(r host.Reader) string {
	files := StateFiles(r)
	if info, err := r.Stat(files[1]); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		return files[1]
	}
	return files[0]
}

// StateFiles are the two places of that file: the usual one, and the one that
// takes its place.
func StateFiles(r host.Reader) [2]string {
	places := r.Places()
	usual := places.Home
	if filepath.IsAbs(r.System().Get(claude.ConfigDirVariable)) {
		usual = places.AgentDir
	}
	return [2]string{filepath.Join(usual, claude.StateFile), filepath.Join(places.AgentDir, ".config.json")}
}

// state adds what counts of the runtime's own state as layers of user scope, the
// weakest: a session has each variable that no settings set (measured with
// 2.1.329: whatever --setting-sources says, and in both launches), and the two
// switches that older versions kept there (code of 2.1.329). Of a file that is
// not JSON the runtime takes nothing.
func (g *gatherer) state() {
	path := StateFile(g.h)
	b, err := g.h.Read(path)
	if err != nil {
		return
	}
	d, err := settings.Parse(path, b)
	if err != nil {
		return
	}
	for _, key := range []claude.KeyPath{claude.KeyEnv, claude.KeyRemoteControlAtStartup, claude.KeyAutoUploadSessions} {
		v := d.Get(key...)
		counts := v.True()
		if key.Leaf() == claude.KeyEnv.Leaf() {
			counts = v != nil && len(v.Members) > 0
		}
		if !counts {
			continue
		}
		if one, err := d.Only(key.Leaf()); err == nil {
			g.in.Layers = append(g.in.Layers, settings.ScopedDoc{Scope: settings.User, Doc: one})
		}
	}
}
