// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a pin that names a package of the distribution is held
// against what the distribution offers, and not against upstream: the user took
// its versions, and with them its security fixes.

package update

import (
	"context"
	"fmt"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/upstream"
	"github.com/steward-setup/steward-setup/steps/install"
)

// askDistribution asks the package manager about the pins that name a package of
// it, all at once: it keeps what its sources offer, and needs no network.
func askDistribution(ctx context.Context, r host.Reader, list []Tool) {
	var named []pins.Pin
	var at []int
	for i, t := range list {
		if t.Pin.NamesPackage() {
			named, at = append(named, t.Pin), append(at, i)
		}
	}
	for n, p := range install.Packages(ctx, r, named) {
		if scheme, ok := pins.SchemeOf(string(p.Manager)); ok { // else upstream answers
			list[at[n]].take(scheme, p)
		}
	}
}

// take takes what the package manager says for upstream's answer.
func (t *Tool) take(scheme pins.Scheme, p install.Package) {
	t.distribution, t.packaged, t.Standing = true, p.Installed, t.Pin.JudgePackage(string(p.Manager), p.Installed)
	if n := len(p.Evidence); n > 0 {
		t.Answer.From = p.Evidence[n-1].Where
	}
	if p.Offered == "" {
		t.Err = fmt.Errorf("%s offers no version of it", p.Manager)
		if p.Stale {
			t.Err = fmt.Errorf("%s has no package lists", p.Manager)
		}
		return
	}
	offered := upstream.Release{Version: p.Offered}
	t.Answer.Releases = []upstream.Release{offered}
	switch c, err := scheme.Compare(p.Offered, t.Pin.Version); {
	case err != nil: // the user's own override may name anything
		t.Err = err
	case c > 0:
		t.Candidate = &offered
	}
}

// stands says which version is installed, by what the program says of itself:
// it does not know its package's revision, and may not be the package's.
func (t *Tool) stands(version string) {
	t.Installed = version
	standing, err := t.Pin.Judge(version)
	switch {
	case err != nil:
		t.Standing = ""
	case t.Standing != "" && standing != pins.Insufficient && pins.Upstream(t.packaged) == version:
		t.Installed = t.packaged
	default:
		t.Standing = standing
	}
}
