// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what denyRead hides outside of the home is hidden for a
// reason, and an entry that opens a part of it again is named with what it
// opens.

package verify

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/report"
)

// reopens judges an entry that opens what a denyRead in force hides outside of
// the home; in the home all is hidden, and what is open there is judged by what
// it is. Measured with 2.1.324 and 2.1.329: allowRead, allowWrite and
// permissions open a hidden place and what is below it; an entry above it
// leaves it hidden.
func (j *pathJudge) reopens(e entry, o opening) (opening, bool) {
	if under(e.real, j.own) {
		return o, false // the project may lie there
	}
	for _, hidden := range j.hidden {
		if pathname.Within(hidden, j.realHome) || pathname.Within(j.realHome, hidden) || !inPattern(e.real, hidden) {
			continue
		}
		o.status, o.opens = report.Warn, "denyRead hides "+hidden+", and this entry opens it to commands again."
		for _, p := range []string{e.real, hidden} {
			if which, ok := policy.CredentialPath(p, j.realHome); ok {
				o.status, o.voids, o.opens = report.Fail, true, "Commands can read "+which+", which denyRead hides."
			}
		}
		return o, true
	}
	return o, false
}

// inPattern says whether path may be what a pattern means, or lie below that;
// both may hold wildcards.
func inPattern(path, pattern string) bool {
	names, parts := strings.Split(path, "/"), strings.Split(strings.TrimSuffix(pattern, "/"), "/")
	if len(names) < len(parts) {
		return false
	}
	may := func(part, name string) bool { ok, err := filepath.Match(part, name); return ok || err != nil }
	for i, part := range parts {
		if names[i] == "**" && slices.Equal(names[:i], parts[:i]) {
			return true
		}
		if !may(part, names[i]) && !may(names[i], part) {
			return false
		}
	}
	return true
}
