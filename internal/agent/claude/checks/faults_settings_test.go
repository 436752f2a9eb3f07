// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every way in which settings can be wrong that somebody
// has been seen to write.

package checks_test

import (
	"maps"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// The settings files of the usual machine.
const (
	userFile     = "~/.claude/settings.json"
	projectFile  = "~/code/tracker/.claude/settings.json"
	localFile    = "~/code/tracker/.claude/settings.local.json"
	worktreeFile = "~/code/tracker-fix/.claude/settings.local.json"
	managedFile  = "/etc/claude-code/managed-settings.json"
)

// wholeUser is a machine whose policy stands in the user's settings.
var wholeUser = setup{home: "home", project: "home/code/tracker", worktree: "home/code/tracker-fix",
	answers: report.Answers{"policy-to": {"user"}}}

// onlyLocal is a machine whose policy stands in the project's local settings.
var onlyLocal = on(func(s *setup) { s.answers = report.Answers{"policy-to": {"local"}} })

// floored is the usual machine with a policy in the user's settings, too.
var floored = on(func(s *setup) { s.answers = report.Answers{"floor": {"yes"}} })

type effects = map[report.ID]Effect

// What follows for the checks that look at the policy itself.
var (
	notJudged = Effect{report.Unknown, "nothing is said of weaknesses where no policy is in force"}
	isOpen    = Effect{report.Fail, "it is a setting that takes protection away"}
	noPolicy  = Effect{report.Fail, "a policy that is off, or dropped, is not there"}
	isOff     = Effect{report.Fail, "without the file the settings in force are others than those that are written"}
	notWired  = Effect{report.Fail, "the hooks are wired in the file that is dropped"}
	noRoot    = Effect{report.Fail, "the worktree's root stands in the file that is dropped"}
)

// off are the effects of a sandbox that is switched off.
var off = effects{"project-settings": noPolicy, "policy-invariants": isOpen}

func with(e effects, more effects) effects {
	e = maps.Clone(e)
	maps.Copy(e, more)
	return e
}

// gone are the effects of a policy that is not there, dropped those of one that
// the runtime drops.
var (
	gone    = effects{"effective-sandbox": isOff, "policy-invariants": notJudged}
	dropped = with(gone, effects{"project-code": {report.Unknown, "what is dropped is not read either"}})
)

// usersEnv is a variable in the user's own settings that runs in front of the
// sandbox.
func usersEnv(name, value string) Fault {
	return Fault{Name: "the user's settings set " + name, Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: userFile + `#"` + name + `"`,
		Break: func(m *Machine) { m.set(userFile, "env."+name, value) }}
}

// excludes is a pattern of excludedCommands through which any command, or any
// file, is reached.
func excludes(pattern string) Fault {
	return Fault{Name: "excludedCommands lets out " + pattern, Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: localFile + `#"` + pattern + `"`,
		Break: func(m *Machine) { m.add(localFile, "sandbox.excludedCommands", pattern) }}
}

// settingsBelow are subdirectories with settings of their own that open nothing, and a
// repository: the policy of the user's holds in each.
var settingsBelow = Variant{
	Name: "subdirectories with settings of their own, and a repository, below a policy of the user's",
	Setup: on(func(s *setup) {
		s.answers = report.Answers{"floor": {"yes"}}
		s.after = func(m *Machine) {
			m.write("~/code/tracker/web/.claude/settings.json", `{"model": "opus", "a key of tomorrow": 1,
				"permissions": {"deny": ["Read(./secrets/**)"]}, "env": {"NO_COLOR": "1"}}`, 0o644)
			m.write("~/code/tracker/api/.claude/settings.json", m.read(projectFile), 0o644)
			m.git(m.Project, "init", "--quiet", "--template=", "lib")
		}
	})}

// hooksBelow are settings of a subdirectory in a monorepo, where no policy holds.
var hooksBelow = Variant{Name: "settings of a subdirectory with a hook, where no policy holds",
	Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.write("~/code/tracker/web/.claude/settings.json",
				`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "make fmt"}]}]}}`, 0o644)
		}
	})}

