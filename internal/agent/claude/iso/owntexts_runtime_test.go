// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what verify says of the user's own texts is what both
// launches do: a file of the project that they import is told to the model, and
// what a command wrote into it to import.

package iso_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// imported are texts of the user's own whose imports are followed, whatever the
// Read rules say; mentioned are those in which a file that is named with @ is
// attached, with what a symlink there leads to. Other texts bring nothing along.
const (
	imported  = "claudemd claudelink hop rule deeprule rulelink ruledir denied"
	mentioned = "skill command loop start"
	neither   = "local agents style agent memory"
)

// TestTheUsersOwnTexts was run with 2.1.329 and 2.1.324, each launch with and
// without blockReadsOutsideWorkingDirectories: the launches do not differ.
func TestTheUsersOwnTexts(t *testing.T) {
	testenv.AsUser(t)
	for launch, c := range map[string]struct{ reads, sent string }{
		"plain":      {"", imported + " " + mentioned},
		"claude-iso": {`"blockReadsOutsideWorkingDirectories":true,`, imported},
	} {
		t.Run(launch, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.put("p/.claude/settings.json", strings.Replace(policy, `"deny":[`, c.reads+`"deny":["Read(~/denied/**)",`, 1))
			l.approve()
			link := func(target, name string) {
				l.put(filepath.Join(filepath.Dir(name), "README"), "")
				if err := os.Symlink(filepath.Join(l.home, target), filepath.Join(l.home, name)); err != nil {
					t.Fatal(err)
				}
			}
			private := func(dir, name string) string { return l.put(dir+"/"+name+".txt", "CANARY-"+name+"-END\n") }
			// note is what a command wrote: a file that imports another of the home.
			note := func(dir, name string) string {
				private(dir, name)
				l.put("p/notes/"+name+".md", "@~/"+dir+"/"+name+".txt\n")
				return "@~/p/notes/" + name + ".md\n"
			}
			// swapped is a symlink that a command made.
			swapped := func(name string) string {
				private("private", name)
				link("private/"+name+".txt", "p/notes/"+name+".md")
				return "@~/p/notes/" + name + ".md\n"
			}
			l.put(".claude/hop.md", note("private", "hop"))
			l.put(".claude/CLAUDE.md", "LOADED\n"+note("private", "claudemd")+swapped("claudelink")+"@hop.md\n")
			l.put(".claude/CLAUDE.local.md", note("private", "local"))
			l.put(".claude/AGENTS.md", note("private", "agents"))
			l.put(".claude/rules/r.md", note("private", "rule")+note("denied", "denied"))
			l.put(".claude/rules/deep/r.md", note("private", "deeprule"))
			note("private", "rulelink")
			link("p/notes/rulelink.md", ".claude/rules/linked.md")
			private("private", "ruledir")
			l.put("p/rd/a.md", "@~/private/ruledir.txt\n")
			link("p/rd", ".claude/rules/dir")
			l.put(".claude/output-styles/s.md", "---\nname: s\ndescription: d\n---\nLOADED-STYLE "+swapped("style"))
			l.put(".claude/agents/a.md", "---\nname: a\ndescription: d\n---\nLOADED-AGENT "+swapped("agent"))
			l.put(".claude/projects/"+strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(l.project)+"/memory/MEMORY.md",
				"LOADED-MEMORY "+swapped("memory"))
			swapped("start")
			l.put(".claude/skills/x/SKILL.md", "---\nname: x\ndescription: d\n---\n"+swapped("skill")+"@notes/start.md\n")
			l.put(".claude/commands/c.md", swapped("command"))
			l.put(".claude/loop.md", swapped("loop"))
			l.put(".claude/settings.json", `{"permissions":{"allow":["Skill","Agent"]},"outputStyle":"s"}`)
			l.put(".claude.json", `{"hasCompletedOnboarding":true,"projects":{"`+l.project+`":{"hasTrustDialogAccepted":true}}}`)

			skill := func(name string) model.Call { return model.Call{Tool: "Skill", Input: map[string]any{"skill": name}} }
			script := calls(skill("x"), skill("c"), skill("loop"), model.Call{Tool: "Agent",
				Input: map[string]any{"subagent_type": "a", "description": "d", "prompt": "p"}}, nothing)
			var s session
			if launch == "plain" {
				s = l.plain("p", script...)
			} else {
				s = l.hardened("p", iso.Options{}, script...)
			}
			for _, word := range []string{"LOADED", "LOADED-STYLE", "LOADED-AGENT", "LOADED-MEMORY"} {
				if !s.Told(word) {
					t.Errorf("%s: the text was not read:\n%s", word, s.out)
				}
			}
			for _, name := range strings.Fields(imported + " " + mentioned + " " + neither) {
				if sent, want := s.Told("CANARY-"+name+"-END"), slices.Contains(strings.Fields(c.sent), name); sent != want {
					t.Errorf("%s: the model is told the file: %v, want %v", name, sent, want)
				}
			}
		})
	}
}
