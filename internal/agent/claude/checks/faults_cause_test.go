// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an agent that does not start is named with its cause, and
// its first step fits how it was installed.

package checks_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/startfailure"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
)

// prints is a program that says so on standard error and ends with a code.
func prints(code int, text string) string {
	return fmt.Sprintf("#!/bin/sh\ncat >&2 <<'X'\n%s\nX\nexit %d\n", text, code)
}

// oldNode is what node 12.22 prints of cli.js of claude-code 1.0.100.
const oldNode = `file:///usr/lib/node_modules/@anthropic-ai/claude-code/cli.js:80
` + "`" + `},{className:"string",begin:"x"},{className:"keyword"}?.y
                                                       ^

SyntaxError: Unexpected token '.'
    at Loader.moduleStrategy (internal/modules/esm/translators.js:140:18)
    at async link (internal/modules/esm/module_job.js:42:21)`

// absent are the effects of an agent that PATH does not lead to.
var absent = effects{"runtime-advisories": {report.Unknown, "no version, no answer"}}

// editors is where the extension of VS Code has its own copy.
const editors = "~/.vscode/extensions/anthropic.claude-code-2.1.330-linux-x64/resources/native-binary/claude"

var causeFaults = []Fault{
	{Name: "claude is a script for a newer node", Breaks: "tools-pinned", Want: report.Fail, Where: "claude --version",
		Also:  idle,
		Break: func(m *Machine) { m.write(m.dir+"/bin/claude", prints(1, oldNode), 0o755) }},
	{Name: "claude is a script for node, which is not there", Breaks: "tools-pinned", Want: report.Fail,
		Where: "claude --version", Also: idle,
		Break: func(m *Machine) {
			m.write(m.dir+"/bin/claude", prints(127, "env: 'node': No such file or directory"), 0o755)
		}},
	{Name: "claude is a script around a program that is gone", Breaks: "tools-pinned", Want: report.Fail,
		Where: "/opt/gone/claude", Also: idle,
		Break: func(m *Machine) {
			m.write(m.dir+"/bin/claude", "#!/bin/sh\nexec /opt/gone/claude \"$@\"\n", 0o755)
		}},
	{Name: "claude is the shim of a version manager that has no version", Breaks: "tools-pinned", Want: report.Fail,
		Where: "No version is set", Also: with(idle, effects{"policy-invariants": {report.Warn,
			"files of the project choose which claude this asdf starts"}}),
		Break: func(m *Machine) {
			m.remove(m.dir + "/bin/claude")
			m.write(m.dir+"/bin/asdf", prints(126, "No version is set for command claude\n"+
				"Consider adding one of the following versions"), 0o755)
			m.write("~/.asdf/shims/claude", "#!/usr/bin/env bash\n# asdf-plugin: nodejs 20.19.0\nexec "+m.dir+
				"/bin/asdf exec \"claude\" \"$@\" # asdf_allow: ' asdf '\n", 0o755)
			m.Env["PATH"] = m.host().System().Get("PATH") + ":" + m.Home + "/.asdf/shims"
		}},
	{Name: "an editor has the only claude", Breaks: "tools-pinned", Want: report.Fail, Where: editors, Also: absent,
		Break: func(m *Machine) {
			m.remove(m.dir + "/bin/claude")
			m.write(editors, "#!/bin/sh\necho "+pinned.Claude()+"\n", 0o755)
		}},
	{Name: "the only claude is not on PATH", Breaks: "tools-pinned", Want: report.Fail, Where: "~/.npm-global/bin/claude",
		Also: absent,
		Break: func(m *Machine) {
			m.remove(m.dir + "/bin/claude")
			m.write("~/.npm-global/bin/claude", "#!/bin/sh\necho "+pinned.Claude()+"\n", 0o755)
		}},
	{Name: "the first claude on PATH does not start, the second would", Breaks: "tools-pinned", Want: report.Fail,
		Where: "~/bin/claude", Also: idle,
		Break: func(m *Machine) {
			m.write(m.dir+"/bin/claude", prints(1, "Error: claude native binary not installed."), 0o755)
			m.write("~/bin/claude", "#!/bin/sh\necho "+pinned.Claude()+"\n", 0o755)
			m.Env["PATH"] = m.host().System().Get("PATH") + ":" + m.Home + "/bin"
		}},
}

func TestTheCauseIsNamedWithAStepThatFits(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	healthy.write(healthy.dir+"/bin/npm", "#!/bin/sh\n", 0o755)
	line := "npm install -g --no-save @anthropic-ai/claude-code@" + pinned.Claude()
	for _, c := range []struct{ fault, says, first string }{
		{"claude is a script for a newer node", "node is too old for it (SyntaxError: Unexpected token '.')", line},
		{"claude is a script for node, which is not there", "it is a script for node, and node is not on PATH", line},
		{"claude is a script around a program that is gone", "exec: /opt/gone/claude: not found", line},
		{"claude is the shim of a version manager that has no version", "the shim of asdf, which starts nothing: exit code " +
			"126: No version is set", line},
		{"an editor has the only claude", "is not installed: only the extension of VS Code has a copy", line},
		{"the only claude is not on PATH", "/.npm-global/bin/claude is not on PATH",
			`export PATH=HOME/.npm-global/bin:"$PATH"`},
		{"the first claude on PATH does not start, the second would", "without the native binary", line},
		{"there is no runtime", "claude-code is not installed;", line},
	} {
		t.Run(c.fault, func(t *testing.T) {
			m := copyOf(t, healthy)
			for _, f := range append(causeFaults, toolFaults...) {
				if f.Name == c.fault {
					f.Break(m)
				}
			}
			finding := m.judged("tools-pinned")
			if !strings.Contains(finding.Summary+";", c.says) {
				t.Errorf("%q is not in %q", c.says, finding.Summary)
			}
			if got, want := first(m), strings.ReplaceAll(c.first, "HOME", m.Home); got != want {
				t.Errorf("the first step is\n%s\nnot\n%s", got, want)
			}
		})
	}
}

// hanging is a machine on which claude gives no answer.
type hanging struct{ host.Reader }

func (h hanging) Run(_ context.Context, s proc.Spec) proc.Result {
	return proc.Result{Line: s.String(), Err: context.DeadlineExceeded}
}

func TestAScriptThatStartsItselfIsNamed(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, usualSetup)
	for text, want := range map[string]string{
		"#!/bin/sh\nexec claude \"$@\"\n":                       "it is a script that starts itself",
		"#!/bin/sh\nexec " + m.dir + "/bin/claude \"$@\"\n":     "it is a script that starts itself",
		"#!/bin/sh\nexec /opt/slow/claude \"$@\"\n":             "",
		"#!/bin/sh\nexport A=b\nexec claude --verbose \"$@\"\n": "it is a script that starts itself",
	} {
		m.remove(m.dir + "/bin/claude")
		m.write(m.dir+"/bin/claude", text, 0o755)
		r := hanging{m.host()}
		if got := startfailure.NotStarting(r, r.Run(t.Context(), proc.Version(claude.Name))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