var switchFaults = []Fault{
	{Name: "the sandbox is off in user settings", On: &wholeUser, Breaks: "effective-sandbox", Want: report.Fail,
		Voids: true, Also: off,
		Where: userFile + `#"enabled": false`,
		Break: func(m *Machine) { m.set(userFile, "sandbox.enabled", false) }},
	{Name: "the sandbox is off in the project", Breaks: "effective-sandbox", Want: report.Fail, Voids: true, Also: off,
		Where: projectFile + `#"enabled": false`,
		Break: func(m *Machine) { m.set(projectFile, "sandbox.enabled", false) }},
	{Name: "a subdirectory switches off what the user switches on", On: &wholeUser, Breaks: "effective-sandbox",
		Want:  report.Warn,
		Where: "~/code/tracker/web/.claude/settings.json#false", Break: func(m *Machine) {
			m.write("~/code/tracker/web/.claude/settings.json", `{"sandbox": {"enabled": false}}`, 0o644)
		}},
	{Name: "a subdirectory switches off what the user and the project switch on", On: &floored,
		Breaks: "effective-sandbox", Want: report.Warn,
		Where: "~/code/tracker/web/.claude/settings.local.json#false", Break: func(m *Machine) {
			m.write("~/code/tracker/web/.claude/settings.local.json", `{"sandbox": {"enabled": false}}`, 0o644)
		}},
	{Name: "settings of a subdirectory have a hook, and the policy of the user's holds there", On: &floored,
		Breaks: "project-code", Want: report.Warn, Where: "~/code/tracker/web/.claude/settings.json#\"id",
		Break: func(m *Machine) {
			m.write("~/code/tracker/web/.claude/settings.json",
				`{"hooks": {"SessionStart": [{"hooks": [{"type": "command",`+"\n"+`"command": "id"}]}]}}`, 0o644)
		}},
	{Name: "local settings of a subdirectory open the home, and the policy of the user's holds there", On: &wholeUser,
		Breaks: "project-code", Want: report.Warn, Where: "~/code/tracker/web/.claude/settings.local.json#~/",
		Break: func(m *Machine) {
			m.write("~/code/tracker/web/.claude/settings.local.json",
				`{"sandbox": {"filesystem": {"allowRead": [`+"\n"+`"~/"]}}}`, 0o644)
		}},
	{Name: "a skill of a subdirectory has a hook, and the policy of the user's holds there", On: &wholeUser,
		Breaks: "project-code", Want: report.Warn, Where: "~/code/tracker/web/.claude/skills/x/SKILL.md#hooks",
		Break: func(m *Machine) {
			m.write("~/code/tracker/web/.claude/skills/x/SKILL.md", "---\nname: x\ndescription: d\nhooks:\n  Stop:\n"+
				"    - hooks:\n        - type: command\n          command: id\n---\nHelp.\n", 0o644)
		}},
	{Name: "the .git of a subdirectory leads to a main checkout whose local settings have a hook", On: &wholeUser,
		Breaks: "project-code", Want: report.Warn, Where: "~/elsewhere/.claude/settings.local.json#\"id",
		Break: func(m *Machine) {
			m.write("~/code/tracker/web/.git", "gitdir: "+m.at("~/elsewhere/.git/worktrees/w")+"\n", 0o644)
			m.write("~/elsewhere/.git/worktrees/w/gitdir", m.at("~/code/tracker/web/.git")+"\n", 0o644)
			m.write("~/elsewhere/.git/worktrees/w/commondir", "../..\n", 0o644)
			m.write("~/elsewhere/.claude/settings.local.json",
				`{"hooks": {"SessionStart": [{"hooks": [{"type": "command",`+"\n"+`"command": "id"}]}]}}`, 0o644)
		}},
	{Name: "the .git of a subdirectory leads to a main checkout that has a skill with a hook", On: &wholeUser,
		Breaks: "project-code", Want: report.Warn, Where: "~/elsewhere/.claude/skills/x/SKILL.md#hooks",
		Break: func(m *Machine) {
			m.write("~/code/tracker/web/.git", "gitdir: "+m.at("~/elsewhere/.git/worktrees/w")+"\n", 0o644)
			m.write("~/elsewhere/.git/worktrees/w/gitdir", m.at("~/code/tracker/web/.git")+"\n", 0o644)
			m.write("~/elsewhere/.git/worktrees/w/commondir", "../..\n", 0o644)
			m.write("~/elsewhere/.claude/skills/x/SKILL.md", "---\nname: x\ndescription: d\nhooks:\n  Stop:\n"+
				"    - hooks:\n        - type: command\n          command: id\n---\nHelp.\n", 0o644)
		}},
	{Name: "settings of a subdirectory set a variable that runs code, and local settings hold there", On: &onlyLocal,
		Breaks: "project-code", Want: report.Warn, Where: "~/code/tracker/web/.claude/settings.json#BASH_ENV",
		Break: func(m *Machine) {
			m.write("~/code/tracker/web/.claude/settings.json", "{\n\"env\": {\"BASH_ENV\": \"./x\"}}", 0o644)
		}},
	{Name: "a repository in a subdirectory, which a policy in local settings does not reach", On: &onlyLocal,
		Breaks: "effective-sandbox", Want: report.Warn, Where: "~/code/tracker/lib",
		Break: func(m *Machine) { m.git(m.Project, "init", "--quiet", "--template=", "lib") }},
	{Name: "a linked worktree switches the sandbox off", Breaks: "effective-sandbox", Want: report.Warn,
		Where: worktreeFile + "#false", Break: func(m *Machine) {
			m.set(worktreeFile, "sandbox.enabled", false)
		}},
	{Name: "the project switches off what the user switches on", On: &wholeUser, Breaks: "effective-sandbox",
		Want: report.Fail, Voids: true, Also: off,
		Where: projectFile + `#"enabled": false`,
		Break: func(m *Machine) { m.set(projectFile, "sandbox.enabled", false) }},
	{Name: "the sandbox is off in local settings", Breaks: "effective-sandbox", Want: report.Fail, Voids: true, Also: off,
		Where: localFile + `#"enabled": false`,
		Break: func(m *Machine) { m.set(localFile, "sandbox.enabled", false) }},
	{Name: "the sandbox is off in managed settings", Breaks: "effective-sandbox", Want: report.Fail, Voids: true,
		Also:  off,
		Where: managedFile + `#"enabled": false`,
		Break: func(m *Machine) { m.set(managedFile, "sandbox.enabled", false) }},
	{Name: "nobody switches the sandbox on", Breaks: "project-settings", Want: report.Fail, Voids: true,
		Also:  effects{"effective-sandbox": {report.Fail, "no scope sets it"}, "policy-invariants": notJudged},
		Where: projectFile,
		Break: func(m *Machine) { m.unset(projectFile, "sandbox.enabled") }},
	{Name: "failIfUnavailable is false in local settings", Breaks: "project-settings", Want: report.Fail, Voids: true,
		Also: effects{"policy-invariants": isOpen, "effective-sandbox": {report.Warn,
			"the sandbox is on, and may be off tomorrow"},
			"runtime-advisories": {report.Fail, "the pinned runtime gives up a sandbox whose socat is broken, where this key " +
				"is not true"}},
		Where: localFile + `#"failIfUnavailable": false`,
		Break: func(m *Machine) { m.set(localFile, "sandbox.failIfUnavailable", false) }},
	{Name: "sessions start in bypassPermissions, which nothing closes", Breaks: "effective-sandbox", Want: report.Warn,
		Also: effects{"policy-invariants": {report.Warn, "it is a setting that takes protection away"},
			"runtime-advisories": {report.Warn, "the runtime lets every host through in that mode"}},
		Where: userFile + `#"defaultMode": "bypassPermissions"`,
		Break: func(m *Machine) {
			m.unset(projectFile, "permissions.disableBypassPermissionsMode")
			m.set(userFile, "permissions.defaultMode", "bypassPermissions")
		}},
}

