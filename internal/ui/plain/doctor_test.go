// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: three columns where there is room and three lines where
// there is none, the answer before its reasons, and nothing that a terminal
// obeys.

package plain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
	"github.com/steward-setup/steward-setup/manifests"
)

// consult shows a run of three probes: refused, by design, and not here. The
// events of the first two alternate, as they do.
func consult(o plain.ReportOptions) string {
	var out strings.Builder
	d := plain.NewDoctor(&out, nil, facts, o)
	step := func(id report.ID, c engine.Column, s report.Status, words string) {
		d.Emit(engine.ProbeStep{ID: id, Column: c, Status: s, Summary: words})
	}
	for _, id := range []report.ID{"ssh-agent", "localhost-bind", "docker"} {
		d.Emit(engine.CheckStarted{ID: id})
	}
	step("ssh-agent", engine.Outside, report.Pass, "2 identities")
	step("localhost-bind", engine.Outside, report.Pass, "a server answers")
	step("docker", engine.Outside, report.Skip, "docker is not installed")
	step("docker", engine.Inside, report.Skip, "")
	step("ssh-agent", engine.Inside, report.Unknown, "trying")
	step("ssh-agent", engine.Inside, report.Fail, "seccomp: socket(AF_UNIX)")
	step("localhost-bind", engine.Inside, report.Warn, "own server works; host server: by design")
	step("ssh-agent", engine.WithFix, report.Warn, "“Allow all unix sockets” works, but lowers protection")
	change := report.Change{ID: "doctor/ssh-agent", Why: "Allow all unix sockets", Price: "every socket opens",
		Path: "/home/ada/.claude/settings.json", Target: "/home/ada/.claude/settings.json",
		Before: []byte("{}\n"), After: []byte("{\"sandbox\": {\"network\": {\"allowAllUnixSockets\": true}}}\n")}
	for _, f := range []report.Finding{
		{Check: "localhost-bind", Status: report.Warn, Summary: "by design: a server of the host is not reached",
			Evidence: []report.Evidence{report.CommandEvidence("asks a server outside", "connection refused")}},
		{Check: "ssh-agent", Status: report.Fail, Summary: "seccomp: Error connecting to agent: Operation not permitted",
			Evidence: []report.Evidence{report.FileEvidence("/home/ada/code/tracker/.claude/settings.json:3", "the policy"),
				report.CommandEvidence("ssh-add -l", "\x1b]0;owned\x07 ghp_0123456789abcdef0123456789abcdef0123")},
			Remedies: []report.Remedy{change, report.DocLink{Title: "use an HTTPS remote",
				Target: "docs/troubleshooting.md#ssh-agent"}}},
		{Check: "docker", Status: report.Skip, Summary: "docker is not installed",
			Evidence: []report.Evidence{report.EnvEvidence("docker", "not on PATH")}},
	} {
		d.Emit(engine.CheckDone{Finding: f})
	}
	d.End()
	d.Next([]report.NextStep{{Text: "if it is worth its price, make the change shown above"}})
	return out.String()
}

var explanation = report.Explanation{Kind: "path", Subject: "/home/ada/.ssh/id_ed25519",
	Notes: []report.Note{{Text: "it does not exist now"}, {Text: "a comment: the runtime silently ignores the whole file",
		Where: "/home/ada/code/tracker/.claude/settings.json:14:3"}},
	Rulings: []report.Ruling{
		{Launches: []report.Launch{report.Plain, report.Iso}, Who: "a sandboxed command", Does: "reads it",
			Answer: report.Denied, Why: "a directory that denyRead names",
			By: []report.Evidence{report.FileEvidence("/home/ada/code/tracker/.claude/settings.json:8:9",
				`sandbox.filesystem.denyRead "~/" (project)`)},
			Tried: &report.Tried{Answer: report.Denied, Said: "kept back; the same without the sandbox got through"}},
		{Launches: []report.Launch{report.Plain}, Who: "the Read tool", Does: "reads it", Answer: report.Allowed,
			Why: "a deny rule",
			By: []report.Evidence{report.FileEvidence("/home/ada/.claude/settings.json:2:5",
				`permissions.deny "Read(~/.ssh/**)" (user)`)},
			Tried: &report.Tried{Answer: report.Allowed, Expected: report.Denied, Said: "it got through"}},
	}}

