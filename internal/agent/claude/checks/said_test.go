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

	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

func TestWhatIsSaidOfAValue(t *testing.T) {
	for said, want := range map[string]string{
		valueEvidence("f:1", []string{"env", "X"}, "X",
			"It decides.").Text: "env.X is set. It decides.",
		valueEvidence("f:1", []string{"sandbox", "filesystem", "allowRead", "0"}, "~/.vault-token",
			"Commands can read a token.").Text: "sandbox.filesystem.allowRead.0 is ~/.vault-token. Commands can read a token.",
		countOpenings([]opening{{where: "f:1", path: []string{"x", "0"}, what: "~/.vault-token",
			opens: "Commands can read a token."}}): "1 setting weakens protection (~/.vault-token): commands can read a token",
		countOpenings([]opening{{where: "f:1", what: "x", opens: "PATH decides."}}): "1 file or variable outside the " +
			"sandbox is exposed (x): PATH decides",
		countOpenings([]opening{{where: "f:1", path: []string{"allowWrite", "0"}, what: "/",
			opens: "Commands can change all."}, {where: "a", opens: "A."},
			{where: "b", opens: "B."}}): "1 setting weakens protection (/): commands can change all. " +
			"Also: 2 files or variables outside the sandbox are exposed",
		countOpenings([]opening{
			{group: openUnresolved, where: "h:1", what: "eval", opens: "It is unknown."},
			{where: "f:1", path: []string{"x"}, what: "x", opens: "X."},
			{where: "f:2", path: []string{"y"}, what: "y", opens: "Y."},
			{group: openOutside, where: "/m", what: "m", opens: "M."}, {group: openChosen, where: "f:3", what: "c", opens: "C."},
			{group: openUnknownKey, where: "f:4", what: "k", opens: "K."},
		}): "1 command outside the sandbox is not resolved (eval): it is unknown. Also: 2 settings weaken protection, 1 " +
			"place outside the home is readable, " +
			"1 setting is unknown, 1 thing is exposed on purpose",
	} {
		if said != want || redact.Text(said) != said {
			t.Errorf("%q, shown as %q; want %q", said, redact.Text(said), want)
		}
	}
}

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
