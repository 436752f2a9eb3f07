// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whoever waits sees what for and how long already: on a
// terminal in one line that goes away, elsewhere in a line now and then once it
// takes longer than a few seconds.

package plain

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// Progress says how far a run is. It may be called by several goroutines.
type Progress struct {
	w     io.Writer
	width int
	now   func() time.Time

	mu          sync.Mutex
	began       time.Time
	next        time.Duration // of the next line where there is no terminal
	paused      bool
	half        bool // something was printed whose line is not ended
	shown       bool
	of, started int
	tally       map[report.Status]int
	line        string
}

// NewProgress returns a Progress on w: a terminal of this width in cells, or
// none if width is 0. It says how long it has taken as now tells it.
func NewProgress(w io.Writer, width int, now func() time.Time) *Progress {
	return &Progress{w: w, width: width, now: now, began: now(), next: firstLine}
}

// How long nothing is said of the time on a terminal, and nothing at all
// elsewhere. How often a terminal's line is drawn anew.
const (
	soon      = 500 * time.Millisecond
	firstLine = 5 * time.Second
	Often     = 500 * time.Millisecond
)

// Begin starts a part of the run that has so many checks, 0 if nobody knows.
func (p *Progress) Begin(checks int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of, p.started, p.tally, p.line = checks, 0, map[report.Status]int{}, ""
}

// Emit takes one event.
func (p *Progress) Emit(e engine.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := e.(type) {
	case engine.CheckStarted:
		p.started++
		p.say(p.started, max(p.of, p.started), e.Title)
	case engine.CheckDone:
		if p.tally != nil {
			p.tally[e.Finding.Status]++
		}
	case engine.Progress:
		p.say(e.Done, e.Of, e.Text)
	case engine.Judged:
		p.end()
	}
}

// say shows what is being done: part n of so many, if of is not 0. What was
// found so far stands behind it.
func (p *Progress) say(n, of int, what string) {
	p.line = what
	if of > 0 {
		p.line = fmt.Sprintf("%d of %d  %s", n, of, what)
	}
	for _, s := range []report.Status{report.Fail, report.Warn, report.Unknown} {
		if n := p.tally[s]; n > 0 {
			p.line += fmt.Sprintf("  %d %s", n, s.Symbol())
		}
	}
	if p.width > 0 {
		p.draw(p.now().Sub(p.began))
	}
}

// Tick draws the time anew.
func (p *Progress) Tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := p.now().Sub(p.began)
	switch {
	case p.paused:
	case p.width > 0 && took >= soon:
		p.draw(took)
	case p.width == 0 && took >= p.next:
		p.next = min(2*p.next, p.next+time.Minute)
		what := strings.TrimSuffix(p.line, " …")
		if what != "" {
			what = ": " + text.Line(what)
		}
		fmt.Fprintf(p.w, "steward-setup: still working after %.0f s%s\n", took.Seconds(), what)
	}
}

// draw writes the line over the last one.
func (p *Progress) draw(took time.Duration) {
	if p.paused || p.half {
		return
	}
	line := cmp.Or(p.line, "working …")
	if took >= soon {
		line = fmt.Sprintf("%.1f s  %s", took.Seconds(), line)
	}
	// The last cell stays free: some terminals break the line there.
	fmt.Fprintf(p.w, "\r%s\x1b[K", text.Cut(text.Line(line), p.width-1))
	p.shown = true
}

// Clear takes the line away; what follows has none until it is told what for.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

func (p *Progress) end() {
	p.erase()
	p.of, p.started, p.tally, p.line = 0, 0, nil, ""
}

func (p *Progress) erase() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// Pause takes the line away until Resume: somebody else has the terminal.
func (p *Progress) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.paused = true
}

// Resume begins anew: nobody waited while it was paused.
func (p *Progress) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused, p.half = false, false
	p.began, p.next = p.now(), firstLine
}

// Print writes what belongs to the result: the line gives way to it.
func (p *Progress) Print(write func([]byte) (int, error), b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	if len(b) > 0 {
		p.half = b[len(b)-1] != '\n'
	}
	return write(b)
}
