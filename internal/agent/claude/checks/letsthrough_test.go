// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what got through is led back to the line that lets it, and
// to no other.

package checks

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/verify"
)

func TestWhatLetsACallThrough(t *testing.T) {
	testenv.AsUser(t)
	read := trial.Probe{Below: trial.Filesystem, Subject: "~/.aws/credentials", Through: trial.Through{Reply: "x"}}
	write := trial.Probe{Below: trial.Filesystem, Subject: "~/.bashrc", Through: trial.Through{File: "x"}}
	ours := trial.Probe{Below: trial.Filesystem, Subject: "~/p/.env", Through: trial.Through{Reply: "x"}}
	reach := trial.Probe{Below: trial.Network, Subject: trial.Denied, Call: model.Bash("curl x")}
	direct := trial.Probe{Below: trial.Network, Call: model.Bash("reach")}
	sees := trial.Probe{Below: trial.Environment, Subject: "GH_TOKEN"}
	tool := trial.Probe{Below: trial.Rule, Subject: "~/.own", Call: model.Call{Tool: claude.ToolRead}}
	ruled := tool
	ruled.Ruled = true
	chosen := ruled
	chosen.Exposed = "on purpose"
	writes := trial.Probe{Below: trial.Rule, Subject: "~/.zshrc", Call: model.Call{Tool: claude.ToolWrite}}
	fetches := trial.Probe{Below: trial.Rule, Subject: trial.Denied, Call: model.Call{Tool: claude.ToolWebFetch}}
	socket := trial.Probe{Below: trial.Seccomp, Call: model.Bash("unix")}
	allow := func(rule string) map[string]string {
		return map[string]string{usersFile: `{"permissions":{"allow":["Bash(x)","` + rule + `"]}}`}
	}
	const rule = "remove the entry permissions.allow.1"
	for _, c := range []struct {
		name  string
		files map[string]string
		probe trial.Probe
		// want is the only evidence, at line 1 of a file: "" if there is
		// none. next is what to do, or the question that is asked instead.
		launch     report.Launch
		want, next string
	}{
		{"nothing opens it", nil, read, report.Plain, "", "--explain-path ~/.aws/credentials --live"},
		{"a directory above it is readable",
			map[string]string{usersFile: `{"sandbox":{"filesystem":{"allowRead":["~/.aws"]}}}`}, read, report.Plain,
			usersFile + ":1: sandbox.filesystem.allowRead is ~/.aws. It allows this.",
			"remove the entry sandbox.filesystem.allowRead.0"},
		{"it is writable, and can be read too",
			map[string]string{usersFile: `{"sandbox":{"filesystem":{"allowWrite":["~/.aws"]}}}`}, read, report.Iso,
			usersFile + ":1: sandbox.filesystem.allowWrite is ~/.aws. It allows this.",
			"remove the entry sandbox.filesystem.allowWrite.0"},
		{"readable is not writable", map[string]string{usersFile: `{"sandbox":{"filesystem":{"allowRead":["~/"]}}}`}, write,
			report.Plain, "", "--explain-path ~/.bashrc --live"},
		{"one file is writable", map[string]string{usersFile: `{"sandbox":{"filesystem":{"allowWrite":["~/.bashrc"]}}}`},
			write, report.Plain,
			usersFile + ":1: sandbox.filesystem.allowWrite is ~/.bashrc. It allows this.",
			"remove the entry sandbox.filesystem.allowWrite.0"},
		{"a rule makes it writable", map[string]string{localFile: `{"permissions":{"allow":["Edit(~/.bashrc)"]}}`}, write,
			report.Plain,
			localFile + ":1: permissions.allow is Edit(~/.bashrc). It allows this.",
			"remove the entry permissions.allow.0"},
		{"a project's rule is not loaded by claude-iso",
			map[string]string{localFile: `{"permissions":{"allow":["Edit(~/.bashrc)"]}}`}, write, report.Iso, "",
			"--explain-path ~/.bashrc --live"},
		{"the project is readable anyway", map[string]string{usersFile: `{"sandbox":{"filesystem":{"allowRead":["~/"]}}}`},
			ours, report.Plain, "", "--explain-path ~/p/.env --live"},
		{"every host",
			map[string]string{usersFile: `{"sandbox":{"network":{"allowedDomains":["a.example.com","*"]}}}`},
			reach, report.Plain,
			usersFile + ":1: sandbox.network.allowedDomains is *. It allows this.",
			"remove the entry sandbox.network.allowedDomains.1"},
		{"a rule for hosts", map[string]string{usersFile: `{"permissions":{"allow":["WebFetch(domain:*.example)"]}}`}, reach,
			report.Plain,
			usersFile + ":1: permissions.allow is WebFetch(domain:*.example). It allows this.",
			"remove the entry permissions.allow.0"},
		{"other hosts", map[string]string{usersFile: `{"sandbox":{"network":{"allowedDomains":["*.example.com"]}}}`}, reach,
			report.Plain, "", "--explain-host " + trial.Denied + " --live"},
		{"no list of hosts is about an address",
			map[string]string{usersFile: `{"sandbox":{"network":{"allowedDomains":["*"]}}}`}, direct, report.Plain, "",
			"steward-setup install --plan"},
		{"the command is excluded", map[string]string{usersFile: `{"sandbox":{"excludedCommands":["docker *","curl *"]}}`},
			reach, report.Plain,
			usersFile + ":1: sandbox.excludedCommands is curl *. It allows this.",
			"remove the entry sandbox.excludedCommands.1"},
		{"a variable", nil, sees, report.Plain, "", "--explain-env GH_TOKEN --live"},
		{"there is no sandbox",
			map[string]string{localFile: `{"sandbox":{"enabled":false,"filesystem":{"allowRead":["~/"]}}}`}, read, report.Plain,
			localFile + ":1: sandbox.enabled is false. It allows this.", "remove the key sandbox.enabled"},
		{"does not restrict files",
			map[string]string{usersFile: `{"sandbox":{"filesystem":{"disabled":true}}}`}, read, report.Plain,
			usersFile + ":1: sandbox.filesystem.disabled is true. It allows this.",
			"remove the key sandbox.filesystem.disabled"},
		{"a tool is allowed everywhere", allow("Read"), tool, report.Plain,
			usersFile + ":1: permissions.allow is Read. It allows this.", rule},
		{"a rule of the policy is missing, and one allows it", allow("Read(~/.own)"), ruled, report.Iso,
			usersFile + ":1: permissions.allow is Read(~/.own). It allows this.", rule + "; steward-setup install"},
		{"a rule that is not missed allows it", allow("Read(~/.own)"), chosen, report.Plain,
			usersFile + ":1: permissions.allow is Read(~/.own). It allows this.", rule},
		{"a rule of the policy is missing", allow("Read(~/.aws/**)"), ruled, report.Plain, "", "steward-setup install"},
		{"rules of other tools allow it", allow("Edit(~/.own)"), tool, report.Plain, "",
			"--explain-path ~/.own --live"},
		{"Edit stands for Write", allow("Edit(~/.zshrc)"), writes, report.Plain,
			usersFile + ":1: permissions.allow is Edit(~/.zshrc). It allows this.", rule},
		{"an additional directory holds it",
			map[string]string{usersFile: `{"permissions":{"additionalDirectories":["~/"]}}`}, writes, report.Plain,
			usersFile + ":1: permissions.additionalDirectories is ~/. It allows this.",
			"remove the entry permissions.additionalDirectories.0"},
		{"pages of a host are allowed", allow("WebFetch(domain:*.example)"), fetches, report.Plain,
			usersFile + ":1: permissions.allow is WebFetch(domain:*.example). It allows this.", rule},
		{"pages of hosts of some beginning are allowed, which names none to the proxy", allow("WebFetch(domain:steward*)"),
			fetches, report.Plain, usersFile + ":1: permissions.allow is WebFetch(domain:steward*). It allows this.", rule},
		{"a rule with a port names a host to the proxy alone", allow("WebFetch(domain:*.example:443)"), fetches, report.Plain,
			"", "--explain-host " + trial.Denied + " --live"},
		{"pages of other hosts are allowed", allow("WebFetch(domain:a.com)"), fetches, report.Plain, "",
			"--explain-host " + trial.Denied + " --live"},
		{"sockets are open", map[string]string{usersFile: `{"sandbox":{"network":{"allowAllUnixSockets":true}}}`}, socket,
			report.Plain, usersFile + ":1: sandbox.network.allowAllUnixSockets is true. It allows this.",
			"remove the key sandbox.network.allowAllUnixSockets"},
		{"no sandbox binds what a text names", map[string]string{localFile: `{"sandbox":{"enabled":false}}`},
			trial.Probe{Below: trial.Mention}, report.Plain, "", "steward-setup install"},
		{"the runtime itself", nil, trial.Probe{Below: trial.Runtime}, report.Plain, "", "steward-setup install --plan"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := household{t, testenv.Home(t)}
			r := h.project(c.files)
			if rest, ok := strings.CutPrefix(c.probe.Subject, "~"); ok {
				c.probe.Subject = h.home + rest
			}
			found := Claude{}.At(r, filepath.Join(h.home, "p")).Opens(c.probe, c.launch)
			got := ""
			for _, by := range found {
				where, _, _ := strings.Cut(strings.TrimPrefix(by.Seen.Where, h.home+"/"), ":1:")
				got += where + ":1: " + by.Seen.Text
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			var next []string
			for _, m := range verify.Ends(found, c.probe) {
				switch m := m.(type) {
				case report.Command:
					next = append(next, strings.ReplaceAll(strings.TrimPrefix(m.Line, "steward-setup doctor "), h.home, "~"))
				case report.DocLink:
					next = append(next, m.Title)
					file, _, _ := strings.Cut(c.want, ":1: ")
					if !strings.HasPrefix(m.Target, filepath.Join(h.home, file)+":1:") {
						t.Errorf("%s leads to %s", m.Title, m.Target)
					}
				}
			}
			if said := strings.ReplaceAll(strings.Join(next, "; "), "'", ""); said != c.next {
				t.Errorf("next is %q, want %q", said, c.next)
			}
		})
	}
}

