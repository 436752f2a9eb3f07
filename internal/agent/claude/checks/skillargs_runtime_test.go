// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what docs/protection.md says of files that a skill names, and of
// what keeps them from being attached, the real runtime does.

package checks

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// skillCalls name files of the home for a skill; each its own, FILE. The same
// were measured with 2.1.324.
var skillCalls = []struct {
	name, skill, args string
	attached          bool
}{
	{"below the home", "told", "@~/notes/FILE", true},
	{"by its path", "told", "@HOME/notes/FILE", true},
	{"from the project", "told", "@sub/../../notes/FILE", true},
	{"through a symlink of the project", "told", "@leads/FILE", true},
	{"in quotes", "told", `@"~/notes/FILE"`, true},
	{"some lines", "told", "@~/notes/FILE#L1-2", true},
	{"behind a full stop", "told", "。@~/notes/FILE", true},
	{"the at sign is in the text of the skill", "named", "~/notes/FILE", true},
	{"a word of the arguments is unquoted", "words", `@\~/notes/FILE`, true},
	{"a command in the arguments prints it", "told", "!`echo @~/notes/FILE`", true},
	{"a command in the text of the skill prints a file that holds it", "prints", "", true},
	{"behind a bracket", "told", "(@~/notes/FILE", false},
	{"within a word", "told", "x@~/notes/FILE", false},
	{"quoted as a whole", "told", `"@~/notes/FILE"`, false},
}

// skillKeepers are settings, and what they do to these calls.
var skillKeepers = []struct {
	name, user, project string
	attached, started   bool
}{
	{"nothing", `{}`, `{}`, true, true},
	{"the variable", `{"env":{"` + claude.MentionsVariable + `":"1"}}`, `{}`, false, true},
	{"the variable, and a project that says 0", `{"env":{"` + claude.MentionsVariable + `":"1"}}`, `{"env":{"` +
		claude.MentionsVariable + `":"0"}}`, false, true},
	{"the variable in a project", `{}`, `{"env":{"` + claude.MentionsVariable + `":"1"}}`, true, true},
	{"a Read rule", `{}`, `{"permissions":{"deny":["Read(~/notes/**)"]}}`, false, true},
	{"install --project-reads=yes", `{}`, `{"permissions":{"blockReadsOutsideWorkingDirectories":true}}`, false, true},
	{"every skill is a prompt", `{}`, `{"permissions":{"ask":["Skill"]}}`, false, false},
}

func TestFilesThatASkillAttaches(t *testing.T) {
	testenv.AsRoot(t)
	runtime := testenv.Claude(t)
	for _, c := range skillKeepers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := household{t, testenv.Home(t)}
			h.put(".claude/settings.json", c.user, 0o600)
			h.put("p/.claude/settings.json", c.project, 0o644)
			h.put("p/sub/x", "", 0o644)
			h.link(filepath.Join(h.home, "notes"), "p/leads")
			for name, text := range map[string]string{"told": "$ARGUMENTS", "named": "See @$ARGUMENTS now", "words": "See $0",
				"prints": "See !`cat left`"} {
				h.put(".claude/skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: d\n---\n"+text+"\n", 0o644)
			}
			h.put(".claude.json", `{"hasCompletedOnboarding":true,"projects":{"`+filepath.Join(h.home, "p")+
				`":{"hasTrustDialogAccepted":true}}}`, 0o600)
			var turns []model.Turn
			for i, call := range skillCalls {
				file := fmt.Sprintf("f%02d", i)
				h.put("notes/"+file, "CANARY-"+file+"\n", 0o600)
				if call.skill == "prints" {
					h.put("p/left", "@~/notes/"+file+"\n", 0o644)
				}
				turns = append(turns, model.Turn{{Tool: "Skill", Input: map[string]any{"skill": call.skill,
					"args": strings.NewReplacer("FILE", file, "HOME", h.home).Replace(call.args)}}})
			}
			server := sessions.Play(t, sessions.Session{Claude: runtime, Home: h.home, Dir: "p",
				Script: append(turns, model.Turn{model.Bash("true")}),
				Args:   []string{"--allowedTools=Skill,Bash(cat *),Bash(echo *)"}})
			for i, call := range skillCalls {
				r, _ := server.Result(i, 0)
				if started := strings.Contains(r.Text, "Launching skill"); started != c.started {
					t.Errorf("%s: the skill started: %v: %s", call.name, started, r.Text)
				}
				canary := fmt.Sprintf("CANARY-f%02d", i)
				if sent, want := server.Told(canary), call.attached && c.attached; sent != want {
					t.Errorf("%s: the model was sent the file: %v, want %v", call.name, sent, want)
				}
			}
		})
	}
}
