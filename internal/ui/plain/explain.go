// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an explanation gives the answer first, then the sentence,
// then the file and line; what was tried stands beneath what was worked out,
// and a difference is said in so many words.

package plain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// Explain prints what decides about something.
func (d *Doctor) Explain(x report.Explanation) {
	d.r.p.fold(" "+bold.Render(x.Kind)+"  ", strings.Repeat(" ", len(x.Kind)+3), x.Subject)
	for _, n := range x.Notes {
		where := ""
		if n.Where != "" {
			where = text.Path(n.Where, d.r.p.facts) + "  "
		}
		d.r.p.faint("   ", where+text.Line(n.Text+n.Line.String()))
	}
	var kinds [][]report.Launch
	for _, r := range x.Rulings {
		if !slices.ContainsFunc(kinds, func(l []report.Launch) bool { return slices.Equal(l, r.Launches) }) {
			kinds = append(kinds, r.Launches)
		}
	}
	slices.SortStableFunc(kinds, func(a, b []report.Launch) int { return len(b) - len(a) })
	for _, launches := range kinds {
		var names []string
		for _, l := range launches {
			names = append(names, text.Launch(l))
		}
		d.r.p.linef("\n%s", faint.Render("started as "+strings.Join(names, " or ")))
		for _, r := range x.Rulings {
			if slices.Equal(r.Launches, launches) {
				d.ruling(r)
			}
		}
	}
}

// answers are the signs of the answers: an answer is neither good nor bad.
var answers = map[report.Answer]string{report.Allowed: "→", report.Asks: "?", report.Denied: "■", report.Unclear: "·"}

func (d *Doctor) ruling(r report.Ruling) {
	d.r.p.fold(" "+answers[r.Answer]+" ", "   ", fmt.Sprintf("%s %s: %s", r.Who, r.Does, r.Answer))
	if r.Tried == nil || r.Tried.Expected == "" {
		d.r.p.fold("     ", "     ", r.Why)
	}
	for _, e := range r.By {
		d.r.p.faint("     ", d.place(e)+"  "+text.Line(e.Text))
	}
	t := r.Tried
	switch {
	case t == nil:
	case t.Expected != "":
		d.r.p.fold("     "+amber.Render("⚠ tried")+"  ", "       ",
			fmt.Sprintf("%s, though the settings say %s (%s). What the runtime did counts.", t.Answer, t.Expected, r.Why))
		d.r.p.faint("       ", text.Line(t.Said))
	case t.Answer == report.Unclear:
		d.r.p.fold("     tried  ", "            ", "not known: "+t.Said)
	default:
		d.r.p.fold("     tried  ", "            ", t.Said)
	}
}

// place is where an evidence stands.
func (d *Doctor) place(e report.Evidence) string {
	if e.Kind == "file" {
		return text.Path(e.Where, d.r.p.facts)
	}
	return text.Line(e.Where)
}

// proofs are the words for what is known of a fix.
var proofs = map[catalog.Proof]string{
	catalog.Measured:   "works: tested with the runtime",
	catalog.Refuted:    "does not help: tested with the runtime, or reported by users",
	catalog.Documented: "reported to work; not verified here",
	catalog.Unknown:    "not tested",
}

// anchored is a link to another entry, which is an anchor only on the page.
var anchored = lazy.Regexp(`\[([^\]]+)\]\(#([^)]+)\)`)

// Advice prints what the catalog knows of a trouble; platform is the one that
// is asked about, and where says in which file a fix stands, and what it adds there.
func (d *Doctor) Advice(a catalog.Answer, platform string, where func(catalog.Fix) (file string, lines []string)) {
	e := a.Entry
	title := e.Title
	switch {
	case e.Layer == catalog.None && a.Verdict == catalog.Undecided:
		title = "unknown whether the sandbox is the cause; if not: " + title
	case e.Layer == catalog.None:
		title = "not the sandbox: " + title
	case a.Verdict == catalog.Ordinary:
		title = "not the sandbox, although it looks like: " + title
	case a.Verdict == catalog.Undecided:
		title = "unknown whether the sandbox is the cause; if so: " + title
	}
	d.prose(" "+bold.Render(e.ID)+"  ", "   ", title)
	if e.Layer != catalog.None {
		scope := "layer " + string(e.Layer) + ", on " + strings.Join(systems(e.Platforms), " and ") + ", since " + e.Since
		if e.Until != "" {
			scope += " until " + e.Until
		}
		d.r.p.faint("   ", scope)
	}
	if a.Line != "" {
		d.r.p.fold("   in your text  ", "                 ", a.Line)
	}
	if a.If != "" {
		d.prose("   if            ", "                 ", a.If)
	}
	if a.Looked != "" {
		sign, so := report.Pass, "yes: "
		switch {
		case a.Verdict == catalog.Ordinary && e.Layer != catalog.None:
			sign, so = report.Fail, "no: "
		case a.Verdict == catalog.Undecided:
			sign, so = report.Unknown, "unknown: "
		}
		d.r.p.fold("                 "+Mark(sign)+" ", "                   ", so+a.Looked)
	}
	if a.Verdict == catalog.Ordinary && e.Layer != catalog.None { // its cause and fixes are not this error's
		return
	}
	if a.Elsewhere {
		d.prose("   note          ", "                 ",
			"known on "+strings.Join(systems(e.Platforms), " and ")+" only; this machine is different")
	}
	d.r.p.linef("")
	lead := "   why   "
	for paragraph := range strings.SplitSeq(strings.TrimSpace(e.Cause), "\n\n") {
		d.prose(lead, "         ", anchored().ReplaceAllString(paragraph, "$1: doctor --explain $2"))
		lead = "         "
	}
	// What may be done first stands first: what opens most, and what does not help, comes last.
	var first, wide, useless []int
	for i, f := range e.Fixes {
		switch h := a.At(i); {
		case h.Closed(), !a.Elsewhere && f.Proof[platform] == catalog.Refuted:
			useless = append(useless, i)
		case h.Wide:
			wide = append(wide, i)
		default:
			first = append(first, i)
		}
	}
	d.fixes(a, platform, where, first, 1)
	d.ways(a, platform, first == nil)
	d.fixes(a, platform, where, append(wide, useless...), 1+len(first))
	if d.r.o.Verbose {
		for _, s := range e.Sources {
			d.r.p.faint("   ", "source: "+text.Line(s))
		}
	}
}

