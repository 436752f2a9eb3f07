// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the tests press keys and read frames, as a user does; the
// commands that the model hands out run as bubbletea runs them, each in a
// goroutine of its own.

package tui

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// driver plays bubbletea for a model.
type driver struct {
	t       *testing.T
	m       *wizard
	v       *viewer // the model, if it is one that only looks
	msgs    chan tea.Msg
	pending int
	quit    bool
	copied  []string
	cancel  context.CancelFunc
}

// drive starts the wizard page by page, behind its first question.
func drive(t *testing.T, b Backend, o Options, width, height int) *driver {
	t.Helper()
	o.StepByStep = true
	return setOut(t, b, o, width, height)
}

// setOut starts the wizard as a user does, with its first question.
func setOut(t *testing.T, b Backend, o Options, width, height int) *driver {
	t.Helper()
	o.TakeBack = "steward-setup undo"
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	d := &driver{t: t, m: newWizard(ctx, b, o), msgs: make(chan tea.Msg), cancel: cancel}
	d.start(width, height)
	return d
}

// model is what the keys go to.
func (d *driver) model() tea.Model {
	if d.v != nil {
		return d.v
	}
	return d.m
}

// lookAt starts a screen that changes nothing.
func lookAt(t *testing.T, v *viewer, width, height int) *driver {
	t.Helper()
	d := &driver{t: t, v: v, msgs: make(chan tea.Msg), cancel: func() {}}
	d.start(width, height)
	return d
}

func (d *driver) start(width, height int) {
	d.run(d.model().Init())
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
}

// run starts a command and takes messages until none is under way.
func (d *driver) run(cmd tea.Cmd) {
	d.begin(cmd)
	for d.pending > 0 {
		d.take(<-d.msgs)
	}
}

func (d *driver) begin(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	d.pending++
	go func() { d.msgs <- cmd() }()
}

func (d *driver) take(msg tea.Msg) {
	d.pending--
	switch msg := msg.(type) {
	case nil:
		return
	case tea.QuitMsg:
		d.quit = true
		return
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.begin(cmd)
		}
		return
	}
	switch v := reflect.ValueOf(msg); v.Type().String() {
	case "tea.sequenceMsg":
		for i := range v.Len() {
			d.begin(v.Index(i).Interface().(tea.Cmd))
		}
		return
	case "tea.setClipboardMsg":
		d.copied = append(d.copied, fmt.Sprint(msg))
		return
	}
	_, cmd := d.model().Update(msg)
	d.begin(cmd)
}

func (d *driver) send(msg tea.Msg) {
	_, cmd := d.model().Update(msg)
	d.run(cmd)
}

// keyNames are the keys that are not letters.
var keyNames = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
	"pgdown": {Code: tea.KeyPgDown}, "pgup": {Code: tea.KeyPgUp}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	"space": {Code: tea.KeySpace, Text: " "}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl},
	"ctrl+v": {Code: 'v', Mod: tea.ModCtrl},
	"ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl},
}

func keyMsg(name string) tea.KeyPressMsg {
	if k, ok := keyNames[name]; ok {
		return k
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// press presses the keys that are named in a row: "s a down enter".
func (d *driver) press(keys string) *driver {
	d.t.Helper()
	for _, k := range strings.Fields(keys) {
		d.send(keyMsg(k))
	}
	return d
}

// frame is what the user sees, without its styles.
func (d *driver) frame() string {
	return ansi.Strip(d.model().View().Content)
}

func (d *driver) sees(want ...string) {
	d.t.Helper()
	for _, w := range want {
		if !strings.Contains(d.frame(), w) {
			d.t.Fatalf("the user does not see %q in\n%s", w, d.frame())
		}
	}
}

func (d *driver) seesNot(unwanted ...string) {
	d.t.Helper()
	for _, w := range unwanted {
		if strings.Contains(d.frame(), w) {
			d.t.Fatalf("the user should not see %q in\n%s", w, d.frame())
		}
	}
}

// outcome ends the run as runOn does.
func (d *driver) outcome() Outcome {
	d.t.Helper()
	if !d.quit {
		d.t.Fatalf("the run has not ended; the user sees\n%s", d.frame())
	}
	d.cancel()
	return d.m.outcome(d.m.ledger.close())
}

// toReview are the keys from the first page to the review.
const toReview = "s a a a a a"

// first returns b's proposal for no answers.
func first(t *testing.T, b Backend) *report.Proposal {
	t.Helper()
	p := testenv.Must(b.Propose(t.Context(), nil, nil))(t)
	return &p
}

// leaves says whether the last of these keys, and no other, ends the screen.
func leaves(m *viewer, keys string) bool {
	all := strings.Fields(keys)
	for i, key := range all {
		_, cmd := m.Update(keyMsg(key))
		if ended := cmd != nil && m.end != ""; ended != (i == len(all)-1) {
			return false
		}
	}
	return true
}

// leftEarly is the screen that these keys leave while its run is under way; the
// run has ended with it.
func leftEarly(t *testing.T, keys string,
	open func(context.Context, func(context.Context, engine.Sink) error) *viewer) *viewer {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	began, ended := make(chan struct{}), make(chan struct{})
	m := open(ctx, func(ctx context.Context, emit engine.Sink) error {
		emit(engine.CheckStarted{ID: "denials"})
		close(began)
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	})
	d := &driver{t: t, v: m, msgs: make(chan tea.Msg, 8), cancel: cancel}
	d.begin(m.Init())
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	for started := false; !started; {
		select {
		case msg := <-d.msgs:
			d.take(msg)
		case <-began:
			started = true
		}
	}
	if !leaves(m, keys) {
		t.Fatalf("%s does not end it", keys)
	}
	cancel() // as runOn does once the screen is gone
	m.ledger.close()
	select {
	case <-ended:
	default:
		t.Errorf("%s: the run went on after the screen", keys)
	}
	return m
}
