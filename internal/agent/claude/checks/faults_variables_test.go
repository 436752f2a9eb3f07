// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a variable in settings is judged by the table: what is
// documented as harmless passes, what steers protection is a warning, what
// nobody documents is unknown.

package checks_test

import "github.com/steward-setup/steward-setup/internal/report"

// projectSets is a variable that the project sets; policy-invariants names it
// too.
func projectSets(name, value string, want report.Status) Fault {
	return Fault{Name: "the project sets " + name, Breaks: "project-code", Want: want, Where: projectFile + "#\"" + name +
		"\"", Also: weakens,
		Break: func(m *Machine) { m.set(projectFile, "env."+name, value) }}
}

var variableFaults = []Fault{
	projectSets("CLAUDE_CODE_SIMPLE", "1", report.Warn),
	projectSets("CLAUDE_CODE_AUTO_MODE_MODEL", "x", report.Warn),
	projectSets("CLAUDE_CODE_NEW_THING", "1", report.Unknown),
	projectSets("OUR_SERVICE", "x", report.Unknown),
	projectSets("AWS_PROFILE", "work", report.Fail),
	{Name: "the user's settings set a variable of Claude Code that nobody documents", Breaks: "policy-invariants",
		Want: report.Unknown, Where: userFile + "#\"CLAUDE_CODE_NEW_THING",
		Break: func(m *Machine) { m.set(userFile, "env.CLAUDE_CODE_NEW_THING", "1") }},
}

// healthyVariables are machines whose settings set documented variables.
var healthyVariables = []Variant{
	{Name: "the project and the user set documented variables that are harmless or protective", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.set(projectFile, "env", map[string]any{"DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
				"DISABLE_UPDATES": "1", "BASH_MAX_TIMEOUT_MS": "1200000",
				"CLAUDE_CODE_EFFORT_LEVEL": "high", "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "32000",
				"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1", "CLAUDE_CODE_MCP_ALLOWLIST_ENV": "1", "MCP_TIMEOUT": "60000",
				"VERTEX_REGION_CLAUDE_5_OPUS": "us-east5", "NODE_ENV": "test", "NODE_OPTIONS": "--max-old-space-size=8192",
				"PYTHONUNBUFFERED": "1", "GIT_AUTHOR_NAME": "Agent",
				"CLAUDE_CODE_ENABLE_TELEMETRY": "1", "OTEL_METRICS_EXPORTER": "otlp", "OTEL_RESOURCE_ATTRIBUTES": "team=x",
				"HOME": "/nowhere", "XDG_CACHE_HOME": "./cache"})
			for name, value := range map[string]string{"CLAUDE_CODE_NO_FLICKER": "1", "EDITOR": "vim",
				"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4317",
				"MY_TOKEN_DIR":                "/srv/x", "AWS_REGION": "us-east-1"} {
				m.set(userFile, "env."+name, value)
			}
			m.approve()
		}
	})},
}
