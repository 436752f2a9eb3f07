// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the digest stands for, and what is handed over under
// it, is compared as text.

package iso

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/templates"
)

func parse(t *testing.T, text string) *settings.Doc {
	t.Helper()
	d, err := settings.Parse("settings.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func extract(t *testing.T, project string, locals ...string) Policy {
	t.Helper()
	docs := make([]*settings.Doc, 0, len(locals))
	for _, l := range locals {
		docs = append(docs, parse(t, l))
	}
	p, err := policyFrom(parse(t, project), docs, "/r/w", "/r/m")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const base = `{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"]}},"permissions":{"deny":["Bash(curl *)"]}}`

// TestOneDigestForOnePolicy: how a file is written, and what in it is no
// restriction, makes no difference.
func TestOneDigestForOnePolicy(t *testing.T) {
	want := extract(t, base).Digest()
	for name, files := range map[string][]string{
		"other order and space": {`{ "permissions": {"deny":["Bash(curl *)"]},` + "\n\n" +
			`"sandbox": {"filesystem":{"denyRead":["~/"]}, "enabled":true}}`},
		"what runs code": {`{"env":{"PATH":"/x"},"hooks":{"Stop":[]},"apiKeyHelper":"x","statusLine":{"type":"command","command":"x"},
			"sandbox":{"enabled":true,"ripgrep":{"command":"/x"},"bwrapPath":"/x","filesystem":{"denyRead":["~/"]}},
			"permissions":{"allow":["Bash(*)"],"defaultMode":"acceptEdits","additionalDirectories":["/"],"deny":["Bash(curl *)"]}}`},
		"an empty local file":        {base, `{}`},
		"the worktrees' own roots":   {base, `{"sandbox":{"filesystem":{"allowRead":["/r/w","/r/m/"],"allowWrite":["/r/m"]}}}`},
		"what the project says, too": {base, `{"permissions":{"deny":["Bash(curl *)"],"allow":["Bash(make)"]}}`},
	} {
		if got := extract(t, files[0], files[1:]...); got.Digest() != want {
			t.Errorf("%s: another digest:\n%s", name, cmp.Diff(string(extract(t, base).Text), string(got.Text)))
		}
	}
}

func TestAnotherPolicyHasAnotherDigest(t *testing.T) {
	want := extract(t, base).Digest()
	for _, files := range [][]string{
		{`{}`},
		{strings.Replace(base, "true", "false", 1)},
		{strings.Replace(base, `"Bash(curl *)"`, "", 1)},
		{strings.Replace(base, `"Bash(curl *)"`, `"Bash(curl *)","Bash(wget *)"`, 1)},
		{strings.Replace(base, `"denyRead"`, `"allowRead"`, 1)},
		{base, `{"sandbox":{"enabled":false}}`},
		{base, `{"sandbox":{"excludedCommands":["ssh-add -l"]}}`},
		{base, `{"sandbox":{"filesystem":{"allowRead":["/r/other"]}}}`},
		{base, `{"permissions":{"ask":["Bash(git push *)"]}}`},
		{base, `{"permissions":{"disableBypassPermissionsMode":"disable"}}`},
		{base, `{"permissions":{"disableAutoMode":"disable"}}`},
		{base, `{"permissions":{"blockReadsOutsideWorkingDirectories":true}}`},
		{base, `{"permissions":{"blockWritesOutsideWorkingDirectories":true}}`},
	} {
		if got := extract(t, files[0], files[1:]...); got.Digest() == want {
			t.Errorf("%q has the same digest:\n%s", files, got.Text)
		}
	}
}

// TestWhatLetsCommandsOutIsNotTakenOver: the policy is the same without it, and
// the launch names it.
func TestWhatLetsCommandsOutIsNotTakenOver(t *testing.T) {
	want := extract(t, base).Digest()
	for _, local := range []string{
		`{"sandbox":{"excludedCommands":["cat *"]}}`,
		`{"sandbox":{"excludedCommands":["docker"]}}`,
		`{"sandbox":{"network":{"httpProxyPort":8080,"socksProxyPort":1080}}}`,
	} {
		if got := extract(t, base, local); got.Digest() != want {
			t.Errorf("%s is taken over:\n%s", local, got.Text)
		}
		d, err := settings.Parse("f", []byte(local))
		if err != nil {
			t.Fatal(err)
		}
		if got := loosened(d); len(got) == 0 || got[0].Kind != Other || !strings.HasPrefix(got[0].Where, "f:1:") {
			t.Errorf("%s: %+v", local, got)
		}
	}
	if got := extract(t, base, `{"sandbox":{"excludedCommands":["ssh-add -l","x"],"network":{"httpProxyPort":1,"deniedDomains":["evil.example"]}}}`); !strings.Contains(string(got.Text), `"ssh-add -l"`) ||
		!strings.Contains(string(got.Text), "evil.example") || strings.Contains(string(got.Text), "httpProxyPort") ||
		strings.Contains(string(got.Text), `"x"`) {
		t.Errorf("what is left:\n%s", got.Text)
	}
}

// TestTheStrongerLocalWins: of two local files the first, against the project
// both.
func TestTheStrongerLocalWins(t *testing.T) {
	p := extract(t, `{"sandbox":{"enabled":true,"failIfUnavailable":true}}`,
		`{"sandbox":{"enabled":false}}`, `{"sandbox":{"enabled":true,"failIfUnavailable":false}}`)
	if got := p.doc.Get("sandbox", "enabled"); !got.False() {
		t.Errorf("enabled is %v: the main checkout's local file does not win", got.Text)
	}
	if got := p.doc.Get("sandbox", "failIfUnavailable"); !got.False() {
		t.Errorf("failIfUnavailable is %v: the local file does not win over the project's", got.Text)
	}
}

func TestRulesNameTheirPlace(t *testing.T) {
	for rule, want := range map[string]string{
		"Read(**/.env)":               "Read(//r/p/**/.env)",
		"Read(.env)":                  "Read(//r/p/**/.env)",
		"Read(sub/)":                  "Read(//r/p/**/sub/)",
		"Read(sub/*.key)":             "Read(//r/p/sub/*.key)",
		"Read(./sub)":                 "Read(//r/p/sub)",
		"Read(./sub/)":                "Read(//r/p/sub/)",
		"Edit(/sub)":                  "Edit(//r/p/sub)",
		"Edit(../other/**)":           "Edit(//r/other/**)",
		"Read(.)":                     "Read(//r/p/**)",
		"Edit(.claude/settings.json)": "Edit(//r/p/.claude/settings.json)",
		"Read(//etc/**)":              "Read(//etc/**)",
		"Read(~/.ssh/**)":             "Read(~/.ssh/**)",
		"Read":                        "Read",
		"Bash(cat .env)":              "Bash(cat .env)",
		"WebFetch(domain:x.org)":      "WebFetch(domain:x.org)",
		"mcp__x":                      "mcp__x",
	} {
		if got := ruleIn(rule, "/r/p"); got != want {
			t.Errorf("%s becomes %s, want %s", rule, got, want)
		}
	}
}

// TestTheDocument of a start in a linked worktree, with the whole template.
func TestTheDocument(t *testing.T) {
	place := Place{Start: "/r/w/sub", Root: "/r/w", Main: "/r/m", Project: "/r/w", ID: "/r/m/.git", Home: "/h"}
	l := Launch{Place: place, Policy: extract(t, `{"sandbox":{"enabled":true,"failIfUnavailable":false,
		"filesystem":{"allowRead":[".","~/.gitconfig","/opt/x"],"denyRead":["~/","secrets"],"allowWrite":["build"]},
		"credentials":{"files":[{"path":"**/.env","mode":"deny"},{"path":"~/.ssh/","mode":"deny"}]}},
		"permissions":{"deny":["Read(**/.env)"],"ask":["Bash(git push *)"]}}`)}
	b, err := l.document(Options{Worktree: true})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"permissions":{"deny":["Read(//r/w/**/.env)","Read(//r/m/**/.env)"],"ask":["Bash(git push *)","SendMessage(to:uds:*)","SendMessage(to:bridge:*)","Artifact","WebFetch(domain:*)","EnterWorktree","Agent(isolation:*)","ReadMcpResourceTool","Edit(//r/w/**/.claude/launch.json)","Edit(//r/m/**/.claude/launch.json)"],"disableAutoMode":"disable"},"crossSessionInbound":"hold","disableDeepLinkRegistration":"disable","disableAgentView":true,
		"skillOverrides":{"update-config":"off","keybindings-help":"off","claude-code-docs":"off","debug":"off","statusline":"off"},
		"sandbox":{"enabled":true,"failIfUnavailable":true,
		"filesystem":{"allowRead":["/r/w","~/.gitconfig","/opt/x","/r/m"],"denyRead":["~/","/r/w/secrets","/r/m/secrets"],"allowWrite":["/r/w/build"]},
		"credentials":{"files":[{"path":"/r/w/**/.env","mode":"deny"},{"path":"~/.ssh/","mode":"deny"},{"path":"/r/m/**/.env","mode":"deny"}]}}}`
	if diff := cmp.Diff(decode(t, want), decode(t, string(b))); diff != "" {
		t.Error(diff)
	}

	l.Policy = extract(t, string(templates.Settings))
	if err := l.argv(Options{Args: []string{"-p", "a b", ""}}); err != nil {
		t.Fatal(err)
	}
	n := len(l.Argv)
	if diff := cmp.Diff([]string{"-p", "a b", ""}, l.Argv[n-3:]); diff != "" {
		t.Errorf("the agent's own arguments: %s", diff)
	}
	if strings.Contains(l.Argv[n-4], "\n") || strings.Contains(l.Argv[n-4], `"."`) {
		t.Errorf("not one line of absolute paths: %s", l.Argv[n-4])
	}
}

// TestAFileInAClosedDirectoryIsNotClosedAgain: where it is missing, each command
// would fail in a project with the policy of install and a CLAUDE.md.
func TestAFileInAClosedDirectoryIsNotClosedAgain(t *testing.T) {
	l := Launch{Place: Place{Start: "/r", Root: "/r", Main: "/r", Project: "/r", Home: "/h"},
		Policy: extract(t, string(templates.Settings)), kept: []string{"/r/CLAUDE.md", "/r/.claude/CLAUDE.md"}}
	b, err := l.document(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var closed []string
	for _, v := range parse(t, string(b)).Get("sandbox", "filesystem", "denyWrite").Items {
		closed = append(closed, v.Text)
	}
	if diff := cmp.Diff([]string{"/r/.claude", "/r/CLAUDE.md"}, closed); diff != "" {
		t.Error(diff)
	}
}

// TestAnyway: the runtime would refuse to start without its sandbox.
func TestAnyway(t *testing.T) {
	l := Launch{Place: Place{Start: "/r", Root: "/r", Main: "/r", Project: "/r", Home: "/h"},
		Policy: extract(t, `{"sandbox":{"enabled":true,"failIfUnavailable":true}}`)}
	b, err := l.document(Options{Anyway: true})
	if err != nil || !parse(t, string(b)).Get("sandbox", "failIfUnavailable").False() {
		t.Errorf("%v: %s", err, b)
	}
}

func TestAPlaceThatRulesMisreadIsRefused(t *testing.T) {
	for _, dir := range []string{"/r/a*b", "/r/[x]", "/r/a{b,c}", `/r/a\b`, "/r/!x", "/r/(copy)"} {
		l := Launch{Place: Place{Start: dir, Root: dir, Main: dir, Project: dir, Home: "/h"}}
		if _, err := l.document(Options{}); err == nil {
			t.Errorf("%s is not refused", dir)
		}
	}
}

func decode(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func FuzzExtract(f *testing.F) {
	f.Add(base, `{}`)
	f.Add(string(templates.Settings), base)
	f.Add(`{"sandbox":7,"permissions":[]}`, `{"sandbox":{"filesystem":{"allowRead":"x"}}}`)
	f.Add(`{"sandbox":{"credentials":{"files":[7,{"path":[]}]}},"permissions":{"deny":[7,"Read("]}}`, `{}`)
	f.Fuzz(func(t *testing.T, project, local string) {
		// As policyOf does, only what the runtime would not drop is taken.
		p, errP := settings.Check("p", []byte(project))
		l, errL := settings.Check("l", []byte(local))
		if errP != nil || errL != nil {
			return
		}
		policy, err := policyFrom(p, []*settings.Doc{l}, "/r/p")
		if err != nil {
			return
		}
		again, err := policyFrom(p, []*settings.Doc{l}, "/r/p")
		if err != nil || again.Digest() != policy.Digest() {
			t.Fatalf("two digests of one policy: %v", err)
		}
		launch := Launch{Place: Place{Start: "/r/p", Root: "/r/p", Main: "/r/p", Project: "/r/p", Home: "/h"}, Policy: policy}
		b, err := launch.document(Options{})
		if err != nil {
			return
		}
		d, err := settings.Check("--settings", b)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range d.Root.Members {
			if !slices.Contains([]string{"sandbox", "permissions", "crossSessionInbound", "disableDeepLinkRegistration",
				"disableAgentView", "skillOverrides"},
				m.Key) {
				t.Fatalf("the document holds %s", m.Key)
			}
		}
		if d.Get("permissions", "allow") != nil {
			t.Fatal("the document allows something by itself")
		}
	})
}
