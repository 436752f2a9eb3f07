// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: another cause is named where this machine agrees, and not
// where it leaves the sandbox a way to have made the error.

package doctor

import (
	"os"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// seen is what a text is taken for on a machine: the entry and the verdict, ""
// for none.
func seen(t *testing.T, l *lab, text string) string {
	t.Helper()
	a, known := catalog.Recognise(all(t), text, "linux", Look(t.Context(), l.reader(), ""))
	if !known {
		return ""
	}
	return a.Entry.ID + " " + string(a.Verdict)
}

func TestAnotherCauseNeedsTheMachine(t *testing.T) {
	l := newLab(t)
	for text, want := range map[string]string{
		"listen tcp :80: bind: permission denied":                                "port-privileged ordinary",
		"cp: error writing '" + l.project + "/out': No space left on device":     "disk-full ordinary",
		"cp: error writing '/srv/out': No space left on device":                  "disk-full ordinary",
		"cp: error writing '" + l.home + "/.cache/out': No space left on device": "",
		"cp: error writing '/dev/shm/out': No space left on device":              "",
		"dial tcp 203.0.113.9:443: connect: connection refused":                  "host-refused ordinary",
	} {
		if got := seen(t, l, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestALibraryOfTheUsersOwnMayBeHidden(t *testing.T) {
	l := newLab(t)
	text := "tool: error while loading shared libraries: libx.so: cannot open shared object file: No such file or " +
		"directory"
	if got := seen(t, l, text); got != "library-missing ordinary" {
		t.Errorf("%q", got)
	}
	h, err := host.New(env.System{Env: env.New(append(testenv.Env(t, l.home), "LD_LIBRARY_PATH="+l.path("lib"))),
		GOOS: "linux", GOARCH: "amd64", UID: os.Getuid(), GID: os.Getgid(), Cwd: l.project, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	a, known := catalog.Recognise(all(t), text, "linux", Look(t.Context(), h, ""))
	if known && a.Entry.ID == "library-missing" {
		t.Error("named although a variable names directories")
	}
}

// A server refused the key, and none of the usual ones is here: ssh may use
// another, or an agent that its configuration names.
func TestNoUsualKeyIsNoProofOfNoKey(t *testing.T) {
	l := newLab(t)
	text := "git@github.com: Permission denied (publickey)."
	if got := seen(t, l, text); got != "ssh-publickey ordinary" {
		t.Errorf("without ~/.ssh: %q", got)
	}
	l.put(".ssh/known_hosts", "")
	if got := seen(t, l, text); got != "ssh-publickey ordinary" {
		t.Errorf("with known hosts: %q", got)
	}
	l.put(".ssh/config", "")
	if got := seen(t, l, text); got != "ssh-publickey unknown" {
		t.Errorf("with a configuration: %q", got)
	}
}

func TestAPatternNamesTheFilesThatItMatches(t *testing.T) {
	testenv.Need(t, "bwrap", "socat") // or there is no sandbox
	l := newLab(t)
	l.settings("p/.claude/settings.json", map[string]any{"sandbox": map[string]any{"enabled": true,
		"filesystem": map[string]any{"denyRead": []string{"~/"}}}})
	text := "ls: cannot access '" + l.home + "/.aws/cred*': No such file or directory"
	if got := seen(t, l, text); got != "hidden-path ordinary" {
		t.Errorf("without such a file: %q", got)
	}
	l.put(".aws/credentials", "")
	if got := seen(t, l, text); got != "hidden-path sandbox" {
		t.Errorf("with one: %q", got)
	}
}
