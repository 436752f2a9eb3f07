// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAChangeIsSeenUnderEachNameOfItsFile: a directory such as .git may be a symlink.
func TestAChangeIsSeenUnderEachNameOfItsFile(t *testing.T) {
	home := testenv.Home(t)
	real, link := filepath.Join(home, "real", "f"), filepath.Join(home, "link", "f")
	testenv.Write(t, real, "before", 0o644)
	testenv.Link(t, filepath.Dir(real), filepath.Dir(link))
	r := at(t, home, "", "/usr/bin")
	for _, target := range []string{real, link} {
		seen := host.Changed(r, report.Change{Path: link, Target: target, After: []byte("after"), Mode: 0o644})
		for _, path := range []string{real, link} {
			if b, err := seen.Read(path); err != nil || string(b) != "after" {
				t.Errorf("a change of %s, read as %s: %q, %v", target, path, b, err)
			}
		}
	}
}
