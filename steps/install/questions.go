// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every question that Propose can ask stands in this list,
// so that it has a flag; a test compares the two.

package install

import (
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Questions lists every question, with the defaults that hold where nothing
// is known of the machine and the repository.
func Questions() []report.Question {
	questions := []report.Question{skipQuestion, distroQuestion, policyToQuestion}
	floorDomains, floorCaches := floorDomains, floorCaches
	if pol, err := policy.Embedded(); err == nil {
		for _, q := range pol.Questions(policy.Found{}) {
			questions = append(questions, q)
			switch q.ID {
			case "domains":
				floorDomains.Options = q.Options
			case "caches":
				floorCaches.Options = readOnly(pol, q.Options)
			}
		}
	}
	return append(questions, floorQuestion, floorDomains, floorHosts, floorCaches, takeQuestion, wrapperQuestion,
		aliasQuestion, replaceScriptsQuestion,
		statusLineQuestion, strictAllowlistQuestion, allowWriteQuestion, ignoreWithQuestion, standingQuestion,
		mcpReviewedQuestion, scheduleQuestion)
}

// Validate says what is wrong with the answer to a question, or nil.
func Validate(id report.ID, values []string) error {
	pol, err := policy.Embedded()
	if err != nil {
		return err
	}
	if asked := map[report.ID]report.ID{floorDomains.ID: "domains", floorHosts.ID: "allow-host",
		floorCaches.ID: "caches"}[id]; asked != "" {
		id = asked
	}
	return pol.Validate(id, values)
}
