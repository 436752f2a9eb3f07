// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: who owns a file may change it, whatever its mode: a file of
// another user's is named with its owner and the line that makes it one's own.

package checks

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestFilesOfAnotherUser(t *testing.T) {
	testenv.AsRoot(t) // only root gives files away
	t.Parallel()
	const stranger = 54321
	for name, fails := range map[string]bool{
		".claude": true, ".claude/settings.json": true, "note.sh": true, "p/.claude/settings.json": true, "p": true,
		"p/README.md": false, "notes": false,
	} {
		h := newHousehold(t)
		h.put("note.sh", "#!/bin/sh\n", 0o755)
		h.put("notes/x", "", 0o644)
		h.put("p/README.md", "", 0o644)
		h.put(".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"`+
			filepath.Join(h.home, "note.sh")+`"}]}]}}`, 0o600)
		h.put("p/.claude/settings.json", `{"sandbox":{"enabled":true}}`, 0o644)
		path := filepath.Join(h.home, name)
		if err := os.Lchown(path, stranger, -1); err != nil {
			t.Fatal(err)
		}
		f := checkWeakenings(context.Background(), h.reader("PATH=/usr/bin:/bin"), filepath.Join(h.home, "p"))
		words := said(f)
		if named := strings.Contains(words,
			path+" is owned by user id 54321"); named != fails || (f.Status == report.Fail) != fails {
			t.Errorf("%s: %s %s", name, f.Status, words)
		}
		if mends := slices.Contains(f.Remedies, report.Remedy(report.Command{Line: "sudo chown 0 " + path,
			Privileged: true, Why: "make yourself the owner"})); mends != fails {
			t.Errorf("%s: the line that mends it is there: %v", name, mends)
		}
	}
}
