// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a launch does not start where a command could reach a file of
// the user's by another name, and says so where that is not known.

package iso_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// launching is a machine on which a launch in ~/p would start.
func launching(t *testing.T) *lab {
	t.Helper()
	testenv.Need(t, "bwrap", "socat")
	l := newLab(t)
	l.put("bin/claude", "#!/bin/sh\n")
	l.vars = []string{"PATH=" + filepath.Join(l.home, "bin") + ":/usr/local/bin:/usr/bin:/bin"}
	l.approve()
	if _, err := l.prepare("p", iso.Options{}); err != nil {
		t.Fatalf("the launch is refused without a cause: %v", err)
	}
	return l
}

// TestAFileWithASecondName: no launch starts, unless the user wants it anyway;
// where it is the approvals that a command could write, not even then.
func TestAFileWithASecondName(t *testing.T) {
	testenv.AsUser(t)
	for _, tt := range []struct {
		path    string
		can     string
		forging bool
	}{
		{path: ".bashrc", can: "change it there: what your shell runs"},
		{path: ".gitconfig", can: "change it there: what git runs"},
		{path: ".claude.json", can: "change it there"},
		{path: ".claude/settings.json", can: "change it there"},
		{path: ".claude/skills/x/SKILL.md", can: "change it there"},
		{path: ".claude/agents/x.md", can: "change it there"},
		{path: ".claude/agents/a/b/c/d/e/f/g/x.md", can: "change it there"}, // as deep as verify looks
		{path: ".claude/plugins/cache/m/x/1.0/hooks/hooks.json", can: "change it there: plugins of every session"},
		{path: ".ssh/id_rsa", can: "read it there"},
		{path: ".local/state/steward-setup/approvals.json", can: "change it there: your approvals", forging: true},
		{path: ".local/state/steward-setup/result.key", can: "change it there: your approvals", forging: true},
	} {
		l := launching(t)
		path := filepath.Join(l.home, tt.path)
		if _, err := os.Stat(path); err != nil {
			l.put(tt.path, "{}")
		}
		if _, err := l.prepare("p", iso.Options{}); err != nil {
			t.Fatalf("%s: refused with one name: %v", tt.path, err)
		}
		l.put("p/deep/down/x", "")
		other := filepath.Join(l.project, "deep/down/name")
		if err := os.Link(path, other); err != nil {
			t.Fatal(err)
		}
		_, err := l.prepare("p", iso.Options{})
		var e *report.Error
		if !errors.As(err, &e) || e.Where != path || !strings.HasSuffix(e.What, other) || !strings.Contains(e.Why, tt.can) ||
			e.Code != report.ExitLeft || e.Next == "" {
			t.Errorf("%s: %v, %+v", tt.path, err, e)
		}
		if _, err := l.prepare("p", iso.Options{Anyway: true}); (err != nil) != tt.forging {
			t.Errorf("%s: with --anyway: %v", tt.path, err)
		}
	}
}

// TestADotenvThatCannotBeSpelled: the runtime hides another path (measured with
// 2.1.330), so that the launch does not start; a directory that the policy hides
// hides it too.
func TestADotenvThatCannotBeSpelled(t *testing.T) {
	l := launching(t)
	path := l.put("p/d\xff/.env", "TOKEN=1\n")
	_, err := l.prepare("p", iso.Options{})
	var e *report.Error
	if !errors.As(err, &e) || e.Where != path || e.Next == "" {
		t.Errorf("refused with %v", err)
	}
	if _, err := l.prepare("p", iso.Options{Anyway: true}); err != nil {
		t.Errorf("with --anyway: %v", err)
	}
	l.put("p/vault/d\xff/.env", "TOKEN=1\n")
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	l.settings(`{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/","./vault"],"allowRead":["."]}}}`)
	l.approve()
	if _, err := l.prepare("p", iso.Options{}); err != nil {
		t.Errorf("in a hidden directory: %v", err)
	}
}

