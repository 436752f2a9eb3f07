// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each thing that a project could run is found where it
// stands, and what the user approved stops counting the moment it changes.

package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/projectcode"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// of is what a finding says of a launch.
func of(f report.Finding, l report.Launch) report.LaunchStatus {
	for _, s := range f.Launches {
		if s.Launch == l {
			return s
		}
	}
	return report.LaunchStatus{Launch: l, Status: f.Status, Summary: f.Summary, Voids: f.Voids}
}

func TestProjectCode(t *testing.T) {
	testenv.AsUser(t)
	const mcp, skill = "p/.mcp.json", "p/.claude/skills/x/SKILL.md"
	hook := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"./run.sh"}]}]}}`
	for _, tt := range []struct {
		name   string
		files  map[string]string
		status report.Status
		word   string // of the summary or the evidence
		remedy string
	}{
		{"nothing", nil, report.Pass, "runs nothing outside the sandbox", ""},
		{"PATH", map[string]string{localFile: `{"env":{"PATH":"./bin"}}`}, report.Fail, localFile +
			":1:9: env.PATH decides which programs run", "remove the key env.PATH"},
		{"in small letters", map[string]string{localFile: `{"env":{"https_proxy":"http://x"}}`}, report.Fail, localFile +
			":1:9: env.https_proxy sends traffic", "remove the key env.https_proxy"},
		{"an endpoint", map[string]string{localFile: `{"env":{"ANTHROPIC_BASE_URL":"http://x"}}`}, report.Fail,
			"where the agent's requests go", "env.ANTHROPIC_BASE_URL"},
		{"another service", map[string]string{localFile: `{"env":{"CLAUDE_CODE_USE_BEDROCK":"1"}}`}, report.Fail,
			"another service", "env.CLAUDE_CODE_USE_BEDROCK"},
		{"an authority", map[string]string{localFile: `{"env":{"NODE_EXTRA_CA_CERTS":"x"}}`}, report.Fail,
			"another authority", "env.NODE_EXTRA_CA_CERTS"},
		{"a loader", map[string]string{localFile: `{"env":{"LD_PRELOAD":"x"}}`}, report.Fail, "loads code", "env.LD_PRELOAD"},
		{"a variable that decides nothing", map[string]string{localFile: `{"env":{"LANG":"secret"}}`}, report.Pass,
			localFile + ":1:9: sets LANG", ""},
		{"a variable that nobody knows", map[string]string{localFile: `{"env":{"FOO":"secret"}}`}, report.Unknown, localFile +
			":1:9: env.FOO may steer what runs outside the sandbox; not known to be harmless", ""},
		{"variables of the runtime that decide nothing",
			map[string]string{localFile: `{"env":{"ENABLE_TOOL_SEARCH":"1","CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC":"1"}}`},
			report.Pass, "sets ENABLE_TOOL_SEARCH", ""},
		{"a trace", map[string]string{localFile: `{"env":{"SHELLOPTS":"xtrace","PS4":"$(secret)"}}`}, report.Fail,
			"env.PS4 is expanded, with the commands in it", "env.SHELLOPTS"},
		{"a skill that is text", map[string]string{
			"p/.claude/skills/x/SKILL.md": "---\nname: x\ndescription: writes hooks well\nallowed-tools: Bash\n---\n" +
				"hooks: text\n",
		}, report.Pass, "runs nothing", ""},
		{"a skill that lets commands out", approving(skill, "Bash(sh *)", ""), report.Warn,
			"p/.claude/skills/x/SKILL.md:3:1: allowed-tools Bash(sh *). " +
				"Matching commands run unsandboxed", "remove allowed-tools from the front matter"},
		{"a skill that does in front of the hook", approving(skill, "Bash(sh *)", `{`+bypassWarn+`}`), report.Pass,
			"runs nothing", ""},
		{"a skill that does where no hook runs", approving(skill, "Bash(sh *)", `{"disableAllHooks":true,`+bypassWarn+`}`),
			report.Warn, "allowed-tools Bash(sh *)", ""},
		{"a skill that does where none may leave", approving(skill, "Bash(sh *)",
			`{"sandbox":{"allowUnsandboxedCommands":false}}`), report.Pass, "runs nothing", ""},
		{"a skill with hooks", map[string]string{
			"p/.claude/skills/x/SKILL.md": "---\nname: x\nhooks:\n  PreToolUse: []\n---\n",
		}, report.Fail, "p/.claude/skills/x/SKILL.md:3:1: the front matter wires hooks",
			"remove hooks from the front matter"},
		{"an agent with hooks in braces", map[string]string{
			"p/.claude/agents/a.md": "\ufeff---\r\n{name: a, \"hooks\": {}}\r\n---\r\n",
		}, report.Fail, "p/.claude/agents/a.md:2:1", ""},
		{"a command with hooks behind a merge", map[string]string{"p/.claude/commands/d/c.MD": "---\nx: &x\n  hooks: {}\n" +
			"<<: *x\n---\n"}, report.Unknown, "c.MD:2:4", ""},
		{"an escaped key", map[string]string{"p/.claude/commands/c.md": "---\n\"\\x68ooks\": {}\n---\n"}, report.Fail,
			"c.md:2:1", ""},
		{"many", map[string]string{localFile: `{"env":{"PATH":"a","ENV":"b","BASH_ENV":"c","NODE_OPTIONS":"d","LD_A":"e"}}`},
			report.Fail, "sets PATH, ENV, BASH_ENV, 2 more for", ""},
		{"a hook", map[string]string{localFile: hook}, report.Fail, "1 hook that you have not approved",
			"steward-setup iso --approve"},
		{"its place", map[string]string{localFile: hook}, report.Fail, localFile +
			`:1:57: the hook "Stop: ./run.sh" runs outside`, ""},
		{"a server", map[string]string{mcp: `{"mcpServers":{"x":{"command":"./x"}}}`}, report.Fail, mcp +
			`:1:20: the MCP server "x"`, "steward-setup iso --approve"},
		{"a server that is refused", map[string]string{mcp: `{"mcpServers":{"x":{"command":"./x"}}}`,
			usersFile: `{"disabledMcpjsonServers":["x"]}`}, report.Pass, `the MCP server "x" is refused`, ""},
		{"a server, and another one is refused", map[string]string{mcp: `{"mcpServers":{"x":{"command":"./x"}}}`,
			localFile: `{"disabledMcpjsonServers":["x/", "X", {"serverName": "x"}]}`}, report.Fail, mcp +
			`:1:20: the MCP server "x"`, "steward-setup iso --approve"},
		{"servers without a prompt", map[string]string{localFile: `{"enableAllProjectMcpServers":true}`,
			mcp: `{"mcpServers":{}}`}, report.Fail, localFile + ":1:31: enableAllProjectMcpServers starts every server",
			"remove the key enableAllProjectMcpServers"},
		{"servers with a question", map[string]string{localFile: `{"enableAllProjectMcpServers":false,"enabledMcpjsonServers":[]}`}, report.Pass, "runs nothing", ""},
		{"a helper", map[string]string{localFile: `{"apiKeyHelper":"./key.sh"}`}, report.Fail,
			"apiKeyHelper is run for a key: ./key.sh", "remove the key apiKeyHelper"},
		{"a footer", map[string]string{localFile: `{"statusLine":{"type":"command","command":"./line.sh"}}`}, report.Fail,
			"takes the place of yours: ./line.sh", "remove the key statusLine"},
		{"a plugin", map[string]string{localFile: `{"enabledPlugins":{"a@b":true}}`}, report.Fail, "loads plugins",
			"remove the key enabledPlugins"},
		{"its own search", map[string]string{localFile: `{"sandbox":{"ripgrep":{"command":"./rg"}}}`}, report.Fail,
			"in place of the agent's own search: ./rg", "sandbox.ripgrep"},
		{"the user's own", map[string]string{usersFile: `{"env":{"PATH":"x"},"apiKeyHelper":"y","hooks":{"Stop":[{"hooks":[{"type":"command","command":"z"}]}]}}`}, report.Pass, "runs nothing", ""},
		{"servers that are not JSON", map[string]string{mcp: `{//`}, report.Unknown, mcp + ": cannot be understood", ""},
		{"settings that are not JSON", map[string]string{localFile: `{"env":{},}`}, report.Unknown, localFile + ":1:10", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			f := projectcode.Check(t.Context(), h.project(tt.files), filepath.Join(h.home, "p"))
			got := said(f)
			for _, r := range f.Remedies {
				if c, ok := r.(report.Command); ok {
					got += "\n" + c.Line
				}
			}
			if f.Status != tt.status || !strings.Contains(got, tt.word) || !strings.Contains(got, tt.remedy) ||
				len(f.Evidence) == 0 || f.Voids {
				t.Errorf("%s %s\nwant %s %q %q", f.Status, got, tt.status, tt.word, tt.remedy)
			}
			if strings.Contains(got, "secret") {
				t.Errorf("a value is shown: %s", got)
			}
			if of(f, report.Iso).Status != report.Pass || of(f, report.Plain).Status != tt.status {
				t.Errorf("launches %+v", f.Launches)
			}
		})
	}
}

