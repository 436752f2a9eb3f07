// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which paths a pattern in allowWrite opens, the real runtime
// says: on Linux one with a wildcard but a last "/**" opens nothing, and the check
// names at most what it matches, which is what macOS goes by.

package checks

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/writable"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

func TestWhatAPatternOpens(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "bwrap", "socat")
	h := household{t, testenv.Home(t)}
	h.put("p/.claude/settings.json",
		`{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"],"allowWrite":["~/plain","~/lib/*/build","~/trail/**","~/star/*","~/later/*/build","~/nothing/here","~/part/a*"]}}}`, 0o644)
	for _, name := range []string{"plain/x", "trail/a/x", "star/a/x", "lib/a/build/x", "lib/a/src/x", "lib/b/x", "later/x",
		"part/ab/x", "part/b/x"} {
		h.put(name, "", 0o644)
	}
	line, wants := "", map[string]struct{ arrives, said bool }{}
	for dir, c := range map[string]struct{ arrives, said bool }{
		"plain": {true, true}, "trail/a": {true, true}, "star/a": {false, true},
		"lib/a/build": {false, true}, "part/ab": {false, true}, "nothing/here": {false, true},
		"lib": {}, "lib/a": {}, "lib/a/src": {}, "lib/b": {}, "lib/b/build": {}, "lib/c/build": {}, "later/new/build": {},
		"part": {}, "part/b": {}, "part/ac": {},
	} {
		path := filepath.Join(h.home, dir)
		wants[path], line = c, line+"mkdir -p "+path+"; echo 1 > "+path+"/mark; "
	}
	sessions.Play(t, sessions.Session{Claude: testenv.Claude(t), Home: h.home, Dir: "p",
		Args: []string{"--allowedTools", "Bash"}, Script: []model.Turn{{model.Bash(line + "true")}}})
	g := writable.Of(h.reader("PATH=/usr/bin:/bin"), session.At(h.reader("PATH=/usr/bin:/bin"),
		filepath.Join(h.home, "p")))
	for path, want := range wants {
		mark := filepath.Join(path, "mark")
		_, err := os.Stat(mark)
		if arrived := err == nil; arrived != want.arrives {
			t.Errorf("%s was written: %v", path, arrived)
		}
		if _, says := g.Writable(mark); says != want.said {
			t.Errorf("%s is said to be writable: %v", path, says)
		}
	}
}
