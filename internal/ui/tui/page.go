// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a page never acts. It turns a key into an ask, and the
// model decides.

package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// page is one screen between the rules. One that takes more messages than presses of
// keys, or keys as text, has a method update.
type page interface {
	// layout fits the page into the window; it is called after every
	// message, before view.
	layout(l look)
	// view returns the rows of the body.
	view() []string
	// keys are what can be pressed, in the order of the bottom row: most important
	// first.
	keys() []binding
}

// binding is what keys do on a page, and how that is said.
type binding struct {
	// on are the names of the keys, apart by blanks. key is what stands for them, ""
	// for the first, and as what does in the help, "" for key.
	on, key, as string
	// word stands in the bottom row, short where that is tight; keep says that it never
	// goes. help stands in the list of all keys. Each may be "".
	word, short, help string
	keep              bool
	off               bool // the keys do nothing now, and are not in the bottom row
	do                func() ask
	move              func(key string) // in place of do
}

// anyKey are all keys that no binding before has.
const anyKey = "*"

// update has a page take a message.
func update(p page, msg tea.Msg) (ask, tea.Cmd) {
	if p, ok := p.(interface {
		update(msg tea.Msg) (ask, tea.Cmd)
	}); ok {
		return p.update(msg)
	}
	return press(p, pressed(msg)), nil
}

// press does what a key does on a page.
func press(p page, key string) ask {
	for _, b := range p.keys() {
		switch {
		case key == "" || b.off || b.on != anyKey && !slices.Contains(strings.Fields(b.on), key):
		case b.move != nil:
			b.move(key)
			return nil
		case b.do != nil:
			return b.do()
		}
	}
	return nil
}

// does asks for the same always.
func does(a ask) func() ask { return func() ask { return a } }

// when is s, or "" where it is not so.
func when(is bool, s string) string {
	if is {
		return s
	}
	return ""
}

func (b binding) label() string {
	first, _, _ := strings.Cut(b.on, " ")
	return cmp.Or(b.key, first)
}

// hintsOf are the keys of the bottom row.
func hintsOf(p page) (hs []hint) {
	for _, b := range p.keys() {
		if b.word != "" && !b.off {
			hs = append(hs, hint{b.label(), b.word, b.keep, b.short})
		}
	}
	return hs
}

// helpOf are all keys of a page: those of its bottom row, unless it says more.
func helpOf(p page) (hs []hint) {
	for _, b := range p.keys() {
		if b.help != "" {
			hs = append(hs, hint{key: cmp.Or(b.as, b.label()), word: b.help})
		}
	}
	if hs == nil {
		return hintsOf(p)
	}
	return hs
}

// ask is what the user wants of the model: one of the types whose names begin so;
// nil is nothing.
type ask any

type (
	askNext    struct{}                      // go on; what is on the page is settled
	askSkip    struct{}                      // leave the section out
	askInclude struct{}                      // take it in again
	askBack    struct{}                      // the page before
	askForm    struct{}                      // change the answers of the section
	askEntries struct{}                      // choose its entries
	askRead    struct{}                      // read all that is said about it
	askAgain   struct{}                      // look at the machine again
	askRetry   struct{}                      // propose again, then review
	askClose   struct{}                      // close this overlay or this part
	askAnswer  struct{ with report.Answers } // these are the answers now
	askOmit    struct{ keys []string }       // these entries stay out
	askOver    struct{ over page }           // lay this over the page
	askCopy    struct{ line, said string }   // to the clipboard; said is the remark, if it is a special one
	askPick    struct{ key string }          // leave with this choice
	askApply   struct{}                      // write the plan
	askQuit    struct{}                      // leave, perhaps after a question
	askLeave   struct{}                      // leave
	askSay     struct{ remark string }       // nothing to do but to say why
	askLater   struct{ lead Action }         // go there once everything is written; or no longer
	askWay     struct{ way way }             // go through the wizard this way
	askEdit    struct{ id report.ID }        // open one answer of the review
	askPages   struct{}                      // show the pages of the sections
)

// askCheck asks to run the checks. work is another run than the last, begin
// what makes the page ready for it; nil are the last and the page's own way.
type askCheck struct {
	work  func(context.Context, engine.Sink) error
	begin func()
}

// pressed returns the name of the key that msg is the press of, or "".
func pressed(msg tea.Msg) string {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		return k.String()
	}
	return ""
}

// What several pages say.
const (
	leftOut       = "Left out: none of it will be written."
	nothingNeeded = "Nothing had to be written."
	sameAnswers   = "The same answers without the wizard:"
	tooLong       = "Too long for this window: copy it with y."
	noneBefore    = "this is the first page; q quits"
	fullText      = "read the full text"
)

func noResult(where, what string) error {
	return &report.Error{Code: report.ExitInternal, Where: where, What: what,
		Why: "this is a bug in steward-setup: please report it"}
}

// forHelp is the key that lists all keys; the model takes it.
var forHelp = binding{key: "?", word: "help", keep: true}

// quits is the key that leaves, by asking for a.
func quits(on string, a ask) binding { return binding{on: on, word: "quit", keep: true, do: does(a)} }
