// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a question's words get every row that the answer leaves
// over; what is cut all the same ends in an ellipsis, and one key shows it.

package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// Sizes of a question's parts, in rows: what a list of options needs to be
// read, and what is kept free for what is wrong with an answer.
const (
	enoughOptions = 5
	enoughRemark  = 2
)

// shares are the rows that the parts of a question's page get. airy sets the
// parts apart by blank rows.
type shares struct {
	airy                 bool
	words, field, remark int
}

// share divides the body. Where it is too low for everything, first the list
// of options is made to scroll, then the blank rows go, then the remark is
// cut, and the words last.
func (p *formPage) share() shares {
	room, all := p.l.bodyHeight(), p.value.height(p.question())
	list, remark := min(all, enoughOptions), max(enoughRemark, p.longestRemark())
	for _, s := range []shares{{true, 0, all, remark}, {true, 0, list, remark}, {false, 0, list, remark},
		{false, 0, list, enoughRemark}} {
		s.words = len(p.words(s.airy, 1<<16))
		spare := room - s.words - s.field - s.remark
		if s.airy {
			spare-- // over the remark
		}
		if spare < 0 {
			continue
		}
		more := min(spare, all-s.field)
		s.field += more
		if !s.airy {
			s.remark = min(remark, s.remark+spare-more)
		}
		return s
	}
	s := shares{remark: min(enoughRemark, room/6), field: max(2, min(list, room/3))}
	s.words = room - s.field - s.remark
	return s
}

// wordRows are the parts of what is said, each wrapped.
type wordRows struct{ head, title, help, price, from []string }

func (p *formPage) wordRows(airy bool) wordRows {
	w, q := p.l.bodyWidth(), p.question()
	count := ""
	if len(p.questions) > 1 {
		count = fmt.Sprintf("question %d of %d", p.at+1, len(p.questions))
	}
	rows := wordRows{head: []string{text.Ends(p.l.dim.Render(text.Own(p.title)), p.l.dim.Render(count), w)}}
	if airy {
		rows.head = append(rows.head, "")
	}
	rows.title = styled(p.l.bold, text.Wrap(text.Own(q.Title), w))
	rows.help, rows.price, rows.from = p.l.questionRows(q, w)
	return rows
}

// questionRows are what is said about a question, each part by itself.
func (l look) questionRows(q report.Question, w int) (help, price, from []string) {
	help = text.Wrap(text.Own(q.Help), w)
	if q.Price != "" {
		price = l.labelled("price", text.Own(q.Price), w)
	}
	if q.DefaultFrom != "" {
		from = l.labelled("suggested", "from "+text.Own(q.DefaultFrom), w)
	}
	return help, price, from
}

// words are the rows over the field, at most room of them: each part has a
// row as long as there is one, and then in the order of their weight what it
// needs.
func (p *formPage) words(airy bool, room int) []string {
	r := p.wordRows(airy)
	parts := []*[]string{&r.head, &r.title, &r.price, &r.help, &r.from}
	left := max(0, room-1) // the blank row under them
	got := make([]int, len(parts))
	for i, part := range parts {
		got[i] = min(1, len(*part), left)
		left -= got[i]
	}
	for i, part := range parts {
		more := min(left, len(*part)-got[i])
		got[i], left = got[i]+more, left-more
		*part = firstRows(*part, got[i], p.l.bodyWidth())
	}
	return slices.Concat(r.head, r.title, r.help, r.price, r.from, []string{""})
}

// firstRows are the first n of rows; an ellipsis says that there are more.
func firstRows(rows []string, n, width int) []string {
	if n >= len(rows) {
		return rows
	}
	rows = rows[:n]
	if n > 0 {
		rows[n-1] = text.Cut(rows[n-1]+" …", width)
	}
	return rows
}

// cut says whether anything of the question is not in sight and cannot be
// scrolled to.
func (p *formPage) cut() bool {
	s := p.share()
	return s.words < len(p.words(s.airy, 1<<16)) || s.remark < p.longestRemark()
}

// remarkOf are the rows under the field for an option whose own row is cut.
func (p *formPage) remarkOf(o report.Option) []string {
	w := p.l.bodyWidth()
	if text.Width(optionLabel(o, labelWidth(p.question()), 1<<16)) <= w-optionMargin {
		return nil
	}
	said := text.Own(o.Label)
	if o.Note != "" {
		said += ": " + text.Own(o.Note)
	}
	return text.Wrap(said, w)
}

func (p *formPage) longestRemark() int {
	n := 0
	for _, o := range p.question().Options {
		n = max(n, len(p.remarkOf(o)))
	}
	return n
}

// remarks are the rows under the field: what is wrong with the answer, or
// all of the option under the cursor where its row had to cut it. They always
// have the same height.
func (p *formPage) remarks() []string {
	s := p.share()
	style, rows := p.l.dim, []string(nil)
	if p.form != nil && len(p.form.Errors()) > 0 {
		style = p.l.fail
		for _, err := range p.form.Errors() {
			rows = append(rows, text.Wrap("✗ "+text.Line(err.Error()), p.l.bodyWidth())...)
		}
	} else if at := p.hoveredAt(); at >= 0 {
		rows = p.remarkOf(p.question().Options[at])
	}
	rows = exactly(styled(style, firstRows(rows, s.remark, p.l.bodyWidth())), s.remark)
	if s.airy {
		rows = append([]string{""}, rows...)
	}
	return rows
}

// hoveredAt is the index of the option under the cursor, -1 if there is none.
func (p *formPage) hoveredAt() int {
	f, ok := p.field.(interface{ Hovered() (string, bool) })
	if !ok {
		return -1
	}
	value, ok := f.Hovered()
	return slices.IndexFunc(p.question().Options, func(o report.Option) bool { return ok && o.Value == value })
}

// fieldHeight is the room for huh's field, which draws no fewer than two rows.
func (p *formPage) fieldHeight() int { return max(2, p.share().field) }

func (p *formPage) view() []string {
	s := p.share()
	rows := p.words(s.airy, s.words)
	if at, all := p.hoveredAt(), len(p.question().Options); s.field < all && at >= 0 {
		rows[len(rows)-1] = text.Ends("", p.l.dim.Render(fmt.Sprintf("option %d of %d", at+1, all)), p.l.bodyWidth())
	}
	for _, row := range strings.Split(printable(p.form.View()), "\n") {
		rows = append(rows, p.l.dim.Render(p.margin())+row)
	}
	return append(rows, p.remarks()...)
}

// margin marks the rows of a text of several lines.
func (p *formPage) margin() string {
	if p.question().Kind == report.List {
		return "│ "
	}
	return ""
}

// newQuestionText is all that is said about a question and its options.
func newQuestionText(section string, q report.Question) *readPage {
	return newReadPage(text.Own(section), func(l look, width int) []string {
		rows := l.headline(text.Own(q.Title), "", width)
		help, price, from := l.questionRows(q, width)
		for _, part := range [][]string{help, price, from} {
			rows = append(rows, part...)
		}
		for _, o := range q.Options {
			rows = append(rows, "", l.bold.Render(text.Cut(text.Own(o.Label), width)))
			rows = append(rows, text.Wrap(text.Own(o.Note), width)...)
		}
		return rows
	})
}
