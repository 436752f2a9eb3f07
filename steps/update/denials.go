// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a blocked action that succeeds now and did not before comes
// before everything else, and stays in the report until it is blocked again or
// no rehearsal is left that had it blocked.

package update

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// rehearse is the remedy for what was not rehearsed.
var rehearse = report.Command{ID: report.Rehearse, Line: "steward-setup verify", Why: "rehearse what is denied, with the real runtime"}

func denials(ctx context.Context, r host.Reader, o Options) report.Finding {
	key := verify.Key(ctx, r, o.verify())
	past, doubt := verify.PastOf(ctx, r, o.verify())
	if len(past) > 0 && key != "" && past[0].Key == key && doubt == nil {
		now := past[0]
		return verdictOn(now, past[1:], nil, fmt.Sprintf("nothing changed since the rehearsal of %s with claude %s", day(now.At), now.Runtime))
	}
	play := o.Play
	if play == nil {
		play = func(ctx context.Context, r host.Reader) (regress.Record, error) {
			return verify.Play(ctx, r, o.verify(), nil, o.Progress)
		}
	}
	rec, err := play(ctx, r)
	if err != nil {
		f := unknown("not rehearsed: "+err.Error(), "rehearsal", err)
		f.Remedies = []report.Remedy{rehearse}
		return f
	}
	if len(rec.Answers) == 0 {
		f := report.Finding{Status: report.Unknown, Summary: "not rehearsed: no session played to its end", Remedies: []report.Remedy{rehearse}}
		for _, session := range slices.Sorted(maps.Keys(rec.Failed)) {
			f.Evidence = append(f.Evidence, report.CommandEvidence(session, rec.Failed[session]))
		}
		return f
	}
	if doubt == nil && key == verify.Key(ctx, r, o.verify()) { // else something changed meanwhile
		_ = verify.KeepPast(ctx, r, o.verify(), key, rec) // without it the next run rehearses again
	}
	now := verify.Past{Key: key, Record: rec}
	if len(past) == 0 {
		return report.Finding{Status: report.Unknown, Summary: "nothing to compare with: this is the first rehearsal kept",
			Evidence: []report.Evidence{report.VersionEvidence("claude", rec.Runtime)}, Remedies: []report.Remedy{rehearse}}
	}
	f := verdictOn(now, past, regress.Compare(past[0].Record, rec),
		fmt.Sprintf("each call answered as on %s with claude %s", day(past[0].At), past[0].Runtime))
	if doubt != nil && !f.Voids { // a loss is worth saying, whoever may have written what was before
		f.Status, f.Summary = report.Unknown, "the kept rehearsals could be forged: "+f.Summary
		f.Evidence, f.Remedies = append(doubt, f.Evidence...), []report.Remedy{rehearse}
	}
	return f
}

// loss is a blocked action that succeeds now.
type loss struct {
	regress.Answer
	held, fell string // the last version that passed, the first that did not
}

