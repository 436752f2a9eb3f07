// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package gitrepo

import (
	"context"
	"slices"
	"testing"
)

func TestHintsOfARepository(t *testing.T) {
	p := newPlace(t)
	dir := p.repo("r")
	r := p.open(dir)
	if files, remotes := r.Files(context.Background()), r.Remotes(context.Background()); len(files)+len(remotes) != 0 {
		t.Errorf("an empty repository has files %q and remotes %q", files, remotes)
	}
	p.write(p.path("r", awkward), "", 0o644)
	p.write(p.path("r", "sub", "go.mod"), "", 0o644)
	p.git(dir, "add", "-A")
	p.git(dir, "remote", "add", "origin", "git@github.com:someone/r.git")
	if got := r.Files(context.Background()); !slices.Equal(got, []string{awkward, "sub/go.mod"}) {
		t.Errorf("files: %q", got)
	}
	if got := r.Remotes(context.Background()); !slices.Equal(got, []string{"git@github.com:someone/r.git"}) {
		t.Errorf("remotes: %q", got)
	}
}
