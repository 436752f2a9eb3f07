// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: "not there" is not said of what lies in another place that is
// known, nor of what an earlier command may have made.

package explain

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// Below a hidden directory an earlier command may have written what is not there
// now; a file of the user's own, it has not.
func TestWhatACommandWroteIsGone(t *testing.T) {
	testenv.Need(t, "bwrap", "socat") // or there is no sandbox
	l := newLab(t)
	l.settings("p/.claude/settings.json", map[string]any{"sandbox": map[string]any{"enabled": true,
		"filesystem": map[string]any{"denyRead": []string{"~/"}, "allowRead": []string{"."}}}})
	for path, want := range map[string]string{
		"/.cache/x/y":       "hidden-path unknown",
		"/.local/bin/x":     "hidden-path unknown",
		"/.aws/credentials": "hidden-path unknown", // nor is its directory
		"/.netrc":           "hidden-path ordinary",
		"/p/dist/x":         "hidden-path ordinary", // nothing of the project is hidden
		"/p/x":              "hidden-path ordinary",
	} {
		if got := seen(t, l, "cat: "+l.home+path+": No such file or directory"); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// A program that is not on PATH may lie in a directory of the home that is usual;
// that it is in none proves nothing.
func TestAProgramOffPATHIsLookedFor(t *testing.T) {
	l := newLab(t)
	for _, file := range []string{".cargo/bin/kept-a", ".nvm/versions/node/v20.1.0/bin/kept-b",
		".sdkman/bin/sdkman-init.sh"} {
		l.put(file, "")
	}
	for name, at := range map[string]string{"kept-a": ".cargo/bin/kept-a", "sdk": ".sdkman/bin/sdkman-init.sh",
		"kept-b": ".nvm/versions/node/v20.1.0/bin/kept-b", "kept-c": "", "nvm": ""} {
		a, _ := catalog.Recognise(all(t), "bash: line 1: "+name+": command not found", "linux",
			Look(t.Context(), l.reader(), ""))
		if a.Entry.ID != "command-hidden" || a.Verdict != catalog.Undecided ||
			strings.Contains(a.Looked, "not on PATH here, but "+l.home+"/"+at) != (at != "") {
			t.Errorf("%s: %s %s, %s", name, a.Entry.ID, a.Verdict, a.Looked)
		}
	}
}

// What an error says of a directory named tmp is not said of /tmp.
func TestARelativePathIsNotBelowTmp(t *testing.T) {
	l := newLab(t)
	l.project = l.away // below the temporary directory, and outside of the home
	for text, want := range map[string]string{
		"open .git/lfs/tmp/1: read-only file system":           "write-denied unknown",
		"open .../.git/lfs/tmp/1: read-only file system":       "write-denied unknown",
		"touch: cannot touch '/tmp/zz': Read-only file system": "tmp-read-only unknown",
	} {
		if got := seen(t, l, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
