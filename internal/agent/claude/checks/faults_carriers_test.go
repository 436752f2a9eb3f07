// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a variable that means something to the runtime is judged the
// same where a login, a terminal, tmux, an editor or direnv sets it for every shell.

package checks_test

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// carrier is a variable that the configuration of a program sets.
func carrier(file, text string, want report.Status) Fault {
	name := "CLAUDE_CODE_"
	if !strings.Contains(text, name) {
		name = "SETUVAR"
	}
	return dotfile(file+" sets a variable: "+strings.ReplaceAll(text, "\n", "; "), file, text, "#"+name, want)
}

// carries is one with a relative path.
func carries(file, text, where string) Fault {
	return dotfile(file+" sets a variable with a relative path: "+strings.ReplaceAll(text, "\n", "; "), file, text, where,
		report.Warn)
}

var carrierFaults = slices.Concat(
	[]Fault{
		carrier("~/.config/environment.d/50.conf", cowork+"=1\n", report.Fail),
		carrier("~/.pam_environment", cowork+" DEFAULT=1\n", report.Fail),
		carrier("~/.config/systemd/user.conf", "[Manager]\nDefaultEnvironment=\""+cowork+"=1\"\n", report.Fail),
		carrier("~/.config/systemd/user/tmux.service", "[Service]\nEnvironment="+cowork+"=1\nExecStart=/usr/bin/tmux\n",
			report.Fail),
		carrier("~/.tmux.conf", "set-environment -g "+cowork+" 1\n", report.Fail),
		carrier("~/.screenrc", "setenv "+cowork+" \"1\"\n", report.Fail),
		carrier("~/.emacs.d/init.el", "(setenv \""+cowork+"\" \"1\")\n", report.Fail),
		carrier("~/.vimrc", "let $"+cowork+"=\"1\"\n", report.Fail),
		carrier("~/.config/kitty/kitty.conf", "env "+cowork+"=1\n", report.Fail),
		carrier("~/.config/alacritty/alacritty.toml", "[env]\n"+cowork+" = \"1\"\n", report.Fail),
		carrier("~/.alacritty.toml", "[env]\n"+cowork+" = \"1\"\n", report.Fail),
		carrier("~/.config/wezterm/wezterm.lua", "return { set_environment_variables = { "+cowork+" = \"1\" } }\n",
			report.Fail),
		carrier("~/.config/zellij/config.kdl", "env {\n "+cowork+" \"1\"\n}\n", report.Fail),
		carrier("~/.config/hypr/hyprland.conf", "env = "+cowork+",1\n", report.Fail),
		carrier("~/.config/niri/config.kdl", "environment {\n    "+cowork+" \"1\"\n}\n", report.Fail),
		carrier("~/.config/nushell/env.nu", "$env."+cowork+" = \"1\"\n", report.Fail),
		carrier("~/.config/mise/config.toml", "[env]\n"+cowork+" = \"1\"\n", report.Fail),
		carrier("~/.config/Code/User/settings.json",
			"{\n\"terminal.integrated.env.linux\": {\n\""+cowork+"\": \"1\"}}", report.Fail),
		carrier("~/.config/Code/User/settings.json",
			"{\n\"claudeCode.environmentVariables\": [{\n\"name\": \""+cowork+"\",\n\"value\": \"1\"}]}", report.Fail),
		carrier("~/.config/Cursor/User/profiles/a1b2/settings.json",
			"{\n\"terminal.integrated.env.linux\": {\n\""+cowork+"\": \"1\"}}", report.Fail),
		carrier("~/.vscode-server/data/Machine/settings.json",
			"{\n\"terminal.integrated.env.linux\": {\n\""+cowork+"\": \"1\"}}", report.Fail),
		carrier("~/.local/share/applications/code.desktop", "[Desktop Entry]\nExec=env "+cowork+"=1 code\n", report.Fail),
		carrier("~/.config/environment.d/50.conf", "CLAUDE_CODE_SAFE_MODE=1\n", report.Warn),
		carrier("~/.config/environment.d/50.conf", "CLAUDE_CODE_NEW_THING=1\n", report.Unknown),
		carrier("~/.config/fish/fish_variables", "SETUVAR --export "+cowork+":1\n", report.Fail),
		carrier("~/.config/fish/fish_variables", "SETUVAR --export BASH_ENV:HOME/code\\x2ftracker\\x2ftools\\x2fx\n",
			report.Fail),
		carrier("~/.config/fish/fish_variables",
			"SETUVAR fish_user_paths:/opt/x/bin\\x1eHOME/code\\x2ftracker\\x2ftools\n", report.Warn),
		envrc(report.Fail, "export "+cowork+"=1"),
	},
	[]Fault{
		carries("~/.config/environment.d/50.conf", "BASH_ENV=./tools/x\n", "#BASH"),
		carries("~/.config/environment.d/50.conf", "PATH=node_modules/.bin:/usr/bin\n", "#PATH"),
		carries("~/.config/Code/User/settings.json",
			"{\n\"terminal.integrated.env.linux\": {\n\"CLAUDE_CONFIG_DIR\": \"./conf\"}}", "#CLAUDE"),
		carries("~/.config/Code/User/settings.json",
			"{\n\"claudeCode.environmentVariables\": [{\n\"name\": \"NODE_OPTIONS\",\n\"value\": \"--require ./x.js\"}]}",
			"#NODE"),
		carries("~/.config/Cursor/User/settings.json",
			"{\n\"terminal.integrated.env.linux\": {\n\"PATH\": \"${workspaceFolder}/bin:${env:PATH}\"}}", "#PATH"),
	},
	each(func(text string) Fault { return envrc(report.Warn, text) }, `export PATH="$PWD/bin:$PATH"`,
		"export CLAUDE_CODE_SAFE_MODE=1"))

