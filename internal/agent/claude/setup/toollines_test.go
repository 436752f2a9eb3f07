// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a check that waits for a tool is given the line that the
// plan prints, not the plan.

package setup

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// todo is what a remedy says to do.
func todo(list []report.Remedy) (lines []string) {
	for _, m := range list {
		switch m := m.(type) {
		case report.Command:
			lines = append(lines, m.Line)
		case report.DocLink:
			lines = append(lines, m.Title)
		}
	}
	return lines
}

func TestWhatWaitsForAToolHasItsLine(t *testing.T) {
	testenv.AsUser(t)
	fedora := "sudo dnf install bubblewrap-0.11.2-1.fc43 socat-1.8.1.3-1.fc43"
	for name, c := range map[string]struct {
		host             string
		changed          map[string]string
		missing, runtime []string
	}{
		"the pinned versions are offered": {"fedora-43",
			map[string]string{"claude.--version": pinned.ClaudeSays(pinned.Claude())}, []string{fedora}, nil},
		"others are": {"ubuntu-24.04", map[string]string{"claude.--version": pinned.ClaudeSays("1.0.0")},
			[]string{claudeLine, "steward-setup install --use-distro-versions", "or install bubblewrap from upstream",
				"steward-setup install --use-distro-versions", "or install socat from upstream"}, []string{claudeLine}},
		"only the runtime is older": {"debian-12", map[string]string{"claude.--version": pinned.ClaudeSays("2.1.329"),
			"npm.--version": "9.2.0"},
			nil, []string{claudeLine}},
	} {
		t.Run(name, func(t *testing.T) {
			h := onHost(t, c.host, c.changed)
			got := ToolLines("")(t.Context(), h)
			if diff := cmp.Diff(c.missing, todo(got.Missing)); diff != "" {
				t.Errorf("missing: %s", diff)
			}
			if diff := cmp.Diff(c.runtime, todo(got.Runtime)); diff != "" {
				t.Errorf("runtime: %s", diff)
			}
		})
	}
	h := onHost(t, "fedora-43", nil)
	o := verify.Options{Agent: checks.Claude{}, Tools: ToolLines("")}
	for _, f := range engine.RunChecks(t.Context(), h, verify.Checks(o), func(engine.Event) {}) {
		lines := todo(f.Remedies)
		if waits := f.Check == "tools-pinned" || f.Check == "sandbox-support"; waits && !slices.Contains(lines, fedora) {
			t.Errorf("%s (%s) names no line for bubblewrap: %q", f.Check, f.Summary, lines)
		}
		if slices.Contains(lines, "steward-setup install --plan") {
			t.Errorf("%s names the plan", f.Check)
		}
	}
}
