// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package launchword

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shellrc"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestOtherNamesStartWhatTheWordStarts: what starts the agent, or claude-iso, under the
// word claude does under another name, and with the same options is another session.
func TestOtherNamesStartWhatTheWordStarts(t *testing.T) {
	home := testenv.Home(t)
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, home)), GOOS: "linux", GOARCH: "amd64", UID: os.Getuid(),
		GID: os.Getgid(), Cwd: home, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(home, ".local/share/claude/versions/2.1.332")
	testenv.OK(t, os.MkdirAll(filepath.Dir(real), 0o755))
	testenv.OK(t, testenv.Put(real, []byte("runtime"), 0o755))
	w := Judge{R: h, start: home, Runtime: iso.Found{Path: real, Real: real}}
	for _, c := range []struct {
		line             string
		other, told, iso bool
	}{
		{"claude --add-dir /x", true, true, false},
		{"claude --append-system-prompt -- --add-dir /x", true, true, false},
		{"claude -p -- --add-dir /x", false, false, false},
		{"claude-iso --add-dir /x", true, true, true},
		{"/opt/bin/steward-setup iso --add-dir /x", true, true, true},
		{"nice " + real + " --add-dir /x", true, false, false},
		{real + " --add-dir /x", true, true, false},
		{"steward-setup iso", false, false, true},
		{"steward-setup verify --add-dir", false, false, false},
	} {
		b, other := w.other(shellrc.Def{Name: "c", Value: c.line})
		if other != c.other || other && b.Iso != c.iso {
			t.Errorf("%s by another name: %v, %+v", c.line, other, b)
		}
		b = w.Def(shellrc.Def{Name: "claude", Value: c.line}, "an alias")
		if told := b.Status == report.Fail; told != c.told || told && b.Iso != c.iso {
			t.Errorf("%s by the word: %+v", c.line, b)
		}
	}
}