// verdictOn is the finding over a rehearsal, those before it, and how it differs
// from the last of them; same is said where nothing does.
func verdictOn(now verify.Past, past []verify.Past, differ []regress.Difference, same string) report.Finding {
	f := report.Finding{Status: report.Pass, Summary: same, Evidence: []report.Evidence{report.VersionEvidence("claude", now.Runtime)}}
	lost := losses(now, past)
	var seen []report.Evidence
	for _, l := range lost {
		what := kindWords[regress.NewlyThrough]
		if l.Result == regress.Prompted {
			what = kindWords[regress.NewlyAsked]
		}
		seen = append(seen, report.CommandEvidence(l.Session+" · "+l.Call, fmt.Sprintf("%s: a command %s; blocked with claude %s, not with %s (%s)", what, l.Title, l.held, l.fell, l.Why)))
	}
	counts := map[regress.Kind]int{}
	var kinds []regress.Kind
	for _, d := range differ {
		if d.Lost() {
			continue // above
		}
		if counts[d.Kind]++; counts[d.Kind] == 1 {
			kinds = append(kinds, d.Kind)
		}
		a := d.Of()
		seen = append(seen, report.CommandEvidence(a.Session+" · "+a.Call, fmt.Sprintf("%s: %s (%s)", kindWords[d.Kind], a.Title, a.Why)))
	}
	var parts []string
	for _, k := range kinds {
		parts = append(parts, fmt.Sprintf("%d %s", counts[k], kindWords[k]))
	}
	switch {
	case lost != nil:
		f.Status, f.Voids = report.Fail, true
		f.Summary = lostWords(lost) + ": a command " + lost[0].Title
		if lost[0].held != lost[0].fell {
			f.Summary += fmt.Sprintf(" (blocked with claude %s, not with %s)", lost[0].held, lost[0].fell)
		}
		f.Remedies = []report.Remedy{rehearse}
		if lost[0].held != lost[0].fell {
			f.Remedies = []report.Remedy{report.Command{ID: "hold-runtime", Line: "npm install -g --no-save @anthropic-ai/claude-code@" + lost[0].held, Why: "go back to the version that blocked it"}, rehearse}
		}
	case parts != nil:
		f.Status, f.Summary = report.Warn, strings.Join(parts, ", ")+fmt.Sprintf(", since claude %s", past[0].Runtime)
		f.Remedies = []report.Remedy{rehearse}
	}
	f.Evidence = append(seen, f.Evidence...)
	return f
}

// lostWords count what was lost.
func lostWords(lost []loss) string {
	succeed, prompted := 0, 0
	named := map[string]bool{} // one action, whatever the number of its sessions
	for _, l := range lost {
		key := l.Call + string(l.Result)
		switch {
		case named[key]:
		case l.Result == regress.Prompted:
			prompted++
		default:
			succeed++
		}
		named[key] = true
	}
	var parts []string
	for _, part := range []struct {
		n         int
		one, many string
	}{{succeed, "1 blocked action now succeeds", "%d blocked actions now succeed"}, {prompted, "1 blocked action now needs only a prompt", "%d blocked actions now need only a prompt"}} {
		switch {
		case part.n == 1:
			parts = append(parts, part.one)
		case part.n > 1:
			parts = append(parts, fmt.Sprintf(part.many, part.n))
		}
	}
	return strings.Join(parts, ", ")
}

// kindWords name how answers differ.
var kindWords = map[regress.Kind]string{
	regress.NewlyThrough: "newly allowed", regress.Open: "allowed, and not tested before", regress.NewlyAsked: "newly prompted",
	regress.Unobserved: "no longer proved", regress.Broken: "newly broken", regress.OtherLayer: "blocked by another layer",
	regress.NotAsked: "no longer prompted", regress.NewlyHeld: "newly blocked", regress.Mended: "working again",
	regress.New: "new in this version", regress.Gone: "no longer tested",
}

// losses are the calls that get through now, or that a prompt alone keeps, and
// that some kept rehearsal saw blocked.
func losses(now verify.Past, past []verify.Past) []loss {
	var list []loss
	for _, a := range now.Answers {
		fell := now.Runtime
		if a.Result != regress.Through && a.Result != regress.Prompted {
			continue
		}
		for _, p := range past {
			i := slices.IndexFunc(p.Answers, func(b regress.Answer) bool { return b.Session == a.Session && b.Call == a.Call })
			if i < 0 || p.Answers[i].Result == regress.Unproven {
				continue
			}
			was := p.Answers[i]
			if (regress.Difference{Kind: kindFrom(was, a), Before: &was, After: &a}).Lost() {
				list = append(list, loss{a, p.Runtime, fell})
				break
			}
			if was.Result == a.Result {
				fell = p.Runtime
			}
		}
	}
	return list
}

// kindFrom is the kind of the one difference between two answers.
func kindFrom(was, is regress.Answer) regress.Kind {
	list := regress.Compare(regress.Record{Answers: []regress.Answer{was}}, regress.Record{Answers: []regress.Answer{is}})
	if len(list) == 0 {
		return ""
	}
	return list[0].Kind
}
