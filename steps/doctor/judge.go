// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was refused inside counts only if the same call got
// through on the same stage without the sandbox; who refused it is read from
// what differs between calls, and the words of an error only confirm it.

package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// judge says what a probe came to, fixes apart.
func (b *bench) judge(ctx context.Context, c *inquiry) {
	f := &c.finding
	f.Evidence = slices.Clone(c.control.evidence)
	f.Remedies = slices.Clone(c.control.remedies)
	if c.control.status != report.Pass {
		f.Status, f.Summary = c.control.status, c.control.summary
		b.step(c, engine.Inside, report.Skip, "")
		return
	}
	if b.noStage != nil {
		f.Status, f.Summary = report.Unknown, "works outside; not tested inside: "+b.noStage.Error()
		if c.control.unstarted {
			f.Summary = "not tested: " + b.noStage.Error()
		}
		f.Evidence = append(f.Evidence, report.EnvEvidence("rehearsal", b.noStage.Error()))
		if b.r.System().GOOS == "linux" {
			f.Remedies = append(f.Remedies, b.lead)
		}
		b.step(c, engine.Inside, report.Unknown, "not tested")
		return
	}
	if len(c.asked) == 0 {
		f.Status, f.Summary = report.Skip, c.none
		if said, seen := b.untried(c); said != "" {
			f.Status, f.Summary, f.Evidence = report.Unknown, said, append(f.Evidence, seen...)
		}
		b.step(c, engine.Inside, f.Status, f.Summary)
		return
	}
	for _, a := range c.asked {
		if a.role != clue {
			c.results = append(c.results, b.result(ctx, a))
		}
	}
	b.conclude(ctx, c)
	said, seen := b.untried(c)
	if f.Evidence = append(f.Evidence, seen...); said != "" {
		f.Summary += "; " + said
		c.refusal.Said += "; " + said
	}
	b.void(ctx, c)
	b.step(c, engine.Inside, f.Status, f.Summary)
}

// untried says what of a probe was not tried, and why; "" if all was.
func (b *bench) untried(c *inquiry) (said string, seen []report.Evidence) {
	if c.left == nil {
		return "", nil
	}
	return c.left(b, c.control)
}

func (b *bench) step(c *inquiry, column engine.Column, s report.Status, summary string) {
	b.emit(engine.ProbeStep{ID: c.id, Column: column, Status: s, Summary: summary, Refusal: c.refusal})
}

func (b *bench) result(ctx context.Context, a ask) result {
	p := b.trials[a.at]
	r := result{ask: a, status: report.Unknown}
	if err := cmp.Or(p.baseline.Err, p.twin.Err); err != nil {
		r.why = err.Error()
		return r
	}
	o := p.outcomes[slices.IndexFunc(p.outcomes, func(o trial.Outcome) bool { return o.ID == a.id })]
	r.said = o.Reply
	if found, ok := b.recognise(a, o.Seen.Text); ok {
		r.known = found.Hint
		r.said = cmp.Or(a.own(o.Seen.Text, found.Hint), r.said)
	}
	switch {
	case o.Seen.Decision == agent.NotMade:
		r.why = o.Why
		if r.clues = b.rules(ctx, a.dir).Forbids; r.clues != nil {
			r.status, r.layer, r.said = report.Fail, catalog.PermissionRule, "a deny rule takes the Bash tool away"
		}
	case o.Seen.Through && a.at != root && !p.sealed():
		r.why = "works, but no sandbox was in force there"
	case o.Seen.Through:
		r.status, r.said = report.Pass, ""
	case o.Seen.Decision == agent.Cut:
		r.why = o.Why
	case o.Seen.Decision == agent.Ran && o.Seen.Shared && !o.Seen.Ended && !unstarted(o.Seen.Text):
		r.why = trial.CutShort
	case !o.Twin.Through:
		r.why = "on a copy of your setup it does not work without the sandbox either: " + trial.Line(o.Twin.Text)
		for kind, why := range p.twin.Raw.NotOffered {
			r.why += "; " + string(kind) + ": " + why
		}
	default:
		r.status = report.Fail
		switch o.Layer {
		case trial.Rule, trial.Confirmation, trial.Hook:
			r.layer = catalog.PermissionRule
			r.clues = []report.Evidence{report.CommandEvidence(a.title, "the runtime did not start it: "+decided[o.Layer])}
		default:
			var e report.Evidence
			if unstarted(o.Seen.Text) {
				b.sandboxless(&r)
				break
			}
			if a.contacts != "" {
				r.cause = b.rules(ctx, a.dir).Denies(a.contacts)
			}
			if r.cause != nil {
				r.known = nil // its hint is about what no entry names
			}
			r.layer, e = a.layer(p.baseline)
			if a.about != nil {
				r.entry, r.vars = a.about(p.baseline)
			}
			r.clues = []report.Evidence{e}
			if words := inWords[r.entry]; words != "" && a.about != nil {
				r.clues, r.said = append(r.clues, report.CommandEvidence(a.title, r.said)), words
			}
			if a.after != "" && !p.baseline.Of(a.after).Through {
				r.said, r.known, r.clues = "not tested: the call before it did not work", nil, nil
			}
			if a.also != nil {
				if r.also, e = a.also(p.baseline); r.also != "" {
					r.clues = append(r.clues, layerEvidence(r.also), e)
				}
			}
		}
	}
	return r
}

