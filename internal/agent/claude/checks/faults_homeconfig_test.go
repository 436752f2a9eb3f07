// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: configuration of other programs that leads to where
// commands may write is named in a whole run, and a home full of dotfiles is
// not.

package checks_test

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
)

// dotfile is a fault in the configuration of a program of the user's.
func dotfile(name, file, text, where string, want report.Status) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: want, Voids: want == report.Fail, Where: file + where,
		Break: func(m *Machine) {
			m.write("~/code/tracker/tools/x", "#!/bin/sh\n", 0o755)
			m.write(file, strings.ReplaceAll(text, "HOME/", m.Home+"/"), 0o600)
		}}
}

// hookThat is a hook of the user's own that is warned about.
func hookThat(command string) Fault {
	f := startsFault(command)
	f.Want, f.Voids = report.Warn, false
	return f
}

var homeConfigFaults = slices.Concat([]Fault{
	dotfile("ssh includes a file of the project", "~/.ssh/config", "Host *\n  Include ~/code/tracker/tools/ssh.conf\n",
		"#Include", report.Fail),
	dotfile("ssh connects by a program of the project", "~/.ssh/config",
		"Host *\n  ProxyCommand ~/code/tracker/tools/x %h\n", "#Proxy", report.Fail),
	dotfile("vim reads a file of the project at each start", "~/.vimrc", "syntax on\nsource ~/code/tracker/tools/x.vim\n",
		"#source", report.Fail),
	dotfile("a service of the user's starts a program of the project", "~/.config/systemd/user/x.service",
		"[Service]\nExecStart=%h/code/tracker/tools/x\n", "#Exec", report.Fail),
	dotfile("direnv trusts what lies above the project", "~/.config/direnv/direnv.toml",
		"[whitelist]\nprefix = [\"~/code\"]\n", "#prefix", report.Fail),
	dotfile("python looks for modules in the project", "~/.local/lib/python3.11/site-packages/tracker.pth",
		"~/code/tracker\n", "#code", report.Fail),
	dotfile("an editor starts the agent by a program of the project", "~/.config/Code/User/settings.json",
		"{\n\"claudeCode.claudeProcessWrapper\": \"HOME/code/tracker/tools/x\"\n}\n", "#Wrapper", report.Fail),
	dotfile("an editor starts the agent by a program of the folder that is open", "~/.config/Code/User/settings.json",
		"{\n\"claudeCode.claudeProcessWrapper\": \"${workspaceFolder}/tools/x\"\n}\n", "#Wrapper", report.Warn),
	dotfile("go builds with a program of the directory that it is started in", "~/.config/go/env",
		"GOFLAGS=-mod=mod -toolexec=tools/x\n", "#toolexec", report.Fail),
	dotfile("go builds with a program of the project", "~/.config/go/env", "GOFLAGS=-toolexec=HOME/code/tracker/tools/x\n",
		"#toolexec", report.Fail),
	dotfile("aws asks a program of the project for keys", "~/.aws/config",
		"[default]\ncredential_process = ~/code/tracker/tools/x\n", "#credential_process", report.Fail),
	dotfile("D-Bus starts a program of the project", "~/.local/share/dbus-1/services/x.service",
		"[D-BUS Service]\nName=x\nExec=HOME/code/tracker/tools/x\n", "#Exec", report.Fail),
	dotfile("a launcher starts npm in the project", "~/.local/share/applications/x.desktop",
		"[Desktop Entry]\nExec=npm start\nPath=HOME/code/tracker\n", "#Exec", report.Fail),
	dotfile("ssh connects by a program of where it is started", "~/.ssh/config", "Host *\n  ProxyCommand ./tools/x %h\n",
		"#Proxy", report.Fail),
	dotfile("tmux runs a program of where it is started", "~/.tmux.conf", "run-shell ./tools/x\n", "#run", report.Fail),
	dotfile("vim reads a file of where it is started", "~/.vimrc", "source .vimrc.local\n", "#source", report.Warn),
	dotfile("tmux shows what a program of the pane's directory prints", "~/.tmux.conf",
		"set -g status-right '#(#{pane_current_path}/tools/status)'\n", "#status-right", report.Fail),
	dotfile("a key of tmux runs a program of the project", "~/.tmux.conf",
		"set -g mouse on\nbind X run-shell ~/code/tracker/tools/x\n", "#bind", report.Warn),
	dotfile("vim reads a configuration of each directory", "~/.vimrc", "syntax on\nset exrc\n", "#exrc", report.Warn),
	{Name: "a unit of systemd is a symlink into the project", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: "~/.config/systemd/user/x.service", Break: func(m *Machine) {
			m.symlink(m.at("~/code/tracker/tools/x.service"), "~/.config/systemd/user/x.service")
		}},
	{Name: "versions of Node lie in the project", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: "~/.nvm", Break: func(m *Machine) { m.symlink(m.at("~/code/tracker/tools"), "~/.nvm") }},
	{Name: "a cache of packages that is to lie in the project", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: "~/.cache/uv", Break: func(m *Machine) { m.symlink(m.at("~/code/tracker/.uv"), "~/.cache/uv") }},
	{Name: "another agent's configuration is a symlink into the project", Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/.codex/config.toml", Break: func(m *Machine) {
			m.symlink(m.at("~/code/tracker/codex.toml"), "~/.codex/config.toml")
		}},
	{Name: "an extension of the editor is a directory of the project", Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/.vscode/extensions/mine", Break: func(m *Machine) {
			m.symlink(m.at("~/code/tracker/extension"), "~/.vscode/extensions/mine")
		}},
	config("a pager that reads keys of the project", "[core]\n\tpager = less --lesskey-src=HOME/code/tracker/tools/keys\n",
		"~/.gitconfig#pager", report.Fail, false),
	config("ssh with a configuration of the project", "[core]\n\tsshCommand = ssh -F ~/code/tracker/tools/ssh.conf\n",
		"~/.gitconfig#sshCommand", report.Fail, false),
	{Name: "a hook of the user's own calls a program that a command could create", Breaks: "policy-invariants",
		Want: report.Warn, Where: userFile + `#"Stop"#command`, Break: func(m *Machine) {
			m.Env["PATH"] = m.host().System().Get("PATH") + ":" + m.at("~/code/tracker/node_modules/.bin")
			m.userHook("not-installed --quiet")
		}},
	{Name: "an approved hook of the project runs in other directories", On: &approvedHook, Breaks: "project-code",
		Want: report.Fail, Where: projectFile, Break: func(m *Machine) {
			m.unset(userFile, "env."+claude.StayVariable)
		}},
	dotfile("vim runs a command on the name of each file", "~/.vimrc", "autocmd BufWritePost * silent !fmt %\n",
		"#autocmd", report.Warn),
	dotfile("vim runs a command on a name that it puts together", "~/.vimrc",
		"au BufWritePost *.go exe '!fmt ' . expand('%:p')\n", "#au", report.Warn),
	dotfile("vim reads a file of the working directory", "~/.vimrc", "exe 'source' getcwd() . '/.vimrc.local'\n", "#exe",
		report.Warn),
	dotfile("vim looks for plugins in the working directory", "~/.vimrc", "set runtimepath^=.vim\n", "#set", report.Warn),
	dotfile("nvim reads a file of the working directory", "~/.config/nvim/init.lua",
		"dofile(vim.fn.getcwd() .. '/.nvim.lua')\n", "#dofile", report.Warn),
	dotfile("nushell runs a program of the directory at each prompt", "~/.config/nushell/config.nu",
		"$env.config.hooks.pre_prompt = [{ ^./tools/x }]\n", "#hooks", report.Fail),
	dotfile("nushell sources a file of the directory that it enters", "~/.config/nushell/config.nu",
		"$env.config.hooks.env_change.PWD = [{ code: 'source .env.nu' }]\n", "#hooks", report.Warn),
	dotfile("nushell loads variables of the directory", "~/.config/nushell/config.nu", "open .env | load-env\n", "#open",
		report.Warn),
	dotfile("nushell sources a file of the project at each login", "~/.config/nushell/login.nu",
		"source ~/code/tracker/x.nu\n", "#source", report.Fail),
	dotfile("xonsh sources a file of the project at each start", "~/.config/xonsh/rc.d/x.xsh",
		"source ~/code/tracker/x.xsh\n", "#source", report.Fail),
	{Name: "modules of elvish lie in the project", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: "~/.config/elvish/lib", Break: func(m *Machine) {
			m.write("~/code/tracker/elvish/m.elv", "echo x\n", 0o644)
			m.symlink(m.at("~/code/tracker/elvish"), "~/.config/elvish/lib")
		}},
	dotfile("elvish runs a program of the directory at each prompt", "~/.config/elvish/rc.elv",
		"set edit:prompt = { ./tools/x }\n", "#set", report.Fail),
	dotfile("elvish evaluates a file of the directory that it enters", "~/.config/elvish/rc.elv",
		"set after-chdir = [{|d| eval (slurp < .env.elv) }]\n", "#set", report.Warn),
	dotfile("a hook of Mercurial is a function of where it is started", "~/.hgrc",
		"[hooks]\nupdate = python:./tools/x.py:f\n", "#update", report.Fail),
	dotfile("jj starts git of where it is started", "~/.config/jj/config.toml", "[git]\nexecutable-path = './tools/x'\n",
		"#executable", report.Fail),
	dotfile("podman starts containers that a file of the project lists", "~/.config/containers/systemd/x.kube",
		"[Kube]\nYaml=%h/code/tracker/tools/x\n", "#Yaml", report.Fail),
	rcFault("an rc file leads gpg to a directory of the project", "~/.bashrc", "export GNUPGHOME=~/code/tracker/keys", "",
		report.Fail),
	rcFault("an rc file has the session bus start a program of the project", "~/.bashrc",
		"export DBUS_SESSION_BUS_ADDRESS=unixexec:path=$HOME/code/tracker/tools/x", "", report.Warn),
}, each(hookThat, `cp tools/x "$DEST"`, "mv tools/x $(jq -r .dest)"))

