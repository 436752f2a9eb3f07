// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nothing is proposed that leads past the sandbox or switches
// it off, which verify calls a failure. (A path has a price of its own.)

package doctor

import (
	"encoding/json"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/manifests"
)

func TestNoFixLeadsPastTheSandbox(t *testing.T) {
	entries, err := catalog.Load("troubleshooting.toml", []byte(manifests.Troubleshooting))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, e := range entries {
		for _, f := range e.Fixes {
			if f.Exclude {
				continue
			}
			var content map[string]any
			if err := json.Unmarshal([]byte(f.Settings), &content); err != nil {
				t.Fatal(err)
			}
			tried++
			for _, w := range policy.Weakenings(policy.Document{Content: content, Scope: f.Scope,
				Home: "/home/me"}) {
				if w.Bypasses() || w.Voids() {
					t.Errorf("%s: %q opens: %s", e.ID, f.Title, w.Opens)
				}
			}
		}
	}
	if tried < 10 {
		t.Errorf("only %d fixes were looked at", tried)
	}
}
