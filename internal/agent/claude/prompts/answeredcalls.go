// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what an answer opens follows from the calls that its hook runs
// for, by the matcher, the condition and the names of tools, as the runtime has them.

package prompts

import (
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
)

// updatesKey is the member of an answer of PermissionRequest that allows, by which
// rules, directories and the mode change for the session, or in a settings file that
// it names: measured with 2.1.324 and 2.1.330, in both launches, also rules that deny
// in a project's. acceptEdits and auto are taken over, bypassPermissions is not where
// the session was started without it.
const updatesKey = "updatedPermissions"

// rewritten is what such an answer opens.
const rewritten = "The answer changes rules, directories or the mode, in your settings if it says so (" + updatesKey +
	")."

// rewriting says what a text of a hook that allows would change besides.
func rewriting(event, text string) report.Status {
	switch {
	case event != claude.PermissionRequest, !strings.Contains(text, updatesKey):
		return report.Pass
	case strings.Contains(text, claude.ModeAuto+`"`), strings.Contains(text, "Rules"),
		strings.Contains(text, "Directories"),
		!strings.Contains(text, "setMode"):
		return report.Fail
	}
	return report.Warn
}

// judgedAs are the tools whose calls rules are for, by the tool of the rule.
var judgedAs = map[string]string{claude.ToolRead: claude.ToolRead, "Grep": claude.ToolRead, "Glob": claude.ToolRead,
	"LSP": claude.ToolRead, claude.ToolEdit: claude.ToolEdit, claude.ToolWrite: claude.ToolWrite,
	claude.ToolMultiEdit: claude.ToolEdit, claude.ToolNotebookEdit: claude.ToolNotebookEdit,
	claude.ToolWebFetch: claude.ToolWebFetch, claude.ToolBash: claude.ToolBash, claude.ToolMonitor: claude.ToolBash,
	"PowerShell": claude.ToolBash}

// harmless are tools whose prompts decide about nothing that is protected.
var harmless = strings.Fields("AskUserQuestion BashOutput EnterPlanMode ExitPlanMode ExitWorktree KillBash KillShell " +
	"LS ListAgents ListMcpResourcesTool NotebookRead ReportFindings TaskCreate TaskGet TaskList TaskOutput TaskStop " +
	"TaskUpdate TodoRead TodoWrite ToolSearch WebSearch")

// aliases are other names of tools in matchers and rules (measured with 2.1.324 and
// 2.1.330).
var aliases = map[string]string{"Task": claude.ToolAgent, "ReadMcpResource": claude.ReadsResources}

// runsFor says whether a hook runs for a tool. A condition (if) names one tool, and
// is for no other that rules of it hold for: Edit(PATH) is not for Write (measured
// with 2.1.324 and 2.1.330).
func (h Answering) runsFor(tool string) bool {
	names := []string{tool}
	for alias, of := range aliases {
		if of == tool {
			names = append(names, alias)
		}
	}
	if h.If != "" {
		if named, _, _, _ := claude.SplitRule(h.If); !slices.Contains(names, named) {
			return false
		}
	}
	_, err := regexp.Compile(h.Matcher) // of what is no pattern here, such as (?!Bash), nobody knows what it matches
	return err != nil || slices.ContainsFunc(names, func(name string) bool { return wiring.MatchesTool(h.Matcher, name) })
}

