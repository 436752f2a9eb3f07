// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an agent is reached through internal/agent alone, in the rooms
// that are listed here; another room is added when it names no runtime any more
// (docs/adr/0022-an-agent-is-a-seam.md).

package archtest

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// throughTheSeam are the rooms whose code knows no runtime. What is said of one in a
// sentence that a user reads, or in a comment, is not meant.
var throughTheSeam = []string{"internal/agent", "internal/model", "internal/stage", "internal/rehearsal",
	"internal/trial", "internal/regress", "internal/profile", "steps/verify", "steps/doctor", "steps/install",
	"steps/scope", "steps/sync", "steps/update", "internal/host", "internal/host/env", "internal/shell",
	"internal/redact", "internal/syncrepo", "internal/catalog", "internal/ui/...", "internal/ownshell",
	"internal/githooks", "internal/gitrepo", "internal/gitconfig", "internal/platform", "internal/approval",
	"internal/journal", "internal/secretscan", "internal/upstream", "internal/nearest", "internal/strict",
	"internal/report", "internal/report/preview"}

// pasted is the file whose patterns know who speaks in a text that somebody pasted.
const pasted = "internal/catalog/kinds.go"

// ofOneRuntime is a word of a runtime's: a text without a space that has its name,
// but for the launch of this program, or its name with a version.
var ofOneRuntime = regexp.MustCompile(`(?i)^(\S*(claude|anthropic)\S*|claude code [\d.]+)$`)

// beyondTheSeam lists what names a runtime in these rooms.
func beyondTheSeam(srcs []source) []string {
	var bad []string
	for _, s := range srcs {
		if s.test() || ast.IsGenerated(s.ast) || s.path == pasted || !within(s.room(), throughTheSeam) {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.ImportSpec:
				if path := strings.Trim(x.Path.Value, `"`); within(path, []string{module + "/" + runtimeRoom + "/..."}) {
					bad = append(bad, fmt.Sprintf("%s: %s is reached through internal/agent", s.at(x), path))
				}
				return false
			case *ast.BasicLit:
				if text, ok := literal(x); ok && text != "claude-iso" && ofOneRuntime.MatchString(text) {
					bad = append(bad, fmt.Sprintf("%s: %q is a runtime's", s.at(x), text))
				}
			}
			return true
		})
	}
	return bad
}

func TestAnAgentIsReachedThroughTheSeam(t *testing.T) { report(t, beyondTheSeam(program(t))) }

func TestTheSeamRuleFinds(t *testing.T) {
	for _, c := range []struct {
		path, src string
		bad       int
	}{
		{"internal/trial/a.go", `package trial; import "` + module + `/internal/agent"`, 0},
		{"internal/trial/a.go", `package trial; import "` + module + `/internal/agent/claude"`, 1},
		{"internal/stage/a.go", `package stage; import "` + module + `/internal/agent/claude/play"`, 1},
		{"internal/stage/a_test.go", `package stage; import "` + module + `/internal/agent/claude"`, 0},
		{"steps/doctor/a.go", `package doctor; import "` + module + `/internal/agent/claude"`, 1},
		{"internal/pins/a.go", `package pins; import "` + module + `/internal/agent/claude"`, 0},
		{"internal/model/a.go", `package model; const host = "api.anthropic.com"`, 1},
		{"internal/stage/a.go", `package stage; const bin = "/claude"`, 1},
		{"steps/verify/a.go", `package verify; const seen = "Claude Code 2.1.329"`, 1},
		{"internal/ui/tui/a.go", `package tui; const launch = "claude-iso"`, 0},
		{"internal/stage/a.go", `package stage; const why = "make it, or leave CLAUDE_CONFIG_DIR out"`, 0},
	} {
		if got := beyondTheSeam(example(t, c.path, c.src)); len(got) != c.bad {
			t.Errorf("%s: %s\ngives %q, want %d complaints", c.path, c.src, got, c.bad)
		}
	}
}
