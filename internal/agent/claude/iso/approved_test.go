// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an approval covers what was looked at and nothing beside
// it: not an earlier policy, not that of another directory, not a rule less.

package iso

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/approval"
)

func TestOnlyTheRulesBesideARootAreLeftOut(t *testing.T) {
	root := "/r/p"
	local := `{"permissions":{"deny":["` + strings.Join(append(RootRules(root), "Read(//r/p/**/.env.production)",
		"Read(//r/p/**/.envrc)"), `","`) + `"]}}`
	p, err := policyFrom(parse(t, `{"sandbox":{"enabled":true}}`), []*settings.Doc{parse(t, local)}, root)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []string{".env.production)", ".envrc)"} {
		if !strings.Contains(string(p.Text), rule) {
			t.Errorf("the user's own rule %s is gone:\n%s", rule, p.Text)
		}
	}
	if strings.Contains(string(p.Text), RootRules(root)[0]) {
		t.Error("a rule that differs from worktree to worktree is part of the policy")
	}
}

func TestAnEarlierPolicyDoesNotComeBack(t *testing.T) {
	weak, strict := extract(t, `{"sandbox":{"enabled":true,"allowUnsandboxedCommands":true}}`),
		extract(t, `{"sandbox":{"enabled":true}}`)
	l := approval.Set{}.WithPolicy("p", weak.Digest()).WithPolicy("p", strict.Digest()).Of("p")
	if l.Policy(weak.Digest()) || !l.Policy(strict.Digest()) {
		t.Errorf("%+v", l)
	}
}

func TestADirectoryWithItsOwnPolicyIsApprovedByItself(t *testing.T) {
	h, home := machine(t, map[string]string{"p/.git/HEAD": "", "p/.claude/settings.json": "{}",
		"p/sub/.claude/settings.json": `{"sandbox":{"enabled":true}}`, "p/other/x": ""}, "")
	id := func(dir string) string { return around(h, filepath.Join(home, dir)).ID }
	if id("p") == id("p/sub") || id("p") != id("p/other") {
		t.Errorf("%q, %q, %q", id("p"), id("p/sub"), id("p/other"))
	}
}

func TestOutsideARepositoryTheAgentBelowIsTheUsersOwn(t *testing.T) {
	h, home := machine(t, map[string]string{".local/bin/claude": "x", "p/.git/HEAD": "", "p/bin/claude": "x"}, "")
	path := filepath.Join(home, ".local/bin") + ":" + filepath.Join(home, "p/bin")
	if got := FindRuntime(h, path, home); len(got) == 0 || got[0].From != "PATH" {
		t.Errorf("started at home: %v", got)
	}
	for _, f := range FindRuntime(h, path, filepath.Join(home, "p")) {
		if strings.Contains(f.Path, "/p/bin/") {
			t.Errorf("the project's own: %v", f)
		}
	}
}

// TestAnotherWorktreeIsNotKept: an agent at work there writes what the hook would run.
func TestAnotherWorktreeIsNotKept(t *testing.T) {
	h, home := machine(t, map[string]string{"p/.git/HEAD": "",
		"p/.git/worktrees/w/gitdir": "../../../../w/.git\n", "p/.git/worktrees/w/commondir": "../..\n",
		"w/.git": "gitdir: ../p/.git/worktrees/w\n", "w/fmt.sh": "#!/bin/sh\n", "own/fmt.sh": "#!/bin/sh\n",
		"p/.claude/settings.json": `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"~/w/fmt.sh"},` +
			`{"type":"command","command":"~/own/fmt.sh"}]}]}}`}, "")
	l, err := Survey(h, filepath.Join(home, "p"))
	if err != nil || len(l.Items) != 2 {
		t.Fatal(err, l.Items)
	}
	if !strings.Contains(l.Items[0].Refused, "commands can change it") || l.Items[1].Refused != "" {
		t.Errorf("%q, %q", l.Items[0].Refused, l.Items[1].Refused)
	}
}

// TestWhatTheUserOpensIsNotKept: commands of the launch write there by the user's own
// settings, which it loads.
func TestWhatTheUserOpensIsNotKept(t *testing.T) {
	for _, opens := range []string{`"sandbox":{"filesystem":{"allowWrite":["~/own"]}}`,
		`"permissions":{"allow":["Edit(~/own/**)"]}`, `"permissions":{"additionalDirectories":["~/own/"]}`} {
		h, home := machine(t, map[string]string{"p/.git/HEAD": "", "own/fmt.sh": "#!/bin/sh\n", "else/fmt.sh": "#!/bin/sh\n",
			".claude/settings.json": "{" + opens + "}",
			"p/.claude/settings.json": `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"~/own/fmt.sh"},` +
				`{"type":"command","command":"~/else/fmt.sh"}]}]}}`}, "")
		l, err := Survey(h, filepath.Join(home, "p"))
		if err != nil || len(l.Items) != 2 {
			t.Fatal(err, l.Items)
		}
		if !strings.Contains(l.Items[0].Refused, "commands can change it") || l.Items[1].Refused != "" {
			t.Errorf("%s: %q, %q", opens, l.Items[0].Refused, l.Items[1].Refused)
		}
	}
}
