// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package gitruns

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestWhatATextOfACommitOpens: a key is another one if its value is, not if it is
// written otherwise.
func TestWhatATextOfACommitOpens(t *testing.T) {
	const skill, agent = ".claude/skills/x/SKILL.md", ".claude/skills/x/agents/a.md"
	hooks := func(command string) string {
		return "---\nname: x\nhooks:\n  Stop:\n    - hooks: [{type: command, command: " + command + "}]\n---\n"
	}
	for _, c := range []struct {
		name, file, here, there string
		differs                 bool
	}{
		{"another command", skill, hooks("a"), hooks("b"), true},
		{"the same command", skill, hooks("a"), hooks("'a'") + "More.\n", false},
		{"another event", skill, hooks("a"), strings.Replace(hooks("a"), "Stop", "PreToolUse", 1), true},
		{"an agent of a plugin that works elsewhere", agent, "---\nname: a\n---\n", "---\nisolation: worktree\n---\n", true},
		{"one that does not", agent, "---\nname: a\n---\n", "---\nisolation: none # here\n---\n", false},
		{"one that does here, too", agent, "---\nisolation: worktree\n---\n", "---\nisolation: 'worktree'\n---\n", false},
	} {
		home := testenv.Home(t)
		testenv.Write(t, filepath.Join(home, "p", c.file), c.here, 0o644)
		r := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home}), GOOS: "linux", Root: t.TempDir(),
			Now: time.Now}))(t)
		of := checkouts{r: r, tree: host.Tree{Root: filepath.Join(home, "p")}}
		if got := of.differs(c.file, []byte(c.there), false, false); got != c.differs {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// The policy can be merged once it is committed: until then that is the first step.
func TestAPolicyIsCommittedBeforeItIsMerged(t *testing.T) {
	const remote = "refs/remotes/origin/HEAD"
	home := testenv.Home(t)
	root := filepath.Join(home, "p")
	testenv.Write(t, filepath.Join(root, "README.md"), "p\n", 0o644)
	git := func(args ...string) { testenv.Git(t, testenv.Env(t, home), root, args...) }
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "first")
	git("update-ref", remote, "HEAD")
	r := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}),
		GOOS: "linux", Root: "/", Now: time.Now}))(t)
	remedy := func(ref string) report.Remedy {
		of := checkouts{r: r, tree: host.Tree{Root: root}, asked: map[string][]byte{}}
		return of.without(t.Context(), ref).Next()
	}
	step := func() string { return remedy(remote).(report.DocLink).Title }
	if got := step(); !strings.HasPrefix(got, "commit the policy, merge it into the default branch") {
		t.Errorf("not committed: %s", got)
	}
	testenv.Write(t, filepath.Join(root, session.PolicyFile), `{"sandbox": {"enabled": true}}`, 0o644)
	testenv.Write(t, filepath.Join(root, IgnoreFile), "/.claude/\n", 0o644)
	if link, ok := remedy("HEAD").(report.DocLink); !ok {
		t.Errorf("a line adds what git ignores: %v", link)
	}
	testenv.Write(t, filepath.Join(root, IgnoreFile), ".claude/settings.local.json\n", 0o644)
	line, _ := remedy("HEAD").(report.Command)
	pasted := exec.Command("sh", "-c", line.Line+" && git -C "+root+" status --porcelain --short >&2")
	var left strings.Builder
	pasted.Env, pasted.Stderr = testenv.Env(t, home), &left
	if err := pasted.Run(); err != nil || left.String() != "" {
		t.Errorf("%s: %v: %s", line.Line, err, left.String())
	}
	if got := step(); !strings.HasPrefix(got, "merge the policy into the default branch") {
		t.Errorf("committed: %s", got)
	}
}
