// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime calls its tools, and what their replies say.

package play

import (
	"maps"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/model"
)

// noAgent is a kind of agent that no session has.
const noAgent = "steward-none"

// The skills that a session has for model.Mention and model.UsePlanted.
const (
	askedSkill   = "steward-asked"
	plantedSkill = "steward-planted"
)

// askedAbout is what a call gets back that the runtime would have asked a
// person about; refusal is the answer of a PermissionRequest hook that says so
// in place of the dialog (measured with 2.1.324 and 2.1.329: the hook runs
// where the dialog would open, in every permission mode, and the turn goes on).
const askedAbout = "steward-setup: the runtime would have asked about this call"

var refusal = claude.Refusal(askedAbout)

// tools are what makes a call of each act.
var tools = map[model.Act]string{model.Run: claude.ToolBash, model.RunOutside: claude.ToolBash,
	model.Read: claude.ToolRead, model.Write: claude.ToolWrite, model.Edit: claude.ToolEdit,
	model.Fetch: claude.ToolWebFetch, model.Message: "SendMessage", model.Mention: claude.ToolSkill,
	model.UsePlanted: claude.ToolSkill, model.Delegate: claude.ToolAgent}

// Tool implements agent.Agent.
func (Claude) Tool(c model.Call) (agent.Tool, bool) { return toolOf(c), true }

// toolOf is a call in the runtime's words. 2.1.324 and 2.1.329 answer a message to
// a socket that is not there by saying so, and one to a name that no agent has
// otherwise; of a page they get as far as the vendor's check of the host, which the
// stage does not let through; a file that a skill's arguments name they send along,
// and ask nobody; of a kind of agent that is not there they say so behind the rules
// (measured, this with 2.1.324 and 2.1.330).
func toolOf(c model.Call) agent.Tool {
	if c.Act == "" {
		return agent.Tool{Name: c.Tool, Input: c.Input}
	}
	t := agent.Tool{Name: tools[c.Act], Input: maps.Clone(c.Input)}
	text := func(member string) string { s, _ := c.Input[member].(string); return s }
	switch c.Act {
	case model.RunOutside:
		t.Input[claude.BypassInput] = true
		fallthrough
	case model.Run:
		t.Input["description"] = "scripted"
		if hosts, names := t.Input["hosts"]; names {
			t.Input[claude.HostsInput] = hosts
			delete(t.Input, "hosts")
		}
	case model.Fetch:
		t.Input["prompt"] = "scripted"
		_, host, _ := strings.Cut(text("url"), "://")
		host, _, _ = strings.Cut(host, "/")
		t.Tried = "Unable to verify if domain " + host
	case model.Message:
		to := "uds:" + text("socket")
		t.Input = map[string]any{"to": to, "message": text("content"), "summary": "scripted"}
		t.Tried = "Failed to send to " + to
	case model.Mention:
		named := "@" + text("file_path")
		if strings.ContainsAny(named, " \t") { // where it ends unless it is quoted
			named = `@"` + named[1:] + `"`
		}
		t.Input = map[string]any{"skill": askedSkill, "args": named}
		t.Tried = "Launching skill"
	case model.Delegate:
		t.Input = map[string]any{"description": "scripted", "prompt": "scripted", "subagent_type": noAgent,
			claude.IsolationInput: text("place")}
		t.Tried = "Agent type '" + noAgent + "' not found"
	case model.UsePlanted:
		t.Input = map[string]any{"skill": plantedSkill}
	}
	return t
}

// noSuchTool begins what a call of a tool gets back that the session does not
// have: a deny rule without a pattern takes a tool away (measured with 2.1.324
// and 2.1.329).
const noSuchTool = "No such tool available: "

// Says implements agent.Agent. That a session has no Bash the control says, and
// what a command prints could be these words. That a file was not read before is
// said behind the Read rules, which come first (measured with 2.1.329).
func (Claude) Says(c model.Call, reply string) agent.Saying {
	tool := toolOf(c).Name
	text := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(reply), "<tool_use_error>"), "Error: ")
	switch {
	case tool == "" && claude.SandboxCameLate(reply):
		return agent.NoSandbox
	case tool != "" && tool != claude.ToolBash && strings.HasPrefix(text, noSuchTool+tool+"."):
		return agent.NoTool
	case tool == claude.ToolEdit && strings.Contains(reply, "File has not been read yet"):
		return agent.Unread
	}
	return ""
}

// Planted implements agent.Agent: a skill and settings, each with a hook in front
// of every call.
func (Claude) Planted(dir, command string) []fs.Laid {
	hooks := claude.CommandHook(claude.PreToolUse, command)
	own := filepath.Join(dir, claude.Dir)
	return []fs.Laid{
		{Path: filepath.Join(own, "skills", plantedSkill, "SKILL.md"), Mode: 0o644,
			Data: []byte("---\nname: " + plantedSkill + "\ndescription: planted\nhooks: " + hooks + "\n---\nNothing.\n")},
		{Path: filepath.Join(own, claude.SettingsFile), Mode: 0o644,
			Data: []byte(`{"` + claude.KeyHooks.Leaf() + `": ` + hooks + "}\n")},
	}
}

// Mentioned implements agent.Agent.
func (Claude) Mentioned(own string) []fs.Laid {
	return []fs.Laid{{Path: filepath.Join(own, "skills", askedSkill, "SKILL.md"), Mode: 0o644,
		Data: []byte("---\nname: " + askedSkill + "\ndescription: does nothing\n---\nNothing: $ARGUMENTS\n")}}
}
