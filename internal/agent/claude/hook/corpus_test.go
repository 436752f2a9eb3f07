// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the hint is judged by what real commands print, in circumstances
// that are made real: files, servers and an agent socket outside the sandbox.

package hook_test

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/hook"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// sample is one file of testdata/corpus: what a command printed, and in which
// circumstances.
type sample struct {
	name, output string
	// head holds the lines before "---": entry, command, cwd, and what is
	// true outside the sandbox: exists (a file), fresh (a file that is
	// new), listens (a server on ${PORT}), agent (an SSH agent),
	// installed (a program on PATH).
	head map[string]string
}

func corpus(t testing.TB, dir string) []sample {
	t.Helper()
	files, err := filepath.Glob("../../../../testdata/corpus/" + dir + "/*.txt")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d samples: %v", len(files), err)
	}
	var samples []sample
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, output, ok := strings.Cut(string(data), "---\n")
		if !ok {
			t.Fatalf("%s has no ---", file)
		}
		s := sample{name: strings.TrimSuffix(filepath.Base(file), ".txt"), output: strings.TrimSuffix(output, "\n"),
			head: map[string]string{}}
		for line := range strings.Lines(head) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			s.head[key] = value
		}
		samples = append(samples, s)
	}
	return samples
}

// machine makes the sample's circumstances real and returns the hook's view
// of them, and the sample's texts with this machine's values.
func machine(t *testing.T, s sample) (env.System, func(string) string) {
	t.Helper()
	home := filepath.Join(testenv.Home(t), "home", "dev")
	fill := strings.NewReplacer("${HOME}", home).Replace
	put := func(path string, age time.Duration) {
		testenv.Write(t, path, "", 0o644)
		for p := path; len(p) > len(home); p = filepath.Dir(p) {
			if err := os.Chtimes(p, time.Time{}, time.Now().Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(filepath.Join(home, "project", "README.md"), time.Hour)
	if path := s.head["exists"]; path != "" {
		put(fill(path), time.Hour)
	}
	if path := s.head["fresh"]; path != "" {
		put(fill(path), 0)
	}
	if s.head["listens"] != "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		_, port, _ := net.SplitHostPort(l.Addr().String())
		fill = strings.NewReplacer("${HOME}", home, "${PORT}", port).Replace
	}
	var vars []string
	path := "/usr/bin:/bin"
	if program := s.head["installed"]; program != "" {
		put(fill(program), time.Hour)
		testenv.OK(t, os.Chmod(fill(program), 0o755))
		path = filepath.Dir(fill(program)) + ":" + path
	}
	if s.head["agent"] != "" {
		socket := filepath.Join(home, "agent.sock")
		vars = append(vars, "SSH_AUTH_SOCK="+socket)
		put(socket, time.Hour)
	}
	if text := s.head["settings"]; text != "" {
		testenv.Write(t, filepath.Join(home, ".claude", "settings.json"), text, 0o644)
	}
	return machineOf(append(vars, "HOME="+home, "PATH="+path)...), fill
}

// events are the forms in which the runtime reports what a command printed.
var events = []string{"PostToolUse", "PostToolUseFailure"}

// payload is the event of a sample, as 2.1.329 writes it.
func payload(t testing.TB, event string, s sample, fill func(string) string) string {
	t.Helper()
	cwd := s.head["cwd"]
	if cwd == "" {
		cwd = "${HOME}/project"
	}
	input := map[string]any{"command": fill(s.head["command"]), "description": "a call"}
	if s.head["unsandboxed"] != "" {
		input["dangerouslyDisableSandbox"] = true
	}
	p := map[string]any{"session_id": "s-1", "transcript_path": fill("${HOME}/t.jsonl"), "cwd": fill(cwd),
		"prompt_id": "p-1", "permission_mode": "default", "hook_event_name": event, "tool_name": "Bash", "tool_input": input,
		"tool_use_id": "toolu_1", "duration_ms": 150}
	output := fill(s.output)
	if event == "PostToolUseFailure" {
		p["error"], p["is_interrupt"] = "Exit code 1\n"+output, false
	} else {
		response := map[string]any{"stdout": output, "stderr": "", "interrupted": false, "isImage": false,
			"noOutputExpected": false}
		if at := strings.Index(output, "\n\n<sandbox_violations>"); at >= 0 && s.head["entry"] != "" {
			response["stdout"], response["stderr"] = output[:at], output[at+2:]
		}
		p["tool_response"] = response
	}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOrdinaryOutputGetsNoHint(t *testing.T) {
	for _, s := range corpus(t, "ordinary") {
		sys, fill := machine(t, s)
		for _, event := range events {
			var stdout, stderr strings.Builder
			code := hook.Run("error-hint", strings.NewReader(payload(t, event, s, fill)), &stdout, &stderr, sys)
			if code != 0 || stdout.String() != "" || stderr.String() != "" {
				t.Errorf("%s, %s: false alarm: %d %s%s", s.name, event, code, stdout.String(), stderr.String())
			}
		}
		if _, err := os.Stat(journalOf(t, sys)); err == nil {
			t.Errorf("%s: something was journaled", s.name)
		}
	}
}

func TestDenialsGetTheirHint(t *testing.T) {
	for _, s := range corpus(t, "denials") {
		if runtime.GOOS != "linux" && s.head["listens"] != "" {
			continue // only Linux lists who listens
		}
		sys, fill := machine(t, s)
		for _, event := range events {
			var stdout, stderr strings.Builder
			code := hook.Run("error-hint", strings.NewReader(payload(t, event, s, fill)), &stdout, &stderr, sys)
			var answer struct {
				Output struct {
					Event   string `json:"hookEventName"`
					Context string `json:"additionalContext"`
				} `json:"hookSpecificOutput"`
				Message string `json:"systemMessage"`
			}
			if err := json.Unmarshal([]byte(stdout.String()), &answer); code != 0 || err != nil || stderr.String() != "" {
				t.Errorf("%s, %s: %d %q %q", s.name, event, code, stdout.String(), stderr.String())
				continue
			}
			want := "[sandbox-hint] " + s.head["entry"] + ": "
			if answer.Output.Event != event || !strings.HasPrefix(answer.Message, want) ||
				!strings.HasPrefix(answer.Output.Context, answer.Message) ||
				!strings.Contains(answer.Message, "steward-setup ") || strings.Contains(answer.Message, "\n") {
				t.Errorf("%s, %s: want %s, got %s", s.name, event, want, stdout.String())
			}
		}
	}
}

// The measure of the corpus itself: each entry that a hook may name has a
// denial in it.
func TestTheCorpusCoversTheCatalog(t *testing.T) {
	have := map[string]bool{}
	for _, s := range corpus(t, "denials") {
		have[s.head["entry"]] = true
	}
	for _, id := range []string{"ssh-agent", "docker", "podman", "gpg-sign", "unix-sockets", "loopback-host", "git-ssh",
		"egress-blocked", "sandbox-violation",
		"gh-login", "git-worktree", "nested-namespace", "nested-container", "userns", "sandbox-lost", "tmp-read-only",
		"write-denied", "hidden-path"} {
		if !have[id] {
			t.Errorf("no denial for %s", id)
		}
	}
}
