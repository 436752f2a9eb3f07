// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which paths a pattern in allowWrite opens, the real runtime
// says: on Linux one with a wildcard but a last "/**" opens nothing, and the check
// names at most what it matches, which is what macOS goes by.

package checks

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/openpaths"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// TestAPatternClosesNothing: in denyWrite only a path and a last "/**" keep commands
// from writing, what is there and what is made. The check names the others.
func TestAPatternClosesNothing(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "bwrap", "socat")
	h := household{t, testenv.Home(t)}
	patterns := []string{"./a*", "**/b.txt", "./[c].txt", "./d/*", "./e?txt", "./f/*.md"}
	h.put("p/.claude/settings.json", `{"sandbox":{"enabled":true,"filesystem":{"denyWrite":["`+
		strings.Join(patterns, `","`)+`","./k.txt","./l","./m/**"]}}}`, 0o644)
	written := strings.Fields("a.txt b.txt n/b.txt c.txt d/x e.txt f/x.md anew d/new")
	kept := strings.Fields("k.txt l/x m/x l/new m/new")
	line := ""
	for _, name := range slices.Concat(written, kept) {
		h.put("p/"+filepath.Dir(name)+"/.keep", "", 0o644)
		if !strings.HasSuffix(name, "new") {
			h.put("p/"+name, "", 0o644)
		}
		line += "echo 1 > " + name + "; "
	}
	sessions.Play(t, sessions.Session{Claude: testenv.Claude(t), Home: h.home, Dir: "p",
		Args: []string{"--allowedTools", "Bash"}, Script: []model.Turn{{model.Bash(line + "true")}}})
	for _, name := range slices.Concat(written, kept) {
		b, _ := os.ReadFile(filepath.Join(h.home, "p", name))
		if arrived := string(b) == "1\n"; arrived != slices.Contains(written, name) {
			t.Errorf("%s was written: %v", name, arrived)
		}
	}
	r := h.reader("PATH=/usr/bin:/bin")
	var named []string
	for _, o := range openpaths.ClosesNothing(r, session.At(r, filepath.Join(h.home, "p"))) {
		named = append(named, o.What)
	}
	if !slices.Equal(named, patterns) {
		t.Errorf("named: %q", named)
	}
}

// TestAProjectCalledLikeAPattern: the runtime reads "." of such a project as a
// pattern, and so opens directories beside it. The check names one of them.
func TestAProjectCalledLikeAPattern(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "bwrap", "socat")
	h := household{t, testenv.Home(t)}
	project := "code/a[1]*"
	h.put(project+"/.claude/settings.json",
		`{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"],"allowRead":["."]}}}`, 0o644)
	opens := func() string {
		r := h.reader("PATH=/usr/bin:/bin")
		for _, o := range openpaths.Openings(r, session.At(r, filepath.Join(h.home, project))) {
			return o.Opens
		}
		return ""
	}
	h.put("code/b/f", "closed\n", 0o644)
	if says := opens(); says != "" {
		t.Errorf("alone, it is said to open something: %s", says)
	}
	h.put("code/a1x/f", "open\n", 0o644)
	s := sessions.Play(t, sessions.Session{Claude: testenv.Claude(t), Home: h.home, Dir: project,
		Args: []string{"--allowedTools", "Bash"}, Script: []model.Turn{{model.Bash("cat ../*/f")}}})
	if r, _ := s.Result(0, 0); !strings.Contains(r.Text, "open") || strings.Contains(r.Text, "closed") {
		t.Errorf("commands read %q", r.Text)
	}
	if says := opens(); !strings.Contains(says, filepath.Join(h.home, "code/a1x")) {
		t.Errorf("said: %q", says)
	}
}

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
		"plain": {true, true}, "trail/a": {true, true}, "nothing/here": {false, true},
		"star/a": {}, "lib/a/build": {}, "part/ab": {},
		"lib": {}, "lib/a": {}, "lib/a/src": {}, "lib/b": {}, "lib/b/build": {}, "lib/c/build": {}, "later/new/build": {},
		"part": {}, "part/b": {}, "part/ac": {},
	} {
		path := filepath.Join(h.home, dir)
		wants[path], line = c, line+"mkdir -p "+path+"; echo 1 > "+path+"/mark; "
	}
	sessions.Play(t, sessions.Session{Claude: testenv.Claude(t), Home: h.home, Dir: "p",
		Args: []string{"--allowedTools", "Bash"}, Script: []model.Turn{{model.Bash(line + "true")}}})
	g := grants.Of(h.reader("PATH=/usr/bin:/bin"), session.At(h.reader("PATH=/usr/bin:/bin"),
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
