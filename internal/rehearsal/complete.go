// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a session that ended early, or never came to the model,
// says so in words: nothing can be concluded from what it did not do.

package rehearsal

import (
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// Complete says whether the session came to its end: nil, or a *report.Error
// with what it broke off at. A complete session may still lack the result of a
// call (Raw.Call).
func (raw Raw) Complete() error {
	const unknownAfter = "what it would have done after that is unknown"
	broken := func(what, why string) error {
		return &report.Error{Code: report.ExitLeft, Where: "session " + raw.Session, What: what, Why: why,
			Next: "steward-setup verify --transcript FILE   # keeps everything that it said"}
	}
	switch {
	case raw.Failed != "":
		return broken("did not end by itself: "+raw.Failed, unknownAfter)
	case !raw.Asked:
		return broken(fmt.Sprintf("never asked the model: the runtime ended with exit code %d%s", raw.Exit,
			lastWords(raw.Stderr, raw.Stream)),
			"nothing was tested in it")
	case raw.Terminal && !raw.Played:
		return broken(fmt.Sprintf("broke off: the runtime ended with exit code %d before the last call",
			raw.Exit), unknownAfter)
	case !raw.Terminal && !raw.Record().Ended():
		return broken(fmt.Sprintf("broke off: the runtime ended with exit code %d and without a result%s", raw.Exit,
			lastWords(raw.Stderr, "")),
			unknownAfter)
	}
	return nil
}

// lastWords is the last line of the first text that has one.
func lastWords(texts ...string) string {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if _, own, ok := strings.Cut(text, "steward-setup: "); ok { // claude-iso refuses: its first line says what
			text, _, _ = strings.Cut(own, "\n")
		}
		if i := strings.LastIndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		}
		if text != "" {
			return ": " + text[:min(len(text), 300)]
		}
	}
	return ""
}
