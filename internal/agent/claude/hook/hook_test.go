// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each test states what the runtime gets back, whatever it sends and
// whatever fails.

package hook_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/hook"
	"github.com/steward-setup/steward-setup/internal/journal"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// The hand test of the source document, and its three classes.
func TestHintByHand(t *testing.T) {
	for text, entry := range map[string]string{
		"Could not open a connection to your authentication agent.": "ssh-agent",
		"agent refused operation":                                   "ssh-agent",
		"ssh-add: error fetching identities":                        "ssh-agent",
		"Permission denied (publickey)":                             "ssh-publickey",
		"Cannot connect to the Docker daemon":                       "docker",
		"open /var/run/docker.sock: operation not permitted":        "docker",
		"Cannot connect to Podman":                                  "podman",
		"podman.sock: connect: permission denied":                   "podman",
		"127.0.0.1:8080 Permission denied":                          "loopback-bind",
		"Operation not permitted on bind":                           "loopback-bind",
		"[Errno 49] Can't assign requested address":                 "loopback-bind",
		"Connection refused to 127.0.0.1:8080":                      "loopback-host",
	} {
		code, stdout, stderr, records := run(t, "error-hint", `{"tool_name":"Bash","tool_response":{"stdout":"","stderr":"`+
			text+`"}}`)
		if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "\x1b[33m[sandbox-hint] "+entry+": ") ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %d %q %q", text, code, stdout, stderr)
		}
		if len(records) != 1 || records[0].Kind != journal.Denial || records[0].Entry != entry {
			t.Errorf("%s: journaled as %v", text, records)
		}
	}
	for _, input := range []string{
		`{"tool_name":"Bash","tool_response":{"stdout":"hello world","stderr":""}}`,
		`{"tool_name":"Bash","tool_response":{"stdout":"","stderr":"cat: x: No such file or directory"}}`,
	} {
		if code, stdout, stderr, _ := run(t, "error-hint", input); code != 0 || stdout+stderr != "" {
			t.Errorf("%s: %d %q %q", input, code, stdout, stderr)
		}
	}
}

func TestHintIsSilentOnOtherShapes(t *testing.T) {
	const text = "Error connecting to agent: Operation not permitted"
	for _, input := range []string{
		"", text, `"` + text + `"`, `["` + text + `"]`, `{"x":"` + text + `"}`, `{"tool_response":"` + text + `"}`,
		`{"tool_response":{"stderr":["` + text + `"]}}`, `{"tool_response":[{"stderr":"` + text + `"}]}`,
		`{"error":{"stderr":"` + text + `"}}`,
		`{"hook_event_name":"PreToolUse","error":"` + text + `"}`, `{"hook_event_name":"Stop","error":"` + text + `"}`,
		`{"hook_event_name":7,"error":"` + text + `"}`, `{"hook_event_name":[],"error":"` + text + `"}`,
		`{"hook_event_name":null,"error":"` + text + `"}`,
		`{"tool_name":"Read","error":"` + text + `"}`, `{"tool_name":["Bash"],"error":"` + text + `"}`,
		`{"tool_input":{"command":"` + text + `"},"tool_response":{"stdout":"ok"}}`,
		`{"error":"` + text + `"`, `{"error":"` + text + `"}}`, `{"error":'` + text + `'}`,
		strings.Repeat("[", 100000) + text,
	} {
		if code, stdout, stderr, records := run(t, "error-hint", input); code != 0 || stdout+stderr != "" ||
			len(records) != 0 {
			t.Errorf("%.80q: %d %q %q", input, code, stdout, stderr)
		}
	}
}

func TestACallThatAskedToLeaveTheSandboxGetsNoHint(t *testing.T) {
	const call = `{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"x","dangerouslyDisableSandbox":true},"error":"Exit code 1\n`
	if _, stdout, _, _ := run(t, "error-hint", call+`Error connecting to agent: Operation not permitted"}`); stdout != "" {
		t.Errorf("an ordinary error outside: %s", stdout)
	}
	// Where bypasses are not allowed the call runs inside all the same.
	if _, stdout, _, _ := run(t, "error-hint", call+
		`bwrap: setting up uid map: Permission denied"}`); !strings.Contains(stdout, "userns") {
		t.Error("what only the sandbox writes goes without a hint")
	}
}

// slow is a reader without end.
type slow struct{ unit string }

func (s slow) Read(p []byte) (int, error) { return copy(p, s.unit), nil }

