// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package gitruns

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestSymlinksOfGitDirectories: those that git, git-new-workdir, repo and the runtime make,
// and those of files that git only reads, are not a command's; any other one is.
func TestSymlinksOfGitDirectories(t *testing.T) {
	for _, c := range []struct {
		name, to string
		want     report.Status
	}{
		{"HEAD", "refs/heads/main", report.Pass},
		{"refs/remotes/origin/HEAD", "main", report.Pass},
		{"refs", "../../other/.git/refs", report.Pass},
		{"logs/refs", "../../../other/.git/logs/refs", report.Pass},
		{"config", "../../bare.git/config", report.Pass},
		{"info/exclude", "../../../exclude", report.Pass},
		{"hooks/pre-commit", "../../check.sh", report.Pass},
		{".COMMIT_EDITMSG.claude-sandbox-quarantine-84eae79ff736", "../../.zshenv", report.Pass},
		{".#COMMIT_EDITMSG", "ada@machine.123:1764500000", report.Pass}, // Emacs edits it
		{"config", "../../other/.git/description", report.Fail},
		{"rr-cache", "../../answers", report.Warn},
		{"rr-cache/0a1b/preimage", "../../../../.zshenv", report.Fail},
		{"lfs/objects", "../../../stored", report.Warn},
		{"config", "../../elsewhere/config", report.Fail},
		{"info/sparse-checkout", "../../../.zshenv", report.Fail},
		{"refs/heads/x", "../../config", report.Fail},
		{"refs/heads/x", "../../../../.zshenv", report.Fail},
		{"a/b/c/d/e/f", "/nowhere", report.Fail},
		{"worktrees/w/COMMIT_EDITMSG", "../../../../.zshenv", report.Fail},
		{"lfs/objects/ab/cd/abcd", "../../../../../../.netrc", report.Fail},
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
		if found := linkOpenings(r, tree, maxLinkDirs); len(found) > 0 {
			t.Fatalf("before: %+v", found)
		}
		_ = os.RemoveAll(at)
		if err := os.Symlink(c.to, at); err != nil {
			t.Fatal(err)
		}
		found := linkOpenings(r, tree, maxLinkDirs)
		got := report.Pass
		if len(found) == 1 && found[0].Where == at {
			got = found[0].Status
		}
		if got != c.want || len(found) > 1 {
			t.Errorf("%s to %s: %+v", c.name, c.to, found)
		}
	}
}

// TestManyDirectoriesOfAGitDirectory: the files of git-lfs take no room from other worktrees, and what else is too
// much to look through is said.
func TestManyDirectoriesOfAGitDirectory(t *testing.T) {
	const most = 60
	home := testenv.Home(t)
	root := filepath.Join(home, "p")
	git := func(args ...string) { testenv.Git(t, testenv.Env(t, home), root, args...) }
	testenv.Write(t, filepath.Join(root, "README.md"), "p\n", 0o644)
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "first")
	git("worktree", "add", "-q", filepath.Join(home, "w"))
	link := filepath.Join(root, ".git/worktrees/w/logs/HEAD")
	testenv.OK(t, os.Remove(link))
	testenv.OK(t, os.Symlink("../../../../../.zshenv", link))
	fill := func(below string) {
		for i := range most {
			testenv.OK(t, os.MkdirAll(filepath.Join(root, ".git", below, strconv.Itoa(i)), 0o755))
		}
	}
	r := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home}), GOOS: "linux", Root: t.TempDir(),
		Now: time.Now}))(t)
	tree := host.FindTree(r, root)
	fill("lfs/objects")
	if found := linkOpenings(r, tree, most); len(found) != 1 || found[0].Where != link {
		t.Errorf("beside many files of git-lfs: %+v", found)
	}
	fill("a")
	found := linkOpenings(r, tree, most)
	if n := len(found); n == 0 || found[n-1].Status != report.Unknown || found[n-1].Where != filepath.Join(root, ".git") {
		t.Errorf("with many directories: %+v", found)
	}
}
