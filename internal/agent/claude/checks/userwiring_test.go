// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook that would not run is never taken for wired, and
// the value that keeps it from running is named.

package checks

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
)

// wiredUser is a user's settings with all hooks and the given status line;
// swap replaces text in it.
func wiredUser(statusLine string, swap ...string) string {
	hook := func(event, script string) string {
		return fmt.Sprintf(`"%s":[{"matcher":"Bash","hooks":[{"type":"command","command":"~/.claude/scripts/%s"}]}]`, event,
			script)
	}
	text := "{\n\"hooks\":{" + hook("PreToolUse", "sandbox-bypass-warn.sh") + ",\n" +
		hook("PostToolUse", "sandbox-error-hint.sh") + ",\n" +
		hook("PostToolUseFailure", "sandbox-error-hint.sh") +
		"},\n\"env\":{\"" + claude.MentionsVariable + "\":\"1\",\"" + claude.CheckpointsVariable + "\":\"1\"}," +
		"\"statusLine\":{\"type\":\"command\",\"command\":\"" + statusLine +
		"\"},\"crossSessionInbound\":\"hold\",\n\"skillOverrides\":{\"" +
		strings.Join(claude.ReadingTexts(), "\":\"off\",\"") + "\":\"off\"}\n}\n"
	for i := 0; i < len(swap); i += 2 {
		text = strings.Replace(text, swap[i], swap[i+1], 1)
	}
	return text
}

const plainLine = "~/.claude/scripts/sandbox-status-line.sh"

func TestUserWiring(t *testing.T) {
	says := held(t, "user-wiring")
	const pre = `"matcher":"Bash","hooks":[{"type":"command","command":"~/.claude/scripts/sandbox-bypass-warn.sh"}`
	inProject := `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"~/.claude/scripts/sandbox-bypass-warn.sh"}]}]}}`
	noPre := wiredUser(plainLine, `"PreToolUse"`, `"SessionStart"`)
	for _, tt := range []struct {
		name   string
		users  string
		files  map[string]string
		status report.Status
	}{
		{"as installed", wiredUser(plainLine), nil, report.Pass},
		{"the rich line", wiredUser("~/.claude/scripts/sandbox-status-line-rich.sh"), nil, report.Pass},
		{"by the program itself", wiredUser("steward-setup hook status-line", "~/.claude/scripts/sandbox-bypass-warn.sh",
			"$HOME/bin/steward-setup hook bypass-warn"), nil, report.Pass},
		{"by a shell", wiredUser("bash ~/.claude/scripts/sandbox-status-line.sh"), nil, report.Pass},
		{"a link of the user's", wiredUser(plainLine, "~/.claude/scripts/sandbox-bypass-warn.sh",
			"~/.claude-config/scripts/sandbox-bypass-warn.sh"), nil, report.Pass},
		{"a wider matcher", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"Bash|Edit"`), nil, report.Pass},
		{"any tool", wiredUser(plainLine, `"matcher":"Bash",`, ``), nil, report.Pass},
		{"beside hooks of the user's own", wiredUser(plainLine, `"PreToolUse":[`,
			`"Stop":[{"hooks":[{"type":"command","command":"~/bin/bell"}]}],"PreToolUse":[{"matcher":"Edit","hooks":[{"type":"command","command":"~/bin/lint"}]},`), nil, report.Pass},
		{"a line of the user's own", wiredUser("~/bin/line"), nil, report.Warn},
		{"no line", wiredUser(plainLine, `"statusLine"`, `"statusLineOff"`), nil, report.Fail},
		{"no settings", "", nil, report.Fail},
		{"not on failures", wiredUser(plainLine, `"PostToolUseFailure"`, `"Stop"`), nil, report.Fail},
		{"another matcher", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"Edit"`), nil, report.Fail},
		{"a tilde in quotes", wiredUser(plainLine, `"~/.claude/scripts/sandbox-bypass-warn.sh"`,
			`"\"~/.claude/scripts/sandbox-bypass-warn.sh\""`), nil, report.Fail},
		{"a tilde without a shell", wiredUser(plainLine, pre, pre[:len(pre)-1]+`,"args":[]}`), nil, report.Fail},
		{"a file that is gone", wiredUser(plainLine, "~/.claude/scripts/sandbox-bypass-warn.sh",
			"/old/home/sandbox-bypass-warn.sh"), nil, report.Fail},
		{"another script of that name", wiredUser(plainLine, "~/.claude/scripts/sandbox-bypass-warn.sh",
			"~/bin/sandbox-bypass-warn.sh"), nil, report.Fail},
		{"a program that is gone", wiredUser(plainLine, "~/.claude/scripts/sandbox-bypass-warn.sh",
			"/opt/steward-setup hook bypass-warn"), nil, report.Fail},
		{"another hook of the program", wiredUser(plainLine, "~/.claude/scripts/sandbox-bypass-warn.sh",
			"~/bin/steward-setup hook error-hint"), nil, report.Fail},
		{"only for git", wiredUser(plainLine, pre, pre[:len(pre)-1]+`,"if":"Bash(git *)"}`), nil, report.Fail},
		{"not waited for", wiredUser(plainLine, pre, pre[:len(pre)-1]+`,"async":true}`), nil, report.Fail},
		{"wired by the project alone", noPre, map[string]string{localFile: inProject}, report.Warn},
		{"dropped", "{//", nil, report.Fail},
		{"switched off by the user", wiredUser(plainLine, "{\n", "{\"disableAllHooks\":true,\n"), nil, report.Fail},
		{"switched off by the project", wiredUser(plainLine), map[string]string{localFile: `{"disableAllHooks":true}`},
			report.Fail},
		{"switched off by nobody", wiredUser(plainLine), map[string]string{localFile: `{"disableAllHooks":false}`},
			report.Pass},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			h.put(".claude-config/scripts/sandbox-bypass-warn.sh", h.rendered("sandbox-bypass-warn.sh"), 0o755)
			h.put("bin/sandbox-bypass-warn.sh", "#!/bin/sh\n", 0o755)
			h.put(usersFile, tt.users, 0o600)
			h.project(tt.files)
			r := h.reader("PATH=" + filepath.Join(h.home, "bin"))
			f := checkWiring(t.Context(), r, filepath.Join(h.home, "p"))
			wantFinding(t, f, tt.status)
			says(h, tt.name, f)
			projects := tt.name == "switched off by the project"
			if i := of(f, report.Iso); projects && (i.Status != report.Pass || of(f, report.Plain).Status != report.Fail) ||
				!projects && f.Launches != nil {
				t.Errorf("launches %+v", f.Launches)
			}
		})
	}
}
