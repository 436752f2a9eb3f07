// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an earlier proof is shown only for exactly what was
// proved, and only where nobody else could have written it.

package checks_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
	"github.com/steward-setup/steward-setup/steps/verify"
)

func keyOf(m *Machine) string {
	return verify.Key(context.Background(), host.Once(m.host()),
		verify.Options{Agent: checks.Claude{}, Project: m.Project})
}

func TestTheKeyIsOfEverythingThatDecides(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	healthy.write("~/bin/rules.sh", "exit 0\n", 0o644)
	healthy.write("~/bin/tell", "\x7fELF\x00\x00", 0o755)
	healthy.write("~/bin/skilled", "#!/bin/sh\n", 0o755)
	healthy.write(ownSkill, "---\nname: x\ndescription: d\nhooks:\n  PreToolUse:\n    - hooks:\n"+
		"        - type: command\n          command: ~/bin/skilled\n---\nHelp.\n", 0o644)
	hookScript("PreToolUse", "", "guard", "#!/bin/sh\n. ~/bin/rules.sh\n")(healthy)
	hooked(userFile, "PostToolUse", "", "~/bin/tell")(healthy)
	hooked(userFile, "PermissionRequest", "", "cat ~/.claude/answer.json")(healthy)
	for _, c := range []struct {
		name   string
		change func(*Machine)
		same   bool
	}{
		{"nothing", func(*Machine) {}, true},
		{"a file of the project", func(m *Machine) { m.write(m.Project+"/main.go", "package main\n", 0o644) }, true},
		{"what the runtime notes down", func(m *Machine) { m.write("~/.claude.json", `{"numStartups":7}`, 0o600) }, true},
		{"the project's settings", func(m *Machine) {
			m.write(m.Project+"/.claude/settings.json", m.read(m.Project+"/.claude/settings.json")+"\n", 0o644)
		}, false},
		{"settings that are dropped", func(m *Machine) { m.write("~/.claude/settings.json", "{ // no\n}", 0o644) }, false},
		{"settings that appear", func(m *Machine) { m.write("/etc/claude-code/managed-settings.json", "{}", 0o644) }, false},
		{"a worktree's own settings", func(m *Machine) { m.write(m.Worktree+"/.claude/settings.local.json", "{}", 0o644) },
			false},
		{"the project's servers", func(m *Machine) { m.write(m.Project+"/.mcp.json", "{}", 0o644) }, false},
		{"a hook script", func(m *Machine) {
			m.write("~/.claude/scripts/sandbox-bypass-warn.sh", "#!/bin/sh\n", 0o755)
		}, false},
		{"a hook script of the user's own", func(m *Machine) { m.write("~/bin/guard", "#!/bin/sh\nexit 2\n", 0o755) }, false},
		{"a script that such a script starts", func(m *Machine) { m.write("~/bin/rules.sh", "exit 2\n", 0o644) }, false},
		{"a program that is a hook", func(m *Machine) { m.write("~/bin/tell", "\x7fELF\x00\x01", 0o755) }, false},
		{"a file that a hook prints", func(m *Machine) { m.write("~/.claude/answer.json", yesUse, 0o644) }, false},
		{"a hook script of a skill", func(m *Machine) { m.write("~/bin/skilled", "#!/bin/sh\nexit 2\n", 0o755) }, false},
		{"a hook script's mode", func(m *Machine) {
			m.write("~/.claude/scripts/sandbox-bypass-warn.sh", m.read("~/.claude/scripts/sandbox-bypass-warn.sh"), 0o644)
		}, false},
		{"the wrapper", func(m *Machine) {
			m.write("~/.claude/agent-isolation/claude-iso.sh", "claude-iso() { claude; }\n", 0o644)
		}, false},
		{"what the shell reads", func(m *Machine) { m.write("~/.bashrc", "alias claude=claude-iso\n", 0o644) }, false},
		{"a variable of the shell that keeps files from being attached",
			func(m *Machine) { m.Env[claude.MentionsVariable] = "1" }, false},
		{"an approval", func(m *Machine) { m.write("~/.local/state/steward-setup/approvals.json", "{}", 0o600) }, false},
		{"the runtime's version", func(m *Machine) { m.says("claude", pinned.ClaudeSays(pinned.Later(1))) }, false},
		{"the sandbox's version", func(m *Machine) { m.says("bwrap", "bubblewrap 0.11.3") }, false},
		{"the kernel", func(m *Machine) { m.write("/proc/sys/kernel/osrelease", "9.9.9\n", 0o644) }, false},
		{"another place to start", func(m *Machine) { m.write(m.Project+"/sub/x", "", 0o644); m.Project += "/sub" }, false},
		{"another worktree", func(m *Machine) { m.git(m.Project, "worktree", "add", "--quiet", "-b", "more", m.dir+"/more") },
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			before := keyOf(m)
			if again := keyOf(m); before == "" || again != before {
				t.Fatalf("the keys of one machine are %q and %q", before, again)
			}
			c.change(m)
			if after := keyOf(m); (after == before) != c.same || after == "" {
				t.Errorf("the key was %q and is %q", before, after)
			}
		})
	}
}

