// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what of a large project was not looked at is named.

package checks

import (
	"context"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/projectcode"
	"github.com/steward-setup/steward-setup/internal/agent/claude/starts"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// crowded is a machine on which one directory has more entries than are looked
// through.
type crowded struct {
	host.Reader
	dir string
}

func (c crowded) ReadDir(path string) ([]iofs.DirEntry, error) {
	list, err := c.Reader.ReadDir(path)
	if path == c.dir {
		list = slices.Repeat(list, iso.MaxLooked+1)
	}
	return list, err
}

func TestAProjectTooLargeToWalkSaysWhatWasNotLookedAt(t *testing.T) {
	h := newHousehold(t)
	h.project(map[string]string{usersFile: `{"sandbox":{"enabled":true}}`, ownFile: `{}`, "p/data/x": "", "p/more/x": "",
		"p/node_modules/x/y": ""})
	r, root := h.reader(), filepath.Join(h.home, "p")
	if _, missed := projectcode.Nested(context.Background(), r, root); missed != nil {
		t.Errorf("of a small project nothing was looked at in %v", missed)
	}
	full := crowded{r, filepath.Join(root, "data")}
	_, missed := projectcode.Nested(context.Background(), full, root)
	want := []string{filepath.Join(root, "data"), filepath.Join(root, "more"), filepath.Join(root, "node_modules")}
	if !slices.Equal(missed, want) {
		t.Errorf("missed %v, not %v", missed, want)
	}
	said := projectcode.NotLookedAt(root, append(missed, root+"/x")).Text
	if !strings.Contains(said, "data, more, node_modules, 1 more. Run: find "+root+" -path '*/.claude/settings*.json'") {
		t.Error(said)
	}
	var o starts.Outlook
	o.Overrulable(r, inforce.Gather(r, inforce.Invocation{Start: root}), nil, missed)
	wantFinding(t, report.Finding{Evidence: o.Evidence}, "", "at least 0", said[:20], "Run: find "+root)
}
