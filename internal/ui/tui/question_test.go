// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whoever answers a question can read all of it, and can
// leave it by the keys that the page names.

package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// asking is a machine with one question on its first page.
type asking struct {
	fake
	q report.Question
}

func (b *asking) Propose(ctx context.Context, a report.Answers, tell func(engine.Progress)) (report.Proposal, error) {
	p, err := b.fake.Propose(ctx, a, tell)
	b.q.Section = "tools"
	p.Questions = []report.Question{b.q}
	return p, err
}

func numbered(word string, n int) string {
	var words []string
	for i := range n {
		words = append(words, fmt.Sprintf("%s-%02d", word, i))
	}
	return strings.Join(words, " ")
}

func TestAQuestionUsesTheRowsThatAreFree(t *testing.T) {
	options := []report.Option{{Value: "a", Label: "first", Note: numbered("note", 14)}, {Value: "b", Label: "second"}}
	for _, kind := range []report.QuestionKind{report.Confirm, report.Choice, report.Multi, report.Text, report.List} {
		q := report.Question{ID: "x", Kind: kind, Title: "What now?", Help: numbered("help", 20), Price: numbered("cost", 14)}
		if kind == report.Choice || kind == report.Multi {
			q.Options = options
		}
		d := drive(t, &asking{q: q}, Options{}, 80, 24)
		d.sees(strings.Fields(q.Help + " " + q.Price)...)
		if q.Options != nil { // the option under the cursor, whose row cuts it
			d.sees(strings.Fields(options[0].Note)...)
		}
		d.seesNot("read all")
		narrow := drive(t, &asking{q: q}, Options{}, 40, 24)
		narrow.sees(strings.Fields(q.Price)...)
	}
}

func TestWhatAQuestionCannotShowIsOneKeyAway(t *testing.T) {
	for kind, key := range map[report.QuestionKind]string{report.Choice: "n", report.Multi: "n", report.Confirm: "ctrl+r",
		report.Text: "ctrl+r", report.List: "ctrl+r"} {
		q := report.Question{ID: "x", Kind: kind, Title: "What now?", Help: numbered("help", 40), Price: numbered("cost", 30),
			DefaultFrom: "here"}
		if key == "n" {
			q.Options = []report.Option{{Value: "a", Label: "first", Note: numbered("note", 14)}}
		}
		b := &asking{q: q}
		d := drive(t, b, Options{}, 40, 24)
		d.sees("…", strings.Replace(key, "+", "-", 1)+" read all")
		d.press(key)
		seen := d.frame()
		for range 40 {
			seen += d.press("down").frame()
		}
		for _, word := range strings.Fields(q.Help + " " + q.Price + " from here") {
			if !strings.Contains(seen, word) {
				t.Errorf("%s: %q cannot be read", kind, word)
			}
		}
		d.press("esc").sees("What now?")
		if _, answered := d.m.answers["x"]; answered {
			t.Errorf("%s: reading answered the question", kind)
		}
	}
}

func TestAQuestionIsLeftByTheKeysThatItNames(t *testing.T) {
	for _, kind := range []report.QuestionKind{report.Confirm, report.Choice, report.Multi} {
		q := report.Question{ID: "x", Kind: kind, Title: "What now?"}
		if kind != report.Confirm {
			q.Options = []report.Option{{Value: "a", Label: "first"}}
		}
		d := drive(t, &asking{q: q}, Options{}, 80, 24)
		d.sees("? help", "q quit")
		d.seesNot("esc back")
		d.press("esc").sees("this is the first page; q quits")
		d.press("?").sees("Keys", "read the full text")
		if out := d.press("esc q").outcome(); out.End != Quit {
			t.Errorf("%s: %+v", kind, out)
		}
	}
	for _, kind := range []report.QuestionKind{report.Text, report.List} {
		d := drive(t, &asking{q: report.Question{ID: "x", Kind: kind, Title: "What now?"}}, Options{}, 80, 24)
		d.seesNot("q quit", "? help", "esc back")
		d.press("esc").sees("this is the first page; ctrl-c quits")
		d.press("q ?").sees("q?")
	}
}

func TestAListThatScrollsSaysWhereItIs(t *testing.T) {
	q := report.Question{ID: "x", Kind: report.Multi, Title: "Which?"}
	for i := range 30 {
		name := fmt.Sprintf("name-%02d", i)
		q.Options = append(q.Options, report.Option{Value: name, Label: name})
	}
	d := drive(t, &asking{q: q}, Options{}, 80, 24)
	d.sees("option 1 of 30")
	d.press("down down").sees("option 3 of 30")
	q.Options = q.Options[:4]
	drive(t, &asking{q: q}, Options{}, 80, 24).seesNot("of 4")
}

func TestANoteThatWouldBeCutToNothingStandsBelow(t *testing.T) {
	q := report.Question{ID: "x", Kind: report.Choice, Title: "Where?", Options: []report.Option{
		{Value: "a", Label: "the project", Note: "committed, so it reaches everyone"},
		{Value: "b", Label: "everyone on this machine", Note: "as root"}}}
	d := drive(t, &asking{q: q}, Options{}, 40, 24)
	d.sees("everyone on this machine", "the project: committed, so it")
	d.seesNot("…")
}
