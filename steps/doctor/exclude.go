// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what git is told to pass over are names that do not exist:
// no file of the user's becomes invisible to it.

package doctor

import (
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/report"
)

// exclude adds the placeholders that the sandbox shows in root to git's own
// list of what is not tracked, which no commit contains.
func exclude(r host.Reader, root, id string, fix catalog.Fix) catalog.Here {
	tree := inforce.FindTree(r, root)
	if tree.Common == "" {
		return catalog.Here{Refuted: root + " is not in a git repository"}
	}
	const name = "info/exclude"
	change := report.Change{ID: report.ID("doctor/" + id), Path: filepath.Join(tree.Common, name), Within: tree.Common,
		Mode: 0o644,
		Why:  fix.Title + ". Price: " + fix.Price}
	before, err := r.ReadIn(tree.Common, name)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return catalog.Here{Refused: "not judged: " + err.Error()}
	}
	change.Target, change.Before = change.Path, before
	have := strings.Split(string(before), "\n")
	lines := slices.DeleteFunc(claude.Excludable(func(rel string) bool {
		_, err := r.Lstat(filepath.Join(root, rel))
		return err == nil
	}), func(line string) bool { return slices.Contains(have, line) })
	if len(lines) == 0 {
		return catalog.Here{Refuted: "every placeholder is excluded already (" + change.Path + ")"}
	}
	text := string(before)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	change.After = []byte(text + strings.Join(lines, "\n") + "\n")
	return catalog.Here{Change: &change, Untried: "not tested: no settings change"}
}
