// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a time and a long list are said as a person would.

package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/report"
)

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 59 * time.Minute: "59 minutes ago",
		time.Hour: "1 hour ago", 47 * time.Hour: "1 day ago", 48 * time.Hour: "2 days ago",
		400 * 24 * time.Hour: "400 days ago",
	} {
		if got := report.Ago(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestFew(t *testing.T) {
	for list, want := range map[string]string{"": "",
		"a b c": "a, b, c", "a b a c": "a, b, c", "a b c d": "a, b, c, 1 more"} {
		if got := report.Few(strings.Fields(list)); got != want {
			t.Errorf("%s: %q, want %q", list, got, want)
		}
	}
}
