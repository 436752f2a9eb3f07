// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an action that should be blocked and succeeds comes before
// everything else, whatever the past, and stays in the report until it is
// blocked again.

package update

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/runtimes"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// first is what a rehearsal that did not take place waits for: the agent, if it
// is missing or does not start, else another try.
func first(ctx context.Context, r host.Reader, o Options) []report.Remedy {
	if c, ok := o.Agent.Mends(ctx, r, o.Framework); ok {
		return []report.Remedy{c}
	}
	return []report.Remedy{verify.Rehearse}
}

func denials(ctx context.Context, r host.Reader, o Options) report.Finding {
	program := o.Agent.Layout(r.Places()).Program
	key := verify.Key(ctx, host.Anew(r), o.verify()) // what the checks before saw may have changed
	back := func(version string) string { return goBack(ctx, r, o, version) }
	past, doubt := verify.PastOf(ctx, r, o.verify())
	if len(past) > 0 && key != "" && past[0].Key == key && doubt == nil {
		now := past[0]
		return verdictOn(program, now, past[1:], nil, back,
			fmt.Sprintf("nothing changed since the rehearsal of %s with %s %s", day(now.At), program, now.Runtime))
	}
	play := o.Play
	if play == nil {
		play = func(ctx context.Context, r host.Reader) (regress.Record, error) {
			return verify.Play(ctx, r, o.verify(), nil, o.Progress)
		}
	}
	rec, err := play(ctx, host.Once(host.Anew(r)))
	if err != nil {
		f := report.NotKnown("not tested: "+err.Error(), "rehearsal", err)
		f.Remedies = first(ctx, r, o)
		return f
	}
	if len(rec.Answers) == 0 {
		f := report.Finding{Status: report.Unknown, Summary: "not tested: no session played to its end",
			Remedies: first(ctx, r, o)}
		if causes := slices.Compact(slices.Sorted(maps.Values(rec.Failed))); len(causes) == 1 {
			f.Summary += ": " + causes[0]
		}
		for _, session := range slices.Sorted(maps.Keys(rec.Failed)) {
			f.Evidence = append(f.Evidence, report.CommandEvidence(session, rec.Failed[session]))
		}
		return f
	}
	if doubt == nil && key == verify.Key(ctx, host.Anew(r), o.verify()) { // else something changed meanwhile
		_ = verify.KeepPast(ctx, r, o.verify(), key, rec) // without it the next run rehearses again
	}
	now := verify.Past{Key: key, Record: rec}
	if len(past) == 0 {
		if f := verdictOn(program, now, nil, nil, back, ""); f.Voids {
			return f
		}
		return report.Finding{Status: report.Unknown, Summary: "nothing to compare with: this is the first rehearsal kept",
			Evidence: []report.Evidence{report.VersionEvidence(program, rec.Runtime)},
			Remedies: []report.Remedy{report.Own("update", report.Command{ID: "update", Why: "compare with this rehearsal"})}}
	}
	f := verdictOn(program, now, past, regress.Compare(past[0].Record, rec), back,
		fmt.Sprintf("each call answered as on %s with %s %s", day(past[0].At), program, past[0].Runtime))
	if doubt != nil && !f.Voids { // a loss is worth saying, whoever may have written what was before
		f.Status, f.Summary = report.Unknown, "the kept rehearsals could be forged: "+f.Summary
		f.Evidence, f.Remedies = append(doubt, f.Evidence...), []report.Remedy{verify.Rehearse}
	}
	return f
}

// loss is a forbidden action that succeeds now.
type loss struct {
	regress.Answer
	// held is the last version that passed, "" if none is kept; fell is the first
	// that did not.
	held, fell string
}