var fileFaults = []Fault{
	{Name: "a comment in the project's settings", Breaks: "project-settings", Want: report.Fail, Voids: true,
		Also:  dropped,
		Where: projectFile + `#// why`,
		Break: func(m *Machine) { m.replace(projectFile, `"enabled": true,`, "\"enabled\": true,\n    // why") }},
	{Name: "a trailing comma in the project's settings", Breaks: "project-settings", Want: report.Fail, Voids: true,
		Also:  dropped,
		Where: projectFile + `#"zoom": 1,`,
		Break: func(m *Machine) {
			m.set(projectFile, "zoom", 1) // the last key
			m.replace(projectFile, `"zoom": 1`, `"zoom": 1,`)
		}},
	{Name: "a comment in local settings", Breaks: "project-settings", Want: report.Fail, Voids: true,
		Also:  with(dropped, effects{"project-root": noRoot}),
		Where: localFile + `#// mine`,
		Break: func(m *Machine) { m.replace(localFile, "{", "{\n  // mine") }},
	{Name: "a comment in user settings", Breaks: "project-settings", Want: report.Fail, Voids: true,
		Also:  with(gone, effects{"user-wiring": notWired}),
		Where: userFile + `#// mine`,
		Break: func(m *Machine) { m.replace(userFile, "{", "{\n  // mine") }},
	{Name: "sandbox.enabled is a string", Breaks: "project-settings", Want: report.Fail, Voids: true, Also: dropped,
		Where: projectFile + `#"enabled": "true"`,
		Break: func(m *Machine) { m.set(projectFile, "sandbox.enabled", "true") }},
	{Name: "denyRead is a string", Breaks: "project-settings", Want: report.Fail, Voids: true, Also: dropped,
		Where: projectFile + `#"denyRead": "~/"`,
		Break: func(m *Machine) { m.set(projectFile, "sandbox.filesystem.denyRead", "~/") }},
	{Name: "the project's settings are cut short", Breaks: "project-settings", Want: report.Fail, Voids: true,
		Also:  dropped,
		Where: projectFile,
		Break: func(m *Machine) { m.write(projectFile, m.read(projectFile)[:1000], 0o644) }},
	{Name: "the project's settings are gone", Breaks: "project-settings", Want: report.Fail, Voids: true, Also: gone,
		Where: userFile,
		Break: func(m *Machine) { m.remove(projectFile) }},
}

