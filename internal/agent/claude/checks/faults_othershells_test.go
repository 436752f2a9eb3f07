// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: sh, ksh, mksh and tcsh are judged as bash is, by what their start files and
// they themselves say; and a shell that cannot be asked leads on.

package checks_test

import (
	"fmt"
	"os"
	"slices"

	"github.com/steward-setup/steward-setup/internal/report"
)

// withShell is a machine whose user has another login shell, as install sets it up.
func withShell(path string) setup {
	return on(func(s *setup) {
		s.env = map[string]string{"SHELL": path}
		s.before = func(m *Machine) {
			m.remove("~/.bashrc")
			for _, file := range []string{"~/.shrc", "~/.kshrc", "~/.mkshrc"} { // as their users have them
				m.write(file, "set -o vi\nPS1='$PWD $ '\nalias ll='ls -l'\n", 0o644)
			}
		}
	})
}

var (
	dashSetup = withShell("/bin/dash")
	kshSetup  = withShell("/usr/bin/ksh93")
	mkshSetup = withShell("/usr/bin/mksh")
	tcshSetup = withShell("/usr/bin/tcsh")
	// noShellSetup is one whose session does not say its shell, as in a container.
	noShellSetup = on(func(s *setup) {
		s.env = map[string]string{"SHELL": ""}
		s.before = func(m *Machine) { m.account("/bin/bash") }
	})
	serviceSetup = withShell("/usr/sbin/nologin")
)

// account is the line of the user that runs the tests in the machine's table of users.
func (m *Machine) account(shell string) {
	m.write("/etc/passwd", fmt.Sprintf("tester:x:%d:%d::%s:%s\n", os.Getuid(), os.Getgid(), m.Home, shell), 0o644)
}

// otherShells are the machines that install leaves healthy.
var otherShells = []Variant{
	{Name: "the login shell is dash", Setup: dashSetup},
	{Name: "the login shell is ksh93", Setup: kshSetup},
	{Name: "the login shell is mksh", Setup: mkshSetup},
	{Name: "the login shell is tcsh", Setup: tcshSetup},
	{Name: "SHELL is not set, and the account's shell is bash", Setup: noShellSetup},
	{Name: "the account lets nobody in (nologin)", Setup: serviceSetup},
}

// worded defines claude in a start file of another shell.
func worded(on *setup, name, file, line string, want report.Status, voids bool) Fault {
	return Fault{Name: name, On: on, Breaks: "clean-env", Want: want, Voids: voids, Where: file + "#" + line,
		Break: func(m *Machine) {
			m.write("~/off.json", `{"sandbox": {"enabled": false}}`, 0o644)
			m.write(file, m.readOr(file)+line+"\n", 0o644)
		}}
}

