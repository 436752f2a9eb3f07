// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what somebody pastes is recognised in every form in which
// it can be pasted.

package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestRecognise(t *testing.T) {
	entries := load(t)
	result, err := json.Marshal(map[string]any{"type": "tool_result", "content": []any{map[string]any{"type": "text", "text": "Exit code 2\nError connecting to agent: Operation not permitted\n"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, platform, id, line, need string }{
		{"an id", "ssh-agent\n", "linux", "ssh-agent", "", ""},
		{"an id in capitals", "Docker", "linux", "docker", "", ""},
		{"a hint", "[sandbox-hint] loopback-host: something listens. To look closer: …", "linux", "loopback-host", "", ""},
		{"an error", "$ ssh-add -l\nError connecting to agent: Operation not permitted\n", "linux", "ssh-agent", "Error connecting to agent: Operation not permitted", ""},
		{"a tool result", string(result), "linux", "ssh-agent", "Error connecting to agent: Operation not permitted", ""},
		{"what a hook keeps silent about", "ping: github.com: Temporary failure in name resolution", "linux", "egress-direct", "", "ordinary causes"},
		{"an everyday error", "cat: /home/me/.netrc: No such file or directory", "linux", "hidden-path", "", "is there outside"},
		{"the other platform's words", "x509: OSStatus -26276", "linux", "tls-trust", "", ""},
		{"words of both, on this one", "listen EPERM: operation not permitted /tmp/l.sock", "linux", "unix-sockets", "", ""},
		{"a half document", `{"content": "Error connecting to agent: Operation not permitted"`, "linux", "ssh-agent", "", ""},
	} {
		a, ok := Recognise(entries, c.text, c.platform)
		if !ok || a.Entry.ID != c.id || c.line != "" && a.Line != c.line || !strings.Contains(a.If, c.need) {
			t.Errorf("%s: %q is taken for %q (%q, if %q)", c.name, c.text, a.Entry.ID, a.Line, a.If)
		}
		if a.Elsewhere != !slices.Contains(a.Entry.Platforms, c.platform) {
			t.Errorf("%s: elsewhere is %v", c.name, a.Elsewhere)
		}
	}
	for _, text := range []string{"", "all tests passed", "null", "{}", strings.Repeat("[", 1<<16)} {
		if a, ok := Recognise(entries, text, "linux"); ok {
			t.Errorf("%.20q is taken for %s", text, a.Entry.ID)
		}
	}
}

func TestNearest(t *testing.T) {
	entries := load(t)
	if got := Nearest(entries, "podman could not do something", 3); len(got) == 0 || got[0] != "podman" {
		t.Errorf("podman: %q", got)
	}
	if got := Nearest(entries, "docker daemon socket", 2); len(got) != 2 || got[0] != "docker" {
		t.Errorf("docker: %q", got)
	}
	if got := Nearest(entries, "zzz", 3); got != nil {
		t.Errorf("a word that nobody has: %q", got)
	}
}

func FuzzRecognise(f *testing.F) {
	entries := load(f)
	f.Add(`{"a":["gpg: No agent running",{"b":1}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if a, ok := Recognise(entries, text, "linux"); ok && a.Entry.ID == "" {
			t.Error("an entry without an id")
		}
		Nearest(entries, text, 3)
	})
}
