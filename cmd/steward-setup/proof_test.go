// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: with the real runtime the whole setup is protected, by exit
// code; what was rehearsed then is known without a rehearsal, also to update,
// until something changes.

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
)

// TestAProofAndAnOlderRuntime: on one machine the whole proof, what is known of it
// afterwards, and what is known to be open in an older runtime, which is named by
// update --try and by --bisect, and by the exit code.
func TestAProofAndAnOlderRuntime(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	testenv.Need(t, "bwrap", "socat", "rg", "curl", "python3")
	u := newUpgraded(t, testenv.Claude(t))
	u.registry.Add(t, "2.1.141", testenv.Must(os.ReadFile(testenv.ClaudeOld(t)))(t))
	for name, says := range map[string]string{"bwrap": `--version) echo 'bubblewrap 0.11.2'`,
		"socat": `-V) echo 'socat version 1.8.1.3 on 26 Jun 2026 10:00:00'`} {
		u.write(".local/bin/"+name, "#!/bin/sh\ncase $1 in "+says+" ;; *) exec /usr/bin/"+name+" \"$@\" ;; esac\n", 0o755)
	}
	u.write("code/p/.gitignore", ".claude/settings.local.json\n", 0o644)
	// No command of 2.1.141 starts where .claude is kept from commands.
	const omit = "--omit=sandbox.filesystem.denyWrite:./.claude"
	install := gjson.Get(u.want(report.ExitOK, "plan", "install", omit, "--plan", "--json"), "plan.id").String()
	u.want(report.ExitLeft, "", "install", omit, "--apply", install)
	u.write(".bashrc", ". \"$HOME/.claude/agent-isolation/claude-iso.sh\"\n", 0o644)
	u.proved()
	u.older()
	u.another()
}

// write writes a file below the home.
func (u *upgraded) write(rel, text string, mode os.FileMode) {
	u.t.Helper()
	testenv.OK(u.t, os.WriteFile(filepath.Join(u.home, filepath.FromSlash(rel)), []byte(text), mode))
}

// kept is what a rehearsal leaves in the home.
var kept = []string{".cache", ".local/state/steward-setup/result.key"}

// verdict wants the exit code and verdict of a machine that is protected; as root
// nothing is proved.
func (u *upgraded) verdict(args ...string) string {
	u.t.Helper()
	if os.Getuid() == 0 {
		return u.want(report.ExitLeft, "DEGRADED ", args...)
	}
	return u.want(report.ExitOK, "PROTECTED ", args...)
}

// matches wants each of the patterns in text, line by line.
func (u *upgraded) matches(text string, patterns ...string) {
	u.t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile("(?m)" + p).MatchString(text) {
			u.t.Errorf("no %q:\n%s", p, text)
		}
	}
}

// proved is the whole proof, and what is known of it without a rehearsal.
func (u *upgraded) proved() {
	u.t.Helper()
	transcript, profile := filepath.Join(u.t.TempDir(), "t.json"), filepath.Join(u.t.TempDir(), "p.json")
	before := u.tree()
	evidence := filepath.Join(u.t.TempDir(), "e.json")
	out := u.verdict("verify", "--transcript", transcript, "--profile", profile, "--evidence", evidence)
	said := "^PROTECTED in ~/code/p, and by claude-iso anywhere in it "
	if os.Getuid() == 0 {
		said = "not proved as root: "
	}
	u.matches(out, said, "^tested now, with this runtime$",
		"✗ unprotected in subdirectories and elsewhere: [0-9]+ of [0-9]+ forbidden actions succeeded$")
	if regexp.MustCompile("(?m)^  ✗|not tested").MatchString(out) {
		u.t.Errorf("something failed, or was not tested:\n%s", out)
	}
	u.unchanged(before, kept...)

	// Where the time went is a trace that names the sessions and their parts.
	trace := testenv.Read(u.t, profile)
	for query, want := range map[string]string{
		`#(name=="claude in the project").ph`:                            "X",
		`#(name=="claude-iso in the project, on a terminal").args.calls`: "10",
		`#(name=="floor: the same runtime, nothing to do").args.calls`:   "0",
		`#(name=="check denials").ph`:                                    "X",
		`#(name%"call: Bash stage *").ph`:                                "X",
		`#(name=="runtime: start").ph`:                                   "X",
		`#(name=="wait").ph`:                                             "X",
	} {
		if got := gjson.Get(trace, query).String(); got != want {
			u.t.Errorf("%s of the profile is %q, want %q", query, got, want)
		}
	}
	if strings.Contains(trace, "sk-ant-") {
		u.t.Error("the profile has a key")
	}
	u.matches(testenv.Read(u.t, transcript), `^ "schema_version": 1,$`)
	for path, want := range map[string]os.FileMode{transcript: 0o600, profile: 0o600,
		filepath.Join(u.home, ".cache", "steward-setup", "verify"): 0o700} {
		info := testenv.Must(os.Stat(path))(u.t)
		if info.Mode().Perm() != want {
			u.t.Errorf("%s has mode %04o", path, info.Mode().Perm())
		}
	}

	// Who has the evidence alone comes to the same, from each call.
	u.matches(u.verdict("evidence", "check", evidence), `^Judged again: [1-9][0-9]{2,} calls of [0-9]+ sessions\.`,
		"^This machine: the setup is the one that was tested")
	if strings.Contains(testenv.Read(u.t, evidence), "sk-ant-") {
		u.t.Error("the evidence has a key")
	}

	bare := u.verdict()
	if os.Getuid() != 0 {
		u.matches(bare, "^tested just now with this runtime$")
	}
	doc, code := u.run("verify", "--live=never", "--json")
	verdict := "protected"
	if os.Getuid() == 0 {
		verdict = "degraded"
	}
	for query, want := range map[string]string{"verdict": verdict, "live.from": "stored",
		`findings.#(check=="denials").layer`: "sandbox"} {
		if got := gjson.Get(doc, query).String(); got != want {
			u.t.Errorf("%s is %q, want %q (exit code %d)", query, got, want, code)
		}
	}
	// Strictly, what is only a warning degrades.
	u.matches(u.want(report.ExitLeft, "", "verify", "--live=never", "--strict"), "^DEGRADED ")
}