var ruleFaults = []Fault{
	{Name: "the policy is another one than the user approved", Breaks: "effective-sandbox", Want: report.Warn,
		Unseen: true, Where: projectFile,
		Break: func(m *Machine) { m.add(projectFile, "permissions.deny", "Bash(scp *)") }},
	{Name: "a deny rule is missing", Breaks: "project-settings", Want: report.Fail,
		Where: "Read(~/.ssh/**)",
		Break: func(m *Machine) { m.drop(projectFile, "permissions.deny", "Read(~/.ssh/**)") }},
	{Name: "a deny rule in a form that the OS layer does not enforce", Breaks: "project-settings", Want: report.Fail,
		Where: "Read(**/.env)",
		Break: func(m *Machine) { m.replace(projectFile, `"Read(**/.env)"`, `"Read(//**/.env)"`) }},
	{Name: "a deny rule is missing, and all files can be read", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true,
		Also:  effects{"project-settings": {report.Fail, "it lacks a rule"}},
		Where: projectFile + `#"/"`,
		Break: func(m *Machine) {
			m.drop(projectFile, "permissions.deny", "Read(~/.netrc)")
			m.add(projectFile, allowRead, "/")
		}},
	{Name: "denyRead does not hide the home", Breaks: "project-settings", Want: report.Fail, Voids: true,
		Where: "sandbox.filesystem.denyRead",
		Break: func(m *Machine) { m.set(projectFile, "sandbox.filesystem.denyRead", []any{"~/Documents"}) }},
}

const (
	allowRead  = "sandbox.filesystem.allowRead"
	allowWrite = "sandbox.filesystem.allowWrite"
)

// opens is a path that is allowed in the project's settings.
func opens(name, key, path string, status report.Status, voids bool) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: status, Voids: voids, Where: projectFile + `#"` +
		key[strings.LastIndex(key, ".")+1:] + `"#"` + path + `"`,
		Break: func(m *Machine) { m.add(projectFile, key, path) }}
}

