// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package gitrepo

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

// obey runs in the place's home the line that text tells the user to run.
func (p *place) obey(text string) {
	p.t.Helper()
	_, line, ok := strings.Cut(text, "do what git says: ")
	if !ok {
		p.t.Fatalf("no line to run in %q", text)
	}
	cmd := exec.Command("sh", "-c", line)
	// Without GIT_CONFIG_GLOBAL, which no git that the program starts sees.
	cmd.Env, cmd.Dir = []string{"HOME=" + p.home, "PATH=/usr/local/bin:/usr/bin:/bin"}, p.home
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

func TestTheWayOutOfAnotherUsersRepositoryWorks(t *testing.T) {
	ctx := context.Background()
	for name, dir := range map[string]string{"plain": "repo", "blanks": "a  b", "awkward": awkward} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			repo := p.repo(dir)
			linked := p.path("linked " + dir)
			p.git(repo, "worktree", "add", "-q", "--detach", linked)
			p.mkdir(filepath.Join(repo, "sub"))
			// git's own tests provoke the refusal like this.
			h := p.machine(map[string]string{"git": "#!/bin/sh\nPATH=/usr/local/bin:/usr/bin:/bin " +
				"GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec git \"$@\"\n"})
			_, err := Open(ctx, h, filepath.Join(repo, "sub"))
			wantError(t, err, report.ExitLeft, "dubious ownership", "safe.directory")
			var refusal *report.Error
			errors.As(err, &refusal)
			p.obey(refusal.Next)

			// One line is enough for everything that is asked there.
			r, err := Open(ctx, h, filepath.Join(repo, "sub"))
			if err != nil {
				t.Fatal(err)
			}
			list, err := r.Worktrees(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.HooksPath(ctx); err != nil {
				t.Error(err)
			}
			if len(list) != 2 || list[0].State != Usable || list[1].State != Foreign {
				t.Fatalf("worktrees: %+v", list)
			}
			// A linked worktree is a directory of its own, and says so.
			p.obey(list[1].Why)
			if list, err = r.Worktrees(ctx); err != nil || list[1].State != Usable {
				t.Errorf("after the second line: %+v, %v", list, err)
			}
			if _, err := Open(ctx, h, linked); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestARefusalWithoutALineNamesTheManual(t *testing.T) {
	if got := wayOut([]byte("fatal: detected dubious ownership in repository at '/r'\n")); !strings.Contains(got,
		"git-config(1)") {
		t.Errorf("got %q", got)
	}
}
