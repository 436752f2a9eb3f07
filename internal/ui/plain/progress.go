// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whoever waits at a terminal sees what for, in one line
// that goes away; nobody else sees anything.

package plain

import (
	"fmt"
	"io"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// Progress shows how far checks are in one line that is written over.
type Progress struct {
	w         io.Writer
	width, of int
	started   int
	shown     bool
	now       func() time.Time
	began     time.Time
}

// NewProgress returns a Progress of that many checks on w, a terminal of this
// width in cells, which says how long it has taken as now tells it.
func NewProgress(w io.Writer, width, checks int, now func() time.Time) *Progress {
	return &Progress{w: w, width: width, of: checks, now: now, began: now()}
}

// soon is how long nothing is said of the time.
const soon = 500 * time.Millisecond

// Emit takes one event.
func (p *Progress) Emit(e engine.Event) {
	switch e := e.(type) {
	case engine.CheckStarted:
		p.started++
		p.show(fmt.Sprintf("%d of %d  %s", p.started, max(p.of, p.started), e.Title))
	case engine.Progress:
		line := e.Text
		if e.Of > 0 {
			line = fmt.Sprintf("%d of %d  %s", e.Done, e.Of, e.Text)
		}
		p.show(line)
	case engine.Judged:
		p.Clear()
	}
}

func (p *Progress) show(line string) {
	if took := p.now().Sub(p.began); took >= soon {
		line = fmt.Sprintf("%.1f s  %s", took.Seconds(), line)
	}
	// The last cell stays free: some terminals break the line there.
	fmt.Fprintf(p.w, "\r%s\x1b[K", text.Cut(text.Line(line), p.width-1))
	p.shown = true
}

// Clear takes the line away.
func (p *Progress) Clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
