// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: advice is that of the symptom that speaks, and what a text shows
// of its cause is not asked again.

package catalog

import (
	"fmt"
	"strings"
	"testing"
)

// A symptom with ways of its own answers with these, and offers no fix of its entry.
func TestASymptomHasItsOwnWays(t *testing.T) {
	for text, want := range map[string]string{
		"warning: unable to access '.git/config.worktree': Permission denied":                "config.worktree in",
		"bwrap: Creating new namespace failed: nesting depth or x exceeded (ENOSPC)":         "/proc/sys/user/max_",
		"bwrap: Can't create file at /srv/app/.claude/agents: Is a directory":                "symbolic link",
		"error: insufficient permission for adding an object to repository database .git/ob": "chown -R",
		"Permission to use Bash with command git push has been denied.":                      "--explain-command",
		"Claude requested permissions to use Bash, but you haven't granted it yet.":          "--allowedTools",
		"File is in a directory that is denied by your permission settings.":                 "--explain-path",
		"remote: Invalid username or token.":                                                 "access token",
	} {
		a, _ := Recognise(load(t), text, "linux", nil)
		if ways := fmt.Sprint(a.Entry.Ways("linux")); len(a.Entry.Fixes) > 0 || !strings.Contains(ways, want) {
			t.Errorf("%q: %s has %d fixes, and the ways %q, want %q", text, a.Entry.ID, len(a.Entry.Fixes), ways, want)
		}
	}
	a, _ := Recognise(load(t), "error: cannot open '.git/FETCH_HEAD': Read-only file system", "linux", nil)
	if a.Entry.ID != "git-worktree" || len(a.Entry.Fixes) == 0 {
		t.Errorf("another symptom of %s has %d fixes", a.Entry.ID, len(a.Entry.Fixes))
	}
}

// A listing of the file, or of the disk, that the error is about makes it sure.
func TestATextShowsItsCause(t *testing.T) {
	look := func(a Answer) (Verdict, string) { return textOnly(a) }
	script := "bash: ./bin/up.sh: Permission denied\n$ ls -l bin/up.sh\n"
	full := "cp: error writing: No space left on device\nFilesystem      Size  Used Avail Use% Mounted on\n"
	for text, want := range map[string]Verdict{
		full + "/dev/sda1        20G   20G     0 100% /\n":              Ordinary,
		full + "/dev/sda1        20G   11G    9G  56% /\n":              Undecided,
		full + "tmpfs            20G   20G     0 100% /home\n":          Undecided,
		script + "-rw-r--r-- 1 kim kim 12 Oct 2 10:00 bin/up.sh\n":      Ordinary,
		script + "-rwxr-xr-x 1 kim kim 12 Oct 2 10:00 bin/up.sh\n":      Undecided,
		script + "-rw-r--r-- 1 kim kim 12 Oct 2 10:00 bin/other.sh\n":   Undecided,
		script + "-rw-r--r--. 1 kim kim 12 Oct 2 10:00 ./bin/up.sh\n":   Ordinary,
		script + "drwxr-xr-x 1 kim kim 12 Oct  2 10:00 bin/up.sh\n":     Undecided,
		script + "-rw-r--r-- 1 kim kim 12 2026-10-02 10:00 bin/up.sh\n": Ordinary,
	} {
		a, _ := Recognise(load(t), text, "linux", func(a Answer) (Verdict, string) {
			if a.Confirm == Mode {
				return Undecided, ""
			}
			return look(a)
		})
		if a.Entry.Layer != None || a.Verdict != want {
			t.Errorf("%q: %s %s, want %s", text, a.Entry.ID, a.Verdict, want)
		}
	}
}

// A line that somebody quoted as a whole is the line.
func TestAQuotedLineIsTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"'touch: cannot touch /opt/x: Read-only file system'":       "write-denied",
		"`curl: (56) CONNECT tunnel failed, response 403`":          "egress-blocked",
		"'Read-only file system'":                                   "",
		"'touch: Read-only file system: /opt/x' and 'it: was': ok'": "",
	} {
		if a, _ := Recognise(load(t), text, "linux", nil); a.Entry.ID != want {
			t.Errorf("%q: %s, want %q", text, a.Entry.ID, want)
		}
	}
}

// An error that only macOS makes is unknown elsewhere, where it names a path of macOS.
func TestAPathOfMacOSIsOfMacOS(t *testing.T) {
	for text, want := range map[string]string{
		"java.io.FileNotFoundException: /Users/kim/.m2/settings.lck (Operation not permitted)": "seatbelt-file",
		"java.io.FileNotFoundException: /srv/m2/settings.lck (Operation not permitted)":        "",
	} {
		if a, _ := Recognise(load(t), text, "linux", nil); a.Entry.ID != want || want != "" && a.Verdict != Undecided {
			t.Errorf("%q: %s %s, want %q", text, a.Entry.ID, a.Verdict, want)
		}
	}
}
