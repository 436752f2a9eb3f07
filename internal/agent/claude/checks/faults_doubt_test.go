// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a settings file that can be read in more than one way is
// judged as the runtime reads it, and never passes.

package checks_test

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// What follows for the checks that read such a file.
var (
	doubtful = effects{"effective-sandbox": {report.Fail, "claude-iso does not start with such a file"},
		"project-code": notRead}
	notRead = Effect{report.Unknown, "what can be read in more than one way is not approved"}
)

// doubtFaults are files that our parser refuses and that the runtime has in
// force (measured with 2.1.324 and 2.1.329).
var doubtFaults = []Fault{
	{Name: "a key that stands twice, the same both times", Breaks: "project-settings", Want: report.Unknown,
		Also: doubtful, Where: projectFile + `#"zoom": 2`,
		Break: func(m *Machine) {
			m.set(projectFile, "zoom", 1)
			m.replace(projectFile, `"zoom": 1`, "\"zoom\": 1,\n  \"zoom\": 2")
		}},
	{Name: "the sandbox is switched on, and off by the second of two keys", Breaks: "effective-sandbox", Want: report.Fail,
		Voids: true, Also: with(off, effects{"project-code": notRead}),
		Where: projectFile + `#"enabled": false`,
		Break: func(m *Machine) {
			m.replace(projectFile, `"enabled": true,`, "\"enabled\": true,\n    \"enabled\": false,")
		}},
	{Name: "the sandbox is switched off, and on by the second of two keys", Breaks: "project-settings",
		Want: report.Unknown, Also: doubtful,
		Where: projectFile + `#"enabled": true`,
		Break: func(m *Machine) {
			m.replace(projectFile, `"enabled": true,`, "\"enabled\": false,\n    \"enabled\": true,")
		}},
	{Name: "a byte in the project's settings that is not UTF-8", Breaks: "project-settings", Want: report.Unknown,
		Also: doubtful, Where: "bytes that are not UTF-8",
		Break: func(m *Machine) {
			m.set(projectFile, "zoom", "grande")
			m.replace(projectFile, "grande", "gr\xe4nde")
		}},
	{Name: "a hook in settings with a byte that is not UTF-8", Breaks: "project-code", Want: report.Fail,
		Where: projectFile + "#touch",
		Also: effects{"project-settings": {report.Unknown, "it cannot be judged"},
			"effective-sandbox": {report.Fail, "claude-iso does not start with such a file"}},
		Break: func(m *Machine) {
			m.set(projectFile, "hooks.Stop", []any{map[string]any{"hooks": []any{map[string]any{"type": "command",
				"command": "touch gr\u00fcn"}}}})
			m.replace(projectFile, "gr\u00fcn", "gr\xfcn")
		}},
	{Name: "a server beside settings with a key that stands twice", Breaks: "project-code", Want: report.Fail,
		Where: "~/code/tracker/.mcp.json",
		Also: effects{"project-settings": {report.Unknown, "it cannot be judged"},
			"effective-sandbox": {report.Fail, "claude-iso does not start with such a file"}},
		Break: func(m *Machine) {
			m.set(projectFile, "zoom", 1)
			m.replace(projectFile, `"zoom": 1`, "\"zoom\": 1,\n  \"zoom\": 2")
			m.write(m.Project+"/.mcp.json", `{"mcpServers": {"x": {"command": "./x"}}}`, 0o644)
		}},
	{Name: "settings that are nested more than 200 deep", Breaks: "project-settings", Want: report.Unknown, Also: doubtful,
		Where: projectFile + `#"zoom"`,
		Break: func(m *Machine) {
			m.set(projectFile, "zoom", 1)
			m.replace(projectFile, `"zoom": 1`, `"zoom": `+strings.Repeat("[", 300)+strings.Repeat("]", 300))
		}},
	{Name: "settings with more values than are read", Breaks: "project-settings", Want: report.Fail, Voids: true,
		Also: dropped, Where: "more than 100000 values",
		Break: func(m *Machine) {
			m.set(projectFile, "zoom", 1)
			m.replace(projectFile, `"zoom": 1`, `"zoom": [`+strings.Repeat("1,", 100_000)+"1]")
		}},
	{Name: "settings of more than 2 MiB", Breaks: "project-settings", Want: report.Fail, Voids: true, Also: dropped,
		Where: "the file has",
		Break: func(m *Machine) { m.set(projectFile, "zoom", strings.Repeat("x", 2<<20)) }},
}
