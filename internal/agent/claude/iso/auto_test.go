// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: no classifier answers in the user's place, whatever mode
// the user's settings or the arguments ask for.

package iso

import "testing"

// TestTheLaunchClosesAutoMode: also where the policy says nothing about it, or
// where there is none.
func TestTheLaunchClosesAutoMode(t *testing.T) {
	for _, policy := range []string{"", `{"sandbox":{"enabled":true}}`, `{"permissions":{"disableAutoMode":"disable"}}`} {
		l := Launch{Place: Place{Start: "/r", Root: "/r", Main: "/r", Project: "/r", Home: "/h"}}
		if policy != "" {
			l.Policy = extract(t, policy)
		}
		b, err := l.document(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := parse(t, string(b)).Get("permissions", "disableAutoMode"); got == nil || got.Text != "disable" {
			t.Errorf("with %q the launch gets %s", policy, b)
		}
	}
}

// TestWhatRestrictsIsTakenOver: true in any scope wins in the runtime
// (measured with 2.1.329), so that a false one in local settings takes nothing
// away.
func TestWhatRestrictsIsTakenOver(t *testing.T) {
	for _, key := range []string{"blockReadsOutsideWorkingDirectories", "blockWritesOutsideWorkingDirectories"} {
		p := extract(t, `{"permissions":{"`+key+`":true}}`, `{"permissions":{"`+key+`":false}}`)
		if got := p.doc.Get("permissions", key); !got.True() {
			t.Errorf("%s: the launch gets %s", key, p.Text)
		}
		if p := extract(t, `{"permissions":{"`+key+`":false}}`); !p.Empty() {
			t.Errorf("%s: false counts as a policy: %s", key, p.Text)
		}
	}
}
