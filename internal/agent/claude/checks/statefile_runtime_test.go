// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which file of state counts, and that its variables do, the
// real runtime says.

package checks_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// Each file of state sets a variable to its own name. H is the home, C the
// directory of CLAUDE_CONFIG_DIR.
var statesOfRuntime = []struct {
	name  string
	files []string
	moved bool   // CLAUDE_CONFIG_DIR is set
	empty string // a file without content
	user  bool   // the user's settings set the variable too
	want  string // which file counts
}{
	{name: "the usual one", files: []string{"H/.claude.json"}, want: "H/.claude.json"},
	{name: "the other beside it", files: []string{"H/.claude.json", "H/.claude/.config.json"},
		want: "H/.claude/.config.json"},
	{name: "the other is empty", files: []string{"H/.claude.json"}, empty: "H/.claude/.config.json",
		want: "H/.claude.json"},
	{name: "user settings before it", files: []string{"H/.claude/.config.json"}, user: true,
		want: "H/.claude/.config.json"},
	{name: "moved", files: []string{"H/.claude.json", "H/.claude/.config.json", "C/.claude.json"}, moved: true,
		want: "C/.claude.json"},
	{name: "moved, and the other there", files: []string{"H/.claude.json", "C/.claude.json", "C/.config.json"},
		moved: true, want: "C/.config.json"},
}

func TestTheStateThatCounts(t *testing.T) {
	testenv.AsRoot(t)
	claude := testenv.Claude(t)
	for _, c := range statesOfRuntime {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home := testenv.Home(t)
			at := func(name string) string {
				return strings.NewReplacer("H/", home+"/", "C/", filepath.Join(home, "cfg")+"/").Replace(name)
			}
			put := func(name, text string) {
				testenv.Write(t, at(name), text, 0o600)
			}
			put("H/p/README.md", "hi\n")
			for _, name := range c.files {
				put(name, `{"hasCompletedOnboarding":true,"env":{"STEWARD_STATE":"`+name+`"}}`)
			}
			if c.empty != "" {
				put(c.empty, "")
			}
			want := c.want
			if c.user {
				put("H/.claude/settings.json", `{"env":{"STEWARD_STATE":"settings"}}`)
				want = "settings"
			}
			var vars []string
			if c.moved {
				vars = []string{"CLAUDE_CONFIG_DIR=" + at("C/")}
			}
			h, err := host.New(env.System{Env: env.New(testenv.Env(t, home, vars...)), GOOS: "linux", Cwd: home, Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			if got := inforce.StateFile(h); got != at(c.want) {
				t.Errorf("we take %s, not %s", got, at(c.want))
			}
			in := inforce.Gather(h, inforce.Invocation{Start: filepath.Join(home, "p")})
			if set := settings.Combine(in.Layers, in.Dirs).Scalar("env", "STEWARD_STATE").Value; set == nil || set.Text != want {
				t.Errorf("we see %+v, not %s", set, want)
			}
			s := sessions.Play(t, sessions.Session{Claude: claude, Home: home, Dir: "p",
				Args: []string{"--allowedTools", "Bash"}, Vars: vars,
				Script: []model.Turn{{model.Bash("printenv STEWARD_STATE")}}})
			if r, _ := s.Result(0, 0); strings.TrimSpace(r.Text) != want {
				t.Errorf("the runtime sees %q, not %s:\n%s", r.Text, want, s.Out)
			}
		})
	}
}
