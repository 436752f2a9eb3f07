// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a fix is offered only if it was seen to work, to be what
// makes it work, and to open no denial. What is tried are the bytes that would
// be written, on a stage; on the host nothing changes.

package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// attempt is one fix for what an inquiry found refused.
type attempt struct {
	entry catalog.Entry
	fix   catalog.Fix
	// change is what it would write, why the reason why it is not tried, err
	// that it could not be.
	change report.Change
	why    string
	err    error
	// vars are those of the results that it is for (ask.about).
	vars map[string]string
	// treatment is where it is tried.
	treatment *treatment
	// settings are those of the fix with the values of this machine, sieve the
	// treatment beside others, nil if there is none.
	settings string
	sieve    *treatment
	// effect is what kind of change it is.
	effect catalog.Effect
}

// candidates lists, for what was refused, every fix of the catalog in its
// order. Fixes of several probes that would write the same are one treatment.
func (b *bench) candidates(ctx context.Context, c *inquiry) {
	if !b.o.TryFix || c.finding.Voids {
		return
	}
	c.tried = b.attempts(c)
	for _, a := range c.tried {
		var opens []string
		if a.err = b.change(ctx, c, a); a.err == nil && a.change.After != nil {
			opens, a.err = b.opens(a.change)
		}
		switch {
		case a.err != nil:
			a.why = "not tested: " + a.err.Error()
		case a.change.After == nil:
			a.why = "is set already, and does not help"
		case opens != nil:
			a.why = "rejected: " + Fails(opens)
		default:
			a.treatment = b.treatmentOf(c, a)
		}
	}
}

// helps says whether the fixes of an entry are about what refused a call: what
// a permission rule refuses, no setting of the sandbox allows.
func helps(e catalog.Entry, r result) bool {
	return r.status == report.Fail && r.entry == e.ID && (r.layer != catalog.PermissionRule ||
		e.Layer == catalog.PermissionRule)
}

// helps says whether an attempt is about what refused a call.
func (a *attempt) helps(r result) bool { return helps(a.entry, r) && maps.Equal(a.vars, r.vars) }

// attempts are the fixes of every entry, for each thing that was refused by
// itself.
func (b *bench) attempts(c *inquiry) (list []*attempt) {
	for _, e := range b.refused(c) {
		var about []map[string]string
		for _, r := range c.results {
			if helps(e, r) && !slices.ContainsFunc(about, func(vars map[string]string) bool {
				return maps.Equal(vars, r.vars)
			}) {
				about = append(about, r.vars)
			}
		}
		for _, vars := range about {
			for _, fix := range e.Fixes {
				list = append(list, &attempt{entry: e, fix: fix, vars: vars})
			}
		}
	}
	return list
}

// refused lists the entries whose fixes would help with what was refused.
func (b *bench) refused(c *inquiry) []catalog.Entry {
	var list []catalog.Entry
	for _, e := range b.entries {
		if slices.Contains(e.Platforms, b.r.System().GOOS) && slices.ContainsFunc(c.results, func(r result) bool {
			return helps(e, r)
		}) {
			list = append(list, e)
		}
	}
	return list
}

// leading are the entries whose alternatives are shown: those about what is
// needed, where anything needed is refused. What is refused by design besides
// would repeat them.
func (b *bench) leading(c *inquiry, entries []catalog.Entry) []catalog.Entry {
	var list []catalog.Entry
	for _, e := range entries {
		if slices.ContainsFunc(c.results, func(r result) bool { return r.role == needed && helps(e, r) }) {
			list = append(list, e)
		}
	}
	if list == nil {
		return entries
	}
	return list
}

