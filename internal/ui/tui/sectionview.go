// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the preview gets what the words leave over, and the
// words never push it below a size in which it can be read; what is cut is
// named, and one key away. "why this line" is answered with the reason of
// the entry that the line belongs to, or honestly with the reason of the
// whole file.

package tui

import (
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/jsontext"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// sideBySide says whether the preview stands beside the words. A command
// stands alone on its rows, so a section that has one is stacked.
func (l look) sideBySide(p *sectionPage) bool {
	return l.wide() && !p.hasCommands() && len(p.items) > 0
}

// Sizes of the parts, in rows and cells.
const (
	leftColumn = 52
	whyHeight  = 4
	minPreview = 6
)

func (p *sectionPage) layout(l look) {
	p.l = l
	p.top, _ = window(len(p.items), p.listHeight(), p.cur, p.top)
	if d := p.item().diff; d != nil {
		w, h := p.previewSize()
		d.layout(l, w, h)
	}
}

func (p *sectionPage) listHeight() int { return min(len(p.items), p.l.few()) }

// few is how many rows a list has beside a preview.
func (l look) few() int {
	if l.bodyHeight() > 24 {
		return 8
	}
	return 3
}

// previewSize is the outer size of the preview.
func (p *sectionPage) previewSize() (w, h int) {
	h = p.l.bodyHeight()
	if p.l.sideBySide(p) {
		return p.l.bodyWidth() - leftColumn, h - whyHeight
	}
	return p.l.bodyWidth(), max(minPreview, h-len(p.above())-len(p.below()))
}

func (p *sectionPage) view() []string {
	if len(p.items) == 0 {
		return p.viewEmpty()
	}
	if p.l.sideBySide(p) {
		w, h := p.previewSize()
		right := append(p.preview(w, h), p.l.whyRows(p.item(), p.section.Entries, w)...)
		return beside(p.column(), right, leftColumn)
	}
	w, h := p.previewSize()
	rows := append(p.above(), p.preview(w, h)...)
	return append(rows, p.below()...)
}

// viewEmpty is the page of a section that proposes nothing.
func (p *sectionPage) viewEmpty() []string {
	l, w := p.l, p.l.bodyWidth()
	rows := append(p.title(w), l.prose(p.section.Why, w, -1)...)
	state := "Nothing to change here."
	if p.section.Skipped {
		state = leftOut
	}
	rows = append(append(rows, ""), l.headline(state, "", w)...)
	rows = append(rows, "")
	return append(rows, l.noteRows(notes(p.section), w, max(1, l.bodyHeight()-len(rows)))...)
}

// title is the section's name and its layers, which take a row of their own
// or are only numbered where the width is small.
func (p *sectionPage) title(w int) []string {
	name := text.Own(p.section.Title)
	long, short := layersOf(p.section)
	if text.Width(name)+2+text.Width(long) <= w || w >= leftColumn-2 {
		return p.l.headline(name, long, w)
	}
	return p.l.headline(name, short, w)
}

// prose wraps our own words; most < 0 means all of them.
func (l look) prose(s string, w, most int) []string {
	rows := text.Wrap(text.Own(s), w)
	if most < 0 {
		return rows
	}
	return firstRows(rows, most, w)
}

// goodPreview is how high a preview should be before words give way to it.
const goodPreview = 9

// above are the rows over the preview in a stacked page.
func (p *sectionPage) above() []string {
	if p.full {
		return nil
	}
	rows := p.head(3, true)
	if p.l.bodyHeight()-len(rows)-max(len(p.below()), whyHeight) < goodPreview {
		return p.head(2, false)
	}
	return rows
}

// head is the title, the reason in at most so many rows, and the items.
func (p *sectionPage) head(most int, airy bool) []string {
	w := p.l.bodyWidth()
	rows := append(p.title(w), p.l.prose(p.section.Why, w, most)...)
	if len(p.items) == 1 && p.item().command != nil {
		return rows // the pane says it all
	}
	if airy {
		rows = append(rows, "")
	}
	rows = append(rows, p.list(w)...)
	if counts := entryCounts(p.section.Entries); counts != "" {
		rows = append(rows, p.l.dim.Render(text.Cut("    "+counts, w)))
	}
	return rows
}

func (p *sectionPage) list(w int) []string {
	top, last := window(len(p.items), p.listHeight(), p.cur, p.top)
	cols := columnsOf(p.items, w)
	var rows []string
	for i := top; i < last; i++ {
		rows = append(rows, p.l.row(p.items[i], cols, w, i == p.cur))
	}
	return rows
}

// below are the rows under the preview in a stacked page.
func (p *sectionPage) below() []string {
	if p.full {
		return nil
	}
	w := p.l.bodyWidth()
	if p.why && p.item().diff != nil {
		return p.l.whyRows(p.item(), p.section.Entries, w)
	}
	return p.l.noteRows(notes(p.section), w, p.l.few())
}

// preview draws the current item in width by height cells.
func (p *sectionPage) preview(w, h int) []string {
	title := ""
	if len(p.items) > 1 {
		title = fmt.Sprintf("%d of %d", p.cur+1, len(p.items))
	}
	return p.l.preview(p.item(), title, w, h)
}

// column is the left side of a wide page: everything that is said.
func (p *sectionPage) column() []string {
	w := leftColumn - 2
	rows := append(p.title(w), "")
	rows = append(rows, p.l.prose(p.section.Why, w, -1)...)
	rows = append(rows, "")
	rows = append(rows, p.list(w)...)
	if counts := entryCounts(p.section.Entries); counts != "" {
		rows = append(rows, "", p.l.dim.Render(text.Cut(counts, w)))
	}
	rows = append(rows, "")
	return append(rows, p.l.noteRows(notes(p.section), w, max(1, p.l.bodyHeight()-len(rows)))...)
}

// entryCounts sums the entries up: "58 added, 2 kept, 0 conflicts".
func entryCounts(entries []report.Entry) string {
	if len(entries) == 0 {
		return ""
	}
	n := make(map[string]int)
	for _, e := range entries {
		n[e.State]++
	}
	s := fmt.Sprintf("%d added, %d kept, %s", n["new"], n["present"],
		report.Counted(n["conflict"], "1 conflict", "%d conflicts"))
	if n["omitted"] > 0 {
		s += fmt.Sprintf(", %d left out", n["omitted"])
	}
	return s
}

// entryAt finds the entry that line at of a diff belongs to. Where one value
// stands in several lists of a document, the list that encloses the line
// decides.
func entryAt(lines []diffLine, at int, entries []report.Entry) (report.Entry, bool) {
	if at < 0 || at >= len(lines) {
		return report.Entry{}, false
	}
	var found report.Entry
	best := 0
	for _, e := range entries {
		path, value, isValue := strings.Cut(e.Key, ":")
		score := 0
		switch {
		case isValue && strings.Contains(lines[at].text, jsontext.Quote(value)):
			score = 2 + 2*len(value)
			if encloses(lines[:at], lastPart(path)) {
				score++
			}
		case strings.Contains(lines[at].text, jsontext.Quote(lastPart(path))+":"):
			score = 2
		}
		if score > best {
			found, best = e, score
		}
	}
	return found, best > 0
}

// encloses says whether the nearest list or object that is opened in lines is
// called name.
func encloses(lines []diffLine, name string) bool {
	for i := len(lines) - 1; i >= 0; i-- {
		t := strings.TrimSpace(lines[i].text)
		if strings.HasSuffix(t, "[") || strings.HasSuffix(t, "{") {
			return strings.HasPrefix(t, jsontext.Quote(name)+":")
		}
	}
	return false
}

func lastPart(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// whyRows answers for the line under the cursor of an item's preview in exactly whyHeight
// rows.
func (l look) whyRows(it item, entries []report.Entry, width int) []string {
	head, reason := "this line", ""
	if e, ok := entryAt(it.diff.lines, it.diff.cursor, entries); ok {
		head, reason = text.Own(e.Key), fmt.Sprintf("%s (%s, %s)", text.Own(e.Why), layerWord(e.Layer), e.State)
	} else if len(it.changes) > 0 {
		head, reason = "the file", text.Own(it.changes[0].Says())
	}
	rows := []string{l.dim.Render(text.Pad("why", noteLabel)) + l.bold.Render(text.Cut(head, width-noteLabel))}
	return exactly(append(rows, after(text.Pad("", noteLabel), reason, width)...), whyHeight)
}

// layerWords number the layers as the documentation does.
var layerWords = []struct {
	layer report.Layer
	word  string
}{
	{report.LayerTools, "tools"},
	{report.LayerCleanEnv, "0 clean env"},
	{report.LayerSandbox, "1 sandbox"},
	{report.LayerPermissions, "2 permissions"},
	{report.LayerConfirmation, "3 confirmation"},
	{report.LayerVisibility, "visibility"},
}

func layerWord(layer report.Layer) string {
	for _, w := range layerWords {
		if w.layer == layer {
			return w.word
		}
	}
	return string(layer)
}

// layersOf names the layers that a section's entries belong to, in their
// order, and gives their numbers alone.
func layersOf(s report.Section) (long, short string) {
	seen := make(map[report.Layer]bool)
	for _, e := range s.Entries {
		seen[e.Layer] = true
	}
	var words, numbers []string
	head := ""
	for _, w := range layerWords {
		if !seen[w.layer] {
			continue
		}
		number, _, numbered := strings.Cut(w.word, " ")
		if numbered {
			head = "layers "
		}
		words, numbers = append(words, w.word), append(numbers, number)
	}
	return head + strings.Join(words, " · "), head + strings.Join(numbers, " ")
}
