// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the way back leaves no repository without its hooks, goes
// on past a file that it cannot change, and counts what it leaves behind.

package scope_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/scope"
)

// switched is a home in whole-user scope.
func switched(t *testing.T) (home, engine.Applier) {
	t.Helper()
	h := newHome(t)
	h.repo("code/plain")
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a := engine.Applier{State: h.at(".local/state/steward-setup"), Version: "test",
		Now: func() time.Time { now = now.Add(time.Second); return now }}
	h.toWhole(a)
	return h, a
}

func (h home) toWhole(a engine.Applier) {
	h.t.Helper()
	p, err := h.whole(scope.Options{Agent: setup.Settings{}})
	if err != nil {
		h.t.Fatal(err)
	}
	h.apply(a, p.Plan, scope.WholeUserCommand)
}

// back is the plan of the way back.
func (h home) back(a engine.Applier) report.Plan {
	h.t.Helper()
	p, err := scope.PerProject(h.t.Context(), h.reader(), scope.Options{Agent: setup.Settings{}, RemoveRoots: true,
		Runs: testenv.Must(a.Runs())(h.t)})
	if err != nil {
		h.t.Fatal(err)
	}
	return p.Plan
}

func (h home) exists(rel string) bool {
	_, err := os.Lstat(h.at(rel))
	return err == nil
}

func (h home) edit(rel, old, replacement string) {
	h.t.Helper()
	b, err := os.ReadFile(h.at(rel))
	if err != nil || !strings.Contains(string(b), old) {
		h.t.Fatalf("%v: no %q in\n%s", err, old, b)
	}
	h.put(rel, strings.ReplaceAll(string(b), old, replacement))
}