// TestADotenvWithASecondName: commands read it there, unless a rule covers that
// name too.
func TestADotenvWithASecondName(t *testing.T) {
	l := launching(t)
	other := l.put("p/vault/prod.txt", "TOKEN=1\n")
	path := filepath.Join(l.project, "sub", ".env")
	if err := errors.Join(os.Remove(path), os.Link(other, path)); err != nil {
		t.Fatal(err)
	}
	_, err := l.prepare("p", iso.Options{})
	var e *report.Error
	if !errors.As(err, &e) || e.Where != path || !strings.HasSuffix(e.What, other) || e.Next == "" {
		t.Errorf("refused with %v", err)
	}
	if _, err := l.prepare("p", iso.Options{Anyway: true}); err != nil {
		t.Errorf("with --anyway: %v", err)
	}
	for _, rule := range []string{"Read(./vault/**)", "Read(vault/prod.txt)", "Read(prod.txt)",
		"Read(~/p/vault/prod.txt)"} {
		l.settings(`{"permissions":{"deny":["` + rule + `"]}}`)
		l.approve()
		if _, err := l.prepare("p", iso.Options{}); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
	}
	l.settings(`{"permissions":{"deny":["Read(./other/**)","Edit(./vault/**)"]}}`)
	l.approve()
	if _, err := l.prepare("p", iso.Options{}); err == nil {
		t.Error("starts although no rule covers it")
	}
}

// TestWhatAddDirOpens: what holds the home is refused, what lies elsewhere is
// known.
func TestWhatAddDirOpens(t *testing.T) {
	testenv.AsUser(t)
	l := launching(t)
	l.put("other/x", "")
	if err := os.Symlink(l.home, filepath.Join(l.project, "up")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--add-dir", l.home}, {"--add-dir=" + l.home}, {"-p", "--add-dir", "sub", ".."},
		{"--add-dir", "/"}, {"--add-dir", "up", "-c"}, {"--add-dir=~"}} {
		_, err := l.prepare("p", iso.Options{Args: args})
		if e := (*report.Error)(nil); !errors.As(err, &e) || e.Code != report.ExitUsage || e.Next == "" {
			t.Errorf("%q: %v", args, err)
		}
		if _, err := l.prepare("p", iso.Options{Args: args, Anyway: true}); err != nil {
			t.Errorf("%q with --anyway: %v", args, err)
		}
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--add-dir", "../other", "sub", "-p", l.home}, []string{l.home + "/other", l.project + "/sub"}},
		{[]string{"-p", "go", "--", "--add-dir", l.home}, nil},
		{[]string{"--add-dir=../other"}, []string{l.home + "/other"}},
	} {
		launch, err := l.prepare("p", iso.Options{Args: c.args})
		if err != nil || !slices.Equal(launch.Added, c.want) {
			t.Errorf("%q: %q, %v", c.args, launch.Added, err)
		}
	}
}

// crowded is a machine with so many files in one directory that nobody looks
// through them.
type crowded struct {
	host.Reader
	dir string
}

func (c crowded) ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := c.Reader.ReadDir(dir)
	if dir == c.dir && len(entries) > 0 {
		return slices.Repeat(entries[:1], host.MaxEntries+1), nil
	}
	return entries, err
}

// TestTooManyFilesAreUnknown: a second name that nobody found is not said to be
// none.
func TestTooManyFilesAreUnknown(t *testing.T) {
	l := launching(t)
	rc := l.put(".bashrc", "\n")
	beside, away := rc+".old", filepath.Join(l.home, "old", ".bashrc")
	for name, tt := range map[string]struct {
		linked string
		many   bool
	}{"one name": {"", true}, "few files": {away, false}, "many files": {away, true}, "beside": {beside, true}} {
		for _, link := range []string{beside, away} {
			if err := os.RemoveAll(link); err != nil {
				t.Fatal(err)
			}
		}
		if tt.linked != "" {
			if err := errors.Join(os.MkdirAll(filepath.Dir(tt.linked), 0o755), os.Link(rc, tt.linked)); err != nil {
				t.Fatal(err)
			}
		}
		h := l.host(l.project)
		if tt.many {
			h = crowded{h, l.project}
		}
		launch, _, err := iso.Prepare(t.Context(), h, iso.Options{})
		if err == nil {
			err = launch.Refuse(iso.Options{})
		}
		want := []string(nil)
		if tt.linked == away && tt.many {
			want = []string{rc}
		}
		if err != nil || !slices.Equal(launch.Unseen, want) {
			t.Errorf("%s: %v, unknown: %q", name, err, launch.Unseen)
		}
	}
}
