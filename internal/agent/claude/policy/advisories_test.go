// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is said of a version is what the changelog or a
// measurement said, no more, and a file that is not understood says nothing.

package policy

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/pins"
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

func TestAdvisoriesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range Advisories() {
		if err := whole(a); err != nil || seen[a.ID] {
			t.Errorf("%s, twice: %v: %v", a.ID, seen[a.ID], err)
		}
		seen[a.ID] = true
	}
}

// whole says what an advisory lacks, nil if nothing.
func whole(a Advisory) error {
	switch {
	case a.ID == "" || a.Title == "" || a.Effect == "" || len(a.Sources) == 0 || slices.Contains(a.Sources, ""):
		return errors.New("id, title, effect and sources have to be there")
	case !slices.Contains([]Loss{LossVoid, LossLost, LossNarrower}, a.Loss):
		return fmt.Errorf("there is no loss %q", a.Loss)
	case a.FixedIn == "" && a.SeenUntil == "":
		return errors.New("fixed_in or seen_until has to be there")
	case (a.Since == "") != (a.ClearUntil == ""):
		return errors.New("since and clear_until belong together")
	}
	last := ""
	for _, v := range []string{a.ClearUntil, a.Since, a.SeenUntil, a.FixedIn} {
		if v == "" {
			continue
		}
		if _, err := pins.Compare(runtime, v, v); err != nil {
			return err
		}
		if last != "" {
			if c, err := pins.Compare(runtime, last, v); err != nil || c > 0 {
				return fmt.Errorf("%s comes after %s", last, v)
			}
		}
		last = v
	}
	return nil
}
