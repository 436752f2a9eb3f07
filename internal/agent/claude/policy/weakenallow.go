// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule that approves is judged by what it opens, to the
// tool that it names and past it.

package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// allowRules lists the rules that approve what nobody should approve unseen.
func (w *finder) allowRules() {
	for i, v := range elements(w.Content, claude.KeyAllow.String()) {
		if v.Kind != settings.Str {
			continue // the runtime skips it, and only it
		}
		rule := v.Text
		at := index(claude.KeyAllow.String(), i)
		allow := func(opens string) { w.add("allow-rule", at, rule, opens) }
		tool, arg := split(rule)
		switch {
		case approvesOutside(rule) && !w.Sealed:
			w.add("allow-outside", at, rule, "Matching commands run unsandboxed without a prompt when the agent asks for it.")
		case tool == claude.ToolBash && (!approvesOutside(rule) || arg == ":*"):
			allow("Every command runs without a prompt; before 2.1.329 also unsandboxed.")
		case arg == "*" && (tool == claude.ToolRead && !w.ReadsHeld || slices.Contains(changing, tool) && !w.WritesHeld):
			allow("In the project alone, today. Older versions take it for " + tool + ", which approves every file, " +
				"and the runtime says that it will do so again if its vendor switches this back.")
		case w.editRule(at, rule):
		case (tool == claude.ToolEdit || tool == claude.ToolWrite) && arg == "":
			if !w.WritesHeld {
				w.add("writes-any", at, rule, "The agent writes any file of yours without a prompt, "+
					"programs on your PATH among them; the runtime asks about a few, such as .bashrc.")
			}
		case tool == claude.ToolEdit || tool == claude.ToolWrite || tool == claude.ToolMultiEdit:
			if which, ok := sensitive.RunsOutside(arg, w.Home); ok {
				allow("The agent writes " + which + " without a prompt.")
			}
		case tool == claude.ToolNotebookEdit && arg == "" && !w.WritesHeld:
			allow("The agent changes any notebook of yours without a prompt.")
		case tool == RunsInEditor:
			allow("The agent runs code in the kernel of your editor without a prompt, outside the sandbox.")
		case wholeServer(rule):
			allow("Every tool of this MCP server runs without a prompt, outside the sandbox.")
		case tool == claude.ToolWebFetch:
			w.fetchRule(at, rule, arg)
		case tool == claude.ToolMonitor && (arg == "" || arg == "*"):
			w.add("fetch-any", at, rule, "The agent opens WebSockets to any host without a prompt, and sends anything in their "+
				"addresses; allowedDomains does not apply to them.")
		case tool == claude.ToolWorkflow && (arg == "" || arg == "*"):
			allow("The agent starts agents in worktrees without a prompt: git fetches there outside the sandbox.")
		case tool == claude.ToolSkill && startsReadingSkill(arg) && !w.ReadsHeld && !w.SkillsHeld:
			allow("The agent uses skills of the runtime's own without a prompt, and by " +
				strings.Join(claude.ReadingSkills(), " or ") +
				" reads every file of yours that no rule denies until the turn ends.")
		case tool == claude.ToolRead && !w.ReadsHeld:
			w.readRule(at, rule, arg)
		}
	}
}

// changing are the tools whose rule with a star means the project, by a switch of the
// vendor's (what 2.1.324 and 2.1.332 print at the start of a session with one).
var changing = []string{claude.ToolEdit, claude.ToolWrite, claude.ToolNotebookEdit}

// startsReadingSkill says whether a rule for the Skill tool with this content approves a
// skill of claude.ReadingSkills (2.1.332 and 2.1.324: without one, with a star, or with
// the name and any arguments).
func startsReadingSkill(arg string) bool {
	name, _, _ := strings.Cut(strings.TrimSuffix(arg, ":*"), " ")
	return arg == "" || arg == "*" || slices.Contains(claude.ReadingSkills(), name)
}

// RunsInEditor is the tool of an editor's own server that runs code of the agent's
// in the kernel of a notebook (names in the code of 2.1.330).
const RunsInEditor = "mcp__ide__executeCode"

