// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what docs/protection.md says of resources that the agent reads is
// what the runtime does.

package iso_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// resourceServer is an MCP server that answers for every address.
const resourceServer = `import sys, json
for line in sys.stdin:
    m = json.loads(line)
    if m.get("id") is None:
        continue
    r = {"initialize": lambda: {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"resources": {}},
                                "serverInfo": {"name": "fs", "version": "1"}},
         "resources/list": lambda: {"resources": []},
         "resources/read": lambda: {"contents": [{"uri": m["params"]["uri"], "text": "SERVED"}]}}.get(m["method"], dict)()
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
`

// TestResourcesAreReadWithoutAPrompt: the runtime asks nobody before the agent
// reads a resource of the user's own server, also one that the server does not
// list. The rule of the policy does, whatever an allow rule says, and the launch
// adds it unless the user's own settings approve resources.
func TestResourcesAreReadWithoutAPrompt(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "python3")
	pinned, floor := testenv.Claude(t), testenv.ClaudeFloor(t)
	for _, c := range []struct {
		name, runtime, project, user string
		hardened, asked              bool
	}{
		{"plain, the server is denied", pinned, `{"deny":["mcp__fs"]}`, `{}`, false, false},
		{"plain, the rule, the floor", floor, `{"ask":["` + claude.ReadsResources + `"],"allow":["ReadMcpResourceTool"]}`,
			`{}`, false, true},
		{"claude-iso, no rule", pinned, `{}`, `{}`, true, true},
		{"claude-iso, the user approves", pinned, `{}`, `{"allow":["ReadMcpResourceTool"]}`, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.runtime = c.runtime
			l.settings(`{"permissions":` + c.project + `}`)
			l.put(".claude/settings.json", `{"permissions":`+c.user+`}`)
			l.put(".claude.json", fmt.Sprintf(`{"hasCompletedOnboarding":true,"mcpServers":{"fs":{"command":"python3","args":[%q]}}}`,
				l.put("server.py", resourceServer)))
			l.approve()
			script := calls(model.Call{Tool: "ToolSearch", Input: map[string]any{"query": "select:ReadMcpResourceTool"}},
				model.Call{Tool: "ReadMcpResourceTool", Input: map[string]any{"server": "fs",
					"uri": "https://elsewhere.test/?what=left"}})
			start := func() session { return l.plain("p", script...) }
			if c.hardened {
				start = func() session { return l.hardened("p", iso.Options{}, script...) }
			}
			want := "SERVED"
			if c.asked {
				want = "requested permissions to use ReadMcpResourceTool"
			}
			if said := start().text(t, 1); !strings.Contains(said, want) {
				t.Errorf("%q, want %q", said, want)
			}
		})
	}
}
