// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

func TestSecretsOutsideTheHome(t *testing.T) {
	sessions.Reads(t)
	testenv.EachVersion(t, func(t *testing.T, claude string, _ testenv.Version) {
		l := newLab(t)
		th := l.theatre(claude)
		th.Nice = true
		st, err := th.Layout(Session{Dir: l.project, Mode: Policy})
		if err != nil {
			t.Fatal(err)
		}
		canaries := st.Outside(nonce)
		if len(canaries) != 2 {
			t.Fatalf("the stage has %d canaries outside of the home", len(canaries))
		}
		words := []string{ToolRead}
		for _, c := range canaries {
			words = append(words, c.Path)
		}
		turn := calls(Tool(words...), `echo kept > "$TMPDIR/file" && cat "$TMPDIR/file"`,
			"cat README.md && echo kept > written && cat written", "nice")
		session := func(name string) Raw { return l.play(th, Session{Name: name, Mode: Policy, Turns: turn}) }

		raw := session("policy")
		for _, c := range canaries {
			rejectReply(t, raw, 0, c.Nonce)
		}
		wantReply(t, raw, 0, toolEnds)
		wantReply(t, raw, 3, "10")
		// What is hidden takes neither $TMPDIR nor the project along, which
		// lies in /tmp here.
		wantReply(t, raw, 1, "kept")
		if !within(t, "/tmp", l.project) {
			t.Errorf("the project of this test is not below /tmp: %s", l.project)
		}

		l.put(filepath.Join(l.project, ".claude", "settings.json"), homeAlone(t), 0o644)
		raw = session("the home alone is hidden")
		for _, c := range canaries {
			wantReply(t, raw, 0, c.Nonce)
		}
	})
}

// homeAlone is the policy without its entries for places outside of the home.
func homeAlone(t *testing.T) string {
	t.Helper()
	b := testenv.Read(t, "../../templates/settings.json")
	head, rest, _ := strings.Cut(b, `"denyRead": [`)
	_, tail, ok := strings.Cut(rest, "]")
	if !ok {
		t.Fatal("the policy has no denyRead")
	}
	return head + `"denyRead": ["~/"]` + tail
}

func within(t *testing.T, dir, path string) bool {
	t.Helper()
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
