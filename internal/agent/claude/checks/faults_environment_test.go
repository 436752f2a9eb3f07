// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a variable of the user's shell that leads to where commands
// may write is found, for the launch that keeps it, and its value stays unsaid.

package checks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// exports is a variable of the user's shell; PROJECT in its value is the
// project.
func exports(name, value string, want report.Status) Fault {
	return Fault{Name: "the shell sets " + name + " to " + value, Breaks: "policy-invariants", Want: want,
		Voids: want == report.Fail, Where: name,
		Break: func(m *Machine) { m.Env[name] = strings.ReplaceAll(value, "PROJECT", m.at("~/code/tracker")) }}
}

// setsEnv is a variable that the user's own settings set.
func setsEnv(name, value string) Fault {
	return Fault{Name: "the user's settings set " + name + " to " + value, Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: userFile + "#\"" + name,
		Break: func(m *Machine) {
			m.set(userFile, "env."+name, strings.ReplaceAll(value, "PROJECT", m.at("~/code/tracker")))
		}}
}

var environmentFaults = []Fault{
	setsEnv("SHELL", "PROJECT/tools/bash"),
	setsEnv("XDG_CONFIG_HOME", "PROJECT/.config"),
	setsEnv("ZDOTDIR", "~/code/tracker"),
	setsEnv("AWS_CONFIG_FILE", "PROJECT/aws.cfg"),
	setsEnv("AWS_SHARED_CREDENTIALS_FILE", "./aws.cfg"),
	setsEnv("GOOGLE_APPLICATION_CREDENTIALS", "PROJECT/gcp.json"),
	exports("AWS_CONFIG_FILE", "PROJECT/aws.cfg", report.Fail),
	exports("BASH_ENV", "PROJECT/.env.sh", report.Fail),
	exports("CLAUDE_CODE_SHELL_PREFIX", "PROJECT/tools/log --all", report.Fail),
	exports("CLAUDE_CODE_FRAME_TIMING_LOG", "PROJECT/frames.log", report.Fail),
	exports("LD_PRELOAD", "/opt/a.so PROJECT/b.so", report.Fail),
	exports("LD_LIBRARY_PATH", "/opt/lib:", report.Fail),
	exports("NODE_OPTIONS", "--max-old-space-size=4096 --require=PROJECT/hook.js", report.Fail),
	exports("BUN_OPTIONS", "--preload ./hook.js", report.Fail),
	exports("GIT_CONFIG_GLOBAL", "PROJECT/gitconfig", report.Fail),
	exports("GIT_SSH_COMMAND", "ssh -F PROJECT/ssh", report.Fail),
	exports("SHELL", "PROJECT/bin/bash", report.Fail),
	exports("ZDOTDIR", "PROJECT", report.Fail),
	exports("EDITOR", "./tools/edit", report.Fail),
	exports("EDITOR", "vim -c 'source PROJECT/x.vim'", report.Fail),
	exports("EDITOR", "code --extensions-dir PROJECT/ext", report.Fail),
	exports("BROWSER", "chromium --load-extension=PROJECT/ext", report.Fail),
	exports("XDG_CONFIG_HOME", "PROJECT/.config", report.Fail),
	exports("GIT_SSH_COMMAND", "ssh -F conf", report.Fail),
	exports("GIT_SSH_COMMAND", `"$WORK_SSH" -v`, report.Unknown),
	exports("GIT_EXTERNAL_DIFF", "npx difft", report.Fail),
	exports("GIT_PAGER", "node_modules/.bin/page", report.Fail),
	exports("MANPAGER", "make -s page", report.Fail),
	exports("LESSOPEN", "||-./tools/open %s", report.Fail),
	exports("NODE_OPTIONS", "--import trace", report.Fail),
	exports("VIMINIT", "set nu | source .vimrc.local", report.Warn),
	exports("EXINIT", "set exrc", report.Warn),
	exports("MAKEFILES", "all.mk", report.Warn),
	exports("GOFLAGS", "-mod=mod -toolexec=tools/x", report.Warn),
	exports("MAVEN_OPTS", "-Xmx1g -javaagent:PROJECT/x.jar", report.Warn),
	exports("RUSTC_WRAPPER", "./x", report.Warn),
	exports("PYENV_HOOK_PATH", "PROJECT/hooks", report.Warn),
	exports("LESSKEYIN", "PROJECT/keys", report.Warn),
	exports("INPUTRC", "keys", report.Warn),
	exports("PYTHONSTARTUP", "start.py", report.Warn),
	exports("RUBYOPT", "-W0 -Ilib", report.Warn),
	exports("RUBYOPT", "-r./x", report.Warn),
	exports("PERL5OPT", "-Ilib", report.Warn),
	exports("JAVA_TOOL_OPTIONS", "-Xmx1g -javaagent:agent.jar", report.Warn),
	exports("PHP_INI_SCAN_DIR", ":PROJECT/php", report.Warn),
	exports("PYTHONPATH", "PROJECT/src", report.Warn),
	exports("PERL5OPT", "-I./lib -Mx", report.Warn),
}

