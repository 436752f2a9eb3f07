// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package update_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/report/preview"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
	"github.com/steward-setup/steward-setup/steps/update"
)

// packument is what a registry says of the runtime's package: version, day,
// version, day and so on.
func packument(pairs ...string) http.HandlerFunc {
	const name = "@anthropic-ai/claude-code"
	versions, times := map[string]any{}, map[string]string{"created": "2025-02-24T00:00:00Z",
		"modified": "2026-11-22T00:00:00Z"}
	for i := 0; i < len(pairs); i += 2 {
		versions[pairs[i]] = map[string]any{"name": name, "version": pairs[i],
			"dist": map[string]string{"tarball": "http://127.0.0.1:1/x.tgz", "shasum": strings.Repeat("0", 40)}}
		times[pairs[i]] = pairs[i+1] + "T00:00:00Z"
	}
	b, _ := json.Marshal(map[string]any{"name": name, "versions": versions, "time": times,
		"dist-tags": map[string]string{"latest": pairs[0]}})
	return text(string(b))
}

func TestTheRealNpmClient(t *testing.T) {
	testenv.Need(t, "npm")
	const path = "/@anthropic-ai/claude-code"
	m := newMachine(t)
	m.edit(m.localPins(), `install.npm = "# asked over HTTP in these tests"`, "")
	m.put(".npmrc", "registry="+m.server.URL+"/\n", 0o644)
	m.answer(path, packument(pinned.Later(2), "2026-11-22", pinned.Later(1), "2026-11-21", pinned.Claude(), "2026-11-20",
		"2.2.0-beta.1", "2026-11-20"))
	before := m.tree()
	f := find(m.report(), update.Tools)
	if f.Status != report.Warn || !strings.Contains(f.Summary, "claude-code "+pinned.Claude()+" → "+pinned.Later(2)) {
		t.Errorf("%s", told([]report.Finding{f}))
	}
	if diff := gocmp.Diff(before, m.tree()); diff != "" {
		t.Errorf("npm wrote outside the cache: %s", diff)
	}
}

// TestAStampIsOfTheInstalledRuntimeAndOfTheBeginning: a report on another
// runtime keeps none, and what changes during a report has changed since.
func TestAStampIsOfTheInstalledRuntimeAndOfTheBeginning(t *testing.T) {
	m := newMachine(t)
	since := func() update.Since { return update.LookSince(t.Context(), host.Once(m.reader()), m.opts) }
	sys := m.reader().System()
	sys.Runtime = m.at("bin/claude")
	other, err := host.New(sys)
	if err != nil {
		t.Fatal(err)
	}
	stamp, found := update.Begin(t.Context(), host.Once(m.reader()), m.opts), m.report()
	stamp.Keep(t.Context(), other, m.opts, found)
	if s := since(); !s.Last.IsZero() {
		t.Errorf("%+v after a report on another runtime", s)
	}
	m.edit(settings, `"Bash(git push *)",`, "")
	stamp.Keep(t.Context(), m.reader(), m.opts, found)
	if s := since(); s.Exit() != report.ExitDegraded || len(s.Changed) != 1 {
		t.Errorf("%+v after a change during the report", s)
	}
}

// TestAReportThatCouldBeForgedIsNotBelieved: without the policy, a command of
// the agent can write what --since-upgrade reads.
func TestAReportThatCouldBeForgedIsNotBelieved(t *testing.T) {
	m := newMachine(t)
	m.remove(settings)
	update.Begin(t.Context(), host.Once(m.reader()), m.opts).Keep(t.Context(), m.reader(), m.opts, nil)
	if s := update.LookSince(t.Context(), host.Once(m.reader()), m.opts); s.Exit() != report.ExitDegraded ||
		!s.Forgeable || s.Changed != nil {
		t.Errorf("%+v", s)
	}
}

// TestNoVersionWithAKnownWeaknessIsGoneBackTo: the line that installs the
// version that blocked it is offered from the floor on.
func TestNoVersionWithAKnownWeaknessIsGoneBackTo(t *testing.T) {
	for version, want := range map[string]bool{pinned.Claude(): true, "2.1.200": false} {
		m := newMachine(t)
		m.remove(".cache")
		m.played = rehearsal(version, regress.Held)
		m.keep()
		m.upgrade()
		m.played = rehearsal(pinned.Later(1), regress.Through)
		f := find(m.report(), update.Denials)
		got := slices.ContainsFunc(f.Remedies, func(r report.Remedy) bool {
			c, ok := r.(report.Command)
			return ok && strings.Contains(c.Line, "@"+version)
		})
		if got != want || !strings.Contains(f.Summary, "blocked with claude "+version) {
			t.Errorf("%s is offered: %v\n%s", version, got, told([]report.Finding{f}))
		}
	}
}

