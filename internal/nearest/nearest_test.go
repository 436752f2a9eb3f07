// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package nearest_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/nearest"
)

func TestNearWordsAreNamed(t *testing.T) {
	for word, want := range map[string]string{"instal": "install", "githb": "github", "vrify": "verify", "xyzzy": "",
		"": "", "tcsh": "", "zhs": "zsh"} {
		got := nearest.All(word, []string{"install", "github", "verify", "undo", "bash", "zsh", "fish"})
		if want == "" && got != nil || want != "" && (len(got) != 1 || got[0] != want) {
			t.Errorf("near %q is %q, want %q", word, got, want)
		}
	}
}

func TestEditsAreCounted(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"Raed", "Read", 2}, {"Bash", "bash", 1}, {"a", "", 1}, {"", "ab", 2}, {long, "Read", 100_000}} {
		if got := nearest.Edits(c.a, c.b); got != c.want {
			t.Errorf("%.20q to %q takes %d edits, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestSwappedBytesAreFound(t *testing.T) {
	for word, want := range map[string]bool{"Raed": true, "Reda": true, "Read": false, "Road": false, "daeR": false,
		"": false, "Rea": false} {
		if got := nearest.Swapped(word, "Read"); got != want {
			t.Errorf("%q: %v, want %v", word, got, want)
		}
	}
}