// Most are a fault of plain claude alone: claude-iso drops them. What our own
// pins are read from is one of both.
func TestTheShellsVariables(t *testing.T) {
	testenv.AsUser(t)
	stock := newStock(t, listFaults)
	for _, c := range []struct {
		name, value string
		allow       string
		plain, iso  report.Status
	}{
		{"BASH_ENV", "PROJECT/env.sh", "", report.Fail, report.Pass},
		{"BASH_ENV", "PROJECT/env.sh", "BASH_ENV", report.Fail, report.Fail},
		{"SHELL", "PROJECT/bin/bash", "", report.Fail, report.Pass},
		{"XDG_CONFIG_HOME", "PROJECT/cfg", "", report.Fail, report.Fail},
		{"GIT_INDEX_FILE", "PROJECT/.git/index", "", report.Pass, report.Pass},
		{"PWD", "PROJECT", "", report.Pass, report.Pass},
		{"VIRTUAL_ENV", "PROJECT/.venv", "", report.Pass, report.Pass},
		{"HTTPS_PROXY", "http://proxy.example:3128", "", report.Pass, report.Pass},
		{"BASH_ENV", "/etc/env.sh", "", report.Pass, report.Pass},
		{"EDITOR", "code --wait", "", report.Pass, report.Pass},
		{"LD_LIBRARY_PATH", "/opt/lib", "", report.Pass, report.Pass},
		{"GIT_SSH_COMMAND", "ssh -i ~/.ssh/key", "", report.Pass, report.Pass},
	} {
		t.Run(fmt.Sprint(c.name, " ", c.value, " ", c.allow), func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, stock[&usualSetup].machine)
			m.Env[c.name] = strings.ReplaceAll(c.value, "PROJECT", m.at("~/code/tracker"))
			if c.allow != "" {
				m.Env["CLAUDE_ISO_ALLOW"] = c.allow
			}
			m.approve()
			f := m.judged("policy-invariants")
			plain, _ := f.In(report.Plain)
			iso, _ := f.In(report.Iso)
			if plain.Status != c.plain || iso.Status != c.iso {
				t.Errorf("plain %s, iso %s: %+v", plain.Status, iso.Status, f)
			}
		})
	}
	t.Run("a start in the home has one step, beside those of its settings", func(t *testing.T) {
		t.Parallel()
		m := copyOf(t, stock[&usualSetup].machine)
		m.write("~/.claude/settings.json", m.read(projectFile), 0o644)
		m.Project = m.Home
		f := m.judged("policy-invariants")
		if len(f.Evidence) < 50 || len(f.Remedies) != 2 {
			t.Fatalf("%d steps for %d: %+v", len(f.Remedies), len(f.Evidence), f.Remedies)
		}
		if first, _ := f.Remedies[0].(report.DocLink); !strings.HasPrefix(first.Title, "start claude in a project") {
			t.Errorf("%+v", first)
		}
		if of, _ := f.Remedies[1].(report.DocLink); !strings.HasPrefix(of.Target, m.at("~/.claude/settings.json:")) {
			t.Errorf("%+v", of)
		}
	})
}
