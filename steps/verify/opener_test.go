// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what got through is led back to the line that lets it, and
// to no other.

package verify

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/trial"
)

func TestWhatLetsACallThrough(t *testing.T) {
	testenv.AsUser(t)
	read := trial.Probe{Below: trial.Filesystem, Subject: "~/.aws/credentials", Through: trial.Through{Reply: "x"}}
	write := trial.Probe{Below: trial.Filesystem, Subject: "~/.bashrc", Through: trial.Through{File: "x"}}
	ours := trial.Probe{Below: trial.Filesystem, Subject: "~/p/.env", Through: trial.Through{Reply: "x"}}
	reach := trial.Probe{Below: trial.Network, Subject: trial.Denied, Call: model.Bash("curl x")}
	direct := trial.Probe{Below: trial.Network, Call: model.Bash("reach")}
	sees := trial.Probe{Below: trial.Environment, Subject: "GH_TOKEN"}
	for _, c := range []struct {
		name  string
		files map[string]string
		probe trial.Probe
		// want is the only evidence, at line 1 of a file: "" if there is
		// none, and then next is the question that is asked instead.
		launch     report.Launch
		want, next string
	}{
		{"nothing opens it", nil, read, report.Plain, "", "--explain-path ~/.aws/credentials --live"},
		{"a directory above it is readable", map[string]string{usersFile: `{"sandbox":{"filesystem":{"allowRead":["~/.aws"]}}}`}, read, report.Plain,
			usersFile + ":1: sandbox.filesystem.allowRead is ~/.aws. It allows this.", ""},
		{"it is writable, and can be read too",
			map[string]string{usersFile: `{"sandbox":{"filesystem":{"allowWrite":["~/.aws"]}}}`}, read, report.Iso,
			usersFile + ":1: sandbox.filesystem.allowWrite is ~/.aws. It allows this.", ""},
		{"readable is not writable", map[string]string{usersFile: `{"sandbox":{"filesystem":{"allowRead":["~/"]}}}`}, write,
			report.Plain, "", "--explain-path ~/.bashrc --live"},
		{"one file is writable", map[string]string{usersFile: `{"sandbox":{"filesystem":{"allowWrite":["~/.bashrc"]}}}`},
			write, report.Plain,
			usersFile + ":1: sandbox.filesystem.allowWrite is ~/.bashrc. It allows this.", ""},
		{"a rule makes it writable", map[string]string{localFile: `{"permissions":{"allow":["Edit(~/.bashrc)"]}}`}, write,
			report.Plain,
			localFile + ":1: permissions.allow is Edit(~/.bashrc). It allows this.", ""},
		{"a project's rule is not loaded by claude-iso",
			map[string]string{localFile: `{"permissions":{"allow":["Edit(~/.bashrc)"]}}`}, write, report.Iso, "",
			"--explain-path ~/.bashrc --live"},
		{"the project is readable anyway", map[string]string{usersFile: `{"sandbox":{"filesystem":{"allowRead":["~/"]}}}`},
			ours, report.Plain, "", "--explain-path ~/p/.env --live"},
		{"every host", map[string]string{usersFile: `{"sandbox":{"network":{"allowedDomains":["a.example.com","*"]}}}`},
			reach, report.Plain,
			usersFile + ":1: sandbox.network.allowedDomains is *. It allows this.", ""},
		{"a rule for hosts", map[string]string{usersFile: `{"permissions":{"allow":["WebFetch(domain:*.example)"]}}`}, reach,
			report.Plain,
			usersFile + ":1: permissions.allow is WebFetch(domain:*.example). It allows this.", ""},
		{"other hosts", map[string]string{usersFile: `{"sandbox":{"network":{"allowedDomains":["*.example.com"]}}}`}, reach,
			report.Plain, "", "--explain-host " + trial.Denied + " --live"},
		{"no list of hosts is about an address",
			map[string]string{usersFile: `{"sandbox":{"network":{"allowedDomains":["*"]}}}`}, direct, report.Plain, "", ""},
		{"the command is excluded", map[string]string{usersFile: `{"sandbox":{"excludedCommands":["docker *","curl *"]}}`},
			reach, report.Plain,
			usersFile + ":1: sandbox.excludedCommands is curl *. It allows this.", ""},
		{"a variable", nil, sees, report.Plain, "", "--explain-env GH_TOKEN --live"},
		{"there is no sandbox", map[string]string{localFile: `{"sandbox":{"enabled":false,"filesystem":{"allowRead":["~/"]}}}`}, read, report.Plain,
			localFile + ":1: sandbox.enabled is false. It allows this.", ""},
		{"does not restrict files",
			map[string]string{usersFile: `{"sandbox":{"filesystem":{"disabled":true}}}`}, read, report.Plain,
			usersFile + ":1: sandbox.filesystem.disabled is true. It allows this.", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := household{t, testenv.Home(t)}
			r := h.project(c.files)
			if rest, ok := strings.CutPrefix(c.probe.Subject, "~"); ok {
				c.probe.Subject = h.home + rest
			}
			var tl tally
			tl.explain(openersAt(r, SessionAt(r, filepath.Join(h.home, "p"))), c.probe, c.launch)
			tl.explain(openersAt(r, SessionAt(r, filepath.Join(h.home, "p"))), c.probe, c.launch) // each once
			got := ""
			for _, e := range tl.evidence {
				where, _, _ := strings.Cut(strings.TrimPrefix(e.Where, h.home+"/"), ":1:")
				got += where + ":1: " + e.Text
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			next := ""
			for _, m := range tl.remedies {
				next += strings.ReplaceAll(strings.TrimPrefix(m.(report.Command).Line, "steward-setup doctor "), h.home, "~")
			}
			if next = strings.ReplaceAll(next, "'", ""); next != c.next {
				t.Errorf("next is %q, want %q", next, c.next)
			}
		})
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
		o := openersAt(r, SessionAt(r, filepath.Join(h.home, "p")))
		_, plain := o.ownProxy(report.Plain)
		_, iso := o.ownProxy(report.Iso)
		if plain != c.plain || iso != c.iso {
			t.Errorf("%v: plain %v, iso %v", c.files, plain, iso)
		}
	}
}
