// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the check is judged on whole machines, by what the user
// reads in one line and by the evidence under it.

package checks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// toolsOf runs the check on a machine where the given programs answer.
func toolsOf(t *testing.T, goos, override string, answers map[string]string) report.Finding {
	t.Helper()
	home := testenv.Home(t)
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, home, "PATH="+testenv.Distro(t, "none", answers))),
		GOOS: goos, UID: 1000, Root: home, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if path := pins.LocalPath(h.Places().Config); override != "" {
		testenv.Write(t, path, override, 0o644)
	}
	return engine.RunChecks(context.Background(), h, []engine.Check{toolsPinned("")}, func(engine.Event) {})[0]
}

func TestToolsPinned(t *testing.T) {
	bwrap, socat := "bubblewrap 0.11.2\n", "socat by x\nsocat version 1.8.1.3 on x\n"
	for name, c := range map[string]struct {
		goos, override       string
		bwrap, socat, claude string
		want                 report.Status
		summary              string
	}{
		"as pinned": {"linux", "", bwrap, socat, pinned.ClaudeSays(pinned.Claude()), report.Pass,
			"bubblewrap 0.11.2; socat 1.8.1.3; claude-code " + pinned.Claude()},
		"older": {"linux", "", "bubblewrap 0.8.0\n", socat, pinned.ClaudeSays(pinned.Claude()), report.Warn,
			"bubblewrap 0.8.0 is older than the pin, 0.11.2; socat 1.8.1.3;"},
		"newer": {"linux", "", bwrap, socat, "2.2.0 (Claude Code)", report.Warn,
			"claude-code 2.2.0 is newer than the pin, " + pinned.Claude()},
		"below the floor": {"linux", "", "bubblewrap 0.8.0\n", socat, "2.1.141 (Claude Code)", report.Fail,
			"claude-code 2.1.141 is below the floor 2.1.324"},
		"missing": {"linux", "", bwrap, "-", pinned.ClaudeSays(pinned.Claude()), report.Fail, "socat is not installed"},
		"not understood": {"linux", "", bwrap, "nonsense", "2.2.0 (Claude Code)", report.Unknown,
			"socat does not report its version"},
		"an override": {"linux", "[tools.bubblewrap]\nversion = '0.8.0-2+deb12u1'\n", "bubblewrap 0.8.0\n",
			socat, pinned.ClaudeSays(pinned.Claude()), report.Pass, "bubblewrap 0.8.0;"},
		"macOS": {"darwin", "", "-", "-", pinned.ClaudeSays(pinned.Claude()), report.Pass,
			"claude-code " + pinned.Claude()},
		"macOS, missing": {"darwin", "", "-", "-", "-", report.Fail, "claude-code is not installed"},
		"malformed": {"linux", "[tools.socat]\nverison = '1'\n", bwrap, socat, pinned.ClaudeSays(pinned.Claude()),
			report.Unknown, "pinned-versions.local.toml:2:1 has a key that nobody reads"},
	} {
		f := toolsOf(t, c.goos, c.override, map[string]string{"bwrap.--version": c.bwrap, "socat.-V": c.socat,
			"claude.--version": c.claude})
		if f.Status != c.want || !strings.Contains(f.Summary, c.summary) {
			t.Errorf("%s: %s %s\nwant %s %s", name, f.Status, f.Summary, c.want, c.summary)
		}
		distro := slices.Contains(f.Remedies, report.Remedy(verify.DistroTools()))
		if distro != (name == "older") { // install has no other way to a tool that works and is older
			t.Errorf("%s: remedies %v", name, f.Remedies)
		}
		if pass := f.Status == report.Pass; pass != (len(f.Remedies) == 0) {
			t.Errorf("%s: remedies %v", name, f.Remedies)
		}
	}
}

func TestToolsPinnedShowsWhatItSaw(t *testing.T) {
	f := toolsOf(t, "darwin", "", map[string]string{"claude.--version": "2.1.141 (Claude Code)"})
	seen := map[string]string{}
	for _, e := range f.Evidence {
		seen[e.Where] = e.Text
	}
	if seen["claude --version"] != "2.1.141" || seen["socat"] == "" {
		t.Errorf("%q", seen)
	}
	floor := ""
	for where, text := range seen {
		if strings.HasPrefix(where, "manifests/pinned-versions.toml (built in):") &&
			strings.Contains(text, "renaming .claude") {
			floor = where
		}
	}
	if floor == "" {
		t.Errorf("nothing says why there is a floor: %q", seen)
	}
}

// No package manager is there to be asked; one that were asked would be
// missing, and its absence would be seen.
func TestToolsPinnedAsksTheToolsAlone(t *testing.T) {
	f := toolsOf(t, "linux", "", map[string]string{"bwrap.--version": "bubblewrap 0.1", "socat.-V": "-",
		"claude.--version": "x"})
	for _, e := range f.Evidence {
		if e.Kind == "command" && e.Where != "bwrap --version" && e.Where != "socat -V" && e.Where != "claude --version" {
			t.Errorf("asks %s", e.Where)
		}
	}
}

// TestOnlyTheModeIsMissing: what the user's own file lacks is its mode, not its content.
func TestOnlyTheModeIsMissing(t *testing.T) {
	home := testenv.Home(t)
	claude := filepath.Join(home, "bin", "claude")
	testenv.Write(t, claude, "#!/bin/sh\necho 2.1.332\n", 0o644)
	for uid, want := range map[int]string{os.Getuid(): "chmod +x " + claude, os.Getuid() + 1: "npm install"} {
		h, err := host.New(env.System{Env: env.New(testenv.Env(t, home, "PATH="+filepath.Dir(claude)+":"+
			testenv.Distro(t, "none", map[string]string{"npm": home, "bwrap": "-", "socat": "-", "claude": "-"}))),
			GOOS: "linux", UID: uid, Root: home, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		f := engine.RunChecks(t.Context(), h, []engine.Check{toolsPinned("")}, func(engine.Event) {})[0]
		first, _ := f.Remedies[0].(report.Command)
		if !strings.Contains(first.Line, want) {
			t.Errorf("of user %d: %q lacks %q", uid, first.Line, want)
		}
	}
}

func TestAManifestThatIsNotUnderstoodIsNamedOnce(t *testing.T) {
	f := unreadableManifest(&report.Error{Where: "/m.toml:2:1", What: "is not understood", Err: errors.New("no such key")})
	if e := f.Evidence[0]; e.Where != "/m.toml:2:1" || e.Text != "is not understood: no such key" {
		t.Errorf("%+v", e)
	}
}
