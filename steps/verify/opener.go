// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of a call that got through it is said what lets it and what
// ends that, where the settings say so by themselves; where they do not, who to ask.

package verify

import (
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// mend adds a remedy, once.
func (t *tally) mend(r report.Remedy) {
	t.remedies = report.Union(t.remedies, r)
}

// mends adds remedies. Questions to the doctor have one answer for many calls: the
// first is enough.
func (t *tally) mends(list ...report.Remedy) {
	for _, r := range list {
		if c, ok := r.(report.Command); t.remedies == nil || !ok || c.ID != explainOpen {
			t.mend(r)
		}
	}
}

// Ends lists what ends that the call of p gets through, by what lets it. A rule that
// the policy has and these settings lack is added besides, unless they allow the call
// on purpose.
func Ends(found []Opener, p trial.Probe) (list []report.Remedy) {
	for _, by := range found {
		list = append(list, by.Ends)
	}
	switch {
	case p.Below == trial.Rule && p.Ruled && p.Exposed == "":
		list = append(list, Again())
	case found == nil:
		list = append(list, unexplained(p))
	}
	return list
}

// seen adds the places of settings, each once.
func (t *tally) seen(found ...Opener) {
	for _, by := range found {
		t.evidence = report.Union(t.evidence, by.Seen)
	}
}

// explainOpen is the ID of the questions of Explained.
const explainOpen report.ID = "explain-open"

// Explained is the question that says what decides about the subject of a probe;
// ok is false where it has none.
func Explained(p trial.Probe) (c report.Command, ok bool) {
	flag := "--explain-host"
	switch {
	case p.Below == trial.Environment:
		flag = "--explain-env"
	case filepath.IsAbs(p.Subject):
		flag = "--explain-path"
	}
	return report.Own("doctor "+flag+" "+
		scripts.Quote(p.Subject)+" --live", report.Command{ID: explainOpen, Optional: true,
		Why: "see what decides it, and test it"}), p.Subject != ""
}

// ExplainedReply is the question that says what a command got in place of its
// output; ok is false if it got nothing.
func ExplainedReply(reply string) (c report.Command, ok bool) {
	return report.Own("doctor --explain "+scripts.Quote(reply), report.Command{ID: "explain-reply", Optional: true,
		Why: "see what this error means on this machine, and how to fix it"}), reply != trial.NoOutput
}

// unexplained is the next step for a call that no setting lets through by itself:
// what the policy has a rule or an entry for is missing in it, and what holds on
// no setting's account is held by other tools.
func unexplained(p trial.Probe) report.Remedy {
	if p.Below == trial.Nobody || p.Below == trial.Mention || strings.HasPrefix(p.ID, trial.OutsidePrefix) {
		return Again()
	}
	if c, ok := Explained(p); ok {
		return c
	}
	return NewerRuntime()
}
