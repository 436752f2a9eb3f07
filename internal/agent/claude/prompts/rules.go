// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the agent sends out of the sandbox without a command is
// a prompt, or it is said that no rule makes it one.

package prompts

import (
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// Rule is a rule of permissions.ask that policies of earlier versions lack.
type Rule struct {
	Rule string
	// path is what a rule of paths has to cover, below the start directory; any
	// other is one that claude.RuleHolds knows.
	path string
	// kept is in place of that where the rule is no rule of permissions.ask, but an
	// entry of denyWrite; Moot says that the user's own settings make it needless.
	kept func(e *settings.Effective, dirs settings.Dirs) bool
	Moot func(session.Settings) bool
	// Open is what is said where no rule holds it, Does why that matters.
	Open, Does string
	// ByIso says that claude-iso adds the rule to a session.
	ByIso func(s session.Settings) bool
}

// MessageRule asks before the agent writes to a unix socket.
var MessageRule = Rule{Rule: claude.SocketMessages, Open: "the agent can write to your unix sockets without a prompt",
	Does: "SendMessage connects to any unix socket, outside the sandbox", ByIso: always}

// BridgeRule asks before the agent writes to the user's sessions elsewhere.
var BridgeRule = Rule{Rule: claude.BridgeMessages,
	Open:  "the agent can write to your sessions elsewhere without a prompt",
	Does:  "with an account of claude.ai, SendMessage sends text to your sessions on other machines and in the cloud",
	ByIso: always}

// PublishRule asks before the agent publishes a page.
var PublishRule = Rule{Rule: claude.PublishesPages,
	Open:  "the agent can publish files of the project without a prompt",
	Does:  "with an account of claude.ai, Artifact sends an HTML or Markdown file there as a page of yours",
	ByIso: always}

// FetchRule is left out of a launch where the user's own settings approve pages
// of some host.
var FetchRule = Rule{Rule: claude.FetchPages, Open: "the agent can fetch pages of about 85 hosts without a prompt",
	Does: "WebFetch does not prompt for hosts on the runtime's own list, such as " + claude.FetchedHost +
		". The URL can carry data out", ByIso: unlessApproved(claude.FetchPages)}

// WorktreeRule asks before the agent enters a worktree.
var WorktreeRule = Rule{Rule: claude.EntersWorktree,
	Open: "the agent can enter a worktree without a prompt", Does: gitOutside, ByIso: always}

// IsolationRule asks before the agent starts an isolated agent.
var IsolationRule = Rule{Rule: claude.IsolatesAgents,
	Open: "the agent can start isolated agents (worktree, remote) without a prompt", Does: gitOutside, ByIso: always}

// gitOutside is what entering a worktree does.
const gitOutside = "git then fetches and downloads outside the sandbox, from where a command leads it, " +
	"also from your other repositories"

// ResourceRule asks before the agent reads a resource of an MCP server.
var ResourceRule = Rule{Rule: claude.ReadsResources,
	Open: "the agent can read resources of MCP servers without a prompt",
	Does: "the agent names any address, also one that the server does not list. The server reads or fetches it " +
		"outside the sandbox", ByIso: unlessApproved(claude.ReadsResources)}

// ServerRule asks before the agent writes the file of servers of a preview.
var ServerRule = Rule{Rule: claude.WritesServers, path: filepath.Join(claude.Dir, claude.LaunchFile),
	Open: "the agent can write .claude/launch.json without a prompt",
	Does: "the file names servers that the desktop app starts for a preview, outside the sandbox", ByIso: always}

// DirMode is in a launch but where the session makes a worktree of its own.
var DirMode = Rule{Rule: claude.KeepsDir, kept: keepsDir, Moot: Floored,
	Open: "a command can make .claude unreadable: plain claude then starts without a policy",
	Does: "a command in the background can take the rights of the directory away (chmod 0 .claude). A start is then " +
		"silently without sandbox and rules, also after that session was killed", ByIso: always}

// keepsDir says whether an entry keeps commands from changing the start's own
// directory of the agent.
func keepsDir(e *settings.Effective, dirs settings.Dirs) bool {
	return slices.ContainsFunc(e.Taken(claude.KeyDenyWrite...), func(c settings.Candidate) bool {
		at := dirs.Resolve(c.Value.Text, c.Scope)
		return at != "" && pathname.Within(filepath.Join(dirs.Start, claude.Dir), at)
	})
}

// Floored says whether settings that lie in no project are a policy by themselves.
func Floored(s session.Settings) bool {
	return slices.ContainsFunc(s.Layers, func(l settings.ScopedDoc) bool {
		return (l.Scope == settings.User || l.Scope == settings.Managed) && inforce.Floor(l.Doc)
	})
}

func always(session.Settings) bool { return true }

// unlessApproved says that claude-iso adds the rule unless the user's own settings
// approve some of what it asks about.
func unlessApproved(asks string) func(s session.Settings) bool {
	return func(s session.Settings) bool {
		return !slices.ContainsFunc(s.InForce().Rules(), func(rule settings.Rule) bool {
			return rule.List == claude.Allow && rule.Scope == settings.User && claude.Approves(rule.Value.Text, asks)
		})
	}
}

// asked says whether a deny or ask rule in force holds it.
func (p Rule) asked(e *settings.Effective, dirs settings.Dirs) bool {
	if p.kept != nil {
		return p.kept(e, dirs)
	}
	return slices.ContainsFunc(e.RulesIn(claude.Deny, claude.Ask), func(rule settings.Rule) bool {
		if p.path == "" {
			return claude.RuleHolds(p.Rule, rule.Value.Text)
		}
		tool, content, call, ok := claude.SplitRule(rule.Value.Text)
		return ok && call && tool == claude.ToolEdit && content != "*" &&
			settings.RuleCovers(content, rule.Scope, dirs, filepath.Join(dirs.Start, p.path))
	})
}

// Unasked says why nobody is asked, "" if a rule in force holds it.
func (p Rule) Unasked(e *settings.Effective, dirs settings.Dirs) string {
	if p.asked(e, dirs) {
		return ""
	}
	if p.kept != nil {
		return "no entry " + p.Rule + " in " + claude.KeyDenyWrite.String()
	}
	return "no rule such as " + p.Rule + " in permissions.ask"
}
