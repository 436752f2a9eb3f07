// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what exchanges the user's settings or adds rules opens the home
// in a start that has it, and the launch either drops it or does not start.

package iso_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// floor is a policy of the user's own, with more keys.
func floor(more string) string {
	return `{"sandbox":{"enabled":true,"failIfUnavailable":true,"filesystem":{"denyRead":["~/"]}},` +
		`"permissions":{"deny":["Read(~/.ssh/**)"]}` + more + `}`
}

// reads says whether a command of a session reads the secret in the home.
func (l *lab) reads(s session) bool {
	l.t.Helper()
	return strings.Contains(s.text(l.t, 0), secret)
}

func TestOtherSettingsOfTheUser(t *testing.T) {
	testenv.AsUser(t)
	const on = `"` + claude.CoworkVariable + `":"1"`
	for name, c := range map[string]struct {
		vars          []string
		user, state   string
		opens, refuse bool
	}{
		"none":                {nil, floor(""), "", false, false},
		"the shell":           {[]string{claude.CoworkVariable + "=1"}, floor(""), "", true, false},
		"the user's settings": {nil, floor(`,"env":{` + on + `}`), "", true, true},
		"the runtime's state": {nil, floor(""), `,"env":{` + on + `}`, true, true},
		"rules of the shell": {[]string{claude.SessionKindVariable + "=bg",
			claude.RulesVariable + `={"allow":["Read(//**)"],"deny":[],"addDirs":["HOME"]}`}, floor(""), "", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, runtime := range []string{testenv.Claude(t), testenv.ClaudeFloor(t)} {
				l := newLab(t)
				l.runtime = runtime
				l.put(".claude/settings.json", c.user)
				l.put(".claude.json", `{"hasCompletedOnboarding":true`+c.state+`}`)
				l.put("p/.claude/settings.json", "{}")
				for _, v := range c.vars {
					l.vars = append(l.vars, strings.ReplaceAll(v, "HOME", l.home))
				}
				script := calls(open(l.home + "/secret.txt"))
				if got := l.reads(l.plain("p", script...)); got != c.opens {
					t.Errorf("%s: plain claude reads the home: %v, want %v", runtime, got, c.opens)
				}
				if _, err := l.prepare("p", iso.Options{}); (err != nil) != c.refuse {
					t.Errorf("%s: the launch is refused: %v, want %v", runtime, err, c.refuse)
				}
				if got := l.reads(l.hardened("p", iso.Options{Anyway: c.refuse}, script...)); got != c.refuse {
					t.Errorf("%s: the launch reads the home: %v, want %v", runtime, got, c.refuse)
				}
			}
		})
	}
}
