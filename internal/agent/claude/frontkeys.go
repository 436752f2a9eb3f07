// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the keys of the front matter of a project's texts. Sources:
// the schemas of 2.1.329 and 2.1.224; what runs was measured with 2.1.329
// and 2.1.324 (internal/agent/claude/iso, TestProjectCodeRuns). These two do not obey a
// permissionMode that opens, as 2.1.224 did. A rule for Bash in allowed-tools lets a
// command leave the sandbox where it has a pattern (2.1.332 and 2.1.324), and with
// 2.1.224 any. Commands written into a skill (!`x`) run inside the sandbox.

package claude

import (
	"path"
	"slices"
	"strings"
)

// Text is a kind of text for the model.
type Text string

// The kinds. A command is read as a skill.
const (
	Skill Text = "skill"
	Agent Text = "agent"
	Style Text = "output style"
)

// TextDirs are the directories of .claude that hold texts, and their kind.
var TextDirs = []struct {
	Name string
	Kind Text
}{{SkillsDir, Skill}, {"agents", Agent}, {"commands", Skill}, {"output-styles", Style}}

// SkillsDir is the one of them in which only SKILL.md of each directory is a text, unless
// ManifestDir makes it a plugin, by the manifest Plugin.
const (
	SkillsDir   = "skills"
	ManifestDir = ".claude-plugin"
)

// AgentsDir are the agents of a plugin, which a skill may be. Of their front matter
// the runtime obeys isolation, and neither hooks nor servers (measured with 2.1.330).
const AgentsDir = "agents/"

// IsText says whether a file has the name of a text, and IsSkill whether one among skills
// has that of a skill.
func IsText(name string) bool  { return strings.EqualFold(path.Ext(name), ".md") }
func IsSkill(name string) bool { return strings.EqualFold(path.Base(name), "SKILL.md") }

// IsMaterial says whether a text lies in the directory of skills and is none.
func IsMaterial(name string) bool {
	return strings.Contains("/"+name, "/"+Dir+"/"+SkillsDir+"/") && !IsSkill(name)
}

const startsServers = "starts MCP servers, which run outside the sandbox"

// worksElsewhere is what "isolation" in an agent's front matter does. No rule of
// permissions asks: neither Agent(isolation:*) nor one that names the agent (measured
// with 2.1.330 in both launches).
const worksElsewhere = "lets the agent work in a worktree or remotely without a prompt: git fetches and downloads " +
	"for it outside the sandbox, from where a command leads it"

// typesCommand is what "initialPrompt" of the agent of a session may do: until
// /statusline is done, the Read tool takes what no rule names in the home.
const typesCommand = "types a command of the runtime at the start of the session: /statusline lets the agent read " +
	"your home without a prompt"

// The keys of front matter that decide what an agent or a skill may do without a
// prompt.
const (
	FrontAllowedTools   = "allowed-tools"
	FrontPermissionMode = "permissionMode"
	FrontIsolation      = "isolation"
	FrontInitialPrompt  = "initialPrompt"
)

// Isolates says whether a value of FrontIsolation may have the agent work elsewhere:
// worktree and remote do, up to Newest, and a later version may know others. What
// follows # may be a comment.
func Isolates(values []string) bool {
	if len(values) != 1 {
		return true
	}
	value, _, _ := strings.Cut(values[0], "#")
	return !slices.Contains([]string{"none", ""}, strings.TrimSpace(value))
}

// Orders says whether a value of FrontInitialPrompt is a command of the runtime. On a
// terminal it is run as if the user had typed it, without a prompt (2.1.330); /add-dir
// and /cd ask. In print mode it is sent as text, or ends the session.
func Orders(values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool {
		return strings.HasPrefix(strings.TrimLeft(v, "|>+- \t\r\n"), "/")
	})
}

// frontKeys are the rows of each kind.
var frontKeys = map[Text][]Key{
	Skill: {
		{Path: "hooks", Class: Runs, Effect: "wires hooks, which run outside the sandbox as soon as it is used"},
		{Path: "mcpServers", Class: Runs, Effect: startsServers},
		{Path: "lspServers", Class: Runs, Effect: "starts language servers, which run outside the sandbox"},
		{Path: "monitors", Class: Runs, Effect: "starts programs in the background, outside the sandbox"},
		{Path: "channels", Class: Opens, Effect: "lets servers push messages into the session"},
		{Path: "settings", Class: Opens, Effect: "changes settings while it is loaded"},
		{Path: "experimental", Class: Opens, Effect: "loads components that may change"},
		{Path: FrontAllowedTools, Class: Opens, Effect: "approves calls while it is used"},
		{Path: "disallowed-tools", Class: Protects, Effect: "takes tools away"},
		{Path: "disallowedTools", Class: Protects, Effect: "takes tools away"},
		{Path: "disable-model-invocation", Class: Protects, Effect: "leaves it to the user"},
	},
	Agent: {
		{Path: "hooks", Class: Runs, Effect: "wires hooks, which run outside the sandbox as soon as it is used"},
		{Path: "mcpServers", Class: Runs, Effect: startsServers},
		{Path: FrontPermissionMode, Class: Opens, Effect: "decides what the agent is asked"},
		{Path: FrontIsolation, Class: Opens, Effect: worksElsewhere},
		{Path: FrontInitialPrompt, Class: Opens, Effect: typesCommand},
		{Path: "disallowedTools", Class: Protects, Effect: "takes tools away"},
	},
}

// frontPlain are the keys of each kind that decide nothing about protection.
var frontPlain = map[Text]string{
	Skill: `name description model argument-hint arguments user-invocable effort shell version when_to_use paths context agent
		background fallback created_by improved_by agents outputStyles themes workflows userConfig defaultEnabled dependencies
		metadata displayName author homepage repository license keywords compatibility`,
	Agent: `name description model tools color effort maxTurns autoCompactWindow skills memory background omitClaudeMd
		observer observerMessage observeToolResults observeSubagents experimental experimental.cacheTtl`,
	Style: `name description keep-coding-instructions force-for-plugin`,
}

// Front is the row of a key of front matter. Capitals, dashes and underscores
// do not count: the runtime holds code that reads keys so (off in 2.1.329).
func Front(kind Text, name string) Key {
	for _, k := range frontKeys[kind] {
		if Folded(k.Path) == Folded(name) {
			return k
		}
	}
	for plain := range strings.FieldsSeq(frontPlain[kind]) {
		if Folded(plain) == Folded(name) {
			return Key{Path: plain, Class: Harmless}
		}
	}
	return Key{Path: name}
}

// Folded is the name of a key of front matter without what does not count in it.
func Folded(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}
