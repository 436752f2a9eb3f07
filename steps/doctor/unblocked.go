// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a fix is named by the calls that were seen to work with it;
// a call that is still refused is named beside them.

package doctor

import (
	"fmt"
	"slices"
	"strings"

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
// named so, and what is still refused.
func (c *inquiry) mended(smallest string, work []*attempt) string {
	var lets, still []result
	for _, a := range work {
		more, _ := a.lets(c)
		for _, r := range more {
			if !has(lets, r) {
				lets = append(lets, r)
			}
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
	price := ", but protection is lower"
	if work[0].fix.Exclude { // no setting changes
		price = ""
	}
	switch {
	case still != nil:
		return fmt.Sprintf("; with “%s” this works%s: %s; still refused: %s", smallest, price, titles(lets), titles(still))
	case rest:
		return fmt.Sprintf("; with “%s” this works%s: %s", smallest, price, titles(lets))
	}
	return "; with “" + smallest + "” it works" + price
}

func has(list []result, r result) bool {
	return slices.ContainsFunc(list, func(x result) bool { return x.id == r.id })
}

// maxTitles bounds how many calls a line names.
const maxTitles = 2

func titles(list []result) string {
	var names []string
	for _, r := range list[:min(len(list), maxTitles)] {
		names = append(names, r.title)
	}
	line := strings.Join(names, ", ")
	if len(list) > maxTitles {
		line += fmt.Sprintf(" and %d more", len(list)-maxTitles)
	}
	return line
}
