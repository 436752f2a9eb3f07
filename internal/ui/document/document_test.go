// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each document is read back by a parser of its own format, and
// what a hostile project is called is in it as words.

package document_test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/ui/document"
)

var facts = report.Facts{Home: "/home/ada", Project: "/home/ada/code/tracker", OS: "linux", Distro: "debian 12",
	Program: "claude", Runtime: "2.1.332"}

// hostile is a text that would be markup, a mention or a control in some format.
const hostile = "<script>alert(1)</script> `tick` ``` | a\\|b [x](https://evil.example) @everyone #12 $x$ :bomb: " +
	"**bold** _it_ &amp; ]]> \x1b[31mred\x07 \u202e\u200b \xff www.evil.example a@b.example\n\n# heading\r\n--- \x00\ufffe"

// scene has every status, launches that differ, and evidence of every kind.
var scene = []report.Finding{
	{Check: "denials", Layer: report.LayerSandbox, Status: report.Unknown, Summary: "not tested",
		Evidence: []report.Evidence{report.EnvEvidence("rehearsal", "no stored result matches")},
		Remedies: []report.Remedy{report.Command{Line: "steward-setup verify", Why: "test what must be blocked"}}},
	{Check: "tools-pinned", Layer: report.LayerTools, Status: report.Pass, Duration: 3 * time.Millisecond,
		Summary:  "bubblewrap 0.11.2; socat 1.8.1.3; claude-code 2.1.332",
		Evidence: []report.Evidence{report.CommandEvidence("bwrap --version", "0.11.2")}},
	{Check: "project-settings", Layer: report.LayerSandbox, Status: report.Fail, Voids: true,
		Duration: 1234 * time.Microsecond,
		Summary:  ".claude/settings.json:14:3: a comment: the runtime silently ignores the whole file",
		Evidence: []report.Evidence{report.FileEvidence("/home/ada/.claude/settings.json:3", "lacks sandbox.enabled"),
			report.FileEvidence("/home/ada/code/tracker/.claude/settings.json:14:3", "invalid character '/'"),
			report.FileEvidence("~/.zshrc:7", "sources it"), report.FileEvidence("/home/ada/code/tracker/a:b c#d?.json", "x"),
			report.EnvEvidence("GH_TOKEN", "ghp_0123456789abcdefghijABCDEFGHIJ012345"), report.FileEvidence("/e", "6"),
			report.FileEvidence("/f", "7"), report.FileEvidence("/g", "8"), report.FileEvidence("/h", "9"),
			report.FileEvidence("/i", "10")},
		Remedies: []report.Remedy{report.DocLink{Title: "remove the comment",
			Target: "/home/ada/code/tracker/.claude/settings.json:14:3"}}},
	{Check: "clean-env", Layer: report.LayerCleanEnv, Status: report.Warn,
		Summary:  "claude-iso is defined; claude itself keeps the whole environment",
		Evidence: []report.Evidence{report.FileEvidence("/home/ada/.zshrc:3", "sources the wrapper")},
		Launches: []report.LaunchStatus{{Launch: report.Plain, Status: report.Warn,
			Summary: "14 credential variables arrive"}, {Launch: report.Iso, Status: report.Pass, Summary: "none arrives"}},
		Remedies: []report.Remedy{report.Command{Line: "alias claude=claude-iso", Where: "/home/ada/.zshrc",
			Why: "use claude-iso for claude"}}},
	{Check: "scope", Layer: report.LayerSandbox, Status: report.Skip, Summary: "no whole-user scope is asked for",
		Evidence: []report.Evidence{report.EnvEvidence("scope", "per-project")}},
	{Check: "project-code", Layer: report.LayerSandbox, Status: report.Fail, Summary: hostile,
		Evidence: []report.Evidence{report.FileEvidence("/home/ada/code/tracker/"+hostile+":12", hostile),
			report.CommandEvidence(hostile, hostile), report.EnvEvidence("", hostile)},
		Remedies: []report.Remedy{report.Command{Line: "echo " + hostile, Why: hostile},
			report.DocLink{Title: hostile, Target: hostile}}},
	{Check: "a <new> check", Layer: report.LayerVisibility, Status: report.Warn, Summary: "- 1. a list?",
		Evidence: []report.Evidence{report.EnvEvidence("", "# 1 | no heading"), report.EnvEvidence("", "12. no list")}},
}

var judged = engine.Judged{Verdict: report.Unprotected, Live: "auto", From: engine.FromStored, Age: 49 * time.Hour,
	Elapsed:  2440 * time.Millisecond,
	Launches: map[report.Launch]report.Verdict{report.Plain: report.Unprotected, report.Iso: report.Protected},
	Covers: []report.Cover{
		{Launch: report.Iso, Start: report.AtRoot, Dir: facts.Project, Status: report.Pass, Rehearsed: true},
		{Launch: report.Iso, Start: report.AtSub, Status: report.Pass, Rehearsed: true},
		{Launch: report.Plain, Start: report.AtRoot, Dir: facts.Project, Status: report.Fail, Rehearsed: true, Why: hostile}}}

// in is a report with these findings in one format.
func in(t testing.TB, f document.Format, strict bool, j engine.Judged, findings ...report.Finding) []byte {
	t.Helper()
	r := document.New("v1.2.3", facts, strict)
	for _, f := range findings {
		r.Emit(engine.CheckStarted{ID: f.Check})
		r.Emit(engine.CheckDone{Finding: f})
	}
	r.Emit(j)
	return testenv.Must(r.In(f))(t)
}

var extension = map[document.Format]string{document.Markdown: "md", document.HTML: "html", document.SARIF: "sarif",
	document.JUnit: "xml"}

func TestDocuments(t *testing.T) {
	for _, f := range document.Formats {
		for name, findings := range map[string][]report.Finding{"report": scene, "empty": nil} {
			j := judged
			if findings == nil {
				j = engine.Judged{Verdict: report.Degraded}
			}
			testenv.Golden(t, filepath.Join("../../../testdata/frames", "document-"+name+"."+extension[f]),
				string(in(t, f, false, j, findings...)), "go test ./internal/ui/document -update")
		}
	}
}

// TestWhatWasAskedForStandsInEveryFormat: the list of what settings allow, which is no
// failure in any of them.
func TestWhatWasAskedForStandsInEveryFormat(t *testing.T) {
	list := report.Finding{Check: "allowances", Layer: report.LayerSandbox, Status: report.Pass,
		Summary:  "allowed: 1 host",
		Evidence: []report.Evidence{report.FileEvidence("/home/ada/s.json:3", "commands can reach example")}}
	for _, f := range document.Formats {
		got := in(t, f, true, engine.Judged{Verdict: report.Protected}, list)
		if !bytes.Contains(got, []byte(list.Evidence[0].Text)) {
			t.Errorf("%s does not list it:\n%s", f, got)
		}
	}
}
