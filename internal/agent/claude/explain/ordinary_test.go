// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: another cause is named where this machine agrees, and not
// where it leaves the sandbox a way to have made the error.

package explain

import (
	"os"
	"strings"
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
		"listen tcp :80: bind: permission denied":                                "port-privileged unknown",
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

// What the policy hides is a file system in memory inside, wherever it lies, and
// who may write outside is not kept out by owner and mode.
func TestThePolicyCountsForAnotherCause(t *testing.T) {
	testenv.Need(t, "bwrap", "socat") // or there is no sandbox
	l := newLab(t)
	l.settings("p/.claude/settings.json", map[string]any{"sandbox": map[string]any{"enabled": true,
		"filesystem": map[string]any{"denyRead": []string{"~/", "/var/tmp/", "/srv", "./out"},
			"allowRead": []string{"."}},
		"network":     map[string]any{"allowedDomains": []string{"db.example.org"}, "strictAllowlist": true},
		"credentials": map[string]any{"envVars": []any{map[string]any{"name": "GH_TOKEN", "mode": "deny"}}}}})
	full := ": No space left on device"
	for text, want := range map[string]string{
		"cp: error writing '/var/tmp/out'" + full:                                           "disk-full unknown",
		"cp: error writing '/srv/out'" + full:                                               "disk-full unknown",
		"cp: error writing '" + l.project + "/out/x'" + full:                                "disk-full unknown",
		"cp: error writing '" + l.project + "/x'" + full:                                    "disk-full ordinary",
		"could not watch '/opt/app': no space left on device":                               "",
		"unshare(CLONE_NEWUSER): '/usr/bin/podman': No space left on device":                "",
		"dial tcp 203.0.113.9:443: connect: connection refused":                             "host-refused unknown",
		"to server at \"db.example.org\", port 5432 failed: Connection refused":             "host-refused ordinary",
		"remote: Permission to owner/repo.git denied to bob.":                               "server-refused ordinary",
		"FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory": "kernel-limit ordinary",
	} {
		if got := seen(t, l, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	h, err := host.New(env.System{Env: env.New(append(testenv.Env(t, l.home), "GH_TOKEN=x")),
		GOOS: "linux", GOARCH: "amd64", UID: os.Getuid(), GID: os.Getgid(), Cwd: l.project, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := catalog.Recognise(all(t), "remote: Permission to owner/repo.git denied to bob.", "linux",
		Look(t.Context(), h, ""))
	if a.Verdict != catalog.Undecided || a.Looked == "" {
		t.Errorf("with a token that commands do not see: %s (%s)", a.Verdict, a.Looked)
	}
}

// Nobody opens a unix socket inside but where the settings let it, and a socket that
// the policy hides is missing there; of a client that asks an address nothing is known.
func TestASocketThatWasOpenedWasOpenedOutside(t *testing.T) {
	testenv.Need(t, "bwrap", "socat") // or there is no sandbox
	down := "Cannot connect to the Docker daemon at unix:///srv/docker.sock. Is the docker daemon running?"
	limit := "Error response from daemon: toomanyrequests: You have reached your pull rate limit."
	build := "ERROR: failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1"
	l := newLab(t)
	l.put(".docker/config.json", "{}")
	hidden := "Cannot connect to the Docker daemon at unix://" + l.home + "/d.sock. Is the docker daemon running?"
	for _, c := range []struct {
		open bool
		text string
		want string
	}{
		{false, down, "daemon-stopped ordinary"}, {false, limit, "daemon-answered ordinary"},
		{false, build, "container-step ordinary"}, {false, hidden, "docker unknown"},
		{true, down, "daemon-stopped unknown"}, {true, limit, "daemon-answered unknown"},
		{true, build, "container-step unknown"}, {true, hidden, "docker unknown"},
	} {
		l.settings("p/.claude/settings.json", map[string]any{"sandbox": map[string]any{"enabled": true,
			"filesystem": map[string]any{"denyRead": []string{"~/"}},
			"network":    map[string]any{"allowAllUnixSockets": c.open}}})
		if got := seen(t, l, c.text); got != c.want {
			t.Errorf("sockets open: %v, %q: %q, want %q", c.open, c.text, got, c.want)
		}
	}
	l.settings("p/.claude/settings.json", map[string]any{"sandbox": map[string]any{"enabled": true,
		"filesystem": map[string]any{"denyRead": []string{"~/"}}}})
	h, err := host.New(env.System{Env: env.New(append(testenv.Env(t, l.home), "DOCKER_HOST=tcp://203.0.113.7:2376")),
		GOOS: "linux", GOARCH: "amd64", UID: os.Getuid(), GID: os.Getgid(), Cwd: l.project, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := catalog.Recognise(all(t), limit, "linux", Look(t.Context(), h, "")); a.Verdict != catalog.Undecided {
		t.Errorf("with an address: %s (%s)", a.Verdict, a.Looked)
	}
}

// A project file that is missing in the project is missing inside too; one that is
// there, and hidden, is not.
func TestAMissingProjectFile(t *testing.T) {
	testenv.Need(t, "bwrap", "socat") // or there is no sandbox
	l := newLab(t)
	l.settings("p/.claude/settings.json", map[string]any{"sandbox": map[string]any{"enabled": true,
		"filesystem": map[string]any{"denyRead": []string{"~/"}, "allowRead": []string{"."}}}})
	l.put("other/package.json", "{}")
	for dir, want := range map[string]string{
		l.project + "/packages/none": "no-project-file ordinary",
		l.home + "/other":            "hidden-path sandbox",
		"/srv/no/such/project":       "no-project-file unknown",
	} {
		text := "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '" + dir +
			"/package.json'"
		if got := seen(t, l, text); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}

// A server of this machine by its own name is no other machine.
func TestTheNameOfThisMachineIsNotForeign(t *testing.T) {
	name, err := os.ReadFile("/proc/sys/kernel/hostname")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(name)), ".")
	if got := seen(t, newLab(t), "to server at \""+first+".lan\", port 5432 failed: Connection refused"); got != "" {
		t.Errorf("%q", got)
	}
}

// A server refused the key, and none of the usual ones is here: ssh may use
// another, one that git's configuration or its own names, or an agent of another
// terminal.
func TestNoUsualKeyIsNoProofOfNoKey(t *testing.T) {
	text := "git@github.com: Permission denied (publickey)."
	for _, file := range []string{"", ".ssh/known_hosts", ".ssh/config", ".gitconfig", "p/.git/config"} {
		l := newLab(t)
		if file != "" {
			l.put(file, "")
		}
		if got := seen(t, l, text); got != "ssh-publickey unknown" {
			t.Errorf("with %q: %q", file, got)
		}
	}
}

// An agent, or a key that the policy hides, is what ssh lacks inside; the server may
// take neither.
func TestAKeyThatIsHiddenMayBeRefusedToo(t *testing.T) {
	testenv.Need(t, "bwrap", "socat") // or there is no sandbox
	l := newLab(t)
	l.put(".ssh/id_rsa", "")
	l.settings("p/.claude/settings.json", map[string]any{"sandbox": map[string]any{"enabled": true,
		"filesystem": map[string]any{"denyRead": []string{"~/"}}}})
	a, _ := catalog.Recognise(all(t), "git@github.com: Permission denied (publickey).", "linux",
		Look(t.Context(), l.reader(), ""))
	if a.Entry.ID != "ssh-publickey" || a.Verdict != catalog.Undecided || !strings.Contains(a.Looked, "id_rsa is there;") {
		t.Errorf("%s %s: %s", a.Entry.ID, a.Verdict, a.Looked)
	}
}

func TestAPatternNamesTheFilesThatItMatches(t *testing.T) {
	testenv.Need(t, "bwrap", "socat") // or there is no sandbox
	l := newLab(t)
	l.settings("p/.claude/settings.json", map[string]any{"sandbox": map[string]any{"enabled": true,
		"filesystem": map[string]any{"denyRead": []string{"~/"}}}})
	text := "ls: cannot access '" + l.home + "/.aws/cred*': No such file or directory"
	if got := seen(t, l, text); got != "hidden-path unknown" { // nor is its directory
		t.Errorf("without such a file: %q", got)
	}
	l.put(".aws/credentials", "")
	if got := seen(t, l, text); got != "hidden-path sandbox" {
		t.Errorf("with one: %q", got)
	}
	l.put("other/.hidden", "") // which no star of a shell names
	text = "ls: cannot access '" + l.home + "/other/*': No such file or directory"
	if got := seen(t, l, text); got != "hidden-path unknown" {
		t.Errorf("with a hidden one: %q", got)
	}
}
