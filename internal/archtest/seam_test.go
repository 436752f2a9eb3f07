// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an agent is reached through internal/agent alone. What it is
// called, and which files, executables and variables it has, stands in its rooms,
// and is made known by them (docs/adr/0022-an-agent-is-a-seam.md).

package archtest

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// ofTheRuntime are the rooms and files that know one: its own, those of the command
// line that name it and start it in a clean environment, and what tests need. What is
// said of one in a sentence that a user reads, or in a comment, is not meant.
var ofTheRuntime = []string{runtimeRoom + "/...", "cmd/steward-setup/agent.go", "cmd/steward-setup/iso.go",
	"cmd/steward-setup/iso_banner.go", "cmd/steward-setup/iso_explain.go", hookMain,
	"internal/testenv/...", "internal/archtest"}

// pasted is the file whose patterns know who speaks in a text that somebody pasted.
const pasted = "internal/catalog/kinds.go"

// ofOneRuntime is a word of a runtime's: a text without a space that has its name, or
// its name with a version; amongOthers is such a word in a longer text that is no
// sentence: a variable, a package, an alias, an alternative of a pattern.
var (
	ofOneRuntime = regexp.MustCompile(`(?i)^(\S*(claude|anthropic)\S*|claude code [\d.]+)$`)
	amongOthers  = regexp.MustCompile(`(?i)(^|\W)claude_[a-z]|anthropic|alias claude|\(claude`)
)

// beyondTheSeam lists what names a runtime in these rooms.
func beyondTheSeam(srcs []source) []string {
	var bad []string
	for _, s := range srcs {
		if s.test() || ast.IsGenerated(s.ast) || s.path == pasted ||
			within(s.room(), ofTheRuntime) || within(s.path, ofTheRuntime) {
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
				text, _ := literal(x)
				text = strings.TrimSpace(strings.ReplaceAll(text, "claude-iso", "")) // the launch of this program
				if ofOneRuntime.MatchString(text) || amongOthers.MatchString(text) {
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
		{"internal/pins/a.go", `package pins; import "` + module + `/internal/agent/claude"`, 1},
		{"cmd/steward-setup/agent.go", `package main; import "` + module + `/internal/agent/claude"`, 0},
		{"cmd/steward-setup/sync.go", `package main; import "` + module + `/internal/agent/claude/iso"`, 1},
		{"cmd/steward-setup/update.go", `package main; const program = "claude"`, 1},
		{"internal/testenv/x/a.go", `package x; import "` + module + `/internal/agent/claude"`, 0},
		{"internal/host/proc/a.go", `package proc; const program = "claude"`, 1},
		{"internal/pins/a.go", `package pins; const says = "(Claude Code)"`, 1},
		{"internal/runtimes/a.go", `package runtimes; const line = "npm install @anthropic-ai/claude-code"`, 1},
		{"internal/shell/a.go", `package shell; const set = "UID CLAUDE_PROJECT_DIR"`, 1},
		{"internal/shellrc/a.go", "package shellrc; const re = `alias |(claude(?:-iso)?)`", 1},
		{"internal/scripts/a.go", `package scripts; const line = "alias claude='claude-iso'"`, 1},
		{"internal/scripts/a.go", `package scripts; const name = "claude-iso.sh"`, 0},
		{"internal/model/a.go", `package model; const host = "api.anthropic.com"`, 1},
		{"internal/stage/a.go", `package stage; const bin = "/claude"`, 1},
		{"steps/verify/a.go", `package verify; const seen = "Claude Code 2.1.329"`, 1},
		{"internal/ui/tui/a.go", `package tui; const launch = "claude-iso"`, 0},
		{"internal/stage/a.go", `package stage; const why = "make it, or leave CLAUDE_CONFIG_DIR out"`, 1},
		{"internal/stage/a.go", `package stage; const why = "without claude on PATH nothing starts"`, 0},
	} {
		if got := beyondTheSeam(example(t, c.path, c.src)); len(got) != c.bad {
			t.Errorf("%s: %s\ngives %q, want %d complaints", c.path, c.src, got, c.bad)
		}
	}
}