func explain(o plain.ReportOptions) string {
	var out strings.Builder
	plain.NewDoctor(&out, nil, facts, o).Explain(explanation)
	return out.String()
}

func advise(t *testing.T, o plain.ReportOptions) string {
	t.Helper()
	entries := testenv.Must(catalog.Load("troubleshooting.toml", []byte(manifests.Troubleshooting)))(t)
	a, ok := catalog.Recognise(entries, "Error connecting to agent: No such file or directory", "linux", nil)
	if !ok {
		t.Fatal("not recognised")
	}
	a.Looked, a.Verdict = "/run/user/1000/agent.1234 is there", catalog.Sandboxed
	a.Here = []catalog.Here{{}, {}, {}, {Wide: true}, {Refuted: "write-protected, whatever allows it " +
		"(/home/ada/code/tracker/.claude/settings.json:5:34, sandbox.filesystem.denyWrite \"~/\" (project))"}}
	var out strings.Builder
	d := plain.NewDoctor(&out, nil, facts, o)
	d.Advice(a, "linux", fixes.Where)
	d.Here("reproduced on this machine: the probe ssh-agent is blocked")
	a.Looked, a.Verdict = "$SSH_AUTH_SOCK is not set outside the sandbox either", catalog.Ordinary
	d.Advice(a, "linux", fixes.Where)
	d.Unknown([]string{"ssh-agent", "git-ssh"})
	return out.String()
}

func TestDoctorFrames(t *testing.T) {
	for name, show := range map[string]func(plain.ReportOptions) string{
		"doctor": consult, "explain": explain, "advice": func(o plain.ReportOptions) string { return advise(t, o) },
	} {
		var b strings.Builder
		for _, width := range []int{40, 80, 120, 0} {
			got := show(plain.ReportOptions{Width: width})
			fmt.Fprintf(&b, "%d columns\n%s\n", width, got)
			for line := range strings.Lines(got) {
				line = strings.TrimSuffix(line, "\n")
				tooWide(t, name, line, width)
				if strings.ContainsAny(line, "\x1b\x07") || strings.Contains(line, "ghp_") {
					t.Errorf("%s: a control or a secret: %q", name, line)
				}
			}
		}
		compare(t, name, b.String())
	}
}

// TestTheDifferenceIsSaid: where the runtime did otherwise, the answer is the
// runtime's, and the settings' own is named beside it.
func TestTheDifferenceIsSaid(t *testing.T) {
	got := explain(plain.ReportOptions{})
	for _, want := range []string{"the Read tool reads it: allowed", "⚠ tried  allowed, though the settings say denied " +
		"(a deny rule). What the runtime did counts."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// TestEveryEntryIsReadOnATerminal as paragraphs, without the marks of the page.
func TestEveryEntryIsReadOnATerminal(t *testing.T) {
	for _, e := range testenv.Must(catalog.Load("troubleshooting.toml", []byte(manifests.Troubleshooting)))(t) {
		for _, platform := range []string{"linux", "macos"} {
			var out strings.Builder
			plain.NewDoctor(&out, nil, facts, plain.ReportOptions{}).Advice(
				catalog.Answer{Entry: e, Verdict: catalog.Sandboxed}, platform, fixes.Where)
			for _, mark := range []string{"␊", "]("} {
				if at := strings.Index(out.String(), mark); at >= 0 {
					t.Errorf("%s on %s shows %q: …%s", e.ID, platform, mark, out.String()[max(0, at-60):at+len(mark)])
				}
			}
		}
	}
}
