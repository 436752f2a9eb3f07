// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever a framework's policy says, what is built from it
// opens nothing by itself, and every value that is missing from it was
// reported with its line.

package policy

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/report"
)

func framework(t *testing.T, doc string) (Base, []report.Finding) {
	t.Helper()
	b, findings, err := load(t).FromFramework([]byte(doc), "fw/settings.json", home)
	if err != nil {
		t.Fatal(err)
	}
	return b, findings
}

// said is a finding as "line: value: summary".
func said(f report.Finding) string {
	return strings.TrimPrefix(f.Evidence[0].Where, "fw/settings.json:") + ": " + f.Evidence[0].Text + ": " + f.Summary
}

func TestTheSourceDocumentsPolicyAsAFramework(t *testing.T) {
	doc, err := os.ReadFile("testdata/source-settings.json")
	if err != nil {
		t.Fatal(err)
	}
	b, findings := framework(t, string(doc))
	var got []string
	for _, f := range findings {
		if f.Status != report.Warn || f.Layer == "" {
			t.Errorf("not a complete warning: %+v", f)
		}
		got = append(got, said(f))
	}
	for _, want := range []string{
		"9: sandbox.filesystem.allowRead:~/.config/git/: Corrected to the files config",
		"10: sandbox.filesystem.allowRead:~/.config/gh/: Left out: it opens the token of gh",
		"11: sandbox.filesystem.allowRead:~/.cache/: Left out: the whole cache",
		"14: sandbox.filesystem.allowRead:~/.config/apache-steward/: Left out: " +
			"it opens a directory in which tools keep tokens",
		"15: sandbox.filesystem.allowRead:~/.gnupg/: Left out: it opens GnuPG keys",
		"16: sandbox.filesystem.allowRead:/run/user/*/gnupg/: Left out: it opens GnuPG keys",
		"19: sandbox.filesystem.allowWrite:~/.cache/: Left out: the whole cache",
		"20: sandbox.filesystem.allowWrite:~/.local/share/uv/: Left out: commands could change tools",
		"35: permissions.allow:Bash(gh api graphql *): Left out: a rule that allows",
		"43: permissions.deny:Read(//**/.env): Corrected to Read(**/.env)",
		"49: permissions.deny:Write(.claude/settings.json): Corrected to Edit(.claude/settings.json)",
		"50: permissions.deny:MultiEdit(.claude/settings.local.json): Corrected to Edit(.claude/settings.local.json)",
		"58: permissions.ask:Bash(gh api * -X *): Corrected to Bash(gh api *-X*)",
		"59: permissions.ask:Bash(gh api * -f *): Corrected to Bash(gh api -f*) and Bash(gh api * -f*)",
	} {
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("not said: %s", want)
		}
	}
	if t.Failed() {
		t.Logf("said:\n%s", strings.Join(got, "\n"))
	}
	w, err := b.Build(Found{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := decoded(t, w.Document)
	if diff := cmp.Diff([]string{".", "~/.gitconfig", "~/.config/git/config", "~/.config/git/ignore",
		"~/.config/git/attributes", "~/.local/share/uv/", "~/.local/bin/"},
		texts(out, "sandbox.filesystem.allowRead")); diff != "" {
		t.Error(diff)
	}
	if at(out, "permissions.allow") != nil || at(out, "sandbox.filesystem.allowWrite") != nil ||
		len(texts(out, "sandbox.network.allowedDomains")) != 14 {
		t.Errorf("%s", w.Document)
	}
}

// What the page promises of every policy, a framework's has too, and install
// says in few words what it added.
func TestAFrameworksPolicyProtectsAsOurs(t *testing.T) {
	doc, err := os.ReadFile("testdata/source-settings.json")
	if err != nil {
		t.Fatal(err)
	}
	b, findings := framework(t, string(doc))
	findings = slices.DeleteFunc(findings, func(f report.Finding) bool {
		return !strings.Contains(f.Summary, "that protect")
	})
	if len(findings) != 3 { // one a layer
		t.Errorf("what was added takes %d findings: %v", len(findings), findings)
	}
	var evidence []string
	for _, f := range findings {
		for _, e := range f.Evidence {
			evidence = append(evidence, e.Text)
		}
	}
	w, err := b.Build(Found{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := decoded(t, w.Document)
	for _, e := range base(t).entries {
		wanted := strings.HasPrefix(e.Key, "sandbox.credentials.") || strings.Contains(e.ID(), ":Edit(") ||
			slices.Contains([]string{"sandbox.autoAllowBashIfSandboxed", "permissions.disableBypassPermissionsMode"}, e.Key)
		if wanted && !has(out, e) {
			t.Errorf("%s is missing", e.ID())
		}
		if wanted && !slices.Contains(sourceEntries(t), e.ID()) &&
			!strings.Contains(strings.Join(evidence, "\n"), strings.TrimPrefix(e.ID(), e.Key+":")) {
			t.Errorf("%s is added without a word", e.ID())
		}
	}
	for rule, better := range slipped {
		for _, r := range better {
			if slices.Contains(texts(out, "permissions.ask"), rule) || !slices.Contains(texts(out, "permissions.ask"), r) ||
				!slices.Contains(ids(base(t).entries), "permissions.ask:"+r) {
				t.Errorf("%s does not become %s, which our own policy has", rule, r)
			}
		}
	}
	// An answer still decides about an entry that was added.
	if w, err = b.Build(Found{}, report.Answers{"gh-config": {"yes"}}); err != nil ||
		strings.Contains(string(w.Document), `{"path": "~/.config/gh/"`) {
		t.Errorf("%v: gh's directory stays closed", err)
	}
	// One that stands there in another spelling is not added again.
	_, findings = framework(t, `{"sandbox": {"credentials": {"files": [{"path": "~/.aws", "mode": "deny"}]}}}`)
	if strings.Contains(findings[0].Evidence[4].Text, "~/.aws/") {
		t.Error(findings[0].Evidence[4])
	}
}

// Left out of a framework is what weakens, what is not understood, and what
// would make the runtime drop the file.
func TestWhatAFrameworkMayNotBring(t *testing.T) {
	for value, want := range map[string]string{
		`"sandbox": {"enabled": false}`:                                                "outside the sandbox",
		`"sandbox": {"allowUnsandboxedCommands": true}`:                                "ask to run unsandboxed",
		`"sandbox": {"excludedCommands": ["x"]}`:                                       "only what it knows",
		`"sandbox": {"filesystem": {"disabled": true}}`:                                "only what it knows",
		`"sandbox": {"network": {"allowedDomains": ["*"]}}`:                            "every host",
		`"sandbox": {"network": {"allowedDomains": ["localhost"]}}`:                    "every service of this machine",
		`"sandbox": {"filesystem": {"allowRead": ["/home/me/.aws"]}}`:                  "Amazon",
		`"sandbox": {"filesystem": {"allowWrite": ["~/.local/bin/"]}}`:                 "PATH",
		`"sandbox": {"credentials": {"envVars": [{"name": "AWS_*", "mode": "deny"}]}}`: "mode deny",
		`"sandbox": {"credentials": {"envVars": [{"name": "X", "mode": "mask"}]}}`:     "mode deny",
		`"permissions": {"defaultMode": "bypassPermissions"}`:                          "only what it knows",
		`"permissions": {"disableBypassPermissionsMode": "no"}`:                        "only the value disable",
		`"permissions": {"ask": ["Bash("]}`:                                            "not a rule",
		`"permissions": {"deny": ["x\u001b[31m(y"]}`:                                   "not a rule",
	} {
		_, findings := framework(t, "{\n"+value+"\n}")
		if len(findings) == 0 || !strings.Contains(said(findings[0]), want) || !strings.HasPrefix(said(findings[0]), "2: ") {
			t.Errorf("%s: %v, want %q", value, findings, want)
		}
	}
	if _, findings := framework(t, `{"hooks": {"x": 1}, "env": {"PATH": "x"}, "model": "opus"}`); slices.ContainsFunc(findings, func(f report.Finding) bool {
		return !strings.Contains(f.Summary, "that protect")
	}) {
		t.Errorf("blocks that are not taken are spoken of: %v", findings)
	}
}

func TestAFrameworkThatIsNotUnderstoodIsRefusedAtItsPlace(t *testing.T) {
	deep := strings.Repeat(`{"sandbox":`, 300)
	for doc, where := range map[string]string{
		"{\n  // no\n}":                                "2:3",
		"{\"permissions\": {\"deny\": [1]}}":           "1:27",
		"{\n\"sandbox\": {\"enabled\": \"true\"}}":     "2:",
		"{\n\"sandbox\": []}":                          "2:12",
		"{\"a\": 1,}":                                  "1:8",
		"{\"a\": 1}\n{}":                               "2:",
		"{\"x\": tru}":                                 "1:7",
		"{\"permissions\": {\"deny\": [\"a\" \"b\"]}}": "1:31",
		"[]":                   "1:1",
		"":                     "1:1",
		"{\"a\": 1, \"a\": 2}": "1:10",
		"{\"sandbox\": {\"filesystem\": {\"denyRead\": \"~/\"}}}": "1:",
		"{\"x\": \"\xff\"}": "1:8",
		deep:                "1:",
	} {
		_, _, err := load(t).FromFramework([]byte(doc), "fw/settings.json", home)
		e, ok := errors.AsType[*report.Error](err)
		if !ok || e.Code != report.ExitMalformed || !strings.HasPrefix(e.Where, "fw/settings.json:"+where) ||
			!strings.HasSuffix(e.Next, "leave out --framework") {
			t.Errorf("%.60q: %v, want the place %s", doc, err, where)
		}
	}
	if _, _, err := load(t).FromFramework([]byte(strings.Repeat(" ", 4<<20+1)), "x", home); err == nil {
		t.Error("a document without bound is read")
	}
	if _, _, err := load(t).FromFramework([]byte("\ufeff{}"), "x", home); err != nil {
		t.Errorf("the runtime accepts a byte order mark, and so do we: %v", err)
	}
}

// Whatever the document is: it is refused, or what is built from it is strict
// JSON that holds every required entry and nothing that weakens.
func FuzzFromFramework(f *testing.F) {
	source, err := os.ReadFile("testdata/source-settings.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(source)
	for _, s := range []string{`{"sandbox":{"enabled":false,"filesystem":{"allowRead":["~/.s*"],"allowWrite":["~/",".",""]},"credentials":{"files":[{"path":"x","mode":"deny"}]}}}`,
		`{"permissions":{"allow":["Bash(x *)"],"deny":["Read(//**/a)","Write(b)"],"ask":["x"]}}`,
		`{"sandbox":{"network":{"allowedDomains":["*","a.b",""]}}}`, `{"a":{"b":[{}]}}`} {
		f.Add([]byte(s))
	}
	p := load(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		b, findings, err := p.FromFramework(doc, "fw", home)
		if err != nil {
			if e, ok := errors.AsType[*report.Error](err); !ok || e.Code != report.ExitMalformed {
				t.Fatalf("%v", err)
			}
			return
		}
		for _, finding := range findings {
			if len(finding.Evidence) == 0 {
				t.Errorf("a finding without evidence: %v", finding)
			}
		}
		w, err := b.Build(Found{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		out := decoded(t, w.Document)
		if missing := p.Missing(out, home); len(missing) > 0 {
			t.Errorf("missing: %q", ids(missing))
		}
		if opened := Weakenings(Document{Content: out, Scope: Project, Home: home}); len(opened) > 0 {
			t.Errorf("%q in\n%s", fmt.Sprint(opened), w.Document)
		}
		again, rest, err := p.FromFramework(w.Document, "fw", home)
		if err != nil || len(rest) > 0 {
			t.Fatalf("what was built is not accepted as it is: %v %v", err, rest)
		}
		first, second := ids(b.entries), ids(again.entries)
		slices.Sort(first)
		slices.Sort(second)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("taken again, it changes: %s", diff)
		}
	})
}
