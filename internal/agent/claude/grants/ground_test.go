// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestWritable: by which entry of a project's allowWrite; a directory counts where
// anything in it does. What the runtime does is in explain's test of agreement.
func TestWritable(t *testing.T) {
	home := testenv.Home(t)
	project := filepath.Join(home, "code/tracker")
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, home)), GOOS: "linux", GOARCH: "amd64", UID: os.Getuid(),
		GID: os.Getgid(), Cwd: home, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, entry, by string
	}{
		{"~/.local/bin/steward-setup", "", ""},
		{"~/code/tracker/bin/x", "", "start"},
		{"~/code/tracker", "", "start"},
		{"~/code/tracker-old/x", "", ""},
		{"~/.local/bin/x", "~/.local/", "~/.local/"},
		{"~/.local/bin/x", "~/.local/bin/x", "~/.local/bin/x"},
		{"~/.local/bin/x", "~/.local/bi", ""},
		{"~/.local/bin/x", "~/", "~/"},
		{"~/.local/bin/x", "/~/.local", "/~/.local"},
		{"~/.local/bin/x", "~/.lo*/bin", ""}, // a pattern opens nothing on Linux
		{"~/code/other/x", "../other", "../other"},
		{"~/framework", "~/framework/build/", "~/framework/build/"},
		{"/opt/x", "/", "/"},
		{"/opt/../~/.cache/go-build/a", "~/.cache/go-build/**", "~/.cache/go-build/**"},
	} {
		full := func(path string) string {
			if strings.HasPrefix(path, "~") {
				return home + path[1:]
			}
			return strings.Replace(path, "/~", home, 1)
		}
		entries := []string{}
		if c.entry != "" {
			entries = []string{c.entry}
			if strings.HasPrefix(c.entry, "/~") {
				entries[0] = "/" + full(c.entry)
			}
		}
		b, err := json.Marshal(map[string]any{"sandbox": map[string]any{"filesystem": map[string]any{"allowWrite": entries}}})
		if err != nil {
			t.Fatal(err)
		}
		testenv.Write(t, filepath.Join(project, ".claude/settings.json"), string(b), 0o644)
		by, yes := Of(h, session.At(h, project)).Writable(full(c.path))
		want := c.by
		if want == c.entry && len(entries) > 0 {
			want = entries[0]
		}
		if got := map[bool]string{true: "start", false: by.Text}[by.Place == StartDir]; got != want || yes != (c.by != "") {
			t.Errorf("%s under %q: %q %v, want %q", c.path, entries, got, yes, want)
		}
	}
}

// TestWhatTheUserMayNotWrite: commands run as the user, and a session that starts in a
// directory of the system makes nothing there, but does in the home below its start.
func TestWhatTheUserMayNotWrite(t *testing.T) {
	home := testenv.Home(t)
	testenv.Write(t, filepath.Join(home, ".bashrc"), "", 0o644)
	testenv.Write(t, filepath.Join(home, "closed/file"), "", 0o444)
	testenv.OK(t, os.Chmod(filepath.Join(home, "closed"), 0o555))
	t.Cleanup(func() { testenv.OK(t, os.Chmod(filepath.Join(home, "closed"), 0o755)) })
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, home)), GOOS: "linux", GOARCH: "amd64", UID: os.Getuid(),
		GID: os.Getgid(), Cwd: home, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	root := os.Getuid() == 0
	for _, c := range []struct {
		start, path string
		want        bool
	}{
		{"/usr", "/usr/share/steward-none/x", root},
		{"/", "/usr/share/steward-none/x", root},
		{"/", filepath.Join(home, ".bashrc"), true},
		{"/", filepath.Join(home, "closed/file"), true}, // its owner opens it again
		{home, filepath.Join(home, "closed/file"), true},
	} {
		g := Of(h, session.At(h, c.start))
		if _, yes := g.Writable(c.path); yes != c.want {
			t.Errorf("writable from %s: %s: %v", c.start, c.path, yes)
		}
		if yes := g.Leads(c.path); yes != c.want {
			t.Errorf("leads from %s: %s: %v", c.start, c.path, yes)
		}
	}
}

// TestAHomeWhoseNameIsNotUTF8: a text names it by the bytes that it has.
func TestAHomeWhoseNameIsNotUTF8(t *testing.T) {
	home := filepath.Join(testenv.Home(t), "non\xffutf")
	h := testenv.Must(host.New(env.System{Env: env.New(testenv.Env(t, home)), GOOS: "linux", GOARCH: "amd64",
		UID: os.Getuid(), GID: os.Getgid(), Cwd: "/", Now: time.Now}))(t)
	g := Of(h, session.At(h, "/"))
	if !g.Tilde.MatchString("cat ~non\xffutf/x") || g.Tilde.MatchString("cat ~other/x") {
		t.Errorf("%s does not find it alone", g.Tilde)
	}
}