func TestAHugeEventIsJudgedByItsFirstPart(t *testing.T) {
	head := strings.TrimSuffix(preToolUse, "}") + `,"rest":"`
	var stdout, stderr strings.Builder
	sys := machineOf()
	if code := hook.Run("bypass-warn", io.MultiReader(strings.NewReader(head), slow{strings.Repeat("x", 1<<16)}), &stdout,
		&stderr, sys); code != 0 || !strings.Contains(stdout.String(), `"ask"`) {
		t.Errorf("the flag before the end of the first part: %d %q %q", code, stdout.String(), stderr.String())
	}
	stdout.Reset()
	mention := `{"hook_event_name":"PreToolUse","tool_input":{"command":"echo dangerouslyDisableSandbox: true `
	if code := hook.Run("bypass-warn", io.MultiReader(strings.NewReader(mention), slow{strings.Repeat("x", 1<<16)}),
		&stdout, &stderr, sys); code != 0 || stdout.String()+stderr.String() != "" {
		t.Errorf("a command that mentions it: %d %q %q", code, stdout.String(), stderr.String())
	}
	failed := `{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","error":"Exit code 1\nbwrap: setting up uid map: Permission denied\n`
	if code := hook.Run("error-hint", io.MultiReader(strings.NewReader(failed), slow{strings.Repeat("x", 1<<16)}), &stdout,
		&stderr, sys); code != 0 || !strings.Contains(stdout.String(), "userns") {
		t.Errorf("an error in a text that is cut off: %d %q %q", code, stdout.String(), stderr.String())
	}
}

func TestALookAroundThatHangsCostsTheHintOnly(t *testing.T) {
	sys := machineOf("HOME=" + t.TempDir())
	denied := deniedIn(t, sys.Get("HOME"))
	sys.Now = func() time.Time { return time.Now().Add(time.Hour) } // the file was there before the call
	if code, stdout, stderr := hookOn(sys, "error-hint", denied); code != 0 || !strings.Contains(stdout, "hidden-path") {
		t.Errorf("%d %q %q", code, stdout, stderr)
	}
	sys.Now = func() time.Time { select {} } // for ever: what goes on later would write while the home is removed
	if code, stdout, stderr := hookOn(sys, "error-hint", denied); code != 0 || stdout+stderr != "" {
		t.Errorf("%d %q %q", code, stdout, stderr)
	}
	if code, stdout, stderr := hookOn(sys, "bypass-warn", preToolUse); code != 0 || !strings.Contains(stdout, `"ask"`) {
		t.Errorf("%d %q %q", code, stdout, stderr)
	}
}

// deniedIn is a call that did not find a file of the home, which is there.
func deniedIn(t *testing.T, home string) string {
	t.Helper()
	testenv.Write(t, home+"/.netrc", "", 0o600)
	return `{"hook_event_name":"PostToolUseFailure","cwd":"/p","error":"cat: ` + home + `/.netrc: No such file or directory"}`
}

// defect stands for every panic of ours.
type defect struct{}

func (defect) Read([]byte) (int, error) { panic("defect") }

// A Go program that panics ends with 2, and 2 blocks the call.
func TestADefectOfOursDoesNotBlockTheCall(t *testing.T) {
	for name, want := range map[string]int{"bypass-warn": 1, "error-hint": 0} {
		var stdout, stderr strings.Builder
		code := hook.Run(name, defect{}, &stdout, &stderr, machineOf())
		if code != want || strings.Contains(stderr.String(), "the hook itself failed") != (code == 1) {
			t.Errorf("%s: %d %q", name, code, stderr.String())
		}
	}
	sys := machineOf("HOME=" + t.TempDir())
	sys.Now = nil // a panic beside the hook, in what looks around and in the journal
	if code, stdout, _ := hookOn(sys, "bypass-warn", preToolUse); code != 0 || !strings.Contains(stdout, `"ask"`) {
		t.Errorf("%d %q", code, stdout)
	}
	denied := deniedIn(t, sys.Get("HOME"))
	if code, stdout, stderr := hookOn(sys, "error-hint", denied); code != 0 || stdout+stderr != "" {
		t.Errorf("%d %q %q", code, stdout, stderr)
	}
}

func TestAnUnknownHook(t *testing.T) {
	if code, stdout, stderr, _ := run(t, "nope\x1b[2J", preToolUse); code != 64 || stdout != "" ||
		!strings.Contains(stderr, "nope␛[2J") {
		t.Errorf("%d %q %q", code, stdout, stderr)
	}
}

func FuzzBypassWarn(f *testing.F) {
	f.Add(preToolUse)
	f.Add(`{"a":[{"dangerouslyDisableSandbox":"true"}]}`)
	f.Add(`x dangerouslyDisableSandbox : true`)
	f.Add(`{"tool_input":{"dangerously\u0044isableSandbox":1,"command":"\ud83d\ude00\ud800"}}`)
	f.Fuzz(func(t *testing.T, input string) {
		code, stdout, stderr, records := run(t, "bypass-warn", input)
		if want := asks(input); json.Valid([]byte(input)) && want != (stdout+stderr != "") {
			t.Errorf("%q asks for a bypass: %v; printed %q %q", input, want, stdout, stderr)
		}
		if code != 0 && (code != 1 || stdout != "") || (stdout+stderr != "") != (len(records) == 1) {
			t.Errorf("%q: %d %q %q %v", input, code, stdout, stderr, records)
		}
		safe(t, stdout, stderr)
	})
}

