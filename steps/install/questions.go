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
	if pol, err := policy.Embedded(); err == nil {
		questions = append(questions, pol.Questions(policy.Facts{})...)
	}
	return append(questions, takeQuestion, wrapperQuestion, aliasQuestion, replaceScriptsQuestion,
		statusLineQuestion, strictAllowlistQuestion, allowWriteQuestion, ignoreWithQuestion, standingQuestion, mcpReviewedQuestion)
}

// Validate says what is wrong with the answer to a question, or nil.
func Validate(id report.ID, values []string) error {
	pol, err := policy.Embedded()
	if err != nil {
		return err
	}
	return pol.Validate(id, values)
}
