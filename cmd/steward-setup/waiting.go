// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: no command is silent for long. Whatever it does, whoever
// waits sees on standard error how long it has taken; a step that knows says
// what for. A full-screen page and a question have the terminal to themselves.

package main

import (
	"cmp"
	"io"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
)

// unwatched are commands that nobody waits for: their output goes to another
// program, or they become one.
var unwatched = map[string]bool{"hook": true, "completion": true, "help": true,
	cobra.ShellCompRequestCmd: true, cobra.ShellCompNoDescRequestCmd: true}

// looking is what nearly every command does first.
const looking = "checking this machine and the project"

// startWait makes a.wait, the one place that shows how long a run takes. What
// the run prints is written through it.
func (a *app) startWait() {
	width := 0
	if a.sys.StderrTTY && a.sys.Get("TERM") != "dumb" {
		width = cmp.Or(a.sys.Columns, 80)
	}
	a.wait = plain.NewProgress(a.errw, width, a.sys.Now)
	a.wait.Pause()
	a.out, a.errw = a.givesWay(a.out), a.givesWay(a.errw)
}

// watch begins to show how long a command takes; endWait ends it. With --json or a
// document, standard error that is no terminal goes to a program: it says no time.
func (a *app) watch(cmd *cobra.Command) {
	for c := cmd; c != nil; c = c.Parent() {
		if unwatched[c.Name()] {
			return
		}
	}
	a.wait.Resume()
	_, document := a.document()
	if a.sys.Every != nil && a.stopWait == nil && (a.sys.StderrTTY || !a.json && !document) {
		a.stopWait = a.sys.Every(plain.Often, a.wait.Tick)
	}
}

// endWait ends what watch began.
func (a *app) endWait() {
	if a.stopWait != nil {
		a.stopWait()
		a.stopWait = nil
	}
	a.wait.Pause()
}

// givesWay returns w as a stream before whose words the line of a.wait goes
// away.
func (a *app) givesWay(w io.Writer) io.Writer {
	return through(w, func(b []byte) (int, error) { return a.wait.Print(w.Write, b) })
}

// waiting shows how far a run of so many steps is, 0 if nobody knows, beside
// what emit shows. clear takes that line away.
func (a *app) waiting(of int, emit engine.Sink) (both engine.Sink, clear func()) {
	a.wait.Begin(of)
	return func(e engine.Event) {
		a.wait.Emit(e)
		emit(e)
	}, a.wait.Clear
}

func unseen(engine.Event) {}

// waitFor tells whoever waits what for; the line goes away with what it
// returns.
func (a *app) waitFor(what string) (done func()) {
	emit, clear := a.waiting(0, unseen)
	emit(engine.Progress{Text: what + " …"})
	return clear
}