// Approving says what the answer "allow" of a hook would open, as a rule for the
// same calls would, or the policy without its own prompts.
func Approving(g grants.Ground, h Answering) (worst report.Status, opens string) {
	worst = report.Pass
	add := func(status report.Status, text string) {
		if status.WorseThan(worst) || opens == "" {
			worst, opens = report.Worse(worst, status), text
		}
	}
	e, request := g.Session.InForce(), h.Event == claude.PermissionRequest
	rules := h.servers()
	outside := false
	for tool, rule := range judgedAs {
		if !h.runsFor(tool) {
			continue
		}
		if h.If != "" {
			rule = h.If
		}
		outside = outside || judgedAs[tool] == claude.ToolBash
		rules = report.Union(rules, rule)
	}
	slices.Sort(rules)
	if request && outside && !e.Scalar(claude.KeyAllowUnsandboxedCommands...).Value.False() {
		add(report.Fail, "Commands run unsandboxed without a prompt when the agent asks for it.")
	}
	for _, w := range policy.Weakenings(policy.Document{Scope: settings.User, Home: g.Session.Dirs.Home,
		Start:   g.Session.Dirs.Start,
		Content: policy.Allowing(rules), Sealed: true,
		ReadsHeld: e.AnyTrue(claude.KeyBlockReads...), WritesHeld: e.AnyTrue(claude.KeyBlockWrites...)}) {
		status := report.Warn
		if w.Fails() {
			status = report.Fail
		}
		add(status, w.Opens)
	}
	if h.anyServer() {
		add(report.Warn, "Tools of MCP servers that match run without a prompt, outside the sandbox.")
	}
	if request { // an answer of PreToolUse lifts no rule of permissions.ask
		prompted(g, h, add)
	}
	return worst, opens
}

// prompted adds the prompts that the policy forces, or the runtime by itself, and
// that the hook answers.
func prompted(g grants.Ground, h Answering, add func(report.Status, string)) {
	for tool, p := range map[string]Rule{"SendMessage": MessageRule, claude.PublishesPages: PublishRule,
		claude.EntersWorktree: WorktreeRule, claude.ToolAgent: IsolationRule, claude.ReadsResources: ResourceRule} {
		if h.runsFor(tool) {
			add(report.Warn, p.Open+": "+p.Does)
		}
	}
	names := claude.Tools
	if wiring.Listing.MatchString(h.Matcher) {
		names = append(slices.Clone(names), strings.FieldsFunc(h.Matcher, func(r rune) bool {
			return strings.ContainsRune("|, ", r)
		})...)
	}
	for _, tool := range names {
		if judgedAs[tool] == "" && !slices.Contains(harmless, tool) && !strings.HasPrefix(tool, "mcp__") && h.runsFor(tool) {
			add(report.Warn, "The prompts of "+tool+" are answered.")
		}
	}
	for _, rule := range g.Session.InForce().RulesIn(claude.Ask) {
		if overlap(rule.Value.Text, h.If) && h.runsFor(claude.ToolBash) {
			add(report.Warn, "The prompt that "+rule.Value.Text+" in permissions.ask forces is answered.")
		}
	}
}

// overlap says whether two rules for commands may match the same one.
func overlap(a, b string) bool {
	a, _, isA := policy.CommandRule(a)
	b, _, isB := policy.CommandRule(b)
	before := func(s string) string {
		s, _, _ = strings.Cut(strings.TrimSuffix(s, ":*"), "*")
		return strings.TrimSpace(s)
	}
	return isA && isB && (strings.HasPrefix(before(a), before(b)) || strings.HasPrefix(before(b), before(a)))
}

// mcpServer finds the servers in a matcher for their tools.
var mcpServer = lazy.Regexp(`mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*`)

// A tool, and a server, that no pattern names.
const anyTool, unnamedServer = "__steward-tool", "mcp__steward-server"

// servers are rules for the servers whose tools a hook runs for, all or one: a
// matcher that lists names has to have the whole name of a tool.
func (h Answering) servers() (rules []string) {
	for _, name := range append(mcpServer().FindAllString(h.Matcher, -1), "mcp__ide") {
		if h.If == "" && h.runsFor(name+anyTool) {
			rules = append(rules, name)
		}
	}
	if h.runsFor(policy.RunsInEditor) {
		rules = append(rules, policy.RunsInEditor)
	}
	return rules
}

// anyServer says whether a hook runs for tools of servers that it does not name, or
// by a pattern for some.
func (h Answering) anyServer() bool {
	return h.If == "" && (h.runsFor(unnamedServer+anyTool) || !wiring.Listing.MatchString(h.Matcher) &&
		strings.Contains(h.Matcher, "mcp__") && strings.ContainsAny(h.Matcher, "*+{"))
}
