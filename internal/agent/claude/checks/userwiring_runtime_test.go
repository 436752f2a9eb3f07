// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook is taken for wired exactly where the real runtime
// runs it.

package checks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

func TestTheRuntimeRunsWhatIsWired(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	claude := testenv.Claude(t)
	t.Run("matchers", func(t *testing.T) { matchersFire(t, claude) })
	const off = "{\"disableAllHooks\":true,\n"
	for _, tt := range []struct {
		name, users string
		files       map[string]string
	}{
		{"off by the user", wiredUser(plainLine, "{\n", off), nil},
		{"off by the checkout", wiredUser(plainLine), map[string]string{localFile: `{"disableAllHooks":true}`}},
		{"off by the user, on by the checkout", wiredUser(plainLine, "{\n", off),
			map[string]string{localFile: `{"disableAllHooks":false}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHousehold(t)
			h.put(usersFile, tt.users, 0o600)
			r := h.project(tt.files)
			h.put(".claude/scripts/sandbox-bypass-warn.sh", "#!/bin/sh\ncat >/dev/null\n: >\"$HOME/fired\"\n", 0o755)
			sessions.Play(t, sessions.Session{Claude: claude, Home: h.home, Dir: "p", Args: []string{"--allowedTools", "Bash"},
				Script: []model.Turn{{model.Bash("echo hi")}}})
			_, err := os.Stat(filepath.Join(h.home, "fired"))
			f := checkWiring(t.Context(), r, filepath.Join(h.home, "p"))
			if fired := err == nil; fired != (f.Status == report.Pass) {
				t.Errorf("the hook fired: %v, and the check says: %s", fired, said(f))
			}
		})
	}
}

// matchers are those of a hook that the check judges, but for "Bash" itself.
var matchers = []string{`"matcher":"Bash|Edit",`, `"matcher":"Edit,Bash",`, `"matcher":"Edit, Bash",`, ``,
	`"matcher":"*",`, `"matcher":"B.*",`, `"matcher":"as.",`,
	`"matcher":"^B",`, `"matcher":"Edit,B.*",`, `"matcher":"Edit | Bash",`, `"matcher":"Bash(",`, `"matcher":"Bas",`,
	`"matcher":"bash",`, `"matcher":"Edit",`}

// installed is the call of a hook as install writes it; callForms are others that
// the check judges.
const installed = `"command":"~/.claude/scripts/sandbox-bypass-warn.sh"`

var callForms = []string{installed,
	`"command":"\"$HOME\"/.claude/scripts/sandbox-bypass-warn.sh"`, // a home variable
	`"command":"sh ~/.claude/scripts/sandbox-bypass-warn.sh"`,      // a shell
	`"command":"\"~/.claude/scripts/sandbox-bypass-warn.sh\""`,     // a tilde in quotes
	installed + `,"args":[]`,                                       // a tilde without a shell
	installed + `,"if":"Bash(git *)"`,                              // only for git
}

// matchersFire has a hook for each matcher and each form of a call in one session,
// which fires or not by itself, and asks the check about each alone.
func matchersFire(t *testing.T, claude string) {
	t.Parallel()
	played := household{t, testenv.Home(t)}
	var entries []string
	for i, m := range matchers {
		entries = append(entries, fmt.Sprintf(`{%s"hooks":[{"type":"command","command":": > \"$HOME/fired%d\""}]}`, m, i))
	}
	for i, call := range callForms {
		own := fmt.Sprintf("scripts/%d/", i)
		entries = append(entries, fmt.Sprintf(`{"matcher":"Bash","hooks":[{"type":"command",%s}]}`,
			strings.Replace(call, "scripts/", own, 1)))
		played.put(".claude/"+own+"sandbox-bypass-warn.sh",
			fmt.Sprintf("#!/bin/sh\ncat >/dev/null\n: >\"$HOME/called%d\"\n", i), 0o755)
	}
	played.put(usersFile, `{"hooks":{"PreToolUse":[`+strings.Join(entries, ",")+`]}}`, 0o600)
	played.put("p/README", "", 0o644)
	sessions.Play(t, sessions.Session{Claude: claude, Home: played.home, Dir: "p",
		Args:   []string{"--allowedTools", "Bash"},
		Script: []model.Turn{{model.Bash("echo hi")}}})
	fires := 0
	agrees := func(mark, was, is string) {
		h := newHousehold(t)
		h.put(usersFile, wiredUser(plainLine, was, is), 0o600)
		f := checkWiring(t.Context(), h.project(nil), filepath.Join(h.home, "p"))
		fired := played.has(mark)
		if fired != (f.Status == report.Pass) {
			t.Errorf("%s: the hook fired: %v, and the check says: %s", is, fired, said(f))
		}
		if fired {
			fires++
		}
	}
	for i, m := range matchers {
		agrees(fmt.Sprintf("fired%d", i), `"matcher":"Bash",`, m)
	}
	for i, call := range callForms {
		agrees(fmt.Sprintf("called%d", i), installed, call)
	}
	if fires == 0 || fires == len(matchers)+len(callForms) {
		t.Errorf("%d fired, which shows nothing", fires)
	}
}
