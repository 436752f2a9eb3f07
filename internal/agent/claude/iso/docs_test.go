// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: docs/iso.md gives the same names and reasons as --explain,
// in the same order, and no others.

package iso

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

func TestThePageListsTheVariables(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/iso.md")
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([A-Z_*]+)` \\| (.*) \\|$").FindAllStringSubmatch(string(page), -1) {
		got = append(got, m[1]+": "+m[2])
	}
	for _, r := range slices.Concat(Kept, Dropped) {
		want = append(want, r.Name+": "+r.Why)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the page has\n%q\nthe program\n%q", got, want)
	}
}
