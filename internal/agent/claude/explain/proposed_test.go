// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nothing is proposed that leads past the sandbox or switches
// it off, which verify calls a failure. (A path has a price of its own.)

package explain

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/manifests"
)

// scopes are those of fixes.
var scopes = map[catalog.Scope]settings.Scope{catalog.User: settings.User, catalog.Project: settings.Project,
	catalog.Local: settings.Local}

func TestNoFixLeadsPastTheSandbox(t *testing.T) {
	entries, err := catalog.Load("troubleshooting.toml", []byte(manifests.Troubleshooting))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, e := range entries {
		for _, f := range e.Fixes {
			if f.Exclude {
				continue
			}
			doc := testenv.Must(settings.Parse("settings.json", []byte(f.Settings)))(t)
			tried++
			for _, w := range policy.Weakenings(policy.Document{Content: doc.Root, Scope: scopes[f.Scope],
				Home: "/home/me"}) {
				if w.Bypasses() || w.Voids() {
					t.Errorf("%s: %q opens: %s", e.ID, f.Title, w.Opens)
				}
			}
		}
	}
	if tried < 10 {
		t.Errorf("only %d fixes were looked at", tried)
	}
}

// TestNoPlaceholderIsProposed: where the text names no directory, it is that of
// this machine, or words for it.
func TestNoPlaceholderIsProposed(t *testing.T) {
	l := newLab(t)
	h := l.reader()
	says := func(name, want string) {
		fix := catalog.Fix{Settings: `{"sandbox":{"filesystem":{"allowRead":["${` + name + `}"]}}}`}
		if got, _ := Propose(t.Context(), h, "x", fix, Question{}, false); !strings.Contains(got.Settings, `["`+want+`"]`) {
			t.Errorf("%s, want %s in it", got.Settings, want)
		}
	}
	for name, words := range unnamed {
		if name != "PROJECT_ROOT" {
			says(name, words)
		}
	}
	says("PROJECT_ROOT", "~/p")
	agentAt := func(socket string) *host.Host {
		return testenv.Must(host.New(env.System{Env: env.New(append(testenv.Env(t, l.home), "SSH_AUTH_SOCK="+socket)),
			GOOS: "linux", UID: os.Getuid(), Cwd: l.project, Now: time.Now}))(t)
	}
	h = agentAt(l.home + "/*/agent.sock")
	says("SSH_AUTH_SOCK", "<the socket of your agent>")
	h = agentAt(l.home + "/.ssh/agent.sock")
	says("SSH_AUTH_SOCK", "~/.ssh/agent.sock")
	says("SSH_AUTH_SOCK_DIR", "~/.ssh")
	if err := os.MkdirAll(filepath.Join(h.Places().Home, ".cache/puppeteer"), 0o755); err != nil {
		t.Fatal(err)
	}
	says("BROWSERS", "~/.cache/puppeteer/")
	ways := catalog.Entry{Alternatives: []catalog.Way{{Text: "on macOS: a"}, {Text: "b"}}}
	if got := ways.Ways("linux"); !slices.Equal(got, ways.Alternatives[1:]) || len(ways.Ways("darwin")) != 2 {
		t.Errorf("%v", got)
	}
}
