// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package gitruns

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestOtherRepositories: which line of a repository that is not git's is named, in a project
// without git; 0 is none.
func TestOtherRepositories(t *testing.T) {
	const whole = -1 // the file, by no line
	const hg, jj, darcs, bzr, pijul = ".hg/hgrc", ".jj/repo/config.toml", "_darcs/prefs/defaults",
		".bzr/branch/branch.conf", ".pijul/config"
	for _, c := range []struct {
		file, text string
		line       int
	}{
		{hg, "[hooks]\nincoming.x = id\n", 2},
		{hg, "\ufeff[hooks]\r\nupdate = python:x.py:f\r\n", 2},
		{hg, "[ui]\nusername = x\n  [hooks]\n  update = id\n", 0}, // goes on
		{hg, "[paths]\ndefault = x\n[ui]\nssh =\n  id\n", 4},
		{hg, "[extensions]\nx = !./x.py\nrebase =\ny:required = true\n", 0},
		{hg, "[extensions]\nx = ./x.py\n", 2},
		{hg, "[alias]\nlg = log -G\nst = status\n", 0},
		{hg, "[alias]\nlg = log -G\nst = !id\n", 3},
		{hg, "[alias]\npull = pull --ssh id\n", 2},
		{hg, "[defaults]\nmerge = -t ./x\n", 2},
		{hg, "[ui]\nmerge = :merge3\nmerge:interactive = internal:merge\n", 0},
		{hg, "[ui]\nmerge:interactive = ./x\n", 2},
		{hg, "[merge-patterns]\n**.c = ./x\n", 2},
		{hg, "[merge-tools]\nx.executable = ./x\n", 2},
		{hg, "[encode]\n** = pipe: id\n", 2},
		{hg, "[extdiff]\ncmd.x = id\n", 2},
		{hg, "[extdiff]\nx =\n[diff-tools]\nx.diffargs = ; id\n", 4},
		{hg, "[fix]\nx:command = id\n", 2},
		{hg, "[subrepos]\nhg:allowed = true\n", 0},
		{hg, "[subrepos]\ngit:allowed = true\n", 2},
		{hg, "[phabricator]\ncurlcmd = id\n", 2},
		{hg, "[gpg]\ncmd = id\n", 2},
		{hg, "[auth]\nx.prefix = example.org\nx.cmd = x\n[templates]\neditor = x\n", 0},
		{hg, "# [hooks]\n; x\n[hooks]\n%unset update\n", 0},
		{hg, "%include ~/.hgrc.mine\n", 0},
		{hg, "%include hgrc\n[pager]\npager = id\n", 3}, // itself
		{hg, strings.Repeat("# x\n", 3<<20) + "[hooks]\nx = id\n", whole},
		{".hg/hgrc-not-shared", "[ui]\npatch = id\n", 2},
		{"a/b/.sl/config", "[hooks]\npre-status = id\n", 2},
		{"a/b/c/.sl/config", "[hooks]\npre-status = id\n", 0}, // too deep
		{jj, "user.email = \"x\"\nui.color = \"never\"\naliases.l = [\"log\", \"-r\", \"all()\"]\n", 0},
		{jj, "ui.pager = \":builtin\"\nui.diff-formatter = \":git\"\nui.diff-editor = \":builtin\"\n", 0},
		{jj, "ui.color = \"never\"\nui.pager = { command = [\"./x\"], env = { A = \"b\" } }\n", 2},
		{jj, "ui.pager.env.editor = \"x\"\n", 0},
		{jj, "[[--scope]]\n--when.commands = [\"log\"]\n\"u\\u0069\" = { editor = \"./x\" } # ui\n", 3},
		{jj, "[merge-tools.sh]\nedit-args = [\"./x\"]\n", 2},
		{jj, "aliases.st = [\"util\", \"exec\", \"--\", \"id\"]\n", 1},
		{jj, "ui.default-command = [\"--config=ui.pager='id'\", \"log\"]\n", 1},
		{jj, "[signing.backends.ssh]\nallowed-signers = \"x\"\nprogram = \"./x\"\n", 3},
		{jj, "git.executable-path = \"./git\"\n", 1},
		{jj, "ui.pager = \n", whole},
		{jj, "x = " + strings.Repeat("[", 7<<20), whole}, // what reads it calls itself for each
		{jj, strings.Repeat("x.", 20<<10) + "x = 1\n", 0},
		{jj, "merge-tools.y.program = \"./y\"\nmerge-tools.x.program = \"./x\"\nui.editor = \"./x\"\n", 2},
		{".jj/workspace-config.toml", "[fix.tools.x]\npatterns = [\"all()\"]\ncommand = [\"./x\"]\n", 3},
		{darcs, "ALL verbose\nrecord author x\n", 0},
		{darcs, "# x\nALL --prehook id\n", 2},
		{darcs, "diff diff-command ./x %1 %2\n", 1},
		{bzr, "parent_location = x\nnickname = x\n", 0},
		{bzr, "bzr.mergetool.x = ./x {base}\n", 1},
		{".fslckout", "\x40\x02\x03\x21\x1frepository./none.db\x00", 0}, // it is not there
		{pijul, "default_remote = \"x\"\n", 0},
		{pijul, "[hooks]\nrecord = [\"id\"]\n", 2},
	} {
		home := testenv.Home(t)
		root := filepath.Join(home, "p")
		at := filepath.Join(root, c.file)
		testenv.Write(t, at, c.text, 0o644)
		testenv.Write(t, filepath.Join(home, ".hgrc.mine"), "[hooks]\nx = id\n", 0o644)
		r := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}),
			GOOS: "linux", Root: t.TempDir(), Now: time.Now}))(t)
		want := fmt.Sprintf("%s:%d", at, c.line)
		if c.line == whole {
			want = at
		}
		found := Openings(context.Background(), r, session.At(r, root))
		switch {
		case c.line == 0 && len(found) > 0, c.line != 0 && len(found) != 1:
			t.Errorf("%s with %.80q: %+v", c.file, c.text, found)
		case c.line != 0 && (found[0].Where != want || found[0].Status != report.Warn):
			t.Errorf("%s with %.80q: %s %s, want %s", c.file, c.text, found[0].Status, found[0].Where, want)
		}
	}
}

