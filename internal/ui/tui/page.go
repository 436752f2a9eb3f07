// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a page never acts. It turns a key into an ask, and the
// model decides.

package tui

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// page is one screen between the rules.
type page interface {
	// layout fits the page into the window; it is called after every
	// message, before view.
	layout(l look)
	// update takes one message.
	update(msg tea.Msg) (ask, tea.Cmd)
	// view returns the rows of the body.
	view() []string
	// hints are the keys of the bottom row, most important first.
	hints() []hint
}

// helpOf are all keys of a page: those of its bottom row, unless it has a list
// of its own.
func helpOf(p page) []hint {
	if p, ok := p.(interface{ help() []hint }); ok {
		return p.help()
	}
	return p.hints()
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

// remark says that a line went to the clipboard: nothing answers whether the
// terminal took it.
func (a askCopy) remark() string {
	return cmp.Or(a.said, "copied; if it does not paste, select the line")
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
)

func noResult(where, what string) error {
	return &report.Error{Code: report.ExitInternal, Where: where, What: what,
		Why: "this is a bug in steward-setup: please report it"}
}

// The hints that many pages share.
var (
	hintBack     = hint{key: "b", word: "back"}
	hintFull     = hint{key: "n", word: "read the full text"}
	hintSideways = hint{key: "< >", word: "scroll long lines sideways"}
	hintRanIt    = hint{key: "r", word: "I ran it, check again"}
	hintHelp     = hint{key: "?", word: "help", keep: true}
	hintQuit     = hint{key: "q", word: "quit", keep: true}
)
