// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the template corrected is found in any document, and
// the template itself has nothing to correct.

package policy

import (
	"os"
	"strings"
	"testing"
)

func TestValuesSayWhatWasCorrected(t *testing.T) {
	p := load(t)
	list, err := p.Values([]byte(`{
  "permissions": {
    "deny": ["Read(//**/.env)", "Write(~/.ssh/**)", "Bash(curl *)"],
    "ask": ["Bash(gh api * -X *)", "Bash(gh api *-X*)"]
  },
  "sandbox": {"filesystem": {"allowRead": ["~/.config/git/", "~/mine"]}}
}`), "/p/settings.json", "/home/u")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		line int
		word string
		held bool
	}{
		"permissions.deny:Read(//**/.env)":            {3, "Corrected to Read(**/.env): a pattern", false},
		"permissions.deny:Write(~/.ssh/**)":           {3, "Corrected to Edit(~/.ssh/**)", false},
		"permissions.deny:Bash(curl *)":               {3, "", false},
		"permissions.ask:Bash(gh api * -X *)":         {4, "misses the option", true},
		"permissions.ask:Bash(gh api *-X*)":           {4, "", false},
		"sandbox.filesystem.allowRead:~/.config/git/": {6, "credential store", false},
		"sandbox.filesystem.allowRead:~/mine":         {6, "", false},
	}
	if len(list) != len(want) {
		t.Errorf("%+v", list)
	}
	for _, s := range list {
		w, ok := want[s.ID]
		if !ok || s.Line != w.line || (s.Corrected == "") != (w.word == "") || !strings.Contains(s.Corrected, w.word) ||
			s.Held != w.held {
			t.Errorf("%+v, want %+v", s, w)
		}
	}
}

func TestTheTemplateHasNothingToCorrect(t *testing.T) {
	b, err := os.ReadFile("../../../../templates/settings.json")
	if err != nil {
		t.Fatal(err)
	}
	list, err := load(t).Values(b, "settings.json", "/home/u")
	if err != nil || len(list) < 50 {
		t.Fatal(len(list), err)
	}
	for _, s := range list {
		if s.Corrected != "" {
			t.Errorf("%+v", s)
		}
	}
}