var pathFaults = []Fault{
	opens("allowRead of ~/.ssh", allowRead, "~/.ssh", report.Fail, true),
	opens("allowRead of ~/.ssh with a slash", allowRead, "~/.ssh/", report.Fail, true),
	opens("allowRead of ~/.ssh by way of ..", allowRead, "~/.config/../.ssh", report.Fail, true),
	opens("allowRead of the home", allowRead, "~/", report.Fail, true),
	opens("allowRead of a key by its name", allowRead, "~/work/id_ed25519", report.Fail, true),
	{Name: "allowRead of a link to ~/.ssh", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: projectFile + `#"~/keys"`,
		Break: func(m *Machine) {
			m.symlink(m.at("~/.ssh"), "~/keys")
			m.add(projectFile, allowRead, "~/keys")
		}},
	{Name: "allowRead below a link to the home", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: projectFile + `#/me/.aws"`,
		Break: func(m *Machine) {
			m.symlink(m.Home, m.dir+"/me")
			m.add(projectFile, allowRead, m.dir+"/me/.aws")
		}},
	opens("allowWrite of the home", allowWrite, "~", report.Fail, true),
	opens("allowWrite of everything", allowWrite, "/", report.Fail, true),
	{Name: "allowWrite of what may not be read", Breaks: "policy-invariants", Want: report.Warn, Where: projectFile +
		`#"allowWrite"#"~/notes"`,
		Break: func(m *Machine) {
			m.write("~/notes/today.txt", "", 0o644)
			m.add(projectFile, allowWrite, "~/notes")
		}},
	opens("allowWrite of the hook scripts, which an Edit rule keeps", allowWrite, "~/.claude/scripts", report.Warn, false),
	opens("allowWrite of where our program lies", allowWrite, "~/.local/bin", report.Fail, true),
	{Name: "user settings allow reading ~/.ssh, with blanks around it", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: userFile + `#" ~/.ssh "`,
		Break: func(m *Machine) { m.add(userFile, allowRead, " ~/.ssh ") }},
	{Name: "user settings allow reading the directory .", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: userFile + `#"."`,
		Break: func(m *Machine) { m.add(userFile, allowRead, ".") }},
}

// approvesFetch is a rule that approves WebFetch, and opens the sandbox's
// network to the hosts that it names.
func approvesFetch(what, file, rule string, want report.Status) Fault {
	return Fault{Name: "a rule approves WebFetch for " + what, Breaks: "policy-invariants", Want: want, Where: file +
		`#"` + rule + `"`,
		Break: func(m *Machine) { m.add(file, "permissions.allow", rule) }}
}

