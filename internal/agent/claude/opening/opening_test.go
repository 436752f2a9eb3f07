// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package opening

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/redact"
)

func TestWhatIsSaidOfAValue(t *testing.T) {
	for said, want := range map[string]string{
		ValueEvidence("f:1", []string{"env", "X"}, "X",
			"It decides.").Text: "env.X is set. It decides.",
		ValueEvidence("f:1", []string{"sandbox", "filesystem", "allowRead", "0"}, "~/.vault-token",
			"Commands can read a token.").Text: "sandbox.filesystem.allowRead.0 is ~/.vault-token. Commands can read a token.",
		Count([]Opening{{Where: "f:1", Path: []string{"x", "0"}, What: "~/.vault-token",
			Opens: "Commands can read a token."}}): "1 setting weakens protection (~/.vault-token): commands can read a token",
		Count([]Opening{{Where: "f:1", What: "x", Opens: "PATH decides."}}): "1 file or variable outside the " +
			"sandbox is exposed (x): PATH decides",
		Count([]Opening{{Where: "f:1", Path: []string{"allowWrite", "0"}, What: "/",
			Opens: "Commands can change all."}, {Where: "a", Opens: "A."},
			{Where: "b", Opens: "B."}}): "1 setting weakens protection (/): commands can change all. " +
			"Also: 2 files or variables outside the sandbox are exposed",
		Count([]Opening{
			{Group: Unresolved, Where: "h:1", What: "eval", Opens: "It is unknown."},
			{Where: "f:1", Path: []string{"x"}, What: "x", Opens: "X."},
			{Where: "f:2", Path: []string{"y"}, What: "y", Opens: "Y."},
			{Group: ReadableOutside, Where: "/m", What: "m", Opens: "M."}, {Group: OnPurpose, Where: "f:3", What: "c",
				Opens: "C."},
			{Group: UnknownKey, Where: "f:4", What: "k", Opens: "K."},
		}): "1 command outside the sandbox is not resolved (eval): it is unknown. Also: 2 settings weaken protection, 1 " +
			"place outside the home is readable, " +
			"1 setting is unknown, 1 thing is exposed on purpose",
	} {
		if said != want || redact.Text(said) != said {
			t.Errorf("%q, shown as %q; want %q", said, redact.Text(said), want)
		}
	}
}