func TestApprovedProjectCode(t *testing.T) {
	h := newHousehold(t)
	r := h.project(map[string]string{localFile: `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/run.sh"}]}]}}`, "p/run.sh": "echo a\n"})
	dir := filepath.Join(h.home, "p")
	l, err := iso.Survey(r, dir)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := l.Approval(r, l.Items)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range plan.Changes() {
		if err := os.MkdirAll(filepath.Dir(c.Path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(c.Path, c.After, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A plain start runs the file itself, claude-iso the copy.
	f := projectcode.Check(t.Context(), r, dir)
	wantFinding(t, f, report.Fail, "runs run.sh, which commands can change", localFile+":1:57")
	if len(f.Launches) != 2 || f.Launches[0].Status != report.Fail || f.Launches[1].Status != report.Pass {
		t.Errorf("launches %+v", f.Launches)
	}
	h.put(usersFile, `{"sandbox":{"filesystem":{"denyWrite":["`+dir+`/run.sh"]}}}`, 0o600)
	wantFinding(t, projectcode.Check(t.Context(), r, dir), report.Pass, "approved, 1 in all", localFile+":1:57")
	h.put("p/run.sh", "echo b\n", 0o644)
	wantFinding(t, projectcode.Check(t.Context(), r, dir), report.Fail, "not approved", localFile+":1:57")
}

func TestProjectCodeOfTheDirectoryYouStandIn(t *testing.T) {
	h := newHousehold(t)
	r := h.project(map[string]string{"p/sub/.claude/settings.json": `{"env":{"PATH":"x"}}`})
	wantFinding(t, projectcode.Check(t.Context(), r, filepath.Join(h.home, "p/sub")), report.Fail,
		"p/sub/.claude/settings.json:1:9")
	wantFinding(t, projectcode.Check(t.Context(), r, filepath.Join(h.home, "p")), report.Pass)
	// The user's own settings are no project's, also where a session starts beside them.
	h.put(usersFile, `{"env":{"PATH":"x"},"apiKeyHelper":"y"}`, 0o600)
	wantFinding(t, projectcode.Check(t.Context(), r, h.home), report.Pass)
}

// What a finding fails for is said first, and mended first.
func TestWhatAProjectRunsIsSaidFirst(t *testing.T) {
	h := newHousehold(t)
	const own = `{"search":{},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"echo a"}]}]}}`
	r := h.project(map[string]string{localFile: own,
		"p/.claude/skills/x/SKILL.md": "---\nname: x\norigin: y\n---\n"})
	f := projectcode.Check(t.Context(), r, filepath.Join(h.home, "p"))
	first := f.Evidence[0].Text
	if c, ok := f.Remedies[0].(report.Command); !ok || c.ID != "approve" || !strings.Contains(first, "the hook") ||
		len(f.Remedies) != 3 || len(f.Evidence) != 3 {
		t.Errorf("%s\n%+v", said(f), f.Remedies)
	}
}