// fixes says of each fix what became of it.
func (b *bench) fixes(ctx context.Context, c *inquiry) {
	for _, r := range c.results {
		if line, ok := r.call.Line(); ok && r.status == report.Fail && r.layer == catalog.PermissionRule {
			c.finding.Remedies = append(c.finding.Remedies, report.Own("doctor --explain-command "+scripts.Quote(line),
				report.Command{ID: "explain-" + report.ID(r.id), Optional: true,
					Why: "see the rule that decides it; no sandbox setting helps"}))
		}
	}
	entries := b.refused(c)
	if entries == nil || c.finding.Voids {
		b.step(c, engine.WithFix, report.Skip, "")
		return
	}
	smallest := ""
	var untried []string
	var work []*attempt
	for _, a := range c.tried {
		if slices.ContainsFunc(work, a.holds) {
			continue
		}
		o := outcome{said: a.why, untried: a.err != nil}
		if a.treatment != nil {
			b.emit(engine.Progress{Text: string(c.id) + ": trying “" + a.fix.Title + "”"})
			if o.said = b.refuted(ctx, member{c, a}); o.said == "" {
				a.treatment.play(ctx, b)
				o = b.outcome(c, a)
			}
		}
		c.finding.Evidence = append(c.finding.Evidence, report.CommandEvidence("with the fix: "+a.fix.Title, o.said))
		if o.untried {
			untried = append(untried, strings.TrimPrefix(o.said, "not tested: "))
		}
		if !o.works {
			continue
		}
		smallest, work = cmp.Or(smallest, a.fix.Title), append(work, a)
		c.finding.Evidence = append(c.finding.Evidence, o.price...)
		c.finding.Remedies = append(c.finding.Remedies, a.change)
		if line := b.o.Agent.Line(ctx, b.r, b.inputs.Root, a.fix.Setting(a.settings), cmp.Or(a.vars["HOST"],
			c.control.vars["HOST"])); line != nil {
			c.finding.Remedies = append(c.finding.Remedies, *line)
		}
		works := " works"
		if _, still := a.lets(c); still != nil {
			works = " works in part"
		}
		if a.fix.Exclude { // no setting changes
			b.step(c, engine.WithFix, report.Pass, "“"+a.fix.Title+"”"+works)
		} else {
			b.step(c, engine.WithFix, report.Warn, "“"+a.fix.Title+"”"+works+", but lowers protection")
		}
	}
	for _, e := range b.leading(c, entries) {
		for _, way := range e.Ways(b.r.System().GOOS) {
			c.finding.Remedies = append(c.finding.Remedies, report.DocLink{Title: way.Text, Line: way.Line,
				Target: "docs/troubleshooting.md#" + e.ID})
		}
	}
	cause := c.cause()
	if cause != nil && c.control.vars["HOST"] != "" {
		c.finding.Remedies = append([]report.Remedy{report.Own("doctor --explain-host "+scripts.Quote(c.control.vars["HOST"]),
			report.Command{ID: "explain-host",
				Why: "find the entry that denies it; remove the entry if the host should be reachable", Optional: true})},
			c.finding.Remedies...)
	}
	switch {
	case !b.o.TryFix:
		c.finding.Remedies = append(b.allowing(ctx, c, entries), c.finding.Remedies...)
		c.finding.Remedies = append([]report.Remedy{report.Own("doctor "+
			string(c.id)+" --try-fix", report.Command{ID: "try-" + c.id, Optional: true,
			Why: "test every known fix on a copy of your setup, and see its price; nothing is changed"})},
			c.finding.Remedies...)
		b.step(c, engine.WithFix, report.Skip, "")
	case smallest != "":
		c.finding.Summary += c.mended(smallest, work)
	case cause != nil:
		c.finding.Summary += "; denied in " + cause[0].Where + ", and no other setting overrides that"
		b.step(c, engine.WithFix, report.Fail, "denied in "+cause[0].Where)
	case untried != nil:
		c.finding.Summary += fmt.Sprintf("; %d of %d fixes not tested: %s", len(untried), len(c.tried), untried[0])
		c.finding.Remedies = append([]report.Remedy{sayWhy}, c.finding.Remedies...)
		b.step(c, engine.WithFix, report.Unknown, "not tested")
	case c.tried == nil:
		c.finding.Summary += "; no known setting helps"
		b.step(c, engine.WithFix, report.Fail, "no known setting helps")
	default:
		c.finding.Summary += fmt.Sprintf("; %s (%d tried)", NotFixable, len(c.tried))
		b.step(c, engine.WithFix, report.Fail, NotFixable)
	}
}

