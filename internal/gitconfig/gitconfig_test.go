// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package gitconfig_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/gitconfig"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

const dir = `/home/a "b"\c/.claude/git-hooks`

// texts are files as users have them; nil is no file.
var texts = map[string][]byte{
	"none": nil, "empty": {}, "usual": []byte("[user]\n\tname = Ada\n"),
	"no newline at the end": []byte("[user]\n\tname = Ada"), "a section alone": []byte("[user]"),
	"a value of its own":    []byte("[core]\n\thooksPath = ~/hooks\n"),
	"on one line":           []byte("[CORE] HooksPath = ~/hooks # mine\n[core \"x\"]\n\thooksPath = no\n"),
	"carriage returns":      []byte("[core]\r\n\thooksPath = a\\\r\nb\r\n"),
	"a value that goes on":  []byte("[alias]\n\tx = \"!f() { \\\n[core] ; }\"\n"),
	"a comment that cannot": []byte("# ends with a backslash \\\n[core]\n\thooksPath = ~/hooks\n"),
	"quotes and blanks":     []byte("[core]\n\thooksPath =  \" a\" b\\tc\\\n d  ; x\n\thooksPath = \"#x\" # y\n"),
	"set to nothing":        []byte("[core] hooksPath =\n"),
	"a byte order mark":     []byte("\ufeff[core]\n\thooksPath = ~/hooks\n"),
}

// git asks the real git what a file sets, nil if it does not understand it.
func git(t *testing.T, b []byte, args ...string) (values []string, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "config")
	testenv.Write(t, path, string(b), 0o600)
	out, _ := exec.Command("git", slices.Concat([]string{"config", "--null", "--file", path}, args)...).Output()
	values = strings.Split(string(out), "\x00")
	return values[:len(values)-1], path
}

func TestWhatIsPutInIsTakenOut(t *testing.T) {
	for name, before := range texts {
		t.Run(name, func(t *testing.T) {
			had, _ := git(t, before, "--get-all", "core.hooksPath")
			var raw []string
			for _, l := range gitconfig.HooksPaths(before) {
				raw = append(raw, l.Raw)
			}
			if !slices.Equal(raw, had) {
				t.Errorf("values %q, git has %q", raw, had)
			}
			with, ok := gitconfig.Add(before, dir)
			if got, _ := git(t, with, "--get-all", "core.hooksPath"); !ok || !slices.Equal(got, append(had, dir)) {
				t.Fatalf("git has %q after\n%s", got, with)
			}
			lines, rows := gitconfig.HooksPaths(with), strings.Split(string(with), "\n")
			last := lines[len(lines)-1]
			if !strings.Contains(rows[last.Line-1], "hooksPath = ") || last.Raw != dir {
				t.Errorf("the line is %q, its value %q", rows[last.Line-1], last.Raw)
			}
			if again, _ := gitconfig.Add(with, dir); string(again) != string(with) {
				t.Errorf("a second time:\n%s", again)
			}
			r := gitconfig.Remove(with, dir)
			if !r.Found || r.Changed || string(r.After) != string(before) || (r.After == nil) != (before == nil) {
				t.Errorf("%+v\n%q\nwant\n%q", r, r.After, before)
			}
			if other := gitconfig.Remove(before, dir); other.Found || string(other.After) != string(before) {
				t.Errorf("found in a file without: %+v", other)
			}
		})
	}
}

// TestWhatGitWritesMeanwhileStays: git adds a setting to the last section of
// its name, which is ours.
func TestWhatGitWritesMeanwhileStays(t *testing.T) {
	for name, c := range map[string]struct {
		args    []string
		want    string
		changed bool
	}{
		"another setting of the section": {[]string{"core.editor", "vi"}, "[user]\n\tname = Ada\n[core]\n\teditor = vi\n",
			false},
		"another section": {[]string{"pull.rebase", "true"}, "[user]\n\tname = Ada\n[pull]\n\trebase = true\n",
			false},
		"another directory": {[]string{"core.hooksPath", "/mine"},
			"[user]\n\tname = Ada\n[core]\n\thooksPath = /mine\n", true},
		"the same in git's words": {[]string{"core.hooksPath", dir}, "[user]\n\tname = Ada\n", false},
		"taken out by hand":       {[]string{"--unset", "core.hooksPath"}, "[user]\n\tname = Ada\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			with, _ := gitconfig.Add(texts["usual"], dir)
			_, path := git(t, with, c.args...)
			now := testenv.Read(t, path)
			r := gitconfig.Remove([]byte(now), dir)
			if !r.Found || r.Changed != c.changed || string(r.After) != c.want {
				t.Errorf("changed %v, got\n%s\nof\n%s", r.Changed, r.After, now)
			}
		})
	}
}

func TestNothingFollowsALineThatGoesOn(t *testing.T) {
	if after, ok := gitconfig.Add([]byte("[alias]\n\tx = a \\"), dir); ok {
		t.Errorf("got %q", after)
	}
}

func FuzzRemove(f *testing.F) {
	for _, b := range texts {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		with, ok := gitconfig.Add(b, dir)
		if !ok || gitconfig.Remove(b, dir).Found {
			return
		}
		if r := gitconfig.Remove(with, dir); !r.Found || string(r.After) != string(b) {
			t.Errorf("%q became %q", b, r.After)
		}
	})
}
