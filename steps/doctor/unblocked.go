// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a fix is named by the calls that were seen to work with it;
// a call that is still refused is named beside them.

package doctor

import (
	"fmt"
	"slices"

	"github.com/steward-setup/steward-setup/internal/report"
)

// lets are the calls of an inquiry that were refused and work in the treatment of an
// attempt; still are those that it made too, and that are refused.
func (a *attempt) lets(c *inquiry) (lets, still []result) {
	for _, r := range c.results {
		s := a.treatment.trials[r.dir]
		if r.status != report.Fail || r.role == aside || s == nil || !s.Asks(r.id) {
			continue
		}
		if s.Of(r.id).Through {
			lets = append(lets, r)
		} else {
			still = append(still, r)
		}
	}
	return lets, still
}

// letsSay is what the evidence for a fix says of them, "" where it lets all
// work.
func letsSay(lets, still []result) string {
	if still == nil {
		return ""
	}
	return fmt.Sprintf("works with it: %s; still refused: %s; ", titles(lets), titles(still))
}

// mended says what works with the fixes that work, the smallest of which is
// named so, and what is still refused. Each call is said of the first fix that
// lets it work, and of no other.
func (c *inquiry) mended(smallest string, work []*attempt) string {
	var lets, first, still []result
	also := ""
	for i, a := range work {
		var more []result
		all, _ := a.lets(c)
		for _, r := range all {
			if !has(lets, r) {
				more = append(more, r)
			}
		}
		switch lets = append(lets, more...); {
		case i == 0:
			first = more
		case more != nil:
			also += fmt.Sprintf("; with “%s” also%s: %s", a.fix.Title, a.lowers(), titles(more))
		}
	}
	rest := false
	for _, r := range c.results {
		if r.status == report.Fail && r.role != aside && !has(lets, r) {
			rest = true
			if r.role == needed {
				still = append(still, r)
			}
		}
	}
	if !rest && also == "" {
		return "; with “" + smallest + "” it works" + work[0].lowers()
	}
	said := fmt.Sprintf("; with “%s” this works%s: %s%s", smallest, work[0].lowers(), titles(first), also)
	if still != nil {
		said += "; still refused: " + titles(still)
	}
	return said
}

// lowers says that a fix has a price for protection, "" where no setting changes.
func (a *attempt) lowers() string {
	if a.fix.Exclude {
		return ""
	}
	return ", but protection is lower"
}

func has(list []result, r result) bool {
	return slices.ContainsFunc(list, func(x result) bool { return x.id == r.id })
}

// titles are what a line says of some calls: few are named.
func titles(list []result) string {
	names := make([]string, 0, len(list))
	for _, r := range list {
		names = append(names, r.title)
	}
	return report.Some(names, 2, ", ", " and ")
}