// wholeServer says whether a rule approves all tools of an MCP server (settings
// reference: mcp__server, mcp__server__*).
func wholeServer(rule string) bool {
	server, ok := strings.CutPrefix(rule, "mcp__")
	server = strings.TrimSuffix(server, "__*")
	return ok && server != "" && server != "*" && !strings.Contains(server, "__")
}

// Measured with 2.1.332 in both launches: a rule for Monitor, or Monitor(*), approves
// its WebSockets, and no host for its commands, which stay sandboxed; Monitor(ws:*),
// other contents, Bash and WebFetch(domain:HOST) approve none. Workflow and
// Workflow(*) start a script, whose agents have a worktree where it says so, whatever
// IsolatesAgents says: git fetched what a symlink origin led to.
//
// What follows was measured with 2.1.329: Edit alone approves changes of any
// file, Write alone any new one, NotebookEdit alone any notebook; Write(PATH),
// Grep, Glob, LSP, Agent, "*" and "mcp__*" approve none of these.

// readRule judges a rule that approves the Read tool. Measured with 2.1.329 in
// user scope: Read alone approves every file, as does a pattern that begins at
// the root or the home; "*", "**", "/**" and "../**" approve none outside the
// start directory. A deny rule wins, and so does
// blockReadsOutsideWorkingDirectories.
func (w *finder) readRule(at []string, rule, arg string) {
	p, dir := w.meant(arg)
	_, all := sensitive.Whole(sensitive.Normal(dir, w.Home), w.Home)
	which, credentials := sensitive.CredentialPath(p, w.Home)
	ours := pathname.WithinAny(dir, readable) ||
		w.Start != "" && pathname.Within(sensitive.Normal(dir, w.Home), sensitive.Normal(w.Start, w.Home))
	switch {
	case arg == "", dir != "" && all && strings.ContainsAny(arg, "*?["):
		w.add("reads-any", at, rule, "The agent reads every file of yours that no rule denies without a prompt, and sends "+
			"it to the model.")
	case credentials:
		w.add("allow-rule", at, rule, "The agent reads "+which+" without a prompt.")
	case dir != "" && !ours:
		w.add("allow-rule", at, rule,
			"The agent reads files outside the project without a prompt, and sends them to the model.")
	}
}

// readable are places of the machine that hold programs and nothing of the
// user's.
var readable = []string{"/usr", "/opt", "/nix"}

// meant spells the path of a Read rule as a sandbox path; fixed is the part of
// it before its first wildcard, "" for one below the start directory.
func (w *finder) meant(arg string) (p, fixed string) {
	switch {
	case strings.HasPrefix(arg, "//"):
		p = arg[1:]
	case strings.HasPrefix(arg, "/") && w.Scope == settings.User:
		p = "~/.claude" + arg
	case strings.HasPrefix(arg, "/"):
		return "." + arg, ""
	case !strings.HasPrefix(arg, "~"):
		return arg, ""
	default:
		p = arg
	}
	return p, path.Clean(pathname.BeforeWildcard(p))
}

// fetchRule judges a rule that approves WebFetch. Measured with 2.1.141 and
// 2.1.329, in every scope: a rule for a host opens the sandbox's network to it
// too, one without a host opens that to none, and WebFetch itself asks about
// no host that a rule names, whatever the sandbox's lists say.
func (w *finder) fetchRule(at []string, rule, arg string) {
	if rule == claude.ToolWebFetch || arg == "*" {
		w.add("fetch-any", at, rule, "The agent can send anything to any host, in a URL, without a prompt; allowedDomains "+
			"does not apply to WebFetch.")
		return
	}
	host, ok := strings.CutPrefix(arg, "domain:")
	switch why := overWide(host); {
	case !ok || host == "": // the runtime ignores it
	case strings.Contains(strings.TrimPrefix(host, "*"), "*") && !ownMachine(host):
		w.add("wide-domain", at, rule, "No prompt for any host that matches; allowedDomains does not apply to WebFetch.")
	case why != "":
		w.add(wideKind(host), at, rule,
			"Sandboxed commands reach the hosts of this rule, and WebFetch does not prompt for them: "+why+".")
	case sharedBelow(host):
		w.add("shared-domain", at, rule, sharedHosts)
	case !HostCovered(append(texts(w.Content, claude.KeyAllowedDomains.String()), w.Hosts...), host):
		w.add("fetch-host", at, rule, "The rule opens "+host+" to sandboxed commands too, and WebFetch does not prompt for "+
			"it; allowedDomains does not name it.")
	}
}

