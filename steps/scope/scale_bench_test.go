// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the plan of many repositories costs is measured
// beside a bare walk of the same tree in the same run, and the programs that
// it starts are counted.

package scope_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/steps/scope"
)

// counting is a machine that counts the programs it starts.
type counting struct {
	host.Reader
	started chan struct{}
}

func (c counting) Run(ctx context.Context, s proc.Spec) proc.Result {
	c.started <- struct{}{}
	return c.Reader.Run(ctx, s)
}

// forest makes n repositories, by hand: as git lays them out, with a few
// directories of files each. One in ten has .claude, one in fifty a linked
// worktree, one in twenty a hook.
func forest(b *testing.B, h home, n int) {
	b.Helper()
	for i := range n {
		dir := fmt.Sprintf("code/g%02d/r%05d", i%100, i)
		for name, text := range map[string]string{".git/HEAD": "ref: refs/heads/main\n",
			".git/config":         "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
			".git/objects/info/x": "", ".git/refs/heads/x": "", ".git/hooks/pre-commit.sample": "", "src/a/x.go": "",
			"src/b/x.go": "", "docs/x.md": "", ".gitignore": ".claude/settings.local.json\n"} {
			h.put(dir+"/"+name, text)
		}
		if err := os.RemoveAll(h.at(dir + "/.git/refs/heads/x")); err != nil {
			b.Fatal(err)
		}
		if i%10 == 0 {
			h.put(dir+"/.claude/settings.json", "{}\n")
		}
		if i%20 == 0 {
			h.put(dir+"/.git/hooks/pre-commit", "#!/bin/sh\n")
		}
		if i%50 == 0 {
			linked := dir + "-linked"
			h.put(dir+"/.git/worktrees/l/HEAD", "ref: refs/heads/l\n")
			h.put(dir+"/.git/worktrees/l/commondir", "../..\n")
			h.put(dir+"/.git/worktrees/l/gitdir", h.at(linked+"/.git")+"\n")
			h.put(linked+"/.git", "gitdir: "+h.at(dir+"/.git/worktrees/l")+"\n")
			h.put(linked+"/.gitignore", ".claude/settings.local.json\n")
			h.put(linked+"/.claude/settings.json", "{}\n")
		}
	}
}

// BenchmarkWholeUser: go test ./steps/scope -run - -bench WholeUser -benchtime 1x
func BenchmarkWholeUser(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("repositories=%d", n), func(b *testing.B) {
			h := newHome(b)
			forest(b, h, n)
			walkBare(b, h.at("code")) // so that none of them is the first to read the disk
			r := h.reader()
			var bare, found, whole time.Duration
			started, cpu := 0, time.Duration(0)
			for b.Loop() {
				bare += timed(func() { walkBare(b, h.at("code")) })
				found += timed(func() {
					if _, err := scope.Find(b.Context(), r, scope.Options{Agent: setup.Settings{}, Roots: []string{h.at("code")},
						Depth: scope.DefaultDepth}); err != nil {
						b.Fatal(err)
					}
				})
				c := counting{r, make(chan struct{}, 16*n)}
				cpu -= spent(b)
				whole += timed(func() {
					p, err := scope.WholeUser(b.Context(), c, scope.Options{Agent: setup.Settings{}, Roots: []string{h.at("code")},
						Depth: scope.DefaultDepth})
					if err != nil || len(p.Repositories) != n {
						b.Fatal(err, len(p.Repositories))
					}
				})
				cpu += spent(b)
				started += len(c.started)
			}
			b.ReportMetric(whole.Seconds()/float64(b.N), "s/plan")
			b.ReportMetric(float64(n*b.N)/whole.Seconds(), "repositories/s")
			b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s/plan") // with the processes it started
			b.ReportMetric(float64(started)/float64(b.N), "processes")
			b.ReportMetric(found.Seconds()/bare.Seconds(), "search/walk")
			b.ReportMetric(whole.Seconds()/bare.Seconds(), "plan/walk")
		})
	}
}

// spent is the processor time of this process and of those that it waited for.
func spent(b *testing.B) (sum time.Duration) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

func timed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

// walkBare reads every directory that the search reads, and does nothing else.
func walkBare(b *testing.B, root string) {
	b.Helper()
	err := filepath.WalkDir(root, func(_ string, e fs.DirEntry, err error) error {
		if e.Name() == ".git" && e.IsDir() {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}
