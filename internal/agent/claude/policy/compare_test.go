// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a difference is named, equality is silent.

package policy

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/steward-setup/steward-setup/internal/report"
)

func TestCompareSaysWhatIsWeakerAndWhatIsStronger(t *testing.T) {
	const baseline = `{
  "sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/"]}, "network": {"allowedDomains": ["a.example", "b.example"]}},
  "permissions": {
    "deny": ["Bash(curl *)", "Read(~/.netrc)"],
    "ask": ["Bash(git push *)"]
  }
}`
	const same = `"sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/"]}, "network": {"allowedDomains": ["a.example", "b.example"]}}`
	const patterns = `{"permissions": {"ask": ["Bash(gh api * -f*)", "Bash(git -* push*)"]}}`
	if weaker, stronger, err := load(t).Compare([]byte(patterns), "b.json",
		decoded(t, []byte(patterns)), home); err != nil || len(weaker)+len(stronger) > 0 {
		t.Errorf("patterns differ from themselves: %v %v %v", weaker, stronger, err)
	}
	const theirs = `{"sandbox": {"filesystem": {"allowRead": ["~/.config/git/"]}, "network": {"allowedDomains": ["*.a.example"]}},
		"permissions": {"deny": ["Read(//**/.env)", "Write(.claude/settings.json)"], "ask": ["Bash(gh api * -f *)"]}}`
	ours := decoded(t, []byte(`{"sandbox": {"filesystem": {"allowRead": ["~/.config/git/config"]},
		"network": {"allowedDomains": ["x.a.example"]}},
		"permissions": {"deny": ["Read(**/.env)", "Edit(.claude/settings.json)"],
			"ask": ["Bash(gh api -f*)", "Bash(gh api * -f*)"]}}`))
	if weaker, _, err := load(t).Compare([]byte(theirs), "b.json", ours, home); err != nil || len(weaker) > 0 {
		t.Errorf("what is held better, or opened less, is called weaker: %v %v", weaker, err)
	}
	ours = decoded(t, []byte(`{"permissions": {"deny": ["Read(**/.env)"], "ask": ["Bash(gh api -f*)"]},
		"sandbox": {"filesystem": {"allowRead": ["~/.config"]}, "network": {"allowedDomains": ["a.example", "*.b.example"]}}}`))
	if weaker, _, err := load(t).Compare([]byte(theirs), "b.json", ours, home); err != nil || len(weaker) != 5 {
		t.Errorf("what is held less, or opened wider, is not called weaker: %v %v", weaker, err)
	}
	for name, c := range map[string]struct {
		doc              string
		weaker, stronger []string
	}{
		"itself": {baseline, nil, nil},
		"a rule is gone": {`{` + same + `, "permissions": {"deny": ["Read(~/.netrc)"], "ask": ["Bash(git push *)"]}}`,
			[]string{"permissions.deny lacks Bash(curl *)"}, nil},
		"wider rules are no difference": {`{` + same +
			`, "permissions": {"deny": ["Bash(curl *)", "Read(~/.netrc)", "Bash(git push *)"]}}`,
			nil, []string{"permissions.deny has Bash(git push *)"}},
		"another host": {`{"sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/"]}, "network": {"allowedDomains": ["a.example", "c.example"]}},
			"permissions": {"deny": ["Bash(curl *)", "Read(~/.netrc)"], "ask": ["Bash(git push *)"], "allow": ["Bash(ls)"]}}`,
			[]string{"permissions.allow has Bash(ls)", "sandbox.network.allowedDomains has c.example"},
			[]string{"sandbox.network.allowedDomains lacks b.example"}},
		"a switch": {`{"sandbox": {"enabled": false, "failIfUnavailable": true, "filesystem": {"denyRead": ["~/"]}, "network": {"allowedDomains": ["a.example", "b.example"]}},
			"permissions": {"deny": ["Bash(curl *)", "Read(~/.netrc)"], "ask": ["Bash(git push *)"]}}`,
			[]string{"sandbox.enabled is not true"}, []string{"sandbox.failIfUnavailable is true"}},
		"nothing": {`{}`, []string{"permissions.ask lacks Bash(git push *)", "permissions.deny lacks Bash(curl *)",
			"permissions.deny lacks Read(~/.netrc)",
			"sandbox.enabled is not true", "sandbox.filesystem.denyRead lacks ~/"},
			[]string{"sandbox.network.allowedDomains lacks a.example", "sandbox.network.allowedDomains lacks b.example"}},
	} {
		t.Run(name, func(t *testing.T) {
			weaker, stronger, err := load(t).Compare([]byte(baseline), "b.json", decoded(t, []byte(c.doc)), home)
			if err != nil {
				t.Fatal(err)
			}
			said := func(list []Difference) (texts []string) {
				for _, d := range list {
					texts = append(texts, d.Text)
				}
				return texts
			}
			if diff := cmp.Diff([][]string{c.weaker, c.stronger}, [][]string{said(weaker), said(stronger)}); diff != "" {
				t.Errorf("weaker and stronger (- want, + got):\n%s", diff)
			}
			for _, d := range weaker {
				if d.Text == "permissions.deny lacks Bash(curl *)" && d.Line != 4 {
					t.Errorf("the rule is said to be on line %d", d.Line)
				}
			}
		})
	}
	_, _, err := load(t).Compare([]byte("{"), "b.json", nil, home)
	var e *report.Error
	if !errors.As(err, &e) || e.Code != report.ExitMalformed {
		t.Errorf("a malformed baseline: %v", err)
	}
}
