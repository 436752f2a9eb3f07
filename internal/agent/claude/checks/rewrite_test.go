// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line to paste holds what a run noted down, or nothing of a receipt.

package checks

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestFlagsOfAnAlteredReceiptAreNotPasted(t *testing.T) {
	h := newHousehold(t)
	state := h.reader().Places().State
	h.put(".local/state/steward-setup/result.key", strings.Repeat("k", 32), 0o600)
	receipt := []byte(`{"schema_version": 1, "id": "20261120-120000.000-aaaa", "command": "scope whole-user", ` +
		`"flags": " --root /elsewhere", "changes": [], "seal": ""}`)
	for _, sealed := range []bool{false, true} {
		if sealed {
			receipt = testenv.Sealed(t, state, receipt)
		}
		h.put(".local/state/steward-setup/receipts/20261120-120000.000-aaaa/receipt.json", string(receipt), 0o600)
		if line := rewrite(h.reader()).Line; strings.Contains(line, "--root /elsewhere") != sealed {
			t.Errorf("sealed %v: %s", sealed, line)
		}
	}
}
