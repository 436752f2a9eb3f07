// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a fix that the settings overrule is told apart from one
// that would help, for what the error names and for what the fix names.

package explain

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestRefuted(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.put("p/.claude/settings.json", `{"sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/"], "allowRead": ["~/open/"], "denyWrite": ["~/p/shut"]},
		"credentials": {"files": [{"path": "~/.aws/", "mode": "deny"}]}, "network": {"allowedDomains": ["a.example"], "deniedDomains": ["no.example"]}}}`)
	testenv.Need(t, "bwrap", "socat") // or there is no sandbox
	const (
		read  = `{"sandbox":{"filesystem":{"allowRead":["${PATH}"]}}}`
		write = `{"sandbox":{"filesystem":{"allowRead":["${DIRECTORY}"],"allowWrite":["${DIRECTORY}"]}}}`
		host  = `{"sandbox":{"network":{"allowedDomains":["${HOST}"]}}}`
	)
	for _, c := range []struct {
		settings      string
		kind          Kind
		subject, want string
	}{
		{read, AboutPath, "~/.aws/credentials", "no allowRead overrides that"},
		{read, AboutPath, "~/notes/a", ""},
		{read, AboutPath, "~/open/a", "allowed already"},
		{write, AboutPath, ".git/config", "read-only whatever the settings say"},
		{write, AboutPath, "shut/x", "write-protected"},
		{write, AboutPath, "~/.aws/x", "a write fails, or seems to succeed"},
		{write, AboutPath, "~/open/a", ""}, // it can be read, and the error is of a write
		{write, AboutPath, "main.go", "allowed already"},
		{host, AboutHost, "no.example", "the deny list"},
		{host, AboutHost, "a.example", "allowed already"},
		{host, AboutHost, "b.example", ""},
		// What the fix names by itself; that it is set already says nothing.
		{`{"sandbox":{"filesystem":{"allowRead":["~/.aws/"]}}}`, "", "", "no allowRead overrides that"},
		{`{"sandbox":{"filesystem":{"allowRead":["~/open/"]}}}`, "", "", ""},
		{read, "", "", ""},
		{`{"sandbox":{"excludedCommands":["x *"]}}`, AboutPath, "~/.aws/credentials", ""},
		{`{"sandbox":[]}`, AboutPath, "~/.aws/credentials", ""},
	} {
		got := Refuted(t.Context(), l.reader(), catalog.Fix{Settings: c.settings}, Question{Kind: c.kind, Subject: c.subject})
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s, %q: %q, want %q", c.settings, c.subject, got, c.want)
		}
	}
}

// An error that names no host has the line of install all the same, with a place
// for it.
func TestAHostThatIsNotNamedHasItsPlaceInTheLine(t *testing.T) {
	testenv.AsUser(t)
	testenv.Need(t, "bwrap", "socat") // or there is no sandbox
	l := newLab(t)
	l.put("p/.claude/settings.json", `{"sandbox": {"enabled": true}}`)
	fix := catalog.Fix{Settings: `{"sandbox":{"network":{"allowedDomains":["${HOST}"]}}}`, Scope: catalog.Project}
	says := func(subject, want string) {
		t.Helper()
		_, here := Propose(t.Context(), l.reader(), "egress-blocked", fix,
			Question{Kind: AboutHost, Subject: subject, Project: l.project}, false)
		if here.Command == nil || !strings.HasSuffix(here.Command.Line, " --plan"+want) {
			t.Errorf("%q: %+v, want %s", subject, here, want)
		}
	}
	says("", " --allow-host=HOST")
	says("new.example", " --allow-host=new.example")
	says("rubygems.org", " --domains=ruby") // gem needs two hosts
	// A list of the user's own is the only one that counts for plain claude.
	l.put(".claude/settings.json", `{"sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/"]},
		"network": {"strictAllowlist": true}}, "permissions": {"deny": ["Read(~/.ssh/**)"]}}`)
	says("", " --floor-host=HOST --allow-host=HOST")
	says("new.example", " --floor-host=new.example --allow-host=new.example")
	says("rubygems.org", " --floor-host=rubygems.org --floor-host=index.rubygems.org"+
		" --allow-host=rubygems.org --allow-host=index.rubygems.org")
}
