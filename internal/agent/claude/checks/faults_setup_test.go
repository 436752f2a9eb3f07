// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every part that install leaves on the machine is broken in
// each way in which such a part breaks.

package checks_test

import (
	"os/exec"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
)

const (
	scriptsDir = "~/.claude/scripts/"
	hintScript = scriptsDir + "sandbox-error-hint.sh"
	warnScript = scriptsDir + "sandbox-bypass-warn.sh"
	wrapper    = "~/.claude/agent-isolation/claude-iso.sh"
)

// hookProgram is the small program for hooks, where it lies beside ours.
const hookProgram = "~/.local/bin/steward-hook"

var withHookProgram = on(func(s *setup) {
	s.before = func(m *Machine) { m.write(hookProgram, "#!/bin/sh\nexit 0\n", 0o755) }
})

var scriptFaults = []Fault{
	{Name: "a hook script is missing", Breaks: "hook-scripts", Want: report.Fail, Where: hintScript,
		Break: func(m *Machine) { m.remove(hintScript) }},
	{Name: "a hook script is not executable", Breaks: "hook-scripts", Want: report.Fail, Where: warnScript,
		Break: func(m *Machine) { m.write(warnScript, m.read(warnScript), 0o644) }},
	{Name: "a hook script was altered", Breaks: "hook-scripts", Want: report.Warn, Where: warnScript,
		Break: func(m *Machine) { m.write(warnScript, m.read(warnScript)+"exit 0\n", 0o755) }},
	{Name: "a hook script is somebody else's", Breaks: "hook-scripts", Want: report.Warn, Where: hintScript,
		Break: func(m *Machine) { m.write(hintScript, "#!/bin/sh\nexit 0\n", 0o755) }},
	{Name: "a hook script is a broken symlink", Breaks: "hook-scripts", Want: report.Fail, Where: hintScript,
		Break: func(m *Machine) {
			m.remove(hintScript)
			m.symlink(m.at("~/.claude-config/scripts/gone.sh"), hintScript)
		}},
	{Name: "the small program that hooks call is gone", On: &withHookProgram, Breaks: "hook-scripts", Want: report.Fail,
		Where: hookProgram,
		Break: func(m *Machine) { m.remove(hookProgram) }},
	{Name: "commands may write the small program that hooks call", On: &withHookProgram, Breaks: "policy-invariants",
		Want: report.Fail, Voids: true, Where: hookProgram,
		Break: func(m *Machine) { m.add(userFile, "sandbox.filesystem.allowWrite", hookProgram) }},
	{Name: "the program that hooks call is gone", Breaks: "hook-scripts", Want: report.Fail,
		Where: "~/.local/bin/steward-setup",
		Also:  effects{"clean-env": {report.Fail, "the wrapper calls the same program"}},
		Break: func(m *Machine) { m.remove("~/.local/bin/steward-setup") }},
}

var wiringFaults = []Fault{
	{Name: "the error hint is not wired on failures", Breaks: "user-wiring", Want: report.Fail,
		Where: "PostToolUseFailure",
		Break: func(m *Machine) { m.unset(userFile, "hooks.PostToolUseFailure") }},
	{Name: "a hook is wired on the wrong tool", Breaks: "user-wiring", Want: report.Fail, Where: "PreToolUse",
		Break: func(m *Machine) { m.replace(userFile, `"matcher": "Bash"`, `"matcher": "Write"`) }},
	{Name: "a hook calls a file that is not there", Breaks: "user-wiring", Want: report.Fail, Where: "PreToolUse",
		Break: func(m *Machine) { m.replace(userFile, "sandbox-bypass-warn.sh", "sandbox-bypass-warning.sh") }},
	{Name: "hooks are switched off in user settings", Breaks: "user-wiring", Want: report.Fail, Where: userFile +
		`#"disableAllHooks": true`,
		Also:  effects{"policy-invariants": {report.Warn, "it is a setting that takes protection away"}},
		Break: func(m *Machine) { m.set(userFile, "disableAllHooks", true) }},
	{Name: "hooks are switched off by the project", Breaks: "user-wiring", Want: report.Fail, Where: projectFile +
		`#"disableAllHooks": true`,
		Also:  effects{"policy-invariants": {report.Warn, "it is a setting that takes protection away"}},
		Break: func(m *Machine) { m.set(projectFile, "disableAllHooks", true) }},
	{Name: "a status line of the user's own", Breaks: "user-wiring", Want: report.Warn, Where: userFile + `#"~/bin/line"`,
		Break: func(m *Machine) {
			m.set(userFile, "statusLine", map[string]any{"type": "command", "command": "~/bin/line"})
		}},
	{Name: "no status line", Breaks: "user-wiring", Want: report.Fail, Where: "there is no status line",
		Break: func(m *Machine) { m.unset(userFile, "statusLine") }},
}