// asks finds the flag with encoding/json.
func asks(input string) bool {
	dec := json.NewDecoder(strings.NewReader(input))
	dec.UseNumber()
	type level struct{ object, value bool }
	levels := []level{{}}
	key := ""
	for {
		tok, err := dec.Token()
		if err != nil {
			return false
		}
		top := &levels[len(levels)-1]
		isKey := false
		switch v := tok.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				top.value = false
				levels = append(levels, level{object: v == '{'})
			} else {
				levels = levels[:len(levels)-1]
			}
			continue
		case string:
			isKey = top.object && !top.value
			if isKey {
				key, top.value = v, true
				continue
			}
			v = strings.ToLower(strings.TrimSpace(v))
			if top.object && key == "dangerouslyDisableSandbox" && (v == "true" || v == "1" || v == "yes" || v == "on") {
				return true
			}
		case bool:
			if top.object && key == "dangerouslyDisableSandbox" && v {
				return true
			}
		case json.Number:
			if top.object && key == "dangerouslyDisableSandbox" && strings.ContainsAny(v.String(), "123456789") {
				return true
			}
		}
		top.value = false
	}
}

func FuzzErrorHint(f *testing.F) {
	for _, dir := range []string{"ordinary", "denials"} {
		for _, s := range corpus(f, dir) {
			f.Add(payload(f, "PostToolUse", s, strings.NewReplacer("${HOME}", "/home/dev").Replace))
		}
	}
	f.Add(`{"tool_response":{"stderr":"bwrap: setting up uid map\u001b[2J"}}`)
	f.Fuzz(func(t *testing.T, input string) {
		code, stdout, stderr, records := run(t, "error-hint", input)
		if code != 0 && (code != 1 || stdout != "") || (stdout+stderr != "") != (len(records) == 1) {
			t.Errorf("%q: %d %q %q %v", input, code, stdout, stderr, records)
		}
		if !json.Valid([]byte(input)) && stdout+stderr != "" {
			t.Errorf("%q is no JSON: %q %q", input, stdout, stderr)
		}
		safe(t, stdout, stderr)
	})
}

// safe checks that nothing raw was printed, and an answer is one.
func safe(t *testing.T, stdout, stderr string) {
	t.Helper()
	plain := strings.NewReplacer("\x1b[1;31m", "", "\x1b[33m", "", "\x1b[0m", "", "\n", "").Replace(stderr)
	for _, r := range strings.ReplaceAll(stdout, "\n", "") + plain {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' {
			t.Errorf("%U is printed: %q %q", r, stdout, stderr)
		}
	}
	if stdout != "" && !json.Valid([]byte(stdout)) {
		t.Errorf("%q is no answer", stdout)
	}
}

func BenchmarkHooks(b *testing.B) {
	big := strings.Repeat(`2026-11-20 10:00:00 INFO worker 7: \"request\" 1234 from 127.0.0.1 done in 12 ms\n`, (1<<20)/86)
	for _, c := range []struct{ name, hook, input string }{
		{"bypass-warn/silent", "bypass-warn", strings.Replace(preToolUse, `,"dangerouslyDisableSandbox":true`, "", 1)},
		{"bypass-warn/ask", "bypass-warn", preToolUse},
		{"bypass-warn/silent-1MiB", "bypass-warn",
			strings.Replace(strings.Replace(preToolUse, `,"dangerouslyDisableSandbox":true`, "", 1), "ls", big, 1)},
		{"bypass-warn/ask-1MiB", "bypass-warn", strings.Replace(preToolUse, "ls", big, 1)},
		{"error-hint/silent", "error-hint", `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{"stdout":"ok","stderr":""}}`},
		{"error-hint/ordinary", "error-hint", `{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","cwd":"/x","error":"cat: x: No such file or directory"}`},
		{"error-hint/hint", "error-hint", `{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","error":"bwrap: setting up uid map: x"}`},
		{"error-hint/silent-1MiB", "error-hint",
			`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{"stdout":"` + big + `","stderr":""}}`},
		{"error-hint/ordinary-1MiB", "error-hint",
			`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{"stdout":"` + big +
				`cat: x: No such file or directory","stderr":""}}`},
	} {
		sys := machineOf() // without a journal
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.input)))
			for b.Loop() {
				hook.Run(c.hook, strings.NewReader(c.input), io.Discard, io.Discard, sys)
			}
		})
	}
}
