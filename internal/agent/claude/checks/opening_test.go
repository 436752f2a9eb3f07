// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/redact"
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