var shellFaults = []Fault{
	{Name: "the wrapper is not sourced", Breaks: "clean-env", Want: report.Fail, Where: "~/.bashrc",
		Break: func(m *Machine) { m.write("~/.bashrc", "export EDITOR=vim\n", 0o644) }},
	{Name: "an alias, and nothing that defines claude-iso", Breaks: "clean-env", Want: report.Fail,
		Where: "~/.bashrc#alias",
		Break: func(m *Machine) { m.write("~/.bashrc", "export EDITOR=vim\nalias claude='claude-iso'\n", 0o644) }},
	{Name: "an alias in place of the wrapper", Breaks: "clean-env", Want: report.Warn, Where: "~/.bashrc#alias",
		Break: func(m *Machine) {
			m.write("~/.bashrc", "export EDITOR=vim\nalias claude-iso='~/.local/bin/steward-setup iso'\n", 0o644)
		}},
	{Name: "the wrapper is sourced in login shells only", Breaks: "clean-env", Want: report.Warn,
		Where: "~/.bash_profile#claude-iso.sh",
		Break: func(m *Machine) {
			m.write("~/.bash_profile", m.read("~/.bashrc"), 0o644)
			m.write("~/.bashrc", "export EDITOR=vim\n", 0o644)
		}},
	{Name: "an rc file that cannot be read through", Breaks: "clean-env", Want: report.Unknown, Where: "~/.bashrc",
		Break: func(m *Machine) { m.write("~/.bashrc", "if [[ x ]] { : }\n"+m.read("~/.bashrc"), 0o644) }},
	{Name: "the wrapper was altered", Breaks: "clean-env", Want: report.Warn, Where: wrapper,
		Break: func(m *Machine) { m.write(wrapper, m.read(wrapper)+"export AWS_PROFILE=work\n", 0o644) }},
	{Name: "the wrapper is gone", Breaks: "clean-env", Want: report.Fail, Where: wrapper,
		Break: func(m *Machine) { m.remove(wrapper) }},
	{Name: "another shell than the one that was set up", Breaks: "clean-env", Want: report.Fail, Where: "~/.zshrc",
		Break: func(m *Machine) { m.Env["SHELL"] = "/usr/bin/zsh" }},
}