// allowing is the line that allows the hosts that were refused.
func (b *bench) allowing(ctx context.Context, c *inquiry, entries []catalog.Entry) []report.Remedy {
	hosts, fix := b.hosts(c, entries)
	if line := b.o.Agent.Line(ctx, b.r, b.inputs.Root, fix, hosts...); line != nil {
		return []report.Remedy{*line}
	}
	return nil
}

// hosts are those that were refused, with a fix of the catalog that allows one.
func (b *bench) hosts(c *inquiry, entries []catalog.Entry) (list []string, fix catalog.Fix) {
	for _, r := range c.results {
		for _, e := range entries {
			for _, f := range e.Fixes {
				if r.vars["HOST"] != "" && helps(e, r) && b.o.Agent.Effect(f).Hosts {
					list, fix = report.Union(list, r.vars["HOST"]), f
				}
			}
		}
	}
	return list, fix
}

// holds says whether an attempt sets all that a smaller one sets: where that one
// works, the rest only opens more.
func (a *attempt) holds(smaller *attempt) bool {
	var all, some map[string]any
	if json.Unmarshal([]byte(cmp.Or(a.settings, a.fix.Settings)), &all) != nil ||
		json.Unmarshal([]byte(smaller.settings), &some) != nil {
		return false
	}
	return holdsValue(all, some)
}

func holdsValue(have, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := have.(map[string]any)
		for key, value := range want {
			ok = ok && holdsValue(object[key], value)
		}
		return ok
	case []any:
		list, ok := have.([]any)
		for _, value := range want {
			ok = ok && slices.ContainsFunc(list, func(v any) bool { return holdsValue(v, value) })
		}
		return ok
	}
	return have == want
}

// cause are the entries of the user's settings that refuse what was asked for.
func (c *inquiry) cause() []report.Evidence {
	for _, r := range c.results {
		if r.status == report.Fail && r.cause != nil {
			return r.cause
		}
	}
	return nil
}

// NotFixable is the verdict where no setting helps.
const NotFixable = "not fixable by settings here"

// change works out what an attempt would write for an inquiry. After is nil if
// it would write nothing.
func (b *bench) change(ctx context.Context, c *inquiry, a *attempt) (err error) {
	vars := map[string]string{}
	for _, known := range []map[string]string{c.control.vars, a.vars} {
		for name, value := range known {
			vars[name] = b.o.Agent.Spelled(value, b.r.Places().Home)
		}
	}
	if !a.fix.Exclude {
		if a.settings, err = expand(a.fix.Settings, vars); err != nil {
			return err
		}
	}
	fix := a.fix.Setting(a.settings)
	a.effect = b.o.Agent.Effect(fix)
	a.change, err = b.o.Agent.Change(ctx, b.r, b.inputs.Root, a.entry.ID, fix)
	return err
}

// expand puts the machine's values for ${NAME} into a fix, inside JSON
// strings.
func expand(text string, vars map[string]string) (string, error) {
	for name, value := range vars {
		quoted, err := json.Marshal(value)
		if err != nil {
			return "", err
		}
		text = strings.ReplaceAll(text, "${"+name+"}", string(quoted[1:len(quoted)-1]))
	}
	if _, rest, missing := strings.Cut(text, "${"); missing {
		name, _, _ := strings.Cut(rest, "}")
		return "", errors.New("what " + name + " would be is unknown here")
	}
	return text, nil
}
