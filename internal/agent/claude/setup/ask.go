// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what stands on the machine is newer than what was answered
// once: an earlier answer takes the place of a fixed default and of nothing
// else, and an answer that let something be replaced is never given again.
// Every question that Propose can ask stands in this list, so that it has a
// flag; a test compares the two.

package setup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

const noneCalledFor, groupsAlone = "the repository calls for none", "no host beyond the groups"

// reasons say why a fixed default is what it is.
var reasons = map[report.ID]string{
	"skip":                "nothing is left out",
	"use-distro-versions": "the pinned versions were reviewed",
	"policy-to":           "protects everyone who works here",
	"project-name":        "nothing in ~/.config has this name",
	"project-config":      "every command could read its tokens",
	"domains":             noneCalledFor,
	"allow-host":          groupsAlone,
	"caches":              noneCalledFor,
	"ask":                 "the policy has its own list",
	"gh-config":           "every command could use the token",
	"gnupg":               "every command could read the keys",
	"sandbox-only":        "each such command asks you first",
	"project-reads":       "each read outside asks you first",
	"omit":                "the whole policy",
	"floor":               "it would sandbox your other projects",
	"floor-domains":       noneCalledFor,
	"floor-host":          groupsAlone,
	"floor-caches":        noneCalledFor,
	"take":                "your own values stay",
	"wrapper":             "a copy changes only when you update",
	"alias":               "it drops credentials you do not list",
	"replace-scripts":     "what you edited stays",
	"status-line":         "the shortest that shows the sandbox",
	"strict-allowlist":    "a new host can be allowed at a prompt",
	"allow-write":         "macOS may need it",
	"ignore-with":         "holds for everyone who clones",
	"standing-approval":   "you see each write before it happens",
	"mcp-reviewed":        "only you can review them",
	"schedule":            "nothing runs unless you start it",
}

// Earlier are the answers of earlier runs that still stand.
type Earlier struct {
	answers report.Answers
	// from names the run of each.
	from map[report.ID]string
}

// ofProject says whether a question is about one project; the others are about
// everything that the user does.
func ofProject(q report.Question) bool {
	return q.Section == "roots" || q.Section == "policy" && !strings.HasPrefix(string(q.ID), "floor")
}

// EarlierAnswers reads them from receipts, newest first, that are as a run sealed
// them and were not taken back: what was answered about a project counts there
// alone.
func EarlierAnswers(receipts []engine.Receipt, project string) Earlier {
	e := Earlier{answers: report.Answers{}, from: map[report.ID]string{}}
	listed := byID(Questions())
	receipts = engine.Unaltered(receipts)
	for _, r := range receipts {
		if _, undone := engine.UndoneBy(receipts, r.ID); undone || !r.Finished {
			continue
		}
		for id, values := range r.Answers {
			q, known := listed[id]
			_, newer := e.answers[id]
			if !known || newer || ofProject(q) && r.Project != project {
				continue
			}
			e.answers[id], e.from[id] = slices.Clone(values), "your answer of "+r.StartedAt.Format("2006-01-02")
		}
	}
	return e
}

// ask adds a question once. An earlier answer becomes its default where that
// is fixed, and where it is still an answer.
func (p *proposer) ask(q report.Question) {
	if slices.ContainsFunc(p.questions, func(have report.Question) bool { return have.ID == q.ID }) {
		return
	}
	q.Reason = cmp.Or(q.Reason, reasons[q.ID])
	_, given := p.answers[q.ID]
	earlier, known := p.opts.Earlier.answers[q.ID]
	if known && !given && !q.Once && q.DefaultFrom == "" && q.Decided == "" && takes(q, earlier) {
		q = q.WithDefault(p.opts.Earlier.from[q.ID], earlier...)
		p.answers = p.answers.With(q.ID, earlier...)
	}
	p.questions = append(p.questions, q)
}

// takes says whether values answer the question as it is put today.
func takes(q report.Question, values []string) bool {
	for _, v := range values {
		offered := slices.ContainsFunc(q.Options, func(o report.Option) bool { return o.Value == v })
		if len(q.Options) > 0 && !offered || q.Kind == report.Confirm && v != "yes" && v != "no" {
			return false
		}
	}
	one := q.Kind == report.Confirm || q.Kind == report.Choice
	return (!one || len(values) == 1) && Validate(q.ID, values) == nil
}

// Questions lists every question, with the defaults that hold where nothing
// is known of the machine and the repository.
func Questions() []report.Question {
	questions := []report.Question{skipQuestion, distroQuestion, policyToQuestion}
	floorDomains, floorCaches := floorDomains, floorCaches
	for _, q := range policy.Embedded().Questions(policy.Found{}) {
		questions = append(questions, q)
		switch q.ID {
		case "domains":
			floorDomains.Options = q.Options
		case "caches":
			floorCaches.Options = readOnly(q.Options)
		}
	}
	return append(questions, floorQuestion, floorDomains, floorHosts, floorCaches, takeQuestion, wrapperQuestion,
		aliasQuestion, replaceScriptsQuestion,
		statusLineQuestion, strictAllowlistQuestion, allowWriteQuestion, ignoreWithQuestion, standingQuestion,
		mcpReviewedQuestion, scheduleQuestion)
}

// Validate says what is wrong with the answer to a question, or nil.
func Validate(id report.ID, values []string) error {
	if asked := map[report.ID]report.ID{floorDomains.ID: "domains", floorHosts.ID: "allow-host",
		floorCaches.ID: "caches"}[id]; asked != "" {
		id = asked
	}
	return policy.Embedded().Validate(id, values)
}
