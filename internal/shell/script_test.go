// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import "testing"

// A file without a first line that names a program is read by the shell that is given it, or that starts it.
func TestWhichFilesAShellReads(t *testing.T) {
	for line, want := range map[string]bool{
		"bash /h/x a":            true,
		"sh -e -- /h/x":          true,
		". /h/x":                 true,
		"source /h/x && ./y":     true,
		"/h/x --now":             true,
		"cd /h && ./x":           true,
		"timeout 5 /h/x":         true,
		"python3 /h/x":           false,
		"node /h/x":              false,
		"bash -c 'python3 /h/x'": false,
		"perl /h/x":              false,
	} {
		reads, seen := false, false
		for _, u := range place.Line(line).Uses {
			if u.Path == "/h/x" && u.Kind == Runs {
				reads, seen = u.Shell, true
			}
		}
		if !seen || reads != want {
			t.Errorf("%s: %v, %v", line, seen, reads)
		}
	}
}