var toolFaults = []Fault{
	{Name: "the runtime is below the floor", Breaks: "tools-pinned", Want: report.Fail, Voids: true, Where: "2.1.318",
		Also: effects{"runtime-advisories": {report.Fail, "hooks of a skill that a command wrote run outside the sandbox " +
			"(up to 2.1.318)"}},
		Break: func(m *Machine) { m.says("claude", "2.1.318 (Claude Code)") }},
	{Name: "the runtime is older than its pin", Breaks: "tools-pinned", Want: report.Warn, Where: pinned.Later(-1),
		Break: func(m *Machine) { m.says("claude", pinned.ClaudeSays(pinned.Later(-1))) }},
	{Name: "the runtime is newer than its pin", Breaks: "tools-pinned", Want: report.Warn, Where: "2.1.400",
		Break: func(m *Machine) { m.says("claude", "2.1.400 (Claude Code)") }},
	{Name: "the runtime has known weaknesses", Breaks: "runtime-advisories", Want: report.Fail, Voids: true,
		Where: "2.1.141",
		Also:  effects{"tools-pinned": {report.Fail, "2.1.141 is below the floor"}},
		Break: func(m *Machine) { m.says("claude", "2.1.141 (Claude Code)") }},
	{Name: "there is no runtime", Breaks: "tools-pinned", Want: report.Fail, Where: "claude",
		Also:  effects{"runtime-advisories": {report.Unknown, "no version, no answer"}},
		Break: func(m *Machine) { m.remove(m.dir + "/bin/claude") }},
	{Name: "bubblewrap is newer than its pin", Breaks: "tools-pinned", Want: report.Warn, Where: "0.12.0",
		Break: func(m *Machine) { m.says("bwrap", "bubblewrap 0.12.0") }},
	{Name: "socat is older than its pin", Breaks: "tools-pinned", Want: report.Warn, Where: "1.7.4.4",
		Break: func(m *Machine) { m.says("socat", "socat version 1.7.4.4 on 06 Nov 2022 08:15:51") }},
	{Name: "a tool that does not report its version", Breaks: "tools-pinned", Want: report.Unknown, Where: "socat",
		Break: func(m *Machine) { m.says("socat", "socat, of course") }},
	{Name: "an override file that is not understood", Breaks: "tools-pinned", Want: report.Unknown,
		Where: "~/.config/steward-setup/pinned-versions.local.toml:2",
		Break: func(m *Machine) {
			m.write("~/.config/steward-setup/pinned-versions.local.toml", "[tools.socat]\nversion = 1.8\n", 0o644)
		}},
}

// missing are the effects of a program of the sandbox that is not there.
var missing = effects{"tools-pinned": {report.Fail, "it is a pinned tool"},
	"effective-sandbox": {report.Fail, "the sandbox that is asked for cannot start"}}

