// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is said of a version is what the changelog or a
// measurement said, no more, and a file that is not understood says nothing.

package policy

import (
	"errors"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/strict"
)

func TestWhichVersionsAreAffected(t *testing.T) {
	all := Advisories()
	byID := map[string]Advisory{}
	for _, a := range all {
		byID[a.ID] = a
	}
	for _, c := range []struct {
		id, version string
		want        Standing
	}{
		{"deny-read-trailing-slash", "2.1.141", Affected},
		{"deny-read-trailing-slash", "2.1.223", Affected},
		{"deny-read-trailing-slash", "2.1.224", Clear},
		{"deny-read-trailing-slash", "2.1.329", Clear},
		{"deny-read-trailing-slash", "2.1.224-beta.1", Affected},
		{"worktree-writes-main", "2.1.148", Affected},
		{"worktree-writes-main", "2.1.149", Clear},
		{"credentials-ignored", "2.1.186", Affected},
		{"credentials-ignored", "2.1.187", Clear},
		{"strict-allowlist-ignored", "2.1.218", Affected},
		{"strict-allowlist-ignored", "2.1.219", Clear},
		{"fail-if-unavailable-ignored", "2.1.82", Affected},
		{"fail-if-unavailable-ignored", "2.1.83", Clear},
		{"comma-matcher", "2.1.190", Affected},
		{"comma-matcher", "2.1.191", Clear},
		// Between two measurements nobody knows.
		{"bare-bash-unsandboxed", "2.1.100", Affected},
		{"bare-bash-unsandboxed", "2.1.141", Affected},
		{"bare-bash-unsandboxed", "2.1.224", Affected},
		{"bare-bash-unsandboxed", "2.1.225", Perhaps},
		{"bare-bash-unsandboxed", "2.1.323", Perhaps},
		{"bare-bash-unsandboxed", "2.1.324", Clear},
		{"rename-protected-directory", "2.1.224", Affected},
		{"rename-protected-directory", "2.1.232", Clear},
		{"rename-protected-directory", "2.1.250", Clear},
		{"nested-skill-hooks", "2.1.318", Affected},
		{"nested-skill-hooks", "2.1.319", Clear},
		{"import-follows-link", "2.1.224", Affected},
		{"import-follows-link", "2.1.250", Clear},
		{"import-reads-env", "2.1.257", Affected},
		{"import-reads-env", "2.1.314", Clear},
		// It came later, and no version without it is known.
		{"socat-broken-unsandboxed", "2.1.141", Clear},
		{"socat-broken-unsandboxed", "2.1.200", Perhaps},
		{"socat-broken-unsandboxed", "2.1.224", Affected},
		{"socat-broken-unsandboxed", "2.1.332", Affected},
		{"socat-broken-unsandboxed", "2.1.333", Perhaps},
		{"bypass-opens-network", "2.1.141", Clear},
		{"bypass-opens-network", "2.1.332", Affected},
	} {
		a, ok := byID[c.id]
		if !ok {
			t.Errorf("there is no advisory %s", c.id)
			continue
		}
		if got, err := a.Of(c.version); err != nil || got != c.want {
			t.Errorf("%s of %s: %d %v, want %d", c.id, c.version, got, err, c.want)
		}
	}
	if _, err := byID["comma-matcher"].Of("unknown"); err == nil {
		t.Error("what is no version is judged")
	}
}

func TestTheRangeInWords(t *testing.T) {
	for want, a := range map[string]Advisory{
		"fixed in 2.1.224":                {FixedIn: "2.1.224"},
		"seen in 2.1.141, not in 2.1.329": {SeenUntil: "2.1.141", FixedIn: "2.1.329"},
		"not in 2.1.141, seen in 2.1.329, no fixed version is known": {ClearUntil: "2.1.141", Since: "2.1.329",
			SeenUntil: "2.1.329"},
	} {
		if got := a.Range(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestEveryTouchIsUsed(t *testing.T) {
	all := Advisories()
	used := map[Touch]bool{}
	for _, a := range all {
		used[a.Touches] = true
	}
	for _, touch := range Touches {
		if !used[touch] {
			t.Errorf("no advisory touches %s", touch)
		}
	}
}

func TestAdvisoriesThatAreNotUnderstood(t *testing.T) {
	const whole = "schema = 1\n[[advisory]]\nid = 'a'\ntitle = 'T'\ntouches = 'credentials'\nloss = 'lost'\n" +
		"fixed_in = '2.0.0'\neffect = 'E.'\nsources = ['s']\n"
	if _, err := loadAdvisories("f", whole); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, with, want string }{
		{"schema = 1", "schema = 2", "schema 2"},
		{"schema = 1", "schema = ", "f:1:"},
		{"title", "tittle", "f:4:1 has a key that nobody reads: advisory.tittle"},
		{"id = 'a'\n", "", "id, title"},
		{"'credentials'", "'weather'", `"weather"`},
		{"'lost'", "'bad'", `"bad"`},
		{"fixed_in = '2.0.0'\n", "", "fixed_in or seen_until"},
		{"'2.0.0'", "'soon'", `"soon" is not a version`},
		{"fixed_in = '2.0.0'", "fixed_in = '2.0.0'\nseen_until = '2.0.1'", "2.0.1 comes after 2.0.0"},
		{"fixed_in = '2.0.0'", "fixed_in = '2.0.0'\nsince = '1.0.0'", "belong together"},
		{"['s']", "[]", "sources"},
		{"schema = 1\n", "schema = 1\n" + strings.TrimPrefix(whole, "schema = 1\n"), "two advisories"},
	} {
		_, err := loadAdvisories("f", strings.Replace(whole, c.old, c.with, 1))
		var e *report.Error
		if !errors.As(err, &e) || e.Code != report.ExitMalformed ||
			!strings.Contains(strings.Replace(e.Error(), "f:4:1: ", "f:4:1 ", 1), c.want) {
			t.Errorf("%q for %q: %v\nwant %q", c.with, c.old, err, c.want)
		}
	}
	if _, err := loadAdvisories("f", strings.Repeat("#", strict.Most+1)); err == nil {
		t.Error("a file of any size is read")
	}
}
