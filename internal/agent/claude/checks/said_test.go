// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a finding says of a value reaches the user as it was
// meant, and the places that our own programs believe are known where they are.

package checks

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

// The approvals are a matter of claude-iso wherever XDG_STATE_HOME puts them.
func TestTheApprovalsAreKeptWhereTheyAre(t *testing.T) {
	h := newHousehold(t)
	h.put("p/.claude/settings.json", `{"sandbox":{"enabled":true,"filesystem":{"allowWrite":["~/elsewhere/"]}}}`, 0o644)
	for _, variable := range []string{"XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		r := h.reader("PATH=/usr/bin:/bin", variable+"="+filepath.Join(h.home, "elsewhere"))
		f := checkWeakenings(context.Background(), r, filepath.Join(h.home, "p"))
		if f.Status != report.Fail || !f.Voids || !strings.Contains(said(f), "which decide") {
			t.Errorf("%s: %s %s", variable, f.Status, said(f))
		}
	}
	f := checkWeakenings(context.Background(), h.reader("PATH=/usr/bin:/bin"), filepath.Join(h.home, "p"))
	if f.Status != report.Pass {
		t.Errorf("nothing of ours is there: %s %s", f.Status, said(f))
	}
}

// A variable that leads into the project is named, not each program that would read there.
func TestTheVariableIsNamedThatLeadsIntoTheProject(t *testing.T) {
	h := newHousehold(t)
	h.put("p/.claude/settings.json", `{"sandbox":{"enabled":true}}`, 0o644)
	r := h.reader("PATH=/usr/bin:/bin", "XDG_CONFIG_HOME="+filepath.Join(h.home, "p", "cfg"))
	f := checkWeakenings(context.Background(), r, filepath.Join(h.home, "p"))
	if got := said(f); f.Status != report.Fail || !strings.Contains(got, "XDG_CONFIG_HOME of your shell leads to") ||
		strings.Contains(got, "vim") {
		t.Errorf("%s: %s", f.Status, got)
	}
}
