// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a launch refuses names the way that works, and that is
// never a launch without protection.

package iso_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/report"
)

// TestANameThatRulesMisread: above a project it is refused, below it is not,
// since frameworks name directories so; what holds there was not measured.
func TestANameThatRulesMisread(t *testing.T) {
	l := newLab(t)
	l.put(".claude/settings.json", `{"sandbox":{"enabled":true}}`)
	l.put("w/a(1)/p/.git/x", "")
	l.put("p/app/[slug]/page", "")
	l.approve()
	if err := os.WriteFile(filepath.Join(l.bin, "claude"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := l.prepare("w/a(1)/p", iso.Options{})
	var e *report.Error
	if !errors.As(err, &e) || e.Next != "rename the directory "+filepath.Join(l.home, "w/a(1)")+", for example to a-1-" ||
		strings.Contains(err.Error(), "without") {
		t.Errorf("says %v, %+v", err, e)
	}
	if _, err := l.prepare("p/app/[slug]", iso.Options{}); err != nil {
		t.Errorf("below a project: %v", err)
	}
}
