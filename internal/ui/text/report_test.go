// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a time is said as a person would.

package text

import (
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/report"
)

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 59 * time.Minute: "59 minutes ago",
		time.Hour: "1 hour ago", 47 * time.Hour: "1 day ago", 48 * time.Hour: "2 days ago", 400 * 24 * time.Hour: "400 days ago",
	} {
		if got := Ago(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.00 s", 62 * time.Millisecond: "0.06 s", 994 * time.Millisecond: "0.99 s", 996 * time.Millisecond: "1.0 s",
		2440 * time.Millisecond: "2.4 s", 9960 * time.Millisecond: "10 s", 75 * time.Second: "75 s",
	} {
		if got := Seconds(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestEveryLayerHasWords(t *testing.T) {
	for _, l := range report.Layers {
		if About(l) == "" {
			t.Errorf("%s has none", l)
		}
	}
}
