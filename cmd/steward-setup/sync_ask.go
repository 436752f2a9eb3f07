// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: on a terminal without a screen each file is a question, and
// no is an answer.

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/sync"
)

// askPull asks for what arrives, on a screen or by lines.
func (x *exchanging) askPull(ctx context.Context, p report.Plan) error {
	if x.a.screen() {
		_, err := x.confirm(ctx, tui.Confirmation{Plan: p, Yes: "take these files",
			Title: report.Things(len(x.e.Arriving), "commit") + " from " + x.e.Address(), Why: x.runs("Runs")})
		return err
	}
	x.out.Emit(engine.PlanReady{Plan: p})
	fmt.Fprintln(x.a.out)
	x.a.say("%s", text.Line(x.runs("Runs")))
	if !x.a.ask("Take these files?") {
		return notApproved(x.a, x.line())
	}
	return nil
}

// pulled says what was taken; on a timer nothing is said of nothing.
func (x *exchanging) pulled(ctx context.Context, behind bool) {
	switch {
	case !behind && x.out.doc == nil && x.a.sys.Terminal():
		fmt.Fprintln(x.a.out, "Up to date with the remote.")
	case !behind:
	case x.out.doc != nil:
		x.out.doc.Data(x.e.Took(ctx, x.h, agent))
	default:
		fmt.Fprintln(x.a.out, "Pulled "+report.Things(len(x.e.Arriving), "commit")+" of the remote.")
		for _, line := range x.e.Took(ctx, x.h, agent).Lines(x.a.self(x.h)) {
			x.a.say("%s", text.Line(line))
		}
	}
}

// choose shows everything and asks: for what arrives, for each file, and for
// the push. The error says that nothing was approved.
func (x *exchanging) choose(ctx context.Context, p report.Plan, out *sync.Outgoing,
	o sync.PushOptions) (*sync.Outgoing, error) {
	if x.a.screen() && !out.Stopped && (!out.Empty() || x.e.Behind()) {
		if out, err := x.approvePush(ctx, out, o); err != nil || !out.Empty() || x.e.Behind() {
			return out, err
		}
		return nil, notApproved(x.a, x.line()+" --plan") // every file was left out
	}
	x.out.Emit(x.ready(p))
	if out.Stopped || out.Empty() && !x.e.Behind() {
		return out, nil
	}
	no := notApproved(x.a, x.line()+" --plan")
	if !x.a.sys.Terminal() || x.a.json {
		return nil, no
	}
	if len(x.e.Asks) > 0 && !x.a.ask("Take what arrives? It runs outside the sandbox or is read as instructions: "+
		text.Line(strings.Join(x.e.Asks, ", "))) {
		return nil, no
	}
	out = out.Without(o.Message, func(c report.Change) bool {
		return x.a.ask("Commit " + text.Line(text.Home(c.Path, x.h.Places().Home)) + "?")
	})
	if out.Empty() {
		if !x.e.Behind() {
			return nil, no
		}
		return out, nil
	}
	if len(out.Files) > 0 {
		fmt.Fprintf(x.a.out, "\nMessage: %s\n", text.Line(strings.TrimSpace(out.Message)))
	}
	if !x.a.ask(pushQuestion(len(out.Files))) {
		return nil, no
	}
	return out, nil
}

// pushQuestion asks for n files in one commit; none are left where the commits
// are there already.
func pushQuestion(n int) string {
	switch n {
	case 0:
		return "Push the commits?"
	case 1:
		return "Commit 1 file and push?"
	}
	return fmt.Sprintf("Commit %d files and push?", n)
}

// runs says what of a pull is asked about, in a sentence that begins so.
func (x *exchanging) runs(begin string) string {
	return begin + " outside the sandbox or is read as instructions: " + strings.Join(x.e.Asks, ", ") + "."
}

// confirm shows a page that only asks. The error says that nobody said yes.
func (x *exchanging) confirm(ctx context.Context, c tui.Confirmation) (tui.Outcome, error) {
	x.facts = x.a.header(ctx, x.h)
	c.Command, c.Facts = x.name, x.facts
	outcome, err := tui.RunConfirm(ctx, x.a.terminal(), c)
	x.a.wait.Resume() // the page has ended, the run has not
	if err != nil {
		return outcome, err
	}
	outcome.Left = 0 // it is not done yet
	return outcome, ended(outcome)
}

// approvePush asks for what arrives and leaves: which files, and by which
// message.
func (x *exchanging) approvePush(ctx context.Context, all *sync.Outgoing, o sync.PushOptions) (*sync.Outgoing, error) {
	propose := func(a report.Answers) (report.Proposal, error) {
		some, err := all.Chosen(ctx, a, o.Message)
		if err != nil {
			return report.Proposal{}, err
		}
		return report.Proposal{Plan: x.both(some), Facts: x.facts, Questions: all.Questions(some)}, nil
	}
	why := "Each file was scanned for secrets. Below the files: leave some out, or change the message."
	if len(x.e.Asks) > 0 {
		why = x.runs("Also arrives, and runs")
	}
	outcome, err := x.confirm(ctx, tui.Confirmation{Plan: x.both(all), Yes: "push", Title: "Push to " + all.To, Why: why,
		Propose: propose, Questions: all.Questions(all)})
	if err != nil {
		return nil, err
	}
	chosen, err := all.Chosen(ctx, outcome.Answers, o.Message)
	if err != nil {
		return nil, err
	}
	if p := x.both(chosen); p.ID != outcome.Approved {
		return nil, x.stale(p)
	}
	return chosen, nil
}

// both is the plan of a push: what arrives, and what leaves.
func (x *exchanging) both(out *sync.Outgoing) report.Plan {
	sections := []report.Section{out.Section()}
	if x.e.Behind() {
		sections = append([]report.Section{x.e.Section()}, sections...)
	}
	return report.NewPlan(sections)
}