func wideKind(host string) string {
	if ownMachine(host) {
		return "own-machine"
	}
	return "wide-domain"
}

// editRule judges a rule that opens a path to commands; ok says that it is one.
func (w *finder) editRule(at []string, rule string) (ok bool) {
	agent := ""
	if w.Scope == settings.User {
		agent = "~/.claude"
	}
	p, ok := EditPath(rule, agent)
	if ok {
		w.opened(at, rule, p, true)
	}
	return ok
}

// directories judges additionalDirectories: commands read and write them
// (measured with 2.1.141 and 2.1.329, in every scope; a relative one begins in
// the start directory, also in user scope).
func (w *finder) directories() {
	for i, v := range elements(w.Content, claude.KeyAdditionalDirectories.String()) {
		at := index(claude.KeyAdditionalDirectories.String(), i)
		if v.Kind != settings.Str || !w.opened(at, v.Text, v.Text, true) {
			w.add("directory", at, shown(v), "Commands read and write this directory, and the agent's tools treat it as "+
				"part of the project.")
		}
	}
}

// InAgentDir begins what is said of a relative path in user settings.
const InAgentDir = "In user scope a path is relative to the agent's own directory: "

// DotenvNames are the patterns of the policy's entries for .env files
// (templates/settings.json), in whatever directory of a project.
func DotenvNames() []string { return []string{".env", ".env.local", ".env.*.local"} }

// Dotenv says whether one of DotenvNames is that of a file of this name.
func Dotenv(base string) bool { return pathname.Like(base, DotenvNames()...) }

// EditPath returns the path that a rule of permissions.allow opens to
// sandboxed commands, to be read and written; the rule is no mere answer to a
// question. agent is the runtime's own directory for rules of user settings,
// "" for others. Measured with 2.1.141 and 2.1.329 on Linux, in user, project
// and local scope: Edit(PATH) alone does it, not Write, MultiEdit,
// NotebookEdit or Read; "PATH/**" and "PATH/" mean PATH, and any other
// wildcard keeps the rule from opening anything. "//x" is at the root, "/x" in
// the directory of the settings (that of the agent in user scope, else the
// start directory), and the rest in the start directory, also in user scope.
func EditPath(rule, agent string) (p string, ok bool) {
	tool, p := split(rule)
	if tool != claude.ToolEdit || p == "" {
		return "", false
	}
	if dir, all := strings.CutSuffix(p, "/**"); all {
		p = dir + "/"
	}
	switch {
	case strings.ContainsAny(p, "*?["):
		return "", false
	case strings.HasPrefix(p, "//"):
		return path.Clean(p[1:]), true
	case strings.HasPrefix(p, "/") && agent != "":
		return path.Clean(agent + p), true
	case strings.HasPrefix(p, "/"):
		p = "." + p
	}
	return path.Clean(p), true
}

// Opening are the arrays of settings whose elements open paths to be written.
func Opening() []claude.KeyPath {
	return []claude.KeyPath{claude.KeyAllowWrite, claude.KeyAllow, claude.KeyAdditionalDirectories}
}

// PathOf is the absolute path that an element of such an array, or of another one of
// paths, means in a scope; "" if it means none, or (in settings given as text) none that
// anybody can name.
func PathOf(dirs settings.Dirs, key, text string, scope settings.Scope) string {
	if strings.HasPrefix(key, "sandbox.") {
		return dirs.Resolve(text, scope)
	}
	// These begin in the start directory, whatever their scope (measured with
	// 2.1.141 and 2.1.329).
	if key != claude.KeyAdditionalDirectories.String() {
		agent := ""
		if scope == settings.User {
			agent = dirs.Agent
		}
		p, ok := EditPath(text, agent)
		if !ok {
			return ""
		}
		text = p
	}
	return dirs.Resolve(text, settings.Project)
}
