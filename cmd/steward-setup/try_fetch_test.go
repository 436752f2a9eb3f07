// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where no runtime is installed, try takes one from a registry by
// the real npm client; nothing is fetched unasked, and nothing outside the cache
// changes. What it then proves: TestTheRecordedRehearsalIsWhatThePinnedRuntimeDoes.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
)

// newBare is a machine without a runtime, whose registry has program at the
// pinned version, or, if it is nil, another version alone.
func newBare(t *testing.T, program []byte) *upgraded {
	t.Helper()
	testenv.AsUser(t)
	testenv.Need(t, "bwrap", "socat")
	if os.Getuid() == 0 {
		t.Skip("as root no denial can be tested, so nothing is downloaded")
	}
	u := newUpgraded(t, "")
	testenv.OK(t, os.Remove(filepath.Join(u.home, ".local", "bin", "claude")))
	version := pinned.Claude()
	if program == nil {
		version, program = "2.1.2", []byte(fakeRuntime)
	}
	u.registry.Add(t, version, program)
	return u
}

func (u *upgraded) inCache() bool {
	_, err := os.Stat(filepath.Join(u.home, ".cache", "steward-setup", "runtimes", pinned.Claude(), "claude"))
	return err == nil
}

const recorded = "A recorded test"

func TestTryDownloadsNothingUnasked(t *testing.T) {
	t.Parallel()
	u := newBare(t, []byte(fakeRuntime))
	before := u.tree()
	u.want(report.ExitOK, recorded, "try")
	for _, args := range [][]string{{"try", "--plain"}, {"try", "--json"}} { // a no, and nobody who could be asked
		term := testenv.NewTerminal(t, u.command(args...), 100, 40)
		if args[1] == "--plain" {
			term.Sees("Look for Claude Code " + pinned.Claude() + " with npm? [y/N]")
			term.Type("\r")
		}
		if code := term.Exit(); code != report.ExitOK || strings.Contains(term.Raw(), "downloading") {
			t.Errorf("%q: exit code %d", args, code)
		}
		if asked := u.registry.Asked(); len(asked) > 0 {
			t.Errorf("%q: asked for %q", args, asked)
		}
	}
	term := testenv.NewTerminal(t, u.command("try", "--plain"), 100, 40)
	term.Answer("Look for Claude Code", "y\r")
	term.Answer("Download this? [y/N]", "\r")
	code := term.Exit()
	for _, words := range []string{"@" + pinned.Claude(), "sha512-", recorded} {
		if code != report.ExitOK || !strings.Contains(term.Raw(), words) {
			t.Errorf("exit code %d, without %q:\n%s", code, words, term.Raw())
		}
	}
	for _, path := range u.registry.Asked() {
		if strings.HasSuffix(path, ".tgz") {
			t.Errorf("%s was downloaded", path)
		}
	}
	if u.inCache() {
		t.Error("it is in the cache")
	}
	u.unchanged(before)
}

func TestTrySaysWhyNothingIsDownloaded(t *testing.T) {
	t.Parallel()
	u := newBare(t, nil)
	if out := u.want(report.ExitOK, "No Claude Code to test with: ", "try",
		"--fetch-runtime"); !strings.Contains(out, recorded) {
		t.Error(out)
	}
	few := t.TempDir() // what there is but socat
	for _, program := range []string{"git", "bwrap", "npm", "node", "bash", "sh"} {
		real := testenv.Must(exec.LookPath(program))(t)
		testenv.OK(t, os.Symlink(real, filepath.Join(few, program)))
	}
	u.path = filepath.Join(u.home, ".local", "bin") + ":" + few
	if out := u.want(report.ExitOK, "without socat nothing can be tested", "try",
		"--fetch-runtime"); !strings.Contains(out, recorded) {
		t.Error(out)
	}
	if u.inCache() {
		t.Error("something is in the cache")
	}
}
