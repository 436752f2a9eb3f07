// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the verdict follows from the findings alone (DESIGN,
// "Verdict"), and what is unknown never makes it better.

package report

// Verdict is the judgement over a whole report.
type Verdict string

// The verdicts, best first.
const (
	Protected   Verdict = "protected"
	Degraded    Verdict = "degraded"
	Unprotected Verdict = "unprotected"
)

// Count returns how many findings have each status.
func Count(findings []Finding) map[Status]int {
	n := make(map[Status]int, len(Statuses))
	for _, f := range findings {
		n[f.Status]++
	}
	return n
}
