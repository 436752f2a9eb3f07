// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the table is read from left to right, and its measures
// follow from the window and the number of probes alone, so that nothing
// moves while it fills in. What a cell cannot hold stands whole in the pane.
// All that is known of a probe, whole: the columns, who refused, each fix
// with its price and every byte that it would write, other ways, and what
// was seen.

package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// The measures of the table, in cells and rows.
const (
	probeColumn = 16 // of the longest id of a probe
	probeGap    = 2  // between columns
	signColumn  = 4  // where a column has room for its sign alone
	signTitled  = 7  // the same, under a title in full
	wordColumn  = 8  // for a sign and one word
	timeColumn  = 6  // of seconds
	maxEach     = 3  // rows of one probe
	minPane     = 6
)

// layout divides the height: the table's head and its rows, a rule, the pane.
func (p *doctorPage) layout(l look) {
	p.l = l
	h, n := l.bodyHeight(), max(1, len(p.rows))
	most := max(1, h-2-max(minPane, h*2/5)) // rows of the table at most
	p.each = 1
	if !l.narrow() {
		p.each = max(1, min(maxEach, most/n))
	}
	p.height = min(most, n*p.each)
	p.paneHeight = max(0, h-2-p.height)
	p.top, _ = window(len(p.rows), p.height/p.each, p.cur, p.top)
}

// verdictRow stands under the header: what the probes say together, and what
// is under way.
func (p *doctorPage) verdictRow() string {
	findings, w := p.findings(), p.l.bodyWidth()
	left, right := p.l.bold.Render("TRYING"), ""
	tally := tallyWords(findings, p.l)
	if !p.over {
		n, of := p.answered()
		right = fmt.Sprintf("%d of ", n) + report.Counted(of, "1 probe", "%d probes")
		if said := p.running(); said != "" && !p.l.narrow() {
			right = text.Cut(said, max(1, w-text.Width(right)-text.Width(left)-text.Width(tally)-10)) + "   " + right
		}
	} else {
		word, s := diagnosis(findings)
		left = p.l.of(s).Bold(true).Render(word)
		tried := slices.ContainsFunc(p.rows, func(r runRow) bool { return r.fix.applies() })
		switch left := len(p.fixable()) > 0; {
		case tried && left:
			right = "some fixes tried"
		case left:
			right = "no fix tried"
		case tried:
			right = "fixes tried"
		}
	}
	return p.l.statusRow(left, tally, right)
}

// widths are those of the three columns. What happens inside gets the most:
// outside has a sign alone, and the fix one word, unless the window is wide.
func (p *doctorPage) widths() (w [3]int) {
	if p.l.narrow() {
		return [3]int{signColumn, signColumn, signColumn}
	}
	rest := p.l.bodyWidth() - 2 - probeColumn - 3*probeGap - probeGap - timeColumn
	if p.l.wide() {
		w[0], w[2] = rest/4, rest/3
	} else {
		w[0], w[2] = signTitled, wordColumn
	}
	w[1] = rest - w[0] - w[2]
	return w
}

func (p *doctorPage) view() []string {
	w := p.l.bodyWidth()
	titles := [3]string{"outside", "inside", "with the fix"}
	switch {
	case p.l.narrow():
		titles = [3]string{"out", "in", "fix"}
	case !p.l.wide():
		titles[2] = "with fix"
	}
	head := text.Pad("  probe", 2+probeColumn)
	for i, cells := range p.widths() {
		head += strings.Repeat(" ", probeGap) + text.Pad(titles[i], cells)
	}
	if !p.l.narrow() {
		head += strings.Repeat(" ", probeGap) + fmt.Sprintf("%*s", timeColumn, "time")
	}
	rows := []string{p.l.dim.Render(text.Cut(head, w))}
	first, last := window(len(p.rows), p.height/p.each, -1, p.top)
	for i := first; i < last; i++ {
		rows = append(rows, p.probeRows(i)...)
	}
	rows = exactly(rows, 1+p.height)
	more := ""
	if last-first < len(p.rows) {
		more = report.Counted(len(p.rows), "1 probe", "%d probes") + when(first > 0, " ↑") + when(last < len(p.rows), " ↓")
	}
	rows = append(rows, p.l.divider(more, w))
	return append(rows, p.pane(w)...)
}

// tableCell is what stands in a column: a sign in the style of what it means,
// and words.
type tableCell struct {
	sign, words string
	style       lipgloss.Style
	dim         bool // the words stand back
}

