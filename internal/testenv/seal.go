// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a receipt that a test wrote or moved is sealed as a run seals
// its own, with the key of the machine.

package testenv

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Sealed is a receipt with the seal of the key in the state directory state. Its
// bytes have a member "seal" with any value.
func Sealed(t testing.TB, state string, receipt []byte) []byte {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(state, "result.key"))
	if err != nil {
		t.Fatal(err)
	}
	seal := regexp.MustCompile(`"seal": "[0-9a-f]*"`)
	if len(seal.FindAll(receipt, -1)) != 1 {
		t.Fatalf("there is not one seal in %s", receipt)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(append([]byte("steward-setup receipt\n"), seal.ReplaceAll(receipt, []byte(`"seal": ""`))...))
	return seal.ReplaceAll(receipt, fmt.Appendf(nil, `"seal": "%x"`, mac.Sum(nil)))
}