func finding(id report.ID, layer report.Layer, s report.Status, words string) report.Finding {
	return report.Finding{Check: id, Layer: layer, Status: s, Summary: words,
		Evidence: []report.Evidence{report.CommandEvidence("cat", words)}}
}

// proved are findings of a rehearsal, and one of a file.
var proved = []report.Finding{
	finding("denials", report.LayerSandbox, report.Pass, "67 of 67 held"),
	finding("hooks-fire", report.LayerVisibility, report.Warn, "token ghp_"+strings.Repeat("a1", 18)),
	finding("clean-env", report.LayerCleanEnv, report.Pass, "none of 21 arrives"),
	finding("scope", report.LayerSandbox, report.Fail, "long ago"),
}

// recall stores a proof, changes the machine and looks again.
func recall(t *testing.T, m *Machine, age time.Duration, change func()) (map[report.ID]report.Finding, engine.LiveFrom,
	time.Duration) {
	t.Helper()
	h, o := m.host(), verify.Options{Agent: checks.Claude{}, Project: m.Project}
	if err := verify.Store(h.Places(), keyOf(m), proved, time.Now().Add(-age)); err != nil {
		t.Fatal(err)
	}
	change()
	checks, from := verify.Recalled(context.Background(), h, o, verify.Checks(o))
	rep, err := verify.Run(context.Background(), h, checks, verify.RunOptions{Live: verify.Never, From: from},
		func(engine.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	found := map[report.ID]report.Finding{}
	for _, f := range rep.Findings {
		found[f.Check] = f
	}
	return found, rep.From, rep.Age
}

func TestAProofIsRecalledWithItsAge(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, usualSetup)
	found, from, age := recall(t, m, 49*time.Hour, func() {})
	if from != engine.FromStored || age < 49*time.Hour || age > 50*time.Hour {
		t.Errorf("from %s, %v old", from, age)
	}
	if f := found["denials"]; f.Status != report.Pass || f.Summary != "67 of 67 held" || f.Layer != report.LayerSandbox {
		t.Errorf("denials: %+v", f)
	}
	if f := found["hooks-fire"]; f.Status != report.Warn || strings.Contains(f.Summary+f.Evidence[0].Text, "ghp_") {
		t.Errorf("a secret was stored, or nothing: %+v", f)
	}
	if f := found["clean-env"]; f.Status != report.Pass || f.Summary != "none of 21 arrives" || len(f.Evidence) < 2 {
		t.Errorf("what was rehearsed is not beside what is seen: %+v", f)
	}
	if f := found["scope"]; f.Status == report.Fail {
		t.Errorf("what no rehearsal answers was stored: %+v", f)
	}
}

// TestWhatWasTestedBeforeAChangeIsSaid, with the version and the age, and not where a
// command could have written that.
func TestWhatWasTestedBeforeAChangeIsSaid(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, usualSetup)
	h, o := m.host(), verify.Options{Agent: checks.Claude{}, Project: m.Project}
	if err := verify.KeepPast(t.Context(), h, o, keyOf(m), regress.Record{Runtime: "2.1.300",
		At: time.Now().Add(-49 * time.Hour), Answers: []regress.Answer{{Session: "claude"}}}); err != nil {
		t.Fatal(err)
	}
	found, from, _ := recall(t, m, time.Hour, func() {
		m.write("~/.claude/settings.json", m.read("~/.claude/settings.json")+" ", 0o644)
	})
	const want = "not tested since something changed; last tested 2 days ago, with claude 2.1.300"
	if f := found["denials"]; f.Status != report.Unknown || f.Summary != want || from != engine.FromNowhere {
		t.Errorf("%s: %s %s", from, f.Status, f.Summary)
	}
	m.write(m.Project+"/.claude/settings.local.json", `{"sandbox":{"filesystem":{"allowWrite":["~/.cache/"]}}}`, 0o644)
	if f := recalled(t, m); f.Status != report.Unknown || strings.Contains(f.Summary, "2.1.300") {
		t.Errorf("with a store that commands write: %s %s", f.Status, f.Summary)
	}
}