var otherShellFaults = slices.Concat([]Fault{
	worded(&dashSetup, "an alias of dash switches the sandbox off", "~/.shrc", "alias claude='claude --settings "+
		"~/off.json'", report.Fail, true),
	worded(&dashSetup, "a function of dash skips permission prompts", "~/.shrc",
		`claude() { command claude --dangerously-skip-permissions "$@"; }`, report.Fail, false),
	worded(&kshSetup, "a function of ksh switches the sandbox off", "~/.kshrc",
		`function claude { command claude --settings ~/off.json "$@"; }`, report.Fail, true),
	worded(&mkshSetup, "an alias of mksh skips permission prompts", "~/.mkshrc",
		"alias claude='claude --dangerously-skip-permissions'", report.Fail, false),
	worded(&tcshSetup, "an alias of tcsh switches the sandbox off", "~/.tcshrc",
		`alias claude 'claude --settings ~/off.json \!*'`, report.Fail, true),
	worded(&tcshSetup, "an alias of tcsh behind a condition", "~/.tcshrc",
		"if ($?prompt) alias claude claude --dangerously-skip-permissions", report.Fail, false),
	worded(&tcshSetup, "an alias of tcsh that is computed", "~/.tcshrc", "alias claude `cat ~/.words`", report.Unknown,
		false),
	{Name: "the alias of ksh calls a program that is gone", On: &kshSetup, Breaks: "clean-env", Want: report.Fail,
		Where: "~/.kshrc", Break: func(m *Machine) {
			m.write("~/.kshrc", "alias claude-iso='/gone/steward-setup iso'\n", 0o644)
		}},
	{Name: "claude-iso is not defined in tcsh", On: &tcshSetup, Breaks: "clean-env", Want: report.Warn, Where: "~/.tcshrc",
		Break: func(m *Machine) { m.write("~/.tcshrc", "setenv EDITOR vi\n", 0o644) }},
	{Name: "claude-iso is defined in login shells of dash only", On: &dashSetup, Breaks: "clean-env", Want: report.Warn,
		Where: "~/.profile", Break: func(m *Machine) { m.write("~/.profile", m.read("~/.shrc"), 0o644) }},
	{Name: "nu, which cannot be asked", Breaks: "clean-env", Want: report.Unknown, Where: "SHELL",
		Break: func(m *Machine) { m.Env["SHELL"] = "/usr/bin/nu" }},
	config("logins are kept in the project, by git credential-store itself",
		"[credential]\n\thelper = \"!git credential-store --file ~/code/tracker/.logins\"\n",
		"~/.gitconfig#helper", report.Fail, false),
	config("logins are kept in the project", "[credential]\n\thelper = store --file ~/code/tracker/.logins\n",
		"~/.gitconfig#helper", report.Fail, false),
	{Name: "nobody says which shell it is", Breaks: "clean-env", Want: report.Unknown, Where: "SHELL",
		Break: func(m *Machine) { m.Env["SHELL"] = "" }},
}, inAll(&dashSetup, rcLines(report.Fail, "~/.shrc", "export LD_PRELOAD=$HOME/code/tracker/x.so",
	". ~/code/tracker/env.sh")),
	inAll(&kshSetup, rcLines(report.Fail, "~/.kshrc", "typeset -x LD_PRELOAD=$HOME/code/tracker/x.so",
		". ~/code/tracker/env.sh", "function PS1.get { . ./prompt.sh; }", "PS1='$(~/code/tracker/tools/x) $ '")),
	rcLines(report.Fail, "~/.bashrc", "export GIO_EXTRA_MODULES=$HOME/code/tracker/gio",
		"export PSQLRC=~/code/tracker/psqlrc",
		"export CMAKE_C_COMPILER_LAUNCHER=$HOME/code/tracker/tools/cc", "export CC=$HOME/code/tracker/tools/cc",
		"export GOENV=~/code/tracker/go.env", "export GOAUTH=$HOME/code/tracker/tools/login",
		"export DOCKER_CONFIG=$HOME/code/tracker/.docker", "export KUBECONFIG=~/.kube/config:$HOME/code/tracker/kube",
		"export BAT_CONFIG_PATH=~/code/tracker/bat.conf", "export GH_PATH=$HOME/code/tracker/gh",
		"export CLOUDSDK_PYTHON=$HOME/code/tracker/.venv/bin/python", "export IRBRC=~/code/tracker/.irbrc",
		"export HGMERGE=$HOME/code/tracker/merge", "export PKCS11_MODULE_PATH=$HOME/code/tracker/p11.so",
		"export CURL_HOME=~/code/tracker/curl", "export YARN_YARN_PATH=~/code/tracker/yarn.cjs",
		"export GRADLE_USER_HOME=~/code/tracker/.gradle"),
	rcLines(report.Warn, "~/.bashrc", "export NIX_PATH=nixpkgs=$HOME/code/tracker/nix",
		"export NPM_CONFIG_NODE_OPTIONS=--require=$HOME/code/tracker/x.js",
		"export MAVEN_ARGS=-Dmaven.ext.class.path=$HOME/code/tracker/x.jar",
		"export TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=$HOME/code/tracker/x'",
		"export CXX=./tools/c++", "export LUA_INIT=@$HOME/code/tracker/init.lua",
		"export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=.githooks"),
	inAll(&mkshSetup, rcLines(report.Fail, "~/.mkshrc", "export LD_PRELOAD=$HOME/code/tracker/x.so")),
	inAll(&tcshSetup, rcLines(report.Fail, "~/.tcshrc", "setenv LD_PRELOAD $HOME/code/tracker/x.so",
		"source ~/code/tracker/env.csh", "if (-e ~/code/tracker/x) source ~/code/tracker/x",
		"eval `~/code/tracker/tools/x`")))