func (c tableCell) empty() bool { return c.sign == "" && c.words == "" }

// cells are the three columns of a probe as they are now.
func (p *doctorPage) cells(r *runRow) [3]tableCell {
	trying := tableCell{sign: "◐", words: "trying", dim: true}
	known := func(s report.Status, words string) tableCell {
		return tableCell{sign: s.Symbol(), words: words, style: p.l.of(s), dim: s == report.Skip}
	}
	var c [3]tableCell
	switch {
	case r.outside.applies():
		c[0] = known(r.outside.status, r.outside.words)
		if !p.l.wide() {
			c[0].words = ""
		}
	case r.done:
	case r.started:
		c[0] = trying
	default:
		c[0] = tableCell{sign: "·", style: p.l.dim}
	}
	switch {
	case r.inside.applies():
		c[1] = known(r.inside.status, r.inside.plain())
	case r.done && !r.inside.told: // the probe itself failed
		c[1] = known(r.finding.Status, text.Line(r.finding.Summary))
	case !r.done && !r.inside.told && r.goesOn:
		c[1] = trying
	case !p.l.wide() && r.outside.applies() && r.outside.status != report.Pass: // there is room for why
		c[1] = tableCell{words: r.outside.words, dim: true}
	}
	switch {
	case r.fix.applies():
		c[2] = known(r.fix.status, r.fix.words)
		if !p.l.wide() {
			c[2].words = fixWord[r.fix.status]
		}
	case p.mayFix(r):
		c[2] = tableCell{sign: "f", words: "tries", style: p.l.bold, dim: true}
	case !r.done && !r.fix.told && r.fixesTried && r.refused():
		c[2] = trying
	}
	return c
}

// fixWord says in one word what the fixes came to.
var fixWord = map[report.Status]string{report.Pass: "works", report.Warn: "price", report.Fail: "none",
	report.Unknown: "?", report.Skip: "–"}

// probeRows draws one probe in exactly p.each rows. Words may take the room of
// the empty columns to their right; what a fix may mend leaves that of the fix.
func (p *doctorPage) probeRows(i int) []string {
	r, widths := &p.rows[i], p.widths()
	cells := p.cells(r)
	mark, name := "  ", text.Pad(text.Line(string(r.id)), probeColumn)
	switch {
	case i == p.cur:
		mark, name = p.l.bold.Render("▸ "), p.l.bold.Render(name)
	case !r.started:
		name = p.l.dim.Render(name)
	}
	rows := make([]string, p.each)
	for n := range rows {
		rows[n] = text.Pad("", 2+probeColumn)
	}
	rows[0] = mark + name
	mendable := r.refused() && !r.done
	for c := 0; c < len(cells); {
		width, next := widths[c], c+1
		for ; next < len(cells) && cells[next].empty() && (c == 0 || !mendable); next++ {
			width += probeGap + widths[next]
		}
		for n, row := range p.cellRows(cells[c], width) {
			rows[n] += strings.Repeat(" ", probeGap) + text.Pad(row, width)
		}
		c = next
	}
	if r.done && !p.l.narrow() {
		took := "<1 ms"
		if r.finding.Duration > 0 {
			took = seconds(r.finding.Duration)
		}
		rows[0] += strings.Repeat(" ", probeGap) + p.l.dim.Render(fmt.Sprintf("%*s", timeColumn, took))
	}
	return rows
}

// cellRows draws a cell in exactly p.each rows.
func (p *doctorPage) cellRows(c tableCell, width int) []string {
	rows := make([]string, p.each)
	rows[0] = c.style.Render(c.sign)
	if p.l.narrow() || c.words == "" { // the pane has the words
		return rows
	}
	if c.sign == "" {
		rows[0] = p.l.dim.Render(text.Cut(c.words, width))
		return rows
	}
	lines := text.Wrap(c.words, width-2)
	if len(lines) > p.each {
		rest := strings.Join(lines[p.each-1:], " ")
		lines = append(lines[:p.each-1], text.Cut(rest, width-2))
	}
	for n, line := range lines {
		if c.dim {
			line = p.l.dim.Render(line)
		}
		if n == 0 {
			line = rows[0] + " " + line
		} else {
			line = "  " + line
		}
		rows[n] = line
	}
	return rows
}

