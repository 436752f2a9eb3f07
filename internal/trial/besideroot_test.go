// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package trial

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
)

// TestAProjectsOwnFilesAreNoSecrets: a project in ~/notes may read ~/notes, so
// the files that must stay closed lie elsewhere.
func TestAProjectsOwnFilesAreNoSecrets(t *testing.T) {
	for root, want := range map[string]string{
		"/home/ana/notes":   "/home/ana/steward-notes/",
		"/home/ana/notes2":  "/home/ana/notes/",
		"/home/ana/code/x":  "/home/ana/notes/",
		"/srv/notes":        "/home/ana/notes/",
		"/home/ana/.config": "/home/ana/notes/",
	} {
		f := Inputs{Runtime: play.Claude{}, Home: "/home/ana", Root: root}
		for _, laid := range append(f.Unnamed(), f.Attached()[0]) {
			if strings.HasPrefix(laid.Path, root+"/") {
				t.Errorf("project %s holds %s", root, laid.Path)
			}
		}
		if got := f.Unnamed()[0].Path; !strings.HasPrefix(got, want) {
			t.Errorf("project %s: %s, want it in %s", root, got, want)
		}
	}
}
