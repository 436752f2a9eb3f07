// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a version that an advisory calls affected shows the
// weakness, and one that it calls clear does not.

package verify

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

const where = `printenv SANDBOX_RUNTIME || echo FR''EE`

// weakness is how an advisory shows in a session in an empty home.
type weakness struct {
	settings string
	vars     []string
	args     []string
	script   []model.Turn
	arrange  func(household)
	// seen looks at the answer to the last call; told, in its place, is a
	// word that the model is sent.
	seen func(h household, answer string) bool
	told string
	// late: the sandbox does not come up, and that is what is shown.
	late bool
}

func holdsWord(word string) func(household, string) bool {
	return func(_ household, answer string) bool { return strings.Contains(answer, word) }
}

func outsideCall(command string) model.Call {
	call := model.Bash(command)
	call.Input = map[string]any{"command": command, "description": "scripted", "dangerouslyDisableSandbox": true}
	return call
}

var weaknesses = map[string]weakness{
	"project-ripgrep": {settings: `{"sandbox":{"enabled":true}}`, args: []string{"--allowedTools", "Bash"},
		script: []model.Turn{{model.Bash("true")}},
		arrange: func(h household) {
			h.put("p/rg.sh", "#!/bin/sh\ntouch ~/ran\nexec rg \"$@\"\n", 0o755)
			h.put("p/.claude/settings.json", `{"sandbox":{"ripgrep":{"command":"`+filepath.Join(h.home, "p", "rg.sh")+`"}}}`,
				0o644)
		}, seen: func(h household, _ string) bool { return h.has("ran") }},
	"mcp-config-writable": {settings: `{"sandbox":{"enabled":true}}`,
		args:    []string{"--mcp-config", "mcp.json", "--allowedTools", "Bash"},
		arrange: func(h household) { h.put("p/mcp.json", `{"mcpServers":{}}`, 0o644) },
		script:  []model.Turn{{model.Bash("echo CAN''ARY >> mcp.json; cat mcp.json")}}, seen: holdsWord("CANARY")},
	"edit-deny-moved-into": {settings: `{"permissions":{"deny":["Edit(d/a.txt)"]}}`,
		args:    []string{"--allowedTools", "Bash"},
		arrange: func(h household) { h.put("p/a.txt", "CANARY\n", 0o644); h.put("p/d/a.txt", "old\n", 0o644) },
		script:  []model.Turn{{model.Bash("cp a.txt d")}, {model.Bash("cat d/a.txt")}}, seen: holdsWord("CANARY")},
	// BASH_ENV is expanded by bash. The file leaves its mark outside the sandbox,
	// once a command has run.
	"start-files-outside": {settings: `{"sandbox":{"enabled":true}}`, args: []string{"--allowedTools", "Bash"},
		vars: []string{"SHELL=/bin/bash", "BASH_ENV=$HOME/start"},
		arrange: func(h household) {
			h.put("start", "[ -z \"$SANDBOX_RUNTIME\" ] && [ -e ~/p/ran ] && touch ~/again\n", 0o644)
		},
		script: []model.Turn{{model.Bash("touch ran")}, {model.Bash("true")}, {model.Bash("true")}},
		seen:   func(h household, _ string) bool { return h.has("again") }},
	"bare-bash-unsandboxed": {settings: `{"sandbox":{"enabled":true},"permissions":{"allow":["Bash"]}}`,
		script:  []model.Turn{{outsideCall("cat ../sample.txt")}},
		arrange: func(h household) { h.put("sample.txt", "FREE\n", 0o600) }, seen: holdsWord("FREE")},
	"credentials-ignored": {settings: `{"sandbox":{"enabled":true,"credentials":{"envVars":[{"name":"SAMPLE_TOKEN","mode":"deny"}]}}}`,
		vars: []string{"SAMPLE_TOKEN=CANARY"}, args: []string{"--allowedTools", "Bash"},
		script: []model.Turn{{model.Bash("printenv SAMPLE_TOKEN")}}, seen: holdsWord("CANARY")},
	"bash-rule-by-path": {settings: `{"sandbox":{"enabled":true},"permissions":{"deny":["Bash(date *)"]}}`,
		args: []string{"--allowedTools", "Bash"}, script: []model.Turn{{model.Bash("/bin/date +CAN''ARY")}},
		seen: holdsWord("CANARY")},
	"auto-allow-by-default": {settings: `{"sandbox":{"enabled":true}}`,
		script: []model.Turn{{model.Bash("sed -n 's/.*/CAN&ARY/p' <<<''; mkdir -p d")}}, seen: holdsWord("CANARY")},
	"comma-matcher": {settings: `{"hooks":{"PreToolUse":[{"matcher":"Bash,Read","hooks":[{"type":"command","command":"touch \"$HOME/called\""}]}]}}`,
		args: []string{"--allowedTools", "Bash"}, script: []model.Turn{{model.Bash("true")}},
		seen: func(h household, _ string) bool { return !h.has("called") }},
	"socat-broken-unsandboxed": {settings: `{"sandbox":{"enabled":true}}`, args: []string{"--allowedTools", "Bash"},
		arrange: func(h household) { h.put("tools/socat", "#!/bin/sh\nexit 1\n", 0o755) }, late: true,
		script: []model.Turn{{model.Bash(where)}, {model.Bash(where)}}, seen: holdsWord("FREE")},
	// The pause is for the proxy of 2.1.141, which may be late.
	"bypass-opens-network": {settings: `{"sandbox":{"enabled":true}}`, vars: []string{"IS_SANDBOX=1"},
		args: []string{"--permission-mode", "bypassPermissions"},
		script: []model.Turn{{model.Bash("sleep 0.5; curl -s -o /dev/null -m 20 -w 'code-%{http_code}' " +
			"http://example.com/ ; true")}},
		seen: func(_ household, answer string) bool {
			return strings.Contains(answer, "code-") && !strings.Contains(answer, "code-403")
		}},
	"rename-protected-directory": {settings: `{"sandbox":{"enabled":true}}`, args: []string{"--allowedTools", "Bash"},
		arrange: func(h household) {
			h.put("p/.claude/settings.json", "{}", 0o644)
			h.put("p/r.sh", "mv .claude aside && mkdir .claude && echo REPLACED\n", 0o644) // the runtime asks about such a line
		},
		script: []model.Turn{{model.Bash("sh r.sh")}}, seen: holdsWord("REPLACED")},
	// The hook writes beside the project, where no sandboxed command may.
	"nested-skill-hooks": {settings: `{"sandbox":{"enabled":true}}`, args: []string{"--allowedTools", "Bash,Skill"},
		script: []model.Turn{{model.Bash(plantsSkill)}, {readCall("sub/file")},
			{{Tool: "Skill", Input: map[string]any{"skill": "x"}}}, {model.Bash("true")}},
		seen: func(h household, _ string) bool { return h.has("called") }},
	"import-follows-link": {settings: `{"sandbox":{"enabled":true}}`, args: []string{"--allowedTools", "Bash"},
		arrange: func(h household) {
			h.put("key", "CANARY\n", 0o600)
			h.put("p/CLAUDE.md", "@c.md\n", 0o644)
			h.link("../key", "p/c.md")
		},
		script: []model.Turn{{model.Bash("true")}}, told: "CANARY"},
	"import-reads-env": {settings: `{"sandbox":{"enabled":true},"permissions":{"deny":["Read(**/.env)"]}}`,
		args: []string{"--allowedTools", "Bash"},
		arrange: func(h household) {
			h.put("p/.env", "CANARY\n", 0o600)
			h.put("p/CLAUDE.md", "@.env\n", 0o644)
		},
		script: []model.Turn{{model.Bash("true")}}, told: "CANARY"},
}

