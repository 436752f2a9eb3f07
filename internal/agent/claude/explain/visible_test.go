// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program in the hidden home and a socket are asked about
// with a real file and a real listener.

package explain

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestACommandSaysWhetherItsProgramIsVisible(t *testing.T) {
	testenv.Need(t, "bwrap", "socat") // or there is no sandbox
	l := newLab(t)
	l.put("bin/tool", "#!/bin/sh\n")
	l.put("open/bin/tool2", "#!/bin/sh\n")
	for _, p := range []string{"bin/tool", "open/bin/tool2"} {
		if err := os.Chmod(l.path(p), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	l.put("p/.claude/settings.json", `{"sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/"], "allowRead": ["~/open/"]}}}`)
	var vars []string
	for _, v := range testenv.Env(t, l.home) {
		if rest, ok := strings.CutPrefix(v, "PATH="); ok {
			v = "PATH=" + l.path("bin") + ":" + l.path("open/bin") + ":" + rest
		}
		vars = append(vars, v)
	}
	r, err := host.New(env.System{Env: env.New(vars), GOOS: "linux", GOARCH: "amd64", UID: os.Getuid(), GID: os.Getgid(),
		Cwd: l.project, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	x, err := Explain(t.Context(), r, Question{Kind: AboutCommand, Subject: "tool a && tool2 | cat; nosuchprogram; cd /"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"tool is hidden from sandboxed commands", "tool2 is visible inside the sandbox",
		"cat is visible inside the sandbox", "nosuchprogram is not on PATH outside the sandbox either"} {
		if !slices.ContainsFunc(x.Notes, func(n report.Note) bool { return strings.Contains(n.Text, want) }) {
			t.Errorf("%q is not said: %+v", want, x.Notes)
		}
	}
	if slices.ContainsFunc(x.Notes, func(n report.Note) bool { return strings.HasPrefix(n.Text, "cd ") }) {
		t.Errorf("a command of the shell is called hidden, visible or missing: %+v", x.Notes)
	}
}

func TestASocketIsConnectedTo(t *testing.T) {
	testenv.Need(t, "bwrap", "socat")
	l := newLab(t)
	dir := testenv.Short(t, "s")
	at := filepath.Join(dir, "d.sock")
	server, err := net.Listen("unix", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	for settings, want := range map[string]report.Answer{
		`{"sandbox": {"enabled": true}}`: report.Denied,
		`{"sandbox": {"enabled": true, "network": {"allowUnixSockets": ["` + at + `"]}, "filesystem": {"allowRead": ["` + at +
			`"]}}}`: report.Denied,
		`{"sandbox": {"enabled": true, "network": {"allowAllUnixSockets": true}}}`: report.Allowed,
		`{"sandbox": {"enabled": true, "network": {"allowAllUnixSockets": true}, "filesystem": {"denyRead": ["` + dir +
			`"]}}}`: report.Denied,
		`{"sandbox": {"enabled": false}}`: report.Allowed,
	} {
		l.put("p/.claude/settings.json", settings)
		x, err := Explain(t.Context(), l.reader(), Question{Kind: AboutPath, Subject: at})
		if err != nil {
			t.Fatal(err)
		}
		if r := ruling(t, x.Rulings, access.WhoCommand, access.Connects); r.Answer != want {
			t.Errorf("%s: %s (%s)", settings, r.Answer, r.Why)
		}
	}
	// One whose service is down is asked about as a socket too.
	l.put("p/.claude/settings.json", `{"sandbox": {"enabled": true}}`)
	x, err := Explain(t.Context(), l.reader(), Question{Kind: AboutPath, Subject: dir + "/down.sock"})
	if err != nil {
		t.Fatal(err)
	}
	if r := ruling(t, x.Rulings, access.WhoCommand, access.Connects); r.Answer != report.Denied {
		t.Errorf("a socket that is not there: %s (%s)", r.Answer, r.Why)
	}
}
