// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule that approves reading or writing is judged by the
// files that it covers, and not where the runtime heeds no rule.

package policy

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
)

func TestWhatAnAllowRuleCovers(t *testing.T) {
	for rule, want := range map[string]string{
		"Read": "reads-any", "Read(//**)": "reads-any", "Read(~/**)": "reads-any", "Read(~/*)": "reads-any",
		"Read(//home/**)":    "reads-any",
		"Read(//home/m*/**)": "reads-any", "Read(//home/me/**)": "reads-any", "Read(~/?*)": "reads-any",
		"Read(~/notes/**)": "allow-rule", "Read(~/.aws/**)": "allow-rule", "Read(//run/**)": "allow-rule",
		"Read(//proc/**)": "allow-rule", "Read(~/code/*/x)": "allow-rule",
		"Read(*)": "allow-rule", "Read(**)": "", "Read(src/**)": "", "Read(/**)": "", "Read(~/code/p/**)": "",
		"Read(//home/me/code/p/x)": "", "Read(//usr/include/**)": "",
		"Edit": "writes-any", "Write": "writes-any", "NotebookEdit": "allow-rule",
		"Edit(*)": "allow-rule", "Write(*)": "allow-rule", "NotebookEdit(*)": "allow-rule",
		"Write(src/**)": "", "Glob": "", "Grep": "", "Agent": "",
		"Skill": "allow-rule", "Skill(*)": "allow-rule", "Skill(update-config)": "allow-rule",
		"Skill(keybindings-help *)": "allow-rule", "Skill(mine)": "", "Skill(update-config-2)": "",
		"Monitor(ws:*)": "", "Monitor(npm *)": "", "Workflow(name:*)": "",
	} {
		d := Document{Content: decoded(t, []byte(`{"permissions":{"allow":["`+rule+`"]}}`)), Scope: Project, Home: "/home/me",
			Start: "/home/me/code/p"}
		kind := func() string {
			found := Weakenings(d)
			if len(found) == 0 {
				return ""
			}
			if w := found[0]; w.Fails() != (w.Kind == "reads-any" || w.Kind == "writes-any") {
				t.Errorf("%s: fails %v", rule, w.Fails())
			}
			return found[0].Kind
		}
		if got := kind(); got != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
		d.ReadsHeld, d.WritesHeld = true, true
		if got := kind(); got != "" {
			t.Errorf("%s is %q though no allow rule is heeded outside the project", rule, got)
		}
	}
}

// TestPermissionModes: what answers in the user's place is named in every
// scope; a mode that asks or refuses is none of it.
func TestPermissionModes(t *testing.T) {
	for doc, want := range map[string]string{
		`{"permissions":{"defaultMode":"auto"}}`:          "auto",
		`{"permissions":{"defaultMode":"acceptEdits"}}`:   "accept-edits",
		`{"permissions":{"defaultMode":"plan"}}`:          "",
		`{"permissions":{"defaultMode":"dontAsk"}}`:       "",
		`{"permissions":{"defaultMode":"default"}}`:       "",
		`{"skipAutoPermissionPrompt":true}`:               "auto",
		`{"useAutoModeDuringPlan":true}`:                  "auto",
		`{"useAutoModeDuringPlan":false}`:                 "",
		`{"autoMode":{"allow":["all of it"]}}`:            "auto",
		`{"autoMode":{"hard_deny":[]}}`:                   "auto",
		`{"autoMode":{"soft_deny":["$defaults","more"]}}`: "",
	} {
		for _, scope := range []settings.Scope{User, Project, Local, Managed} {
			got := ""
			for _, w := range Weakenings(Document{Content: decoded(t, []byte(doc)), Scope: scope, Home: home}) {
				if got = w.Kind; !w.PlainOnly() {
					t.Errorf("claude-iso takes %s over from a project", doc)
				}
				if w.Fails() != (got == "auto") {
					t.Errorf("%s: fails %v", doc, w.Fails())
				}
			}
			if got != want {
				t.Errorf("%s in %s scope: %q, want %q", doc, scope, got, want)
			}
		}
	}
}