// refusal says who refused a call, and what came of it.
func (r result) refusal() engine.Refusal {
	layers := []catalog.Refuser{r.layer}
	if r.also != "" {
		layers = append(layers, r.also)
	}
	return engine.Refusal{Layers: layers, ByDesign: r.role == byDesign, Said: r.title + ": " + r.said}
}

// decided says who kept the runtime from starting a call.
var decided = map[trial.Decider]string{trial.Rule: "a deny rule", trial.Confirmation: "it would have asked first",
	trial.Hook: "a hook"}

func (b *bench) conclude(ctx context.Context, c *inquiry) {
	f := &c.finding
	var blocked, design []engine.Refusal
	var unknown, prices []string
	var instead []report.Remedy
	var working []string // their titles
	worked := 0
	for _, r := range c.results {
		switch r.status {
		case report.Pass:
			worked++
			f.Evidence = append(f.Evidence, report.CommandEvidence(r.title, "works inside"))
			price := ""
			if r.outside != "" {
				line, _ := r.call.Line()
				if where := b.rules(ctx, r.dir).Unsandboxed(line); where != "" {
					price = fmt.Sprintf(r.outside, where)
				}
			}
			if price == "" && r.price != nil {
				price = r.price(b, b.trials[r.at].baseline)
			}
			switch {
			case price != "" && !slices.Contains(prices, price):
				prices = append(prices, price)
			case price == "" && r.instead != nil:
				instead, working = append(instead, r.instead), append(working, r.title)
			}
		case report.Fail:
			switch r.role {
			case byDesign:
				design = append(design, r.refusal())
			case needed:
				blocked = append(blocked, r.refusal())
			}
			f.Evidence = append(f.Evidence, report.CommandEvidence(r.title, r.said))
			if r.role != aside {
				f.Evidence = append(f.Evidence, layerEvidence(r.layer))
			}
			f.Evidence = append(f.Evidence, r.clues...)
			f.Evidence = append(f.Evidence, r.cause...)
			if r.known != nil {
				f.Evidence = append(f.Evidence, report.EnvEvidence("catalog", r.known.ID+": "+r.known.Text))
			}
		default:
			unknown = append(unknown, r.title+": "+r.why)
			f.Evidence = append(f.Evidence, report.CommandEvidence(r.title, r.why))
		}
	}
	if blocked != nil || design != nil {
		f.Remedies = append(f.Remedies, instead...)
	}
	switch {
	case blocked != nil:
		f.Status, c.refusal = report.Fail, first(blocked)
		if working != nil {
			c.refusal.Works = "works: " + strings.Join(working, ", ")
		}
		f.Summary = c.refusal.String()
	case unknown != nil:
		f.Status, f.Summary = report.Unknown, several(unknown)
	case design != nil:
		f.Status, c.refusal = report.Warn, first(design)
		if worked > 0 {
			c.refusal.Works = fmt.Sprintf("%d of %d calls work", worked, len(c.results))
		}
		f.Summary = c.refusal.String()
	case prices != nil:
		f.Status, f.Summary = report.Warn, "works, but lowers protection: "+several(prices)
		c.instead = report.DocLink{Title: "if you do not need it, remove the setting that allows it, then run:  ",
			Line: report.Line{Words: "verify"}}
		for _, price := range prices[1:] {
			f.Evidence = append(f.Evidence, report.PriceEvidence(price))
		}
	default:
		f.Status, f.Summary = report.Pass, "works inside as outside"
		if c.control.unstarted {
			f.Summary = "works inside, and without the sandbox"
		}
	}
}

