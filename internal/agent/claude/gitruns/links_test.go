// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package gitruns

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestSymlinksOfGitDirectories: those that git, git-new-workdir, repo and the runtime make,
// and those of files that git only reads, are not a command's; any other one is.
func TestSymlinksOfGitDirectories(t *testing.T) {
	for _, c := range []struct {
		name, to string
		named    bool
	}{
		{"HEAD", "refs/heads/main", false},
		{"refs/remotes/origin/HEAD", "main", false},
		{"refs", "../../other/.git/refs", false},
		{"logs/refs", "../../../other/.git/logs/refs", false},
		{"config", "../../bare.git/config", false},
		{"info/exclude", "../../../exclude", false},
		{"hooks/pre-commit", "../../check.sh", false},
		{".COMMIT_EDITMSG.claude-sandbox-quarantine-84eae79ff736", "../../.zshenv", false},
		{"config", "../../other/.git/description", true},
		{"config", "../../elsewhere/config", true},
		{"info/sparse-checkout", "../../../.zshenv", true},
		{"refs/heads/x", "../../config", true},
		{"refs/heads/x", "../../../../.zshenv", true},
		{"a/b/c/d/e/f", "/nowhere", true},
		{"worktrees/w/COMMIT_EDITMSG", "../../../../.zshenv", true},
		{"lfs/objects/ab/cd/abcd", "../../../../../../.netrc", true},
	} {
		home := testenv.Home(t)
		root := filepath.Join(home, "p")
		git := func(args ...string) { testenv.Git(t, testenv.Env(t, home), root, args...) }
		testenv.Write(t, filepath.Join(root, "README.md"), "p\n", 0o644)
		testenv.Write(t, filepath.Join(home, "other/.git/HEAD"), "ref: refs/heads/main\n", 0o644)
		git("init", "-q")
		git("add", ".")
		git("commit", "-qm", "first")
		git("worktree", "add", "-q", filepath.Join(home, "w"))
		at := filepath.Join(root, ".git", c.name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		r := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home}), GOOS: "linux", Root: t.TempDir(),
			Now: time.Now}))(t)
		tree := host.FindTree(r, root)
		if found := linkOpenings(r, tree); len(found) > 0 {
			t.Fatalf("before: %+v", found)
		}
		_ = os.RemoveAll(at)
		if err := os.Symlink(c.to, at); err != nil {
			t.Fatal(err)
		}
		found := linkOpenings(r, tree)
		if c.named && (len(found) != 1 || found[0].Where != at) || !c.named && len(found) > 0 {
			t.Errorf("%s to %s: %+v", c.name, c.to, found)
		}
	}
}