// pane is what is known of the probe, in at most p.paneHeight rows.
func (p *doctorPage) pane(w int) []string {
	r := p.selected()
	if r == nil {
		return nil
	}
	about := string(r.finding.Status)
	if r.finding.Duration > 0 {
		about += "  " + seconds(r.finding.Duration)
	}
	head := p.l.bold.Render(text.Line(string(r.id)))
	if r.title != "" && !p.l.narrow() {
		head += p.l.dim.Render("  whether " + text.Line(r.title))
	}
	rows := []string{text.Ends(head, p.l.dim.Render(text.Line(about)), w)}
	rows = append(rows, p.l.probeText(r, p.run.AsCalled, w)...)
	if !r.done {
		rows = append(rows, p.l.dim.Render("Not answered yet."))
	}
	return p.l.cutAt(rows, p.paneHeight, "… enter reads all")
}

// probeText is all about a probe: its columns in full, who refused, what a fix
// would write and what it costs, other ways, what was seen.
func (l look) probeText(r *runRow, as AsCalled, w int) []string {
	rows := l.layerRows(r, w)
	said := false // the summary, by a column
	for _, c := range []struct {
		label string
		cell  cell
	}{{"outside", r.outside}, {"inside", r.inside}, {"with fix", r.fix}} {
		if c.cell.applies() {
			rows = append(rows, l.statusRows(c.label, c.cell.status, c.cell.words, w)...)
			said = said || strings.HasPrefix(text.Line(r.finding.Summary), c.cell.words)
		}
	}
	if !r.done {
		return rows
	}
	if !said {
		rows = append(rows, l.statusRows("in short", r.finding.Status, text.Line(r.finding.Summary), w)...)
	}
	var seen, price []string
	for _, e := range r.finding.Evidence {
		switch e.Role {
		case report.Refusal: // stands first
		case report.Price:
			price = append(price, text.Line(e.Text))
		case report.Seen:
			seen = append(seen, text.Seen(text.Home(e.Where, l.facts.Home), e.Text, text.MaxOwn))
		}
	}
	for _, c := range r.changes {
		rows = append(rows, l.changeText(c, w)...)
	}
	for _, s := range price {
		rows = append(rows, l.labelled("price", s, w)...)
	}
	for _, m := range r.finding.Remedies {
		if d, ok := m.(report.DocLink); ok {
			rows = append(rows, l.labelled("or", text.Own(d.Text()), w)...)
		}
	}
	for _, s := range commands(r.finding, as, l.facts) {
		rows = append(rows, l.labelled("try", s.say, w)...)
		rows = append(rows, l.commandRows(s.line, w)...)
	}
	for _, s := range seen {
		rows = append(rows, l.labelled("seen", s, w)...)
	}
	return rows
}

// layerRows say who refused, in plain words and by the layer's name.
func (l look) layerRows(r *runRow, w int) []string {
	var layers []string
	for _, layer := range r.finding.Of(report.Refusal) {
		if words := text.Layer(catalog.Refuser(layer)); words != layer {
			layer = words + " (" + layer + ")"
		}
		layers = append(layers, text.Line(layer))
	}
	if slices.Sort(layers); layers == nil {
		return nil
	}
	return l.labelled("layer", strings.Join(layers, ", "), w)
}

// commands are the remedies of a finding that are command lines.
func commands(f report.Finding, as AsCalled, facts report.Facts) []step {
	return slices.DeleteFunc(mends(f, as, facts), func(s step) bool { return s.copy == "" })
}

// statusRows is a label, a sign and words on as many rows as they take.
func (l look) statusRows(label string, s report.Status, words string, w int) []string {
	return after(l.dim.Render(text.Pad(label, noteLabel))+l.of(s).Render(s.Symbol())+" ", words, w)
}

// changeText is a fix that works: what it is, what it costs, and what it would
// write. No line of it is cut: a long one goes on in the next row.
func (l look) changeText(c shown, w int) []string {
	rows := l.labelled("fix", text.Own(c.Why), w)
	if c.Price != "" {
		rows = append(rows, l.labelled("price", text.Own(c.Price), w)...)
	}
	rows = append(rows,
		l.labelled("would be", text.Path(c.Path, l.facts)+"  "+c.stat+"; tested on a copy, nothing is written", w)...)
	styles := map[byte]lipgloss.Style{'+': l.pass, '-': l.fail, ' ': lipgloss.NewStyle(), 0: l.dim}
	room := w - noteLabel
	for _, d := range c.lines {
		for line := d.signed(); line != ""; {
			head := ansi.Truncate(line, room, "")
			rows = append(rows, text.Pad("", noteLabel)+styles[d.sign].Render(head))
			if line = line[len(head):]; line != "" {
				line = "  " + line
			}
		}
	}
	return rows
}
