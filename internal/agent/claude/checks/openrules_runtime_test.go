// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path that an allow rule or an additional directory is
// said to open to commands is open to them in the real runtime, and no other.

package checks

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// openForms are rules, and directories (after a +), about a directory DIR;
// each has one of its own. A rule after a ? stands in permissions.ask, too: it
// opens the directory to commands all the same.
var openForms = []string{"Edit(~/DIR)", "Edit(~/DIR/)", "Edit(~/DIR/**)", "Edit(~/DIR/f)", "Edit(/HOME/DIR/**)",
	"Edit(../DIR/**)", "Edit(/DIR/**)",
	"Edit(HOME/DIR/**)", "Edit(DIR/**)", "Edit(~/DIR/*)", "Edit(~/DIR/**/**)", "Edit(~/DIR*/**)", "Edit(~/DIR/f*)",
	"Edit(**/DIR)",
	"Write(~/DIR/**)", "MultiEdit(~/DIR/**)", "NotebookEdit(~/DIR/**)", "Read(~/DIR/**)",
	"+~/DIR", "+HOME/DIR", "+../DIR", "+DIR", "?Edit(~/DIR/**)"}

func TestTheRuntimeOpensPathsForRules(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "bwrap", "socat")
	for _, claude := range []string{testenv.Claude(t), testenv.ClaudeOld(t)} {
		for _, scope := range []settings.Scope{settings.User, settings.Project, settings.Local} {
			h := household{t, testenv.Home(t)}
			start := filepath.Join(h.home, "p")
			dirs := settings.Dirs{Home: h.home, Agent: filepath.Join(h.home, ".claude"), Start: start}
			allow, ask, directories := []string{}, []string{}, []string{}
			var command strings.Builder
			var want []string
			for i, form := range openForms {
				dir := fmt.Sprintf("d%02d", i)
				text := strings.NewReplacer("DIR", dir, "HOME", h.home).Replace(form)
				key := grants.AllowKey
				if rest, ok := strings.CutPrefix(text, "+"); ok {
					key, text = grants.DirectoriesKey, rest
					directories = append(directories, text)
				} else {
					var asked bool
					if text, asked = strings.CutPrefix(text, "?"); asked {
						ask = append(ask, text)
					}
					allow = append(allow, text)
				}
				open := ""
				for _, base := range []string{"", ".claude/"} {
					h.put(base+dir+"/f", "", 0o666)
					file := filepath.Join(h.home, base, dir, "f")
					command.WriteString("(cat " + file + " && echo x >> " + file + ") 2>/dev/null && echo " + file + "\n")
					if meant := policy.PathOf(dirs, key, text, scope); meant != "" && pathname.Within(file, meant) {
						open += file
					}
				}
				want = append(want, open)
			}
			permissions := map[string]any{"allow": allow, "ask": ask, "additionalDirectories": directories}
			policy := map[string]any{"sandbox": map[string]any{"enabled": true,
				"filesystem": map[string]any{"denyRead": []string{"~/"}}}}
			if scope == settings.Project {
				policy["permissions"] = permissions
			}
			for file, doc := range map[string]map[string]any{"p/.claude/settings.json": policy,
				map[settings.Scope]string{settings.User: usersFile, settings.Local: "p/.claude/settings.local.json",
					settings.Project: "unread"}[scope]: {"permissions": permissions}} {
				b, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				h.put(file, string(b), 0o600)
			}
			server := sessions.Play(t, sessions.Session{Claude: claude, Home: h.home, Dir: "p",
				Args:   []string{"--allowedTools", "Bash"},
				Script: []model.Turn{{model.Bash("sh <<'EOF'\n" + command.String() + "echo all\nEOF")}}})
			r, _ := server.Result(0, 0)
			if !strings.HasSuffix(strings.TrimSpace(r.Text), "all") {
				t.Fatalf("not all files were tried: %s", r.Text)
			}
			for i, form := range openForms {
				got := ""
				for _, line := range strings.Split(r.Text, "\n") {
					if filepath.IsAbs(line) && filepath.Base(filepath.Dir(line)) == fmt.Sprintf("d%02d", i) {
						got += line
					}
				}
				if got != want[i] {
					t.Errorf("%s in %s scope opens %q, want %q", form, scope, got, want[i])
				}
			}
			if opens := len(slices.DeleteFunc(want, func(w string) bool { return w == "" })); opens < 9 {
				t.Errorf("only %d forms open anything: the test shows little", opens)
			}
		}
	}
}