// older tries 2.1.141 beside the runtime that was just rehearsed, which is not
// rehearsed again.
func (u *upgraded) older() {
	u.t.Helper()
	before := u.tree()
	id := gjson.Get(u.want(report.ExitOK, "plan", "update", "--try", "2.1.141", "--plan", "--json"), "plan.id").String()
	doc := u.want(report.ExitUnprotected, "newly-through", "update", "--try", "2.1.141", "--apply", id, "--json")
	call := gjson.Get(doc, `data.differences.#(after.call=="env:AWS_ACCESS_KEY_ID")`)
	if call.Get("kind").String() != "newly-through" || call.Get("before.layer").String() != "environment" {
		u.t.Errorf("the variable that 2.1.141 lets through: %s", call)
	}
	for query, want := range map[string]string{
		"data.installed.kept": "true", "data.candidate.kept": "false",
		`data.hooks.#(event=="PostToolUseFailure").lost`:  "true",
		`data.dropped.#(=="sandbox.credentials.envVars")`: "sandbox.credentials.envVars",
		`data.begin.#(=="credentials-ignored")`:           "credentials-ignored",
		`findings.#(check=="denials").status`:             "fail", "verdict": "denial-lost",
		`findings.#(check=="denials").remedies.0.id`: "bisect", `findings.#(check=="status-line").status`: "warn",
	} {
		if got := gjson.Get(doc, query).String(); got != want {
			u.t.Errorf("%s is %q, want %q", query, got, want)
		}
	}
	u.unchanged(before)
	out := u.want(report.ExitUnprotected, "blocked by environment in "+pinned.Claude()+", succeeds in 2.1.141: "+
		"claude in the project · env:AWS_ACCESS_KEY_ID (2 versions were rehearsed, "+pinned.Claude()+" was rehearsed 20",
		"update", "--bisect", "env:AWS_ACCESS_KEY_ID", "--from", pinned.Claude(), "--to", "2.1.141")
	if !strings.Contains(out, "only cached versions") || !strings.Contains(out, ", 2.1.141 was rehearsed 20") {
		u.t.Errorf("it does not say what was left out:\n%s", out)
	}
	u.want(report.ExitUsage, "is not a call of a rehearsal", "update", "--bisect", "no-such-call", "--from",
		pinned.Claude(), "--to", "2.1.141")
	u.unchanged(before)
}

// another: other settings are other settings.
func (u *upgraded) another() {
	u.t.Helper()
	before := u.tree()
	u.write(".claude/settings.local.json", "{}\n", 0o644)
	u.verdict()
	u.write("code/p/.mcp.json", `{"mcpServers":{}}`+"\n", 0o644)
	u.matches(u.want(report.ExitLeft, ""), `\? denials `)
	u.unchanged(before, append([]string{".claude/settings.local.json", "code/p/.mcp.json"}, kept...)...)
}