// plantsSkill writes a skill in a subdirectory whose hook leaves a file beside
// the project.
const plantsSkill = `mkdir -p sub/.claude/skills/x && echo text > sub/file && cat > sub/.claude/skills/x/SKILL.md <<EOF
---
name: x
description: helps
hooks:
  PreToolUse:
    - hooks:
        - type: command
          command: touch "$HOME/called"
---
Help.
EOF`

func readCall(path string) model.Call {
	return model.Call{Tool: "Read", Input: map[string]any{"file_path": path}}
}

func (h household) has(name string) bool {
	_, err := os.Stat(filepath.Join(h.home, name))
	return err == nil
}

func TestAdvisoriesAreMeasured(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "bwrap", "socat", "curl")
	all, err := policy.Advisories()
	if err != nil {
		t.Fatal(err)
	}
	testenv.EachClaude(t, func(t *testing.T, claude string, _ bool) {
		said, err := exec.Command(claude, "--version").Output()
		version, ok := pins.Reported("claude-code", string(said))
		if err != nil || !ok {
			t.Fatalf("%q %v", said, err)
		}
		for _, id := range slices.Sorted(maps.Keys(weaknesses)) {
			i := slices.IndexFunc(all, func(a policy.Advisory) bool { return a.ID == id })
			if i < 0 {
				t.Fatalf("there is no advisory %s", id)
			}
			standing, err := all[i].Of(version)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(id, func(t *testing.T) {
				t.Parallel()
				seen := weaknesses[id].in(t, claude)
				if want := standing == policy.Affected; standing != policy.Perhaps && seen != want {
					t.Errorf("%s has it: %v, want %v", version, seen, want)
				}
				if standing == policy.Perhaps {
					t.Logf("%s has it: %v", version, seen)
				}
			})
		}
	})
}

// in plays the weakness with a runtime and says whether it showed.
func (w weakness) in(t *testing.T, claude string) bool {
	t.Helper()
	h := household{t, testenv.Home(t)}
	h.put(usersFile, w.settings, 0o600)
	h.put("p/README", "", 0o644)
	if w.arrange != nil {
		w.arrange(h)
	}
	server := sessions.Play(t, sessions.Session{Claude: claude, Home: h.home, Dir: "p", Args: w.args, Script: w.script,
		Late: w.late,
		Vars: append(slices.Clone(w.vars), fmt.Sprintf("PATH=%s/tools:/usr/local/bin:/usr/bin:/bin", h.home))})
	r, _ := server.Result(len(w.script)-1, 0)
	t.Logf("%q", r.Text)
	if w.told != "" {
		return slices.ContainsFunc(server.Requests(), func(r model.Request) bool {
			return strings.Contains(string(r.Body), w.told)
		})
	}
	return w.seen(h, r.Text)
}
