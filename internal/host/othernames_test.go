// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	iofs "io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// infos counts how often entries below dir are asked what they are.
type infos struct {
	host.Reader
	dir string
	n   *atomic.Int64
}

type asked struct {
	iofs.DirEntry
	n *atomic.Int64
}

func (a asked) Info() (iofs.FileInfo, error) { a.n.Add(1); return a.DirEntry.Info() }

func (r infos) ReadDir(dir string) ([]iofs.DirEntry, error) {
	entries, err := r.Reader.ReadDir(dir)
	for i, e := range entries {
		if strings.HasPrefix(dir, r.dir) {
			entries[i] = asked{e, r.n}
		}
	}
	return entries, err
}

// TestAProjectIsLookedThroughOnceForAllHardLinks: a backup of hard links gives each file of a
// home a second name. Each of them is asked about, by several checks.
func TestAProjectIsLookedThroughOnceForAllHardLinks(t *testing.T) {
	dir := t.TempDir()
	project, home := filepath.Join(dir, "p"), filepath.Join(dir, "h")
	for _, d := range []string{project + "/a", home, dir + "/backup"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const files = 20
	var paths []string
	for i := range files {
		name := strconv.Itoa(i)
		paths = append(paths, filepath.Join(home, name))
		for _, file := range []string{paths[i], filepath.Join(project, "a", name)} {
			if err := os.WriteFile(file, []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Link(paths[i], filepath.Join(dir, "backup", name)); err != nil {
			t.Fatal(err)
		}
	}
	open := filepath.Join(project, "a", "open")
	if err := os.Link(paths[3], open); err != nil {
		t.Fatal(err)
	}
	h := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home}), GOOS: "linux", UID: os.Getuid()}))(t)
	r := infos{h, project, &atomic.Int64{}}
	round := host.Still(r)
	for _, path := range paths {
		found, unseen := host.OtherNames(round, []string{path}, []string{project}, func(_, _ string) bool { return false })
		if want := map[bool]string{true: open}[path == paths[3]]; found[path] != want || unseen != nil {
			t.Errorf("%s: %q, %q, want %q", path, found[path], unseen, want)
		}
	}
	if n := r.n.Load(); n != files+1 {
		t.Errorf("%d files of the project were looked at %d times", files+1, n)
	}
}
