// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package jsontext_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/jsontext"
)

func TestWhatPeopleReadStaysReadable(t *testing.T) {
	got, err := jsontext.Of(map[string]any{"allow": []string{"Bash(a && b > \"c\")"}})
	if want := `{"allow":["Bash(a && b > \"c\")"]}`; err != nil || string(got) != want {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
	if got, err := jsontext.Of(func() {}); err == nil {
		t.Errorf("a function is %s", got)
	}
	for s, want := range map[string]string{"": `""`, "<a>\n\"": `"<a>\n\""`, "\xff": `"\ufffd"`, "a & ~": `"a & ~"`,
		`\`: `"\\"`, "\x1f": `"\u001f"`, "\x7fé\u2028": "\"\x7fé\\u2028\""} {
		if got := jsontext.Quote(s); got != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
}