// verdictOn is the finding over a rehearsal, those before it, and how it differs
// from the last of them; same is said where nothing does. back is goBack of a
// version.
func verdictOn(program string, now verify.Past, past []verify.Past, differ []regress.Difference,
	back func(string) string, same string) report.Finding {
	f := report.Finding{Status: report.Pass, Summary: same, Evidence: []report.Evidence{report.VersionEvidence(program,
		now.Runtime)}}
	lost := losses(now, past)
	var seen []report.Evidence
	for _, l := range lost {
		if l.held == "" {
			seen = append(seen, report.CommandEvidence(l.Session+" · "+l.Call,
				fmt.Sprintf("not blocked with %s %s: a command %s (%s)", program, l.fell, l.Title, l.Why)))
			continue
		}
		what := kindWords[regress.NewlyThrough]
		if l.Result == regress.Prompted {
			what = kindWords[regress.NewlyAsked]
		}
		when := "before, not now" // with the same version
		if l.held != l.fell {
			when = fmt.Sprintf("with %s %s, not with %s", program, l.held, l.fell)
		}
		seen = append(seen, report.CommandEvidence(l.Session+" · "+l.Call,
			fmt.Sprintf("%s: a command %s; blocked %s (%s)", what, l.Title, when, l.Why)))
	}
	counts := map[regress.Kind]int{}
	var kinds []regress.Kind
	for _, d := range differ {
		if d.Lost() || d.After != nil && isOpen(*d.After) {
			continue // above
		}
		if counts[d.Kind]++; counts[d.Kind] == 1 {
			kinds = append(kinds, d.Kind)
		}
		a := d.Of()
		seen = append(seen, report.CommandEvidence(a.Session+" · "+a.Call,
			fmt.Sprintf("%s: %s (%s)", kindWords[d.Kind], a.Title, a.Why)))
	}
	var parts []string
	for _, k := range kinds {
		parts = append(parts, fmt.Sprintf("%d %s", counts[k], kindWords[k]))
	}
	switch {
	case lost != nil:
		f.Status, f.Voids = report.Fail, true
		f.Summary = lostWords(lost) + ": a command " + lost[0].Title
		if lost[0].held != "" && lost[0].held != lost[0].fell {
			f.Summary += fmt.Sprintf(" (blocked with %s %s, not with %s)", program, lost[0].held, lost[0].fell)
		}
		f.Remedies = []report.Remedy{verify.Rehearse}
		if lost[0].held != "" && lost[0].held != lost[0].fell {
			if line := back(lost[0].held); line != "" {
				f.Remedies = []report.Remedy{report.Command{ID: "hold-runtime", Line: line,
					Why: "go back to the version that blocked it"}, verify.Rehearse}
			}
		}
	case parts != nil:
		f.Status, f.Summary = report.Warn, strings.Join(parts, ", ")+fmt.Sprintf(", since %s %s", program, past[0].Runtime)
		f.Remedies = []report.Remedy{verify.Rehearse}
	}
	f.Evidence = append(seen, f.Evidence...)
	return f
}

// goBack is the line that goes back to a version, "" if it may not be gone back to:
// it is below the floor, or an advisory touches the settings with it.
func goBack(ctx context.Context, r host.Reader, o Options, version string) string {
	set, err := pins.Load(r, r.Places().Config, o.Framework)
	pin, ok := set.Pin(r.Places().Agent.Tool())
	if err != nil || !ok {
		return ""
	}
	if standing, err := pin.Judge(version); err != nil || standing == pins.Insufficient {
		return ""
	}
	if weak, err := o.Agent.Weaknesses(ctx, r, o.verify(), version); err != nil || len(weak) > 0 {
		return ""
	}
	return runtimes.InstallLine(r, version)
}

// lostWords count what was lost, and what no kept rehearsal saw blocked.
func lostWords(lost []loss) string {
	succeed, prompted, never, neverAsked := 0, 0, 0, 0
	named := map[string]bool{} // one action, whatever the number of its sessions
	for _, l := range lost {
		key := l.Call + string(l.Result)
		switch {
		case named[key]:
		case l.held == "" && l.Result == regress.Prompted:
			neverAsked++
		case l.held == "":
			never++
		case l.Result == regress.Prompted:
			prompted++
		default:
			succeed++
		}
		named[key] = true
	}
	return report.Counts{{succeed, "1 forbidden action now succeeds", "%d forbidden actions now succeed"},
		{prompted, "1 forbidden action now needs only a prompt", "%d forbidden actions now need only a prompt"},
		{never, "1 action that should be blocked succeeds", "%d actions that should be blocked succeed"},
		{neverAsked, "1 action that a rule should block needs only a prompt",
			"%d actions that a rule should block need only a prompt"}}.String()
}

// kindWords name how answers differ.
var kindWords = map[regress.Kind]string{
	regress.NewlyThrough: "newly allowed", regress.Open: "allowed, and not tested before",
	regress.NewlyAsked: "newly prompted",
	regress.Unobserved: "no longer proved", regress.Broken: "newly broken", regress.OtherLayer: "blocked by another layer",
	regress.NewlyExposed: "allowed by your settings now", regress.NotAsked: "no longer prompted",
	regress.NewlyHeld: "newly blocked", regress.Mended: "working again",
	regress.New: "new in this version", regress.Gone: "no longer tested",
}

// isOpen says whether a call gets through that must not, or a prompt alone keeps
// it where a rule should.
func isOpen(a regress.Answer) bool {
	return a.Result == regress.Through || a.Result == regress.Prompted
}

// losses are the open calls, each with the last kept rehearsal that saw it
// blocked; those that none did come last. Where verify only warns, what was
// never blocked is no loss.
func losses(now verify.Past, past []verify.Past) []loss {
	var list, never []loss
	for _, a := range now.Answers {
		if !isOpen(a) {
			continue
		}
		l := loss{Answer: a, fell: now.Runtime}
		for _, p := range past {
			i := slices.IndexFunc(p.Answers, func(b regress.Answer) bool { return b.Session == a.Session && b.Call == a.Call })
			if i < 0 || p.Answers[i].Result == regress.Unproven {
				continue
			}
			was := p.Answers[i]
			if regress.Loses(was, a) {
				l.held = p.Runtime
				break
			}
			if was.Result == a.Result {
				l.fell = p.Runtime
			}
		}
		switch {
		case l.held != "":
			list = append(list, l)
		case verify.Lenient(a.Session): // open by construction, and verify says so
		default:
			l.fell = now.Runtime
			never = append(never, l)
		}
	}
	return append(list, never...)
}