func layerEvidence(l catalog.Refuser) report.Evidence { return report.RefusalEvidence(string(l)) }

// recognise finds the error of a call in the catalog: the entry whose fixes
// would help, or else the first that knows the words and has the sandbox as its cause.
func (b *bench) recognise(a ask, reply string) (catalog.Found, bool) {
	command, _ := a.call.Line()
	here := func(f catalog.Found) bool { return slices.Contains(f.Hint.Platforms, b.r.System().GOOS) }
	if found, ok := catalog.Match(reply, command, func(f catalog.Found) bool {
		return here(f) && f.Hint.ID == a.entry
	}); ok {
		return found, true
	}
	return catalog.Match(reply, command, func(f catalog.Found) bool {
		return here(f) && !slices.ContainsFunc(b.entries, func(e catalog.Entry) bool {
			return e.ID == f.Hint.ID && e.Layer == catalog.None
		})
	})
}

// own is the line of a reply by which its program, and not the runtime, says what an
// entry is about; "" if none does.
func (a ask) own(reply string, about *catalog.Hint) string {
	command, _ := a.call.Line()
	f, ok := catalog.Match(reply, command, func(f catalog.Found) bool {
		return f.Hint == about && trial.Line(f.Text) != trial.NoOutput
	})
	if !ok {
		return ""
	}
	return trial.Line(f.Text)
}

// several is the first of a list, and how many more there are.
func several(list []string) string { return report.Some(list, 1, "", "; and ") }

// first is the first of some refusals, and how many more there are.
func first(list []engine.Refusal) engine.Refusal {
	said := make([]string, 0, len(list))
	for _, r := range list {
		said = append(said, r.Said)
	}
	list[0].Said = several(said)
	return list[0]
}

// Fails says what verify would fail with a change (Agent.WouldOpen); opens has some.
func Fails(opens []string) string { return "verify would fail: " + several(opens) }

// bySocket tells who keeps a call from a unix socket: a call of this program
// that reaches for the same one says which system call was refused.
func bySocket(reach string) refuser {
	return bySystemCall(reach, "a call that connects to the same socket", "connect")
}

// bySystemCall reads from a call that was refused, named what, who did: no socket
// is made where seccomp refuses the family, and mount is the system call that fails
// where a directory is hidden or read-only.
func bySystemCall(id, what, mount string) refuser {
	return func(s *trial.Trial) (catalog.Refuser, report.Evidence) {
		call, text := refused(s, id)
		switch {
		case call == "socket", call == "socketpair":
			return catalog.Seccomp, report.CommandEvidence(what, text+
				" (no socket of that family is made, whatever its path)")
		case call == mount:
			return catalog.Mount, report.CommandEvidence(what, text)
		case mount == "connect" && s.Of(id).Through:
			text = "gets an answer: something else is blocked"
		}
		return catalog.Several, report.CommandEvidence(what, text)
	}
}

// always is for what only one layer can refuse.
func always(l catalog.Refuser, why string) refuser {
	return func(*trial.Trial) (catalog.Refuser, report.Evidence) {
		return l, report.EnvEvidence("layer "+string(l), why)
	}
}