// TestWhatIsDeniedNearerIsNotOnPurpose: commands do not read it, whatever an entry above it
// opens.
func TestWhatIsDeniedNearerIsNotOnPurpose(t *testing.T) {
	for lists, exposed := range map[string]bool{
		`"denyRead":["~/"],"allowRead":["~/a"]`:                     true,
		`"denyRead":["~/","~/a/b"],"allowRead":["~/a"]`:             false,
		`"denyRead":["~/","~/a/b"],"allowRead":["~/a","~/a/b"]`:     true,
		`"denyRead":["~/a"],"allowRead":["~/"]`:                     false,
		`"denyRead":["~/","~/a"],"allowRead":["~/a/b","~/a/b/key"]`: true,
	} {
		h := household{t, testenv.Home(t)}
		r := h.project(map[string]string{ownFile: `{"sandbox":{"enabled":true,"filesystem":{` + lists + `}}}`})
		said := Claude{}.At(r, filepath.Join(h.home, "p")).Inputs().Exposed(filepath.Join(h.home, "a/b/key"))
		if (said != "") != exposed {
			t.Errorf("%s: %q", lists, said)
		}
	}
}

// TestAProxyOfTheMachineIsNotOnTheStage: what it lets through cannot be seen
// there.
func TestAProxyOfTheMachineIsNotOnTheStage(t *testing.T) {
	const ports = `{"sandbox":{"network":{"socksProxyPort":1080}}}`
	for _, c := range []struct {
		files      map[string]string
		plain, iso bool
	}{
		{nil, false, false},
		{map[string]string{usersFile: ports}, true, true},
		{map[string]string{localFile: ports}, true, false},
		{map[string]string{localFile: ports, usersFile: ports}, true, true},
		{map[string]string{localFile: ports, usersFile: `{"sandbox":{"network":{"strictAllowlist":true}}}`}, false, false},
	} {
		h := household{t, testenv.Home(t)}
		r := h.project(c.files)
		o := openersAt(r, session.At(r, filepath.Join(h.home, "p")))
		_, plain := o.Proxied(report.Plain)
		_, iso := o.Proxied(report.Iso)
		if plain != c.plain || iso != c.iso {
			t.Errorf("%v: plain %v, iso %v", c.files, plain, iso)
		}
	}
}
