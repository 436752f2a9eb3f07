// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the repository is closed to the commands of another agent in that
// agent's own words.

package sync

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/fakeagent"
	"github.com/steward-setup/steward-setup/steps/install"
)

// fake has rules, a line each: "save DIR" opens, "keep DIR" and "keep-text DIR" close.
type fake struct{ fakeagent.Agent }

func (fake) Writable(install.Draft, string, []string) []string { return nil }

func (fake) Opens(d install.Draft, dir string) (f install.File, by string, err error) {
	f, err = d.Open(filepath.Join(d.Host.Places().Home, ".fake", "rules"), "")
	for line := range strings.Lines(string(f.Bytes)) {
		if saved, saves := strings.CutPrefix(strings.TrimSpace(line), "save "); saves && pathname.Within(dir, saved) {
			by = "save has " + saved
		}
	}
	return f, by, err
}

func (fake) Closes(f install.File, dirs, runs []string) ([]byte, error) {
	b := slices.Clone(f.Bytes)
	for _, dir := range dirs {
		b = append(b, "keep "+dir+"\n"...)
	}
	for _, dir := range runs {
		b = append(b, "keep-text "+dir+"\n"...)
	}
	return b, nil
}

func TestTheRepositoryIsClosedToAnotherAgent(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home")
	m.put(".fake/rules", "save "+m.home+"\n", 0o600)
	m.put("store/bin/fake", "#!/bin/sh\n", 0o755)
	m.put("opt/fake", "#!/bin/sh\n", 0o755)
	m.link(filepath.Join(m.home, "opt", "fake"), ".local/bin/fake")
	m.link(filepath.Join(m.home, "store"), ".claude-config")
	m.git(m.home, "init", "-q", "store")
	p := testenv.Must(Links(t.Context(), m.h, fake{}))(t)
	rules := slices.IndexFunc(p.Plan.Changes(), func(c report.Change) bool {
		return c.Path == filepath.Join(m.home, ".fake", "rules")
	})
	if rules < 0 {
		t.Fatalf("it is not closed: %+v", p.Plan.Changes())
	}
	after := string(p.Plan.Changes()[rules].After)
	for _, line := range []string{"save " + m.home, "keep " + filepath.Join(m.home, ".claude-config"),
		"keep " + filepath.Join(m.home, "store"), "keep-text " + filepath.Join(m.home, "store", "bin")} {
		if !strings.Contains(after, line+"\n") {
			t.Errorf("no %q in\n%s", line, after)
		}
	}
	found := func(text string) bool {
		return slices.ContainsFunc(p.Plan.Findings(), func(f report.Finding) bool {
			return strings.Contains(f.Summary, text)
		})
	}
	if !found("commands can replace") || !found("bin/fake would replace it") {
		t.Errorf("%+v", p.Plan.Findings())
	}
}