// fixes prints some of the fixes of an entry, counted from n on.
func (d *Doctor) fixes(a catalog.Answer, platform string, where func(catalog.Fix) (string, []string), some []int,
	n int) {
	e := a.Entry
	for at, i := range some {
		f, here := e.Fixes[i], a.At(i)
		d.r.p.linef("")
		d.prose(fmt.Sprintf("   fix %d ", n+at), "         ", f.Title)
		for _, on := range e.Platforms {
			mark := report.Warn
			switch f.Proof[on] {
			case catalog.Measured:
				mark = report.Pass
			case catalog.Refuted:
				mark = report.Fail
			}
			if on == platform && here.Closed() {
				d.refused(here)
				continue
			}
			if on == platform || a.Elsewhere || d.r.o.Verbose {
				d.prose("         "+Mark(mark)+" ", "           ", systems([]string{on})[0]+": "+proofs[f.Proof[on]])
			}
		}
		if !here.Closed() && (a.Elsewhere || f.Proof[platform] != catalog.Refuted) {
			d.prose("         price   ", "                 ", f.Price)
			d.proposal(f, here, where)
		}
	}
}

// ways prints what leads on without a change of settings; alone says that no fix stands above.
func (d *Doctor) ways(a catalog.Answer, platform string, alone bool) {
	e, lead := a.Entry, "   or    "
	ways := e.Ways(platform)
	switch {
	case a.Instead(platform) != nil: // they are the next steps
		ways = nil
	case e.Layer == catalog.None, alone && len(e.Fixes) > 0:
		lead = "   do    "
	case len(e.Fixes) == 0 && !e.BySettings():
		d.r.p.linef("")
		d.prose("   fix   ", "         ", "no setting that could be added changes this")
	}
	for i, way := range ways {
		if i == 0 {
			d.r.p.linef("")
		}
		d.prose(lead, "         ", way.String())
		if e.Layer != catalog.None { // those are all to be done
			lead = "   or    "
		}
	}
}

// refused says why a fix is not offered on this machine.
func (d *Doctor) refused(h catalog.Here) {
	why := "does not help on this machine: " + h.Refuted
	if h.Refused != "" {
		why = "not offered: " + h.Refused
	}
	d.r.p.fold("         "+Mark(report.Fail)+" ", "           ", why)
}

// proposal shows what a fix comes to: a line to run, a change as its diff, or,
// where nobody knows what the text is about, the setting.
func (d *Doctor) proposal(f catalog.Fix, h catalog.Here, where func(catalog.Fix) (file string, lines []string)) {
	switch {
	case h.Held > 0:
		d.prose("         tried   ", "                 ",
			fmt.Sprintf("on a copy of your setup: all %d other protections still work", h.Held))
	case h.Untried != "":
		d.r.p.fold("         denials ", "                 ", h.Untried)
	}
	if h.First != nil {
		d.line("         first   ", *h.First)
	}
	switch {
	case h.Command != nil:
		d.line("         run     ", *h.Command)
	case h.Change != nil:
		d.r.p.fold("         change  ", "                 ",
			"nothing was written. The change, in "+text.Path(h.Change.Path, d.r.p.facts)+":")
		d.r.p.diff("                 ", *h.Change, false)
	default:
		file, lines := where(f)
		d.prose("         in      ", "                 ", file+", added to what is there:")
		for _, line := range lines {
			d.r.p.linef("                 %s", text.Own(line))
		}
	}
}

// line prints a line to paste, whole, and under it what for.
func (d *Doctor) line(first string, c report.Command) {
	d.r.p.linef("%s%s", first, text.Own(c.Line))
	under := strings.Repeat(" ", text.Width(first))
	d.r.p.folded(under, under, text.Line(c.Why), faint.Render)
}

// systems are platforms as people call them.
func systems(platforms []string) (names []string) {
	for _, p := range platforms {
		switch p {
		case "darwin":
			p = "macOS"
		case "linux":
			p = "Linux"
		}
		names = append(names, p)
	}
	return names
}

// Unknown says that the catalog does not know a text.
func (d *Doctor) Unknown(nearest []string) {
	d.prose("", "", "Nothing in the catalog matches this text.")
	if len(nearest) > 0 {
		d.prose("nearest  ", "         ", strings.Join(nearest, ", "))
	}
}

// Here heads what this machine shows of a trouble.
func (d *Doctor) Here(words string) {
	d.r.p.linef("")
	d.prose(bold.Render("here")+"  ", "      ", words)
}

// prose prints words of the catalog, which may be many, and are not foreign.
func (d *Doctor) prose(first, next, s string) {
	d.r.p.folded(first, next, text.Own(s), asIs)
}
