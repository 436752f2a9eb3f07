// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package pins

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// disk is a Reader over files in memory; checkouts are read by their path too.
type disk map[string]string

func (d disk) Read(path string) ([]byte, error) {
	if text, ok := d[path]; ok {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

func (d disk) ReadIn(root, rel string) ([]byte, error) { return d.Read(root + "/" + rel) }

func load(t *testing.T, d disk, framework string) Set {
	t.Helper()
	set := testenv.Must(Load(d, "/c", framework))(t)
	return set
}

func pin(t *testing.T, set Set, tool string) Pin {
	t.Helper()
	p, ok := set.Pin(tool)
	if !ok {
		t.Fatalf("%s is not pinned", tool)
	}
	return p
}

func TestThePinsOfTheProgram(t *testing.T) {
	set := load(t, nil, "")
	for _, p := range set.Pins {
		if _, known := p.Released(); !known || p.Settled().After(set.PinnedAt) {
			t.Errorf("%s %s had not settled when it was pinned on %v (settled: %v, %v)", p.Tool, p.Version, set.PinnedAt,
				p.Settled(), known)
		}
		if p.BelowFloor() {
			t.Errorf("%s is pinned below its own floor", p.Tool)
		}
		if p.Purpose == "" || p.Docs == "" || p.Releases == "" || !Known(p.Tool) {
			t.Errorf("%s lacks a purpose, its documentation, its releases or a way to ask it", p.Tool)
		}
		for manager, line := range p.install {
			if manager != "brew" && !strings.Contains(line, p.Version) {
				t.Errorf("install.%s of %s does not name %s: %s", manager, p.Tool, p.Version, line)
			}
		}
		for _, manager := range []string{"apt", "dnf"} {
			if _, ok := p.Install(manager); linuxOnly(p.Tool) != ok {
				t.Errorf("%s: install.%s is there: %v", p.Tool, manager, ok)
			}
		}
	}
	if bwrap := pin(t, set, "bubblewrap"); bwrap.cooldown != 7*24*time.Hour {
		t.Errorf("a cooldown that is not stated: %v", bwrap.cooldown)
	}
	claude := pin(t, set, "claude-code")
	if line, _ := claude.Install("npm"); claude.cooldown != 24*time.Hour || claude.MinVersion != "2.1.324" ||
		!strings.Contains(claude.MinVersionReason, "renaming .claude") ||
		line != "npm install -g --no-save @anthropic-ai/claude-code@"+claude.Version {
		t.Errorf("floor %q (%s), installed by %q", claude.MinVersion, claude.MinVersionReason, line)
	}
}

func TestThePageNamesThePins(t *testing.T) {
	page := "| Tool | Version | Released | Cooldown | Needed on |\n|---|---|---|---|---|\n"
	for _, p := range load(t, nil, "").Pins {
		released, _ := p.Released()
		where := "Linux, macOS"
		if linuxOnly(p.Tool) {
			where = "Linux"
		}
		page += fmt.Sprintf("| %s | %s | %s | %s | %s |\n", p.Tool, p.Version, released.Format(time.DateOnly),
			report.Things(int(p.cooldown/(24*time.Hour)), "day"), where)
	}
	testenv.GoldenPart(t, "../../docs/tools.md", "pins", page)
}

func TestAVersionStandsToItsPin(t *testing.T) {
	set := load(t, disk{"/c/pinned-versions.local.toml": "[tools.socat]\nversion = '1:1.8.0.0-4build3'\n" +
		"[tools.claude-code]\nversion = '2.1.329'\n"}, "")
	for _, c := range []struct {
		tool, version string
		want          Standing
	}{
		{"claude-code", "2.1.329", AsPinned},
		{"claude-code", "2.1.330", Newer},
		{"claude-code", "2.1.324", Older},
		{"claude-code", "2.1.323", Insufficient},
		{"claude-code", "2.1.324-beta.1", Insufficient},
		{"bubblewrap", "0.8.0", Older},
		{"bubblewrap", "0.11.10", Newer},
		{"socat", "1.8.0.0", AsPinned},
		{"socat", "1.8", AsPinned},
		{"socat", "1.8.0.1", Newer},
	} {
		if got, err := pin(t, set, c.tool).Judge(c.version); got != c.want || err != nil {
			t.Errorf("%s %s is %q (%v), want %q", c.tool, c.version, got, err, c.want)
		}
	}
	if got, err := pin(t, set, "bubblewrap").Judge("unknown"); err == nil {
		t.Errorf("an answer that is no version is judged %q", got)
	}
}

func TestAnAnswerIsJudged(t *testing.T) {
	p := pin(t, load(t, nil, ""), "bubblewrap")
	said := func(text string, code int, err error) proc.Result {
		return proc.Result{Line: "bwrap --version", Stdout: []byte(text), Code: code, Err: err}
	}
	for name, c := range map[string]struct {
		res  proc.Result
		want Answer
	}{
		"it is the pinned one":   {said("bubblewrap 0.11.2\n", 0, nil), Answer{Version: "0.11.2", Standing: AsPinned}},
		"it is older":            {said("bubblewrap 0.8.0\n", 0, nil), Answer{Version: "0.8.0", Standing: Older}},
		"it is not there":        {said("", 0, fs.ErrNotExist), Answer{Lacks: "bubblewrap is not installed"}},
		"it fails":               {said("bubblewrap 0.11.2\n", 1, nil), Answer{}},
		"it says something else": {said("bwrap 0.11.2\n", 0, nil), Answer{}},
		"there is no room for it": {said("", -1, fmt.Errorf("bwrap could not be started: %w", syscall.EMFILE)),
			Answer{Unasked: "bubblewrap could not be asked for its version: bwrap could not be started: too many open files"}},
		"it lies in the project": {said("", 0, &proc.PassedOver{Path: "/p/bwrap"}),
			Answer{Lacks: "bubblewrap on PATH is in the project, and is skipped"}},
	} {
		got := p.Answered(c.res, "")
		if got.Seen.Where != "bwrap --version" || got.Seen.Text == "" {
			t.Errorf("%s: %+v was seen", name, got.Seen)
		}
		if got.Seen = c.want.Seen; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestAPackageProvidesThePin(t *testing.T) {
	p := pin(t, load(t, nil, ""), "bubblewrap")
	for packaged, want := range map[string]bool{"0.11.2-1": true, "0.11.2-1~bpo12+1": true, "1:0.11.2-1.fc43": true,
		"0.11.2+ds-1":  true,
		"0.11.2~rc1-1": false, "0.11.20-1": false, "0.11-2": false, "": false} {
		if p.Provides(packaged) != want {
			t.Errorf("%q provides 0.11.2: %v", packaged, !want)
		}
	}
	p.Version = "0.9.0-1ubuntu0.1"
	if !p.Provides("0.9.0-1ubuntu0.1") || p.Provides("0.9.0-1build1") {
		t.Error("a pin that names a package is provided by that package and by no other")
	}
	for program, want := range map[Answer]Answer{
		{Version: "0.9.0", Standing: AsPinned}:     {Version: "0.9.0-1build1", Standing: Older},
		{Version: "0.11.2", Standing: Newer}:       {Version: "0.11.2", Standing: Newer}, // is not the package's
		{Version: "0.9.0", Standing: Insufficient}: {Version: "0.9.0", Standing: Insufficient},
		{Lacks: "bubblewrap is not installed"}:     {Lacks: "bubblewrap is not installed"},
	} {
		if got := p.AsPackage(program, "apt", "0.9.0-1build1"); got != want {
			t.Errorf("%+v beside the package is %+v, want %+v", program, got, want)
		}
	}
}

// malformedAt fails unless err is refused as malformed at where.
func malformedAt(t *testing.T, err error, where string) {
	t.Helper()
	var e *report.Error
	if !errors.As(err, &e) || e.Code != report.ExitMalformed || e.Where != where || e.Next == "" {
		t.Errorf("got %+v, want exit 65 at %s", err, where)
	}
}