func TestWhatIsWorseNowCounts(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, usualSetup)
	m.write("~/.bashrc", "", 0o644) // the proof says otherwise
	found, from, _ := recall(t, m, time.Hour, func() {})
	if f := found["clean-env"]; f.Status != report.Fail || from != engine.FromStored {
		t.Errorf("an earlier pass, from %s, hides %+v", from, f)
	}
}

func TestWhatIsNotProvedForThisIsUnknown(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, c := range map[string]struct {
		change func(*Machine)
		word   string
	}{
		"other settings": {func(m *Machine) {
			m.write("~/.claude/settings.json",
				m.read("~/.claude/settings.json")+" ", 0o644)
		}, "no stored result matches"},
		"a damaged store": {func(m *Machine) { damage(m) }, "no stored result matches"},
		"a writable store": {func(m *Machine) {
			m.write(m.Worktree+"/.claude/settings.local.json", "{}", 0o644)
			m.write(m.Project+"/.claude/settings.local.json", `{"sandbox":{"filesystem":{"allowWrite":["~/.cache/"]}}}`, 0o644)
			if err := verify.Store(m.host().Places(), keyOf(m), proved, time.Now()); err != nil {
				m.t.Fatal(err)
			}
		}, "settings.local.json:1:"},
	} {
		t.Run(name, func(t *testing.T) {
			m := copyOf(t, healthy)
			found, from, _ := recall(t, m, time.Hour, func() { c.change(m) })
			for _, id := range []report.ID{"denials", "hooks-fire"} {
				f := found[id]
				if f.Status != report.Unknown || !slices.ContainsFunc(f.Remedies, func(r report.Remedy) bool {
					c, is := r.(report.Command)
					return is && c.ID == report.Rehearse
				}) || from != engine.FromNowhere ||
					!strings.Contains(f.Evidence[0].Where+f.Evidence[0].Text, c.word) {
					t.Errorf("%s, from %s: %+v", id, from, f)
				}
			}
		})
	}
}

// damage cuts every stored result short.
func damage(m *Machine) {
	m.t.Helper()
	dir := m.host().Places().Cache + "/verify"
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		m.t.Fatalf("%d results, %v", len(entries), err)
	}
	for _, e := range entries {
		if err := os.Truncate(dir+"/"+e.Name(), 100); err != nil {
			m.t.Fatal(err)
		}
	}
}

// recalled is what a run without a rehearsal says of the denials.
func recalled(t *testing.T, m *Machine) report.Finding {
	t.Helper()
	o := verify.Options{Agent: checks.Claude{}, Project: m.Project}
	list := slices.DeleteFunc(verify.Checks(o), func(c engine.Check) bool { return c.ID != "denials" })
	checks, from := verify.Recalled(context.Background(), m.host(), o, list)
	rep, err := verify.Run(context.Background(), m.host(), checks, verify.RunOptions{Live: verify.Never, From: from},
		func(engine.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	return find(rep.Findings, "denials")
}