var supportFaults = []Fault{
	{Name: "bwrap fails as AppArmor makes it fail", Breaks: "sandbox-support", Want: report.Fail, Voids: true,
		Where: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
		Break: func(m *Machine) {
			m.write("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", 0o644)
			m.fails("bwrap", "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", 1)
		}},
	{Name: "two AppArmor profiles for bwrap, which attach neither", Breaks: "sandbox-support", Want: report.Fail,
		Voids: true, Where: "/etc/apparmor.d/bwrap-userns-restrict#/usr/bin/bwrap",
		Break: func(m *Machine) {
			m.write("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", 0o644)
			m.write("/etc/apparmor.d/bwrap-userns-restrict", "abi <abi/4.0>,\nprofile bwrap /usr/bin/bwrap "+
				"flags=(attach_disconnected) {\n  userns,\n}\n", 0o644)
			m.write("/etc/apparmor.d/my-bwrap", "/usr/bin/bwrap {\n  userns,\n}\n", 0o644)
			m.fails("bwrap", "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", 1)
		}},
	{Name: "a namespace inside the sandbox is refused", Breaks: "sandbox-support", Want: report.Fail, Voids: true,
		Where: "uid_map",
		Break: func(m *Machine) {
			real, err := exec.LookPath("bwrap")
			if err != nil {
				m.t.Fatal(err)
			}
			m.program("bwrap", `case "$*" in
--version) echo 'bubblewrap 0.11.2'; exit 0 ;;
*"unshare --user"*) echo 'unshare: write failed /proc/self/uid_map: Operation not permitted' >&2; exit 1 ;;
esac
exec '`+real+`' "$@"`)
		}},
	{Name: "bwrap is a wrapper that drops --unshare-net", Breaks: "sandbox-support", Want: report.Fail, Voids: true,
		Where: "no namespace for: network",
		Break: func(m *Machine) { m.without("bwrap", "--unshare-net") }},
	{Name: "bwrap is a wrapper that drops --unshare-pid", Breaks: "sandbox-support", Want: report.Fail, Voids: true,
		Where: "no namespace for: processes",
		Break: func(m *Machine) { m.without("bwrap", "--unshare-pid") }},
	{Name: "user namespaces are disabled", Breaks: "sandbox-support", Want: report.Fail, Voids: true,
		Where: "/proc/sys/user/max_user_namespaces",
		Break: func(m *Machine) {
			m.write("/proc/sys/user/max_user_namespaces", "0\n", 0o644)
			m.fails("bwrap", "bwrap: Creating new namespace failed: No space left on device", 1)
		}},
	{Name: "WSL 1", Breaks: "sandbox-support", Want: report.Fail, Voids: true, Where: "/proc/sys/kernel/osrelease",
		Break: func(m *Machine) {
			m.write("/proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n", 0o644)
			m.fails("bwrap", "bwrap: Creating new namespace failed: Invalid argument", 1)
		}},
	{Name: "a container that forbids namespaces", Breaks: "sandbox-support", Want: report.Fail, Voids: true,
		Where: "/.dockerenv",
		Break: func(m *Machine) {
			m.write("/.dockerenv", "", 0o644)
			m.fails("bwrap", "bwrap: No permissions to create new namespace, likely because the kernel does not allow "+
				"non-privileged user namespaces.", 1)
		}},
	{Name: "bwrap may not write a uid map", Breaks: "sandbox-support", Want: report.Fail, Voids: true,
		Where: "setting up uid map",
		Break: func(m *Machine) { m.fails("bwrap", "bwrap: setting up uid map: Permission denied", 1) }},
	{Name: "bwrap ends with exit code 1 and no word", Breaks: "sandbox-support", Want: report.Fail, Voids: true,
		Where: "bwrap",
		Break: func(m *Machine) { m.fails("bwrap", "", 1) }},
	{Name: "bwrap is missing", Breaks: "sandbox-support", Want: report.Fail, Voids: true, Where: "bwrap", Also: missing,
		Break: func(m *Machine) { m.remove(m.dir + "/bin/bwrap") }},
	{Name: "socat does not relay data", Breaks: "sandbox-support", Want: report.Fail, Voids: true, Where: "socat",
		Break: func(m *Machine) { m.fails("socat", "socat: error while loading shared libraries: libwrap.so.0", 127) }},
	{Name: "socat is missing", Breaks: "sandbox-support", Want: report.Fail, Voids: true, Where: "socat", Also: missing,
		Break: func(m *Machine) { m.remove(m.dir + "/bin/socat") }},
	{Name: "ripgrep is missing", Breaks: "sandbox-support", Want: report.Warn, Where: "rg",
		Break: func(m *Machine) { m.remove(m.dir + "/bin/rg") }},
}

var rootFaults = []Fault{
	{Name: "a worktree lacks its own root", Breaks: "project-root", Want: report.Warn, Where: worktreeFile,
		Break: func(m *Machine) { m.remove(worktreeFile) }},
	{Name: "a worktree names another one's root", Breaks: "project-root", Want: report.Warn, Where: worktreeFile,
		Break: func(m *Machine) { m.write(worktreeFile, m.read(localFile), 0o600) }},
	{Name: "the worktree's local settings are not JSON", Breaks: "project-root", Want: report.Fail, Where: worktreeFile +
		"#// mine",
		Break: func(m *Machine) { m.replace(worktreeFile, "{", "{\n  // mine") }},
	{Name: "the main checkout is writable from every worktree", Breaks: "project-root", Want: report.Warn,
		Where: localFile + `#"allowWrite"#/code/tracker"`,
		Break: func(m *Machine) { m.add(localFile, allowWrite, m.Project) }},
}