// summaries are what a plan finds, and "decide" where it is the user's.
func summaries(p report.Plan) string {
	var b strings.Builder
	for _, f := range p.Findings() {
		b.WriteString(f.Summary)
		if f.Decide {
			b.WriteString(" [decide]")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestAnAlteredReceiptIsDoubted: what it says may be another's, so the plan says so
// before it is approved.
func TestAnAlteredReceiptIsDoubted(t *testing.T) {
	testenv.AsUser(t)
	h, a := switched(t)
	const doubted = "1 receipt cannot be verified"
	if p := h.back(a); strings.Contains(summaries(p), doubted) {
		t.Fatalf("of a receipt as the run sealed it:\n%s", summaries(p))
	}
	receipts, err := a.History()
	if err != nil || len(receipts) != 1 {
		t.Fatal(receipts, err)
	}
	file := filepath.Join(".local/state/steward-setup/receipts", receipts[0].ID, "receipt.json")
	h.edit(file, `"command": "`+scope.WholeUserCommand+`"`, `"command":  "`+scope.WholeUserCommand+`"`)
	if p := h.back(a); !strings.Contains(summaries(p), doubted) || p.LeftForUser() == 0 {
		t.Errorf("left for the user: %d\n%s", p.LeftForUser(), summaries(p))
	}
}

// TestHooksStayWhileGitLooksThere: whatever leads git to the shared directory,
// its hooks stay until the printed line was run, and go after that.
func TestHooksStayWhileGitLooksThere(t *testing.T) {
	testenv.AsUser(t)
	for name, c := range map[string]struct {
		arrange func(h home)
	}{
		"a line of the user's": {arrange: func(h home) {
			h.edit(".gitconfig", "[user]", "[core]\n\thooksPath = ~/.claude/git-hooks\n[user]")
		}},
		"ours, in other words": {arrange: func(h home) {
			h.edit(".gitconfig", `hooksPath = "`+h.at(".claude/git-hooks")+`"`, "hooksPath = ~/.claude/git-hooks/")
		}},
		"an included file": {arrange: func(h home) {
			h.put("more", "[core]\n\thooksPath = "+h.at(".claude/git-hooks")+"\n")
			h.edit(".gitconfig", "[user]", "[include]\n\tpath = ~/more\n[user]")
		}},
		"a file included on a condition": {arrange: func(h home) {
			h.put("more", "[core]\n\thooksPath = ~/.claude/git-hooks\n")
			h.edit(".gitconfig", "[user]", "[includeIf \"gitdir:~/code/\"]\n\tpath = ~/more\n[user]")
		}},
		"a repository": {arrange: func(h home) {
			h.git("code/plain", "config", "core.hooksPath", "~/.claude/git-hooks")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h, a := switched(t)
			c.arrange(h)
			p := h.back(a)
			if p.LeftForUser() == 0 || !strings.Contains(summaries(p), "git still looks for hooks in the shared directory") ||
				len(p.Commands()) == 0 {
				t.Fatalf("%s%v", summaries(p), p.Commands())
			}
			h.apply(a, p, scope.PerProjectCommand)
			if !h.exists(".claude/git-hooks/pre-commit") {
				t.Fatal("a hook that git looks for is gone")
			}
			for _, line := range p.Commands() {
				cmd := exec.Command("sh", "-c", line.Line)
				cmd.Env = []string{"HOME=" + h.path, "PATH=/usr/local/bin:/usr/bin:/bin"}
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", line.Line, err, out)
				}
			}
			p = h.back(a)
			if p.LeftForUser() != 0 {
				t.Errorf("left after the line was run:\n%s%v", summaries(p), p.Commands())
			}
			h.apply(a, p, scope.PerProjectCommand)
			if h.exists(".claude/git-hooks") || h.exists(".claude/settings.json") {
				t.Error("something stays after the second time")
			}
		})
	}
}

// TestOurLineInGitsWords: git config --global writes our line without quotes.
func TestOurLineInGitsWords(t *testing.T) {
	h, a := switched(t)
	h.git(".", "config", "--global", "core.hooksPath", h.at(".claude/git-hooks"))
	p := h.back(a)
	if p.LeftForUser() != 0 {
		t.Error(summaries(p))
	}
	h.apply(a, p, scope.PerProjectCommand)
	if b, _ := os.ReadFile(h.at(".gitconfig")); strings.Contains(strings.ToLower(string(b)), "hookspath") ||
		h.exists(".claude/git-hooks") {
		t.Errorf("got\n%s", b)
	}
}

// TestWhatIsLeftBehindCounts: each is named and makes the command end with 1.
func TestWhatIsLeftBehindCounts(t *testing.T) {
	testenv.AsUser(t)
	for name, c := range map[string]struct {
		arrange func(h home)
		want    string
	}{
		"an edited hook": {func(h home) { h.edit(".claude/git-hooks/pre-push", "set +aeu", "set -e") },
			"files in the shared directory stay"},
		"a file of the user": {func(h home) { h.put(".claude/git-hooks/mine", "") }, "files in the shared directory stay"},
		"another value": {func(h home) { h.git(".", "config", "--global", "core.hooksPath", "/mine") },
			"core.hooksPath was edited by hand and stays"},
		"an edited policy of which no earlier state is kept": {func(h home) {
			h.edit(".claude/settings.json", `"sandbox"`, `"model": "x",
			"sandbox"`)
			kept, _ := filepath.Glob(h.at(".local/state/steward-setup/receipts/*/after-*"))
			for _, path := range kept {
				_ = os.Remove(path)
			}
		}, "the policy in your user settings stays"},
		"malformed settings": {func(h home) { h.put(".claude/settings.json", "{ no") },
			"a file could not be changed and stays as it is"},
		"settings that are a directory": {func(h home) {
			_ = os.Remove(h.at(".claude/settings.json"))
			h.put(".claude/settings.json/x", "")
		}, "a file could not be changed and stays as it is"},
		"malformed approvals": {func(h home) { h.put(".local/state/steward-setup/approvals.json", "{ no") },
			"a file could not be changed and stays as it is"},
		"a malformed root": {func(h home) { h.put("code/plain/.claude/settings.local.json", "{ no") },
			"a file could not be changed and stays as it is"},
	} {
		t.Run(name, func(t *testing.T) {
			h, a := switched(t)
			c.arrange(h)
			p := h.back(a)
			if p.LeftForUser() == 0 || !strings.Contains(summaries(p), c.want) || !strings.Contains(summaries(p), "[decide]") {
				t.Fatalf("%d left:\n%s", p.LeftForUser(), summaries(p))
			}
			h.apply(a, p, scope.PerProjectCommand)
			if b, _ := os.ReadFile(h.at(".gitconfig")); strings.Contains(string(b), "git-hooks") ||
				h.exists(".claude/git-hooks/pre-commit") {
				t.Errorf("the way back did not go on:\n%s", b)
			}
		})
	}
}

// TestNoSymlinkIsLeftBehind: sync init moves the hooks and leaves symlinks to them.
func TestNoSymlinkIsLeftBehind(t *testing.T) {
	testenv.AsUser(t)
	h, a := switched(t)
	for _, hook := range []string{"pre-push", "update"} {
		b, err := os.ReadFile(h.at(".claude/git-hooks/" + hook))
		if err != nil {
			t.Fatal(err)
		}
		h.put(".claude-config/git-hooks/"+hook, string(b))
		_ = os.Remove(h.at(".claude/git-hooks/" + hook))
		h.link(h.at(".claude-config/git-hooks/"+hook), ".claude/git-hooks/"+hook)
	}
	p := h.back(a)
	h.apply(a, p, scope.PerProjectCommand)
	if p.LeftForUser() != 0 || h.exists(".claude/git-hooks") || h.exists(".claude-config/git-hooks/update") {
		t.Error(summaries(p))
	}
}

// TestOthersEntriesOutliveThePolicy: the runtime and other commands write the
// user's settings, too; what they wrote stays when the policy goes.
func TestOthersEntriesOutliveThePolicy(t *testing.T) {
	testenv.AsUser(t)
	h, a := switched(t)
	h.edit(".claude/settings.json", `"filesystem": {`, `"filesystem": {
      "denyWrite": ["/home/x/.claude-config"],`)
	h.edit(".claude/settings.json", `"sandbox"`, `"model": "x",
  "sandbox"`)
	p := h.back(a)
	if p.LeftForUser() != 0 {
		t.Error(summaries(p))
	}
	h.apply(a, p, scope.PerProjectCommand)
	b, err := os.ReadFile(h.at(".claude/settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"model": "x", "sandbox": map[string]any{"filesystem": map[string]any{
		"denyWrite": []any{"/home/x/.claude-config"}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s", b)
	}
	if p := h.back(a); p.LeftForUser() != 0 || len(p.Changes()) > 0 {
		t.Errorf("a second time: %s%v", summaries(p), p.Changes())
	}
}

// TestAPolicyOfTheUsersOwnIsNotOurs: after the way back a policy in the user's
// settings is the user's; one that the last run found there is named.
func TestAPolicyOfTheUsersOwnIsNotOurs(t *testing.T) {
	testenv.AsUser(t)
	h, a := switched(t)
	b, err := os.ReadFile(h.at(".claude/settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	h.apply(a, h.back(a), scope.PerProjectCommand)
	h.put(".claude/settings.json", strings.Replace(string(b), `"sandbox"`, `"model": "x", "sandbox"`, 1))
	if p := h.back(a); p.LeftForUser() != 0 {
		t.Error(summaries(p))
	}
	h.toWhole(a)
	h.edit(".claude/settings.json", `"model": "x"`, `"model": "y"`)
	h.edit(".claude/settings.json", h.at(".claude/git-hooks"), h.at("elsewhere"))
	h.toWhole(a)
	p := h.back(a)
	if !strings.Contains(summaries(p), "a policy stays in your user settings") {
		t.Error(summaries(p))
	}
}

// TestEarlierHooksStayReadable: the sandbox may hide the home, and with it the
// hooks that the shared directory starts.
func TestEarlierHooksStayReadable(t *testing.T) {
	testenv.Need(t, "git")
	h := newHome(t)
	h.repo("code/plain")
	h.put("team/pre-commit", "#!/bin/sh\nexec \"$(git rev-parse --git-path \"hooks\")/lib\"\n")
	h.git(".", "config", "--global", "core.hooksPath", "~/team")
	p, err := h.whole(scope.Options{Agent: setup.Settings{}})
	if err != nil {
		t.Fatal(err)
	}
	text := summaries(p.Plan)
	for _, s := range p.Plan.Sections {
		text += strings.Join(s.Exposes, "\n")
	}
	if !strings.Contains(text, "these hooks ask git where hooks are") ||
		!strings.Contains(text, "sandboxed commands can read "+h.at("team")) {
		t.Error(text)
	}
	var after string
	for _, c := range p.Plan.Changes() {
		if c.Path == h.at(filepath.Join(".claude", "settings.json")) {
			after = string(c.After)
		}
	}
	if !strings.Contains(after, `"`+h.at("team")+`"`) {
		t.Errorf("not in allowRead:\n%s", after)
	}
}
