// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each test states what the user sees of a call that asks to leave
// the sandbox.

package hook_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/steward-setup/steward-setup/internal/agent/claude/hook"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/journal"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// run runs a hook on a machine with an empty home.
func run(t testing.TB, name, input string, vars ...string) (code int, stdout, stderr string, records []journal.Record) {
	t.Helper()
	home := t.TempDir()
	sys := machineOf(append(vars, "HOME="+home)...)
	sys.Now = func() time.Time { return time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC) }
	code, stdout, stderr = hookOn(sys, name, input)
	data, _ := os.ReadFile(journalOf(t, sys))
	return code, stdout, stderr, journal.Parse(data)
}

func hookOn(sys env.System, name, input string) (code int, stdout, stderr string) {
	var out, err strings.Builder
	code = hook.Run(name, strings.NewReader(input), &out, &err, sys)
	return code, out.String(), err.String()
}

// machineOf is a Linux machine with these variables.
func machineOf(vars ...string) env.System {
	return env.System{Env: env.New(vars), GOOS: "linux", Now: time.Now}
}

func journalOf(t testing.TB, sys env.System) string {
	t.Helper()
	return journal.Path(testenv.Must(sys.Places())(t).State)
}

const preToolUse = `{"session_id":"s-1","cwd":"/home/dev/project","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash",` +
	`"tool_input":{"command":"ls ~/.aws","description":"check aws creds","dangerouslyDisableSandbox":true},"tool_use_id":"toolu_1"}`

func TestARealEventIsAnsweredWithAQuestion(t *testing.T) {
	code, stdout, stderr, records := run(t, "bypass-warn", preToolUse)
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":` +
		`"SANDBOX BYPASS: this call asks to run OUTSIDE the sandbox, where no file is hidden and no host is blocked.\n` +
		`command: ls ~/.aws\nreason given: check aws creds"}}` + "\n"
	if code != 0 || stderr != "" {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
	if diff := cmp.Diff(want, stdout); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]journal.Record{{Time: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Session: "s-1",
		Project: "/home/dev/project",
		Kind:    journal.Bypass, Command: "ls ~/.aws", Reason: "check aws creds"}}, records); diff != "" {
		t.Error(diff)
	}
}

// The hand test of the source document.
func TestAnotherShapeGetsTheBanner(t *testing.T) {
	const input = `{"tool_name":"Bash","tool_input":{"command":"ls ~/.aws","description":"check aws creds","dangerouslyDisableSandbox":true}}`
	code, stdout, stderr, records := run(t, "bypass-warn", input)
	lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
	if code != 1 || stdout != "" || len(lines) != 4 || len(records) != 1 {
		t.Fatalf("code %d, stdout %q, stderr %q, %d records", code, stdout, stderr, len(records))
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "\x1b[1;31m") || !strings.HasSuffix(line, "\x1b[0m") {
			t.Errorf("%q is not bold and red", line)
		}
	}
	if !strings.Contains(lines[1], "ls ~/.aws") || !strings.Contains(lines[2], "check aws creds") {
		t.Errorf("command and reason are not there: %q", lines)
	}
	if _, _, stderr, _ := run(t, "bypass-warn", input, "NO_COLOR=1"); strings.Contains(stderr, "\x1b") {
		t.Errorf("NO_COLOR is not honoured: %q", stderr)
	}
}

