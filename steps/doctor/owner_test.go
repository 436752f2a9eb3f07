// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where git itself refuses, what would make it work is said.

package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// TestARepositoryOfAnotherUserLeadsOn: to the line that git names.
func TestARepositoryOfAnotherUserLeadsOn(t *testing.T) {
	h := plainHost(t, "linux")
	bin := filepath.Join(h.Places().Home, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	const says = "#!/bin/sh\nprintf \"fatal: detected dubious ownership in repository at '/r'\\nTo add an exception for " +
		"this directory, call:\\n\\n\\tgit config --global --add safe.directory /r\\n\" >&2\nexit 128\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(says), 0o755); err != nil {
		t.Fatal(err)
	}
	findings, err := Run(t.Context(), h, Options{Agent: fixes.Claude{},
		Probes: []report.ID{"git-worktree", "git-remote"}}, func(engine.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Status != report.Skip || !strings.Contains(f.Summary, "git config --global --add safe.directory /r") {
			t.Errorf("%s: %s: %s", f.Check, f.Status, f.Summary)
		}
	}
}
