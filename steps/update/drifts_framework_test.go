// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package update_test

import (
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
	"github.com/steward-setup/steward-setup/steps/update"
)

// framework makes a remote with what a framework has, and a clone of it that
// the report is about.
func (m *machine) framework() {
	m.t.Helper()
	const tools = "upstream/tools/agent-isolation/"
	m.put("upstream/.claude/settings.json", m.get(settings), 0o644)
	m.put(tools+"pinned-versions.toml", "[tools.bubblewrap]\nversion = \"0.11.2\"\nreleased = \"2026-04-23\"\n"+
		"[tools.socat]\nversion = \"1.8.1.3\"\n[tools.claude-code]\nversion = \""+pinned.Claude()+"\"\n", 0o644)
	m.put(tools+"agent-iso.sh", "claude-iso() { :; }\n", 0o644)
	for _, name := range scripts.Hooks {
		m.put(tools+name, "#!/bin/sh\nexit 0\n", 0o755)
	}
	m.git("init", "-q", "-b", "main", m.at("upstream"))
	m.push("the first")
	m.git("clone", "-q", m.at("upstream"), m.at("framework"))
	m.opts.Framework = m.at("framework")
}

// push commits what lies in the remote.
func (m *machine) push(subject string) {
	m.git("-C", m.at("upstream"), "add", "-A")
	m.git("-C", m.at("upstream"), "commit", "-qm", subject, "--allow-empty")
}

func frameworkDrift(name string, want report.Status, exit int, do func(*machine)) drift {
	return drift{name: "framework: " + name, check: update.Framework, want: want, exit: exit, only: true,
		do: func(m *machine) {
			m.framework()
			do(m)
		}}
}

var frameworkDrifts = []drift{
	frameworkDrift("up to date", report.Pass, 0, func(*machine) {}),
	frameworkDrift("behind its remote", report.Warn, 1, func(m *machine) {
		m.edit("upstream/.claude/settings.json", "{", "{ ")
		m.push("policy")
		m.edit("upstream/tools/agent-isolation/pinned-versions.toml", pinned.Claude(), pinned.Later(1))
		m.put("upstream/tools/agent-isolation/sandbox-error-hint.sh", "#!/bin/sh\nexit 1\n", 0o755)
		m.push("pins and a hook")
	}),
	frameworkDrift("behind in nothing that the setup uses", report.Warn, 1, func(m *machine) {
		m.put("upstream/README.md", "x\n", 0o644)
		m.push("a page")
	}),
	frameworkDrift("changed locally", report.Warn, 1, func(m *machine) {
		m.edit("framework/.claude/settings.json", "{", "{ ")
		m.put("framework/mine.txt", "x", 0o644)
	}),
	frameworkDrift("another branch", report.Warn, 1,
		func(m *machine) { m.git("-C", m.at("framework"), "checkout", "-qb", "topic") }),
	frameworkDrift("no branch", report.Warn, 1,
		func(m *machine) { m.git("-C", m.at("framework"), "checkout", "-q", "--detach") }),
	frameworkDrift("commits of the user's own", report.Warn, 1,
		func(m *machine) { m.git("-C", m.at("framework"), "commit", "-q", "--allow-empty", "-m", "mine") }),
	frameworkDrift("a file that the setup uses is not there", report.Fail, 1, func(m *machine) {
		m.remove("upstream/tools/agent-isolation/sandbox-bypass-warn.sh")
		m.push("without it")
		m.git("-C", m.at("framework"), "pull", "-q", "--ff-only")
	}),
	frameworkDrift("no remote", report.Unknown, 1,
		func(m *machine) { m.git("-C", m.at("framework"), "remote", "remove", "origin") }),
	frameworkDrift("a remote that is gone", report.Unknown, 1, func(m *machine) { m.remove("upstream") }),
	frameworkDrift("a remote with another protocol", report.Unknown, 1, func(m *machine) {
		m.git("-C", m.at("framework"), "remote", "set-url", "origin", "ext::sh -c touch% "+m.at("ran"))
	}),
	frameworkDrift("no git checkout", report.Unknown, 1, func(m *machine) { m.remove("framework/.git") }),
	frameworkDrift("a filter program in its configuration", report.Unknown, 1, func(m *machine) {
		m.git("-C", m.at("framework"), "config", "filter.x.clean", "touch "+m.at("ran"))
		m.put("framework/.git/info/attributes", "* filter=x\n", 0o644)
	}),
	frameworkDrift("programs in its configuration", report.Warn, 1, func(m *machine) {
		m.push("the second")
		for _, key := range []string{"core.sshCommand", "core.fsmonitor", "remote.origin.uploadpack", "core.gitProxy",
			"core.alternateRefsCommand", "uploadpack.packObjectsHook", "credential.helper", "core.askPass", "diff.external"} {
			m.git("-C", m.at("framework"), "config", key, "touch "+m.at("ran")+"; false")
		}
		m.put("framework/.git/hooks/reference-transaction", "#!/bin/sh\ntouch "+m.at("ran")+"\n", 0o755)
		m.put("framework/.git/hooks/post-index-change", "#!/bin/sh\ntouch "+m.at("ran")+"\n", 0o755)
	}),
	frameworkDrift("behind, with --offline, as the checkout knows it", report.Warn, 1, func(m *machine) {
		m.push("the second")
		m.git("-C", m.at("framework"), "fetch", "-q")
		m.remove("upstream")
		m.opts.Offline = true
	}),
}