// hookHome leads git to the setup's hook in every repository.
func hookHome(m *Machine) {
	m.write("~/.gitconfig", m.read("~/.gitconfig")+"[core]\n\thooksPath = ~/.claude/git-hooks\n", 0o644)
}

// sharedHooks is whole-user scope as the command writes it.
func sharedHooks(m *Machine) {
	b, err := scripts.Dispatcher{Binary: m.at("~/.local/bin/steward-setup")}.Bytes()
	if err != nil {
		m.t.Fatal(err)
	}
	hookHome(m)
	for _, name := range scripts.GitHooks {
		m.write("~/.claude/git-hooks/"+name, string(b), 0o755)
	}
}

var scopeFaults = []Fault{
	{Name: "whole-user scope, and a shared hook is gone", Breaks: "scope", Want: report.Warn,
		Where: "~/.claude/git-hooks/pre-commit",
		Break: func(m *Machine) { sharedHooks(m); m.remove("~/.claude/git-hooks/pre-commit") }},
	{Name: "whole-user scope, and a tool wrote its hook over a shared one", Breaks: "scope", Want: report.Warn,
		Where: "~/.claude/git-hooks/pre-push",
		Break: func(m *Machine) {
			sharedHooks(m)
			m.write("~/.claude/git-hooks/pre-push", "#!/bin/sh\nexec git lfs pre-push \"$@\"\n", 0o755)
		}},
	{Name: "whole-user scope, and this repository was cloned before", Breaks: "scope", Want: report.Warn, Where: localFile,
		Also:  effects{"project-root": {report.Warn, "the root is not written"}},
		Break: func(m *Machine) { sharedHooks(m); m.remove(localFile) }},
	{Name: "git is led to a hook that is not there", Breaks: "scope", Want: report.Warn, Where: "~/.gitconfig",
		Break: hookHome},
	{Name: "only this repository uses the shared hook", Breaks: "scope", Want: report.Warn,
		Where: "~/code/tracker/.git/config",
		Break: func(m *Machine) { m.git(m.Project, "config", "core.hooksPath", m.at("~/.claude/git-hooks")) }},
	{Name: "whole-user scope, and this repository looks elsewhere", Breaks: "scope", Want: report.Warn,
		Where: "~/code/tracker/.git/config",
		Also:  effects{"policy-invariants": {report.Warn, "commands can put hooks there"}},
		Break: func(m *Machine) { hookHome(m); m.git(m.Project, "config", "core.hooksPath", ".husky") }},
	{Name: "whole-user scope, and a hook of the repository's no longer runs", Breaks: "scope", Want: report.Warn,
		Where: "pre-commit",
		Break: func(m *Machine) {
			hookHome(m)
			script, err := scripts.GitHook(m.at("~/.local/bin/steward-setup"))
			if err != nil {
				m.t.Fatal(err)
			}
			m.write("~/.claude/git-hooks/post-checkout", string(script), 0o755)
			m.write("~/code/tracker/.git/hooks/pre-commit", "#!/bin/sh\n", 0o755)
		}},
	{Name: "whole-user scope, and the shared hooks are of another version", Breaks: "scope", Want: report.Warn,
		Where: "~/.claude/git-hooks/applypatch-msg",
		Break: func(m *Machine) {
			sharedHooks(m)
			for _, name := range scripts.GitHooks {
				m.write("~/.claude/git-hooks/"+name, m.read("~/.claude/git-hooks/"+name)+"# as it was\n", 0o755)
			}
		}},
	{Name: "the program that the shared hooks call lies in the project", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: "~/.claude/git-hooks",
		Break: func(m *Machine) {
			sharedHooks(m)
			b, err := scripts.Dispatcher{Binary: m.at("~/code/tracker/tool")}.Bytes()
			if err != nil {
				m.t.Fatal(err)
			}
			m.write("~/code/tracker/tool", "a program\n", 0o755)
			for _, name := range scripts.GitHooks {
				m.write("~/.claude/git-hooks/"+name, string(b), 0o755)
			}
		}},
}