// usualCarriers set, name or unset variables, and take nothing away.
var usualCarriers = map[string]string{
	"~/.config/environment.d/50.conf": "# " + cowork + "=1\nEDITOR=vim\nPATH=$HOME/bin:/usr/bin\n" +
		"JAVA_HOME=/opt/jdk\n" + usualOfRuntime,
	"~/.tmux.conf": "set -g update-environment \"DISPLAY SSH_AUTH_SOCK " + cowork + "\"\n" +
		"set-environment -gu " + cowork + "\nset-environment -g EDITOR vim\n",
	"~/.ssh/config": "Host dev\n  SetEnv " + cowork + "=1\n  SendEnv ANTHROPIC_API_KEY " + cowork + "\n",
	"~/.config/Code/User/settings.json": `{"terminal.integrated.env.linux": {"ANTHROPIC_MODEL": "opus",
"PATH": "${env:HOME}/bin:/opt/x/bin:${env:PATH}", "NODE_OPTIONS": "--max-old-space-size=4096"},
"x.names": ["` + cowork + `", "OTHER"]}`,
	"~/.config/direnv/direnvrc": "[ \"$" + cowork + "\" = 1 ] && echo on\n",
	"~/.config/fish/fish_variables": "# VERSION: 3.0\nSETUVAR __fish_initialized:3800\n" +
		"SETUVAR fish_color_command:blue\nSETUVAR --export EDITOR:vim\n" +
		"SETUVAR fish_user_paths:/home/u/\\x2ecargo/bin\\x1e/opt/x/bin\n",
}

// healthyCarriers is a machine with all of them.
var healthyCarriers = []Variant{{Name: "variables that logins, terminals and editors usually set",
	Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			for file, text := range usualCarriers {
				m.write(file, text, 0o644)
			}
			m.allowsEnvrc("export CLAUDE_CODE_MAX_OUTPUT_TOKENS=1000\nexport PATH=\"/opt/x/bin:$PATH\"\n")
		}
	})}}
