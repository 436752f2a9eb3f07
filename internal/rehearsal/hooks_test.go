// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestHooksRun(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	claude := testenv.Claude(t)
	l := newLab(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	installed := filepath.Join(l.home, ".local", "bin", "steward-setup")
	testenv.Link(t, exe, installed)
	script, err := scripts.Render("sandbox-bypass-warn.sh", installed)
	if err != nil {
		t.Fatal(err)
	}
	l.put(".claude/scripts/sandbox-bypass-warn.sh", string(script), 0o700)
	l.put("dotfiles/log.sh", "#!/bin/sh\ncat ~/share/word\ncat ~/.aws/credentials ~/.config/op/config\n", 0o700)
	testenv.Mkdir(t, filepath.Join(l.home, "bin"))
	testenv.Link(t, "../dotfiles/log.sh", filepath.Join(l.home, "bin", "log"))
	l.put("share/word", "the user's hook ran\n", 0o600)
	l.put(".aws/credentials", secret, 0o600)
	l.put(".config/op/config", secret, 0o600) // has no canary
	l.put(".claude/settings.json", `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
		{"type":"command","command":"~/bin/log ~/share/word ~/.aws/credentials ~/.config/op/config"},
		{"type":"command","command":"~/.claude/scripts/sandbox-bypass-warn.sh"}]}]}}`, 0o644)
	policy := testenv.Read(t, filepath.Join(l.project, ".claude", "settings.json"))
	l.put("code/p/.claude/settings.json", strings.Replace(policy, "{",
		`{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"echo PROJECT"}]}]},`, 1), 0o644)

	th := l.theatre(claude)
	raw := l.play(th, Session{Mode: Hooks, Turns: calls("echo x")})
	expectHooks(t, raw, l.home)
	record(t, "hooks", raw)
	if quiet := l.play(th, Session{Mode: Policy, Turns: calls("echo x")}); len(quiet.Record().Hooks()) > 0 ||
		strings.Contains(quiet.Stream, "hook ran") {
		t.Error("hooks ran in a session without them")
	}
}

// TestAHookOfTheProjectByItsPath: a user's hook may name a file of the project,
// which is on the stage already, read-only.
func TestAHookOfTheProjectByItsPath(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	claude := testenv.Claude(t)
	l := newLab(t)
	hook := l.put("code/p/.claude/hooks/x.sh", "#!/bin/sh\necho it ran >&2; exit 1\n", 0o755)
	l.put(".claude/settings.json", `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"`+hook+
		`"}]}]}}`, 0o644)
	raw := l.play(l.theatre(claude), Session{Mode: Hooks, Turns: calls("echo x")})
	if runs := raw.Record().Hooks(); len(runs) != 1 || !strings.Contains(runs[0].Stderr, "it ran") {
		t.Errorf("%+v", runs)
	}
}

// TestRecordedHooks says the same of what was recorded.
func TestRecordedHooks(t *testing.T) {
	raw := recorded(t, "hooks")["hooks"]
	_, rest, _ := strings.Cut(raw.Stream, `"cwd":"`)
	project, _, _ := strings.Cut(rest, `"`)
	expectHooks(t, raw, filepath.Dir(filepath.Dir(project)))
}

func expectHooks(t *testing.T, raw Raw, home string) {
	t.Helper()
	said := ""
	for _, run := range raw.Record().Hooks() {
		said += run.Stdout + run.Stderr
	}
	for _, want := range []string{"the user's hook ran", "the program's own hook ran",
		canary(filepath.Join(home, ".aws/credentials"))} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in what the hooks said: %q", want, said)
		}
	}
	for _, never := range []string{secret, "PROJECT"} {
		if strings.Contains(said, never) {
			t.Errorf("%q in what the hooks said: %q", never, said)
		}
	}
}