func TestOfflinePinsAreNotSaidToStay(t *testing.T) {
	m := newMachine(t)
	m.opts.Offline = true
	p, err := update.LocalPins(t.Context(), host.Once(m.reader()), m.opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Sections[0].Findings {
		if f.Status != report.Skip || !strings.Contains(f.Summary, "not looked up (--offline)") {
			t.Errorf("%s %q", f.Status, f.Summary)
		}
	}
}

// What --write-local-pins writes is the pin of the next report.
func TestLocalPinsBecomeThePins(t *testing.T) {
	m := newMachine(t)
	m.answer(bubblewrapPath, github("0.11.3", "2026-11-10"))
	m.answer(socatPath, index("1.8.1.10", "2026-09-01"))
	p, err := update.LocalPins(t.Context(), host.Once(m.reader()), m.opts)
	if err != nil || len(p.Changes()) != 1 {
		t.Fatal(p, err)
	}
	h := m.reader()
	a := engine.Applier{State: h.Places().State, Version: "1.2.3", Now: h.System().Now}
	if _, err := a.Apply(t.Context(), p, p.ID, "update", func(engine.Event) {}); err != nil {
		t.Fatal(err)
	}
	set, err := pins.Load(h, h.Places().Config, "")
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]string{"bubblewrap": "0.11.3 2026-11-10", "socat": "1.8.1.10 2026-09-01",
		"claude-code": pinned.Claude() + " " + pinned.Released()} {
		pin, _ := set.Pin(tool)
		released, _ := pin.Released()
		if got := pin.Version + " " + released.Format("2006-01-02"); got != want {
			t.Errorf("%s is pinned to %s, want %s", tool, got, want)
		}
		if pin.Where("version") == "" || tool != "claude-code" &&
			!strings.HasPrefix(pin.Where("version"), filepath.Join(m.home, ".config")) {
			t.Errorf("%s is stated in %q", tool, pin.Where("version"))
		}
	}
	if again, err := update.LocalPins(t.Context(), host.Once(m.reader()), m.opts); err != nil ||
		len(again.Changes()) != 0 {
		t.Errorf("a second plan changes it again: %v", err)
	}
}

// The remedy of a drifted copy is what install would write.
func TestACopyIsMendedByItsChange(t *testing.T) {
	m := newMachine(t)
	want := m.get(hint)
	m.edit(hint, "exit 0", "exit 1")
	f := find(m.report(), update.Scripts)
	for _, r := range f.Remedies {
		if c, ok := r.(report.Change); ok && string(c.After) == want && c.Path == m.at(hint) &&
			strings.Contains(preview.Diff(c), "-exit 1") {
			return
		}
	}
	t.Errorf("%s", told([]report.Finding{f}))
}

func TestSinceTheLastReport(t *testing.T) {
	m := newMachine(t)
	since := func() update.Since { return update.LookSince(t.Context(), host.Once(m.reader()), m.opts) }
	if s := since(); s.Exit() != report.ExitDegraded || !s.Last.IsZero() {
		t.Errorf("%+v before any report", s)
	}
	begin := func() update.Stamp { return update.Begin(t.Context(), host.Once(m.reader()), m.opts) }
	begin().Keep(t.Context(), host.Once(m.reader()), m.opts, m.report())
	if s := since(); s.Exit() != report.ExitOK || s.Changed != nil {
		t.Errorf("%+v after a report", s)
	}
	m.upgrade()
	m.refused = errors.New("no network")
	begin().Keep(t.Context(), host.Once(m.reader()), m.opts, m.report())
	if s := since(); s.Exit() != report.ExitDegraded || len(s.Changed) != 1 || s.Changed[0] != "claude" {
		t.Errorf("%+v after an upgrade that could not be rehearsed", s)
	}
	m.refused = nil
	m.edit(settings, `"Bash(git push *)",`, "")
	if s := since(); s.Exit() != report.ExitDegraded || len(s.Changed) != 2 || s.Changed[1] != "claude" {
		t.Errorf("%+v after an upgrade", s)
	}
	m.played.Answers[0].Result = "through"
	begin().Keep(t.Context(), host.Once(m.reader()), m.opts, m.report())
	if s := since(); s.Exit() != report.ExitUnprotected || s.Changed != nil {
		t.Errorf("%+v after a report that found a regression", s)
	}
}

// A distribution's newer package becomes the pin, with every line of the user's
// own that installs it; what follows the version is not written.
func TestAnOwnLineMovesWithTheDistributionsPin(t *testing.T) {
	m := newMachine(t)
	m.debian("0.8.0-2+deb12u1", "0.8.0-2+deb12u2")
	m.edit(m.localPins(), "[tools.bubblewrap]\n", "[tools.bubblewrap]\ninstall.apt = \"apt-get install "+
		"bubblewrap=0.8.0-2+deb12u1\"\n")
	p, err := update.LocalPins(t.Context(), host.Once(m.reader()), m.opts)
	if err != nil || len(p.Changes()) != 1 {
		t.Fatal(p, err)
	}
	want := strings.ReplaceAll(m.get(m.localPins()), "0.8.0-2+deb12u1", "0.8.0-2+deb12u2")
	if diff := gocmp.Diff(want, string(p.Changes()[0].After)); diff != "" {
		t.Errorf("it is not the version and the line alone:\n%s", diff)
	}
}
