// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what git does beside its index is tried where the project
// uses it, without a network: a fetch from the repository itself, a
// submodule up to its entry in the configuration.

package doctor

import (
	"bytes"
	"fmt"
	"github.com/steward-setup/steward-setup/internal/sensitive"
	"github.com/steward-setup/steward-setup/internal/trial"
	"path/filepath"
)

// gitParts are the calls in the i-th worktree, at root.
func gitParts(b *bench, root string, i int) (list []ask) {
	ref := fmt.Sprintf("refs/steward/fetched-%d", i)
	list = append(list, ask{id: "fetch", title: "git fetch", turn: 2, call: bash("git fetch --verbose . HEAD:" +
		ref), through: trial.Through{Reply: "-> " + ref}, entry: "git-worktree"})
	if mentions(b, root, ".gitmodules", "[submodule ") {
		list = append(list, ask{id: "submodule", title: "git submodule init", turn: 3, role: byDesign,
			call: bash("git submodule init"), through: trial.Through{Reply: "registered for path"}, entry: "git-config-lock"})
	}
	return append(list, gitLFS(b, root, i)...)
}

// mentions says whether a file of the project holds a text.
func mentions(b *bench, root, name, text string) bool {
	content, err := sensitive.ReadProject(b.r, root, filepath.Join(root, name))
	return err == nil && bytes.Contains(content, []byte(text))
}
