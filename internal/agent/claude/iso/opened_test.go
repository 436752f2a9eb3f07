// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime ignores in a project's settings does not
// come into force by being handed on.

package iso

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
)

// TestAProjectCannotOpenFiles: a project's filesystem.disabled is ignored by
// a plain start, and obeyed where it stands in --settings (measured with
// 2.1.329).
func TestAProjectCannotOpenFiles(t *testing.T) {
	doc, err := settings.Parse("p", []byte(`{"sandbox":{"enabled":true,"filesystem":{"disabled":true,"denyRead":["~/"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := policyFrom(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(p.Text); strings.Contains(text, "disabled") || !strings.Contains(text, "denyRead") ||
		!strings.Contains(text, "enabled") {
		t.Errorf("the launch gets %s", text)
	}
}