// fullHome is a home of dotfiles that name the project here and there.
var fullHome = Variant{Name: "a home full of dotfiles that name the project", Setup: on(func(s *setup) {
	s.after = func(m *Machine) {
		m.write("~/.ssh/config", "# Include ~/code/tracker/x\nHost tracker\n  IdentityFile ~/code/tracker/id\n"+
			"  ProxyCommand nc %h %p\n", 0o600)
		m.write("~/.vimrc", "set undodir=~/code/tracker/.undo\nnnoremap t :e ~/code/tracker/README.md<CR>\n", 0o644)
		m.write("~/.config/nvim/x.vim", "autocmd BufWritePost * !fmt %:S\nautocmd BufRead * set cms=!\\ %s\n"+
			"nnoremap <F5> :!python3 %<CR>\n", 0o644)
		m.write("~/.config/nushell/config.nu", "use ./x.nu *\nsource ./aliases.nu\ndef build [] {\n  ^./tools/build\n}\n"+
			"open ~/.config/x.json | get a\n$env.config.hooks.pre_prompt = [{ date now }]\n", 0o644)
		m.write("~/.config/elvish/rc.elv", "use ./lib\nfn b {|@a| ./gradlew $@a }\neval (starship init elvish)\n", 0o644)
		m.write("~/.config/containers/systemd/x.container",
			"[Container]\nImage=x\nVolume=%h/code/tracker:/src\nExec=./x\n", 0o644)
		m.write("~/.profile", "export GNUPGHOME=~/.config/gnupg DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1/bus\n", 0o644)
		m.write("~/.tmux.conf", "bind t new-window -c ~/code/tracker\n", 0o644)
		m.write("~/.npmrc", "//registry.npmjs.org/:_authToken=x\n", 0o600)
		m.write("~/.config/systemd/user/x.service", "[Service]\nExecStart=/usr/bin/true\nReadWritePaths=%h/code/tracker\n",
			0o644)
		m.write("~/.config/Code/User/settings.json", "{\n  \"git.ignoredRepositories\": [\n    \""+m.Project+"\"\n  ]\n}\n",
			0o644)
		m.write("~/.config/environment.d/a.conf", "TRACKER="+m.Project+"\n", 0o644)
		m.userHook(`cp README.md ~/backup/"$(date +%F)".md`)
		m.userHook(`rsync -az -e ssh README.md host:backup`)
	}
})}