// TestRepositoryOfFossil: hooks that were deleted are none, and of a repository that is not read
// no setting is named.
func TestRepositoryOfFossil(t *testing.T) {
	home := testenv.Home(t)
	root := filepath.Join(home, "p")
	at := filepath.Join(root, "large.db")
	testenv.Write(t, filepath.Join(root, ".fslckout"), "\x40\x02\x03\x21\x21repository./large.db\x00", 0o644)
	for text, want := range map[string]string{
		"\x40\x02\x03\x17\x29hooks[{\"cmd\":\"id\"}]\x00": "fossil hook delete all",
		"\x40\x02\x03\x17\x11hooks[]\x00":                 "",
		strings.Repeat("\x00", 9<<20):                     "keep that repository",
	} {
		testenv.Write(t, at, text, 0o644)
		r := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}),
			GOOS: "linux", Root: t.TempDir(), Now: time.Now}))(t)
		found := Openings(context.Background(), r, session.At(r, root))
		if (len(found) == 1) != (want != "") || want != "" && !strings.HasPrefix(found[0].Step, want) {
			t.Errorf("%.40q: %+v", text, found)
		}
	}
}

// TestTextsOfADatabase: the text behind a name is told from other columns.
func TestTextsOfADatabase(t *testing.T) {
	long := "/" + strings.Repeat("x", 100)
	for text, want := range map[string]string{
		"\x40\x02\x03\x21\x1drepository./x.db12\x00": "./x.db12",
		"\x03\x21\x81\x57repository" + long:          long,
		"\x04\x15\x17\x04test" + "a.com\x00":         "",
		"a repository of mine":                       "",
	} {
		if got := strings.Join(textsBehind([]byte(text), "repository"), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