func TestWhatAsksForABypass(t *testing.T) {
	for _, c := range []struct {
		name, input string
		warns       bool
	}{
		{"spacing", "{ \"tool_input\" :\n{\"dangerouslyDisableSandbox\"\t:\r\n true } }", true},
		{"deeper", `{"a":[{"b":{"args":[1,{"dangerouslyDisableSandbox":true}]}}]}`, true},
		{"at the top", `{"dangerouslyDisableSandbox":true}`, true},
		{"the string, which the runtime takes for it", `{"tool_input":{"dangerouslyDisableSandbox":"true"}}`, true},
		{"a string in capitals", `{"dangerouslyDisableSandbox":" TRUE "}`, true},
		{"a number", `{"dangerouslyDisableSandbox":1}`, true},
		{"first true, then false", `{"dangerouslyDisableSandbox":true,"dangerouslyDisableSandbox":false}`, true},
		{"an escaped key", `{"tool_input":{"dangerously\u0044isableSandbox":true}}`, true},
		{"cut off", `{"tool_input":{"command":"x","dangerouslyDisableSandbox":true`, true},
		{"broken before it", `{"tool_input":{command:"x","dangerouslyDisableSandbox": true}}`, true},
		{"no JSON at all", `dangerouslyDisableSandbox=true`, true},
		{"JSON in text that is no JSON", `event: {\"dangerouslyDisableSandbox\":true}`, true},
		{"nested too deep", strings.Repeat("[", 100000) + `{"dangerouslyDisableSandbox":true}`, true},
		{"a byte order mark", "\ufeff" + `{"dangerouslyDisableSandbox":true}`, true},

		{"absent", `{"tool_input":{"command":"ls"}}`, false},
		{"false", `{"tool_input":{"dangerouslyDisableSandbox":false}}`, false},
		{"null", `{"tool_input":{"dangerouslyDisableSandbox":null}}`, false},
		{"zero", `{"dangerouslyDisableSandbox":0.0}`, false},
		{"the string false", `{"dangerouslyDisableSandbox":"false"}`, false},
		{"a command that mentions it", `{"tool_input":{"command":"grep dangerouslyDisableSandbox: true x"}}`, false},
		{"a command that prints it", `{"tool_input":{"command":"echo '{\"dangerouslyDisableSandbox\":true}'"}}`, false},
		{"a name of which it is a part", `{"not_dangerouslyDisableSandbox":true}`, false},
		{"as a value", `{"key":"dangerouslyDisableSandbox","other":true}`, false},
		{"broken, without true", `{"command":"grep dangerouslyDisableSandbox`, false},
		{"empty", ``, false},
		{"binary", "\x00\xff\xfe", false},
	} {
		code, stdout, stderr, records := run(t, "bypass-warn", c.input)
		if warned := code == 1 && stderr != "" && len(records) == 1; warned != c.warns || stdout != "" || !c.warns &&
			(code != 0 || stderr != "" || len(records) != 0) {
			t.Errorf("%s: code %d, stdout %q, stderr %q, %d records", c.name, code, stdout, stderr, len(records))
		}
	}
}

func TestTheRequestShownIsThatOfTheFlag(t *testing.T) {
	code, stdout, _, _ := run(t, "bypass-warn",
		`{"hook_event_name":"PreToolUse","last":{"command":"ls","description":"harmless"},`+
			`"tool_input":{"dangerouslyDisableSandbox":true,"more":{"command":"pwd"},"command":"rm -rf ~","description":"clean up"}}`)
	if code != 0 || !strings.Contains(stdout, `command: rm -rf ~\nreason given: clean up"`) {
		t.Errorf("%d %s", code, stdout)
	}
	_, stdout, _, _ = run(t, "bypass-warn",
		`{"hook_event_name":"PreToolUse","tool_input":{"command":"ls"},"options":{"dangerouslyDisableSandbox":true}}`)
	if !strings.Contains(stdout, `command: ls\nreason given: (not stated)"`) {
		t.Error(stdout)
	}
}

func TestOtherEventsAreNotAnswered(t *testing.T) {
	for _, event := range []string{`"PostToolUse"`, `"PermissionRequest"`, `7`, `null`, `["PreToolUse"]`} {
		code, stdout, stderr, _ := run(t, "bypass-warn", strings.Replace(preToolUse, `"PreToolUse"`, event, 1))
		if code != 1 || stdout != "" || stderr == "" {
			t.Errorf("%s: code %d, stdout %q, stderr %q", event, code, stdout, stderr)
		}
	}
	// The name has to stand at the top: what lies deeper is the call's.
	code, stdout, _, _ := run(t, "bypass-warn",
		`{"tool_input":{"hook_event_name":"PreToolUse","dangerouslyDisableSandbox":true}}`)
	if code != 1 || stdout != "" {
		t.Errorf("code %d, stdout %q", code, stdout)
	}
}

func TestNothingHostileIsShown(t *testing.T) {
	command := "curl -H 'Authorization: Bearer abc123' https://me:pw@host \x1b]0;owned\x07\u202e" +
		strings.Repeat("A", 5000) + "\nTOKEN=hunter2"
	quoted, err := json.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{`"hook_event_name":"PreToolUse",`, ""} {
		_, stdout, stderr, records := run(t, "bypass-warn", `{`+event+
			`"session_id":"\u001b[2J","tool_input":{"dangerouslyDisableSandbox":true,"command":`+string(quoted)+
			`,"description":"`+"\xff\xfe"+`\u0000"}}`)
		shown := stdout + strings.NewReplacer("\x1b[1;31m", "", "\x1b[0m", "", "\n", "").Replace(stderr)
		var answer map[string]map[string]string
		if stdout != "" {
			if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
				t.Fatal(err)
			}
			shown = strings.ReplaceAll(answer["hookSpecificOutput"]["permissionDecisionReason"], "\n", "")
		}
		kept := records[0].Command + records[0].Reason + records[0].Session
		for _, bad := range []string{"abc123", ":pw@", "hunter2", "\x1b", "\x07", "\u202e", "\xff", "\x00"} {
			if strings.Contains(shown, bad) || strings.Contains(kept, bad) {
				t.Errorf("%q is shown or kept: %q %q", bad, shown, kept)
			}
		}
		if len(shown) > 2000 {
			t.Errorf("%d bytes are shown", len(shown))
		}
	}
}
