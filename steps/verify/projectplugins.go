// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a plugin in a project's skills loads by itself, and what
// it brings runs outside the sandbox from the start of the session (measured
// with 2.1.329 in a trusted folder: hooks and MCP servers).

package verify

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// manifestDir and manifestName make a directory of a skill a plugin.
const (
	manifestDir  = ".claude-plugin"
	manifestName = "plugin.json"
)

// pluginPrograms are the files of a plugin that name programs.
var pluginPrograms = []string{"hooks/hooks.json", ".mcp.json", ".lsp.json", "monitors/monitors.json"}

// ofPlugin takes a plugin by its manifest.
func (b *brought) ofPlugin(r host.Reader, root, manifest string) {
	if !b.add(report.FileEvidence(manifest, "the plugin loads by itself; its hooks and servers run outside the sandbox")) {
		return
	}
	dir := filepath.Dir(filepath.Dir(manifest))
	for _, name := range pluginPrograms {
		if _, err := r.Lstat(filepath.Join(dir, name)); err == nil {
			b.add(report.FileEvidence(filepath.Join(dir, name), "names programs of the plugin"))
		}
	}
	rel, _ := filepath.Rel(root, dir)
	b.plugins = append(b.plugins, rel)
	b.remedies = append(b.remedies, report.DocLink{Title: "remove the plugin", Target: dir})
}