var openingFaults = []Fault{
	{Name: "every domain is allowed", Breaks: "policy-invariants", Want: report.Fail, Where: projectFile + `#"*"`,
		Break: func(m *Machine) { m.add(projectFile, "sandbox.network.allowedDomains", "*") }},
	{Name: "every domain under .com is allowed", Breaks: "policy-invariants", Want: report.Fail, Where: projectFile +
		`#"*.com"`,
		Break: func(m *Machine) { m.add(projectFile, "sandbox.network.allowedDomains", "*.com") }},
	approvesFetch("any host", projectFile, "WebFetch", report.Fail),
	approvesFetch("every domain", projectFile, "WebFetch(domain:*)", report.Fail),
	approvesFetch("a whole registry", userFile, "WebFetch(domain:*.com)", report.Fail),
	{Name: "a rule approves Monitor, and its WebSockets", Breaks: "policy-invariants", Want: report.Fail,
		Where: userFile + `#"Monitor"`, Break: func(m *Machine) { m.add(userFile, "permissions.allow", "Monitor") }},
	{Name: "a rule approves workflows, and their worktrees", Breaks: "policy-invariants", Want: report.Warn,
		Where: userFile + `#"Workflow"`, Break: func(m *Machine) { m.add(userFile, "permissions.allow", "Workflow") }},
	{Name: "the search of your settings is a file of the project", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: userFile + "#tools/rg", Break: func(m *Machine) {
			m.set(userFile, "sandbox.ripgrep", map[string]any{"command": m.Project + "/tools/rg", "args": []string{}})
			m.write(m.Project+"/tools/rg", "#!/bin/sh\n", 0o755)
		}},
	{Name: "a rule approves reading with a star", Breaks: "policy-invariants", Want: report.Warn,
		Where: userFile + `#"Read(*)"`, Break: func(m *Machine) { m.add(userFile, "permissions.allow", "Read(*)") }},
	{Name: "a rule approves changes with a star", Breaks: "policy-invariants", Want: report.Warn,
		Where: userFile + `#"Edit(*)"`, Break: func(m *Machine) { m.add(userFile, "permissions.allow", "Edit(*)") }},
	{Name: "a rule approves skills, and the runtime's own that approve reading", Breaks: "policy-invariants",
		Want: report.Warn, Where: userFile + `#"Skill"`,
		Also: map[report.ID]Effect{"user-wiring": {report.Warn, "those skills are not left out"}},
		Break: func(m *Machine) {
			m.unset(userFile, "skillOverrides")
			m.add(userFile, "permissions.allow", "Skill")
		}},
	approvesFetch("a host that is not allowed", projectFile, "WebFetch(domain:evil.example)", report.Warn),
	approvesFetch("a host that is not allowed, for the user", userFile, "WebFetch(domain:evil.example)", report.Warn),
	{Name: "a pattern approves runs outside the sandbox", Breaks: "policy-invariants", Want: report.Warn,
		Where: localFile + `#"Bash(gh api graphql *)"`,
		Break: func(m *Machine) { m.add(localFile, "permissions.allow", "Bash(gh api graphql *)") }},
	{Name: "a harmless line is excluded from the sandbox", Breaks: "policy-invariants", Want: report.Warn,
		Where: userFile + `#"ssh-add -l"`,
		Break: func(m *Machine) { m.add(userFile, "sandbox.excludedCommands", "ssh-add -l") }},
	excludes("docker *"),
	excludes("python3 *"),
	excludes("make test"),
	excludes("npm run *"),
	excludes("cat *"),
	excludes("* --version"),
	usersEnv("BASH_ENV", "/opt/env.sh"),
	usersEnv("LD_PRELOAD", "/opt/lib.so"),
	usersEnv("NODE_OPTIONS", "--require /opt/hook.js"),
	usersEnv("SHELLOPTS", "xtrace"),
	usersEnv("PS4", "$(id)"),
	{Name: "the user's PATH has another bwrap", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: userFile + `#"PATH"`,
		Break: func(m *Machine) {
			m.write("~/evil/bwrap", "#!/bin/sh\n", 0o755)
			m.set(userFile, "env.PATH", m.at("~/evil")+":"+m.host().System().Get("PATH"))
		}},
	{Name: "the user's PATH begins in the project", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: userFile + `#"PATH"`,
		Break: func(m *Machine) {
			m.set(userFile, "env.PATH", m.at("~/code/tracker/bin")+":"+m.host().System().Get("PATH"))
		}},
	{Name: "the user's PATH has the same bwrap", Breaks: "policy-invariants", Want: report.Warn, Where: userFile +
		`#"PATH"`,
		Break: func(m *Machine) { m.set(userFile, "env.PATH", m.host().System().Get("PATH")) }},
	{Name: "every command is excluded from the sandbox", Breaks: "project-settings", Want: report.Fail, Voids: true,
		Also: effects{"policy-invariants": isOpen}, Where: localFile + `#"*"`,
		Break: func(m *Machine) { m.add(localFile, "sandbox.excludedCommands", "*") }},
	{Name: "every unix socket is allowed", Breaks: "policy-invariants", Want: report.Warn, Where: projectFile +
		`#"allowAllUnixSockets"`,
		Break: func(m *Machine) { m.set(projectFile, "sandbox.network.allowAllUnixSockets", true) }},
	{Name: "the file system is left out of the sandbox", Breaks: "effective-sandbox", Want: report.Fail, Voids: true,
		Also: off, Where: userFile + `#"disabled": true`,
		Break: func(m *Machine) { m.set(userFile, "sandbox.filesystem.disabled", true) }},
	{Name: "a weaker sandbox for containers", Breaks: "policy-invariants", Want: report.Warn, Where: localFile +
		`#"enableWeakerNestedSandbox"`,
		Break: func(m *Machine) { m.set(localFile, "sandbox.enableWeakerNestedSandbox", true) }},
}
