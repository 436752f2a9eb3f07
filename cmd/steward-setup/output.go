// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command emits events and ends once; whether they become
// lines or one JSON document, the exit code is the same.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/jsonv1"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// output shows one command's events as lines or as JSON.
type output struct {
	a     *app
	lines *plain.Printer
	doc   *jsonv1.Collector
	// seen gathers the findings of checks for the next steps.
	seen []report.Finding
	name string
}

func (a *app) output(command string, facts report.Facts) *output {
	if a.json {
		return &output{a: a, doc: jsonv1.New(command, version, facts)}
	}
	return &output{a: a, lines: plain.New(a.out, a.sys.List(), facts, a.columns())}
}

// columns is the width of the terminal that standard output is, in cells, 0
// where it is none.
func (a *app) columns() int {
	if !a.sys.StdoutTTY {
		return 0
	}
	return a.sys.Columns
}

// self is how the program is called here.
func (o *output) self() string {
	if o.name == "" {
		o.name = o.a.selfHere()
	}
	return o.name
}

// Emit takes one event.
func (o *output) Emit(e engine.Event) {
	if done, ok := e.(engine.CheckDone); ok {
		o.seen = append(o.seen, done.Finding)
	}
	e = o.a.calledEvent(o.self(), e)
	if o.doc != nil {
		o.doc.Emit(e)
		return
	}
	o.lines.Emit(e)
}

// say prints a line of words that is safe to show; on a terminal it is broken
// where it does not fit.
func (a *app) say(format string, args ...any) {
	for _, row := range text.Fold(fmt.Sprintf(format, args...), a.columns()) {
		fmt.Fprintln(a.out, row)
	}
}

// next prints what is left for the user to do. A document has it in its plan.
func (o *output) next(h *host.Host, steps []report.NextStep) {
	if o.lines == nil {
		return
	}
	called := make([]report.NextStep, len(steps))
	for i, s := range steps {
		called[i] = o.a.calledStep(o.a.self(h), s)
	}
	o.lines.Next(called)
}

// end finishes the output: with code, or with err's code and message.
func (o *output) end(code int, err error) error {
	if o.doc == nil {
		if err != nil {
			return err
		}
		return exitCode(code)
	}
	if err != nil {
		code = report.ExitInternal
		if e, ok := errors.AsType[*report.Error](err); ok {
			code = e.Code
		}
		o.doc.Fail(code, o.a.calledError(err))
	}
	unwritten := o.doc.Flush(o.a.out)
	_, lost := errors.AsType[*iofs.PathError](unwritten)
	switch {
	case lost && err == nil: // the stream remembers it (run), and the answer counts
	case unwritten != nil && err != nil:
		return err
	case unwritten != nil:
		return unwritten
	}
	return exitCode(code)
}

// ask puts one yes-or-no question on a terminal that draws no full screen.
// Everything but a typed yes is a no: an end of input too.
func (a *app) ask(question string) bool {
	if !a.sys.Terminal() || a.json {
		return false
	}
	reply := strings.ToLower(a.answer("\n" + question + " [y/N] "))
	return reply == "y" || reply == "yes"
}

// answer asks and returns the line that is typed; "" at the end of input.
func (a *app) answer(question string) string {
	a.wait.Pause()
	defer a.wait.Resume()
	_, _ = a.out.Write([]byte(question))
	var answer [64]byte
	n, _ := a.in.Read(answer[:])
	return strings.TrimSpace(string(answer[:n]))
}

// checked shows a run of so many checks as text or as JSON, and on a terminal
// how far it is. next are the steps after it, for the text.
func (o *output) checked(of int, f report.Facts, opts plain.ReportOptions,
	run func(emit engine.Sink) (next func() []report.NextStep, err error)) error {
	var lines *plain.Report
	emit := engine.Sink(o.Emit)
	if o.doc == nil {
		opts.Width = o.a.columns()
		lines = plain.NewReport(o.a.out, o.a.sys.List(), f, opts)
		emit = func(e engine.Event) { lines.Emit(o.a.calledEvent(o.self(), e)) }
	}
	emit, clear := o.a.waiting(of, emit)
	next, err := run(emit)
	clear()
	if err == nil && lines != nil {
		lines.Next(next())
	}
	return err
}

// stdout remembers the first write that failed.
type stdout struct {
	to   io.Writer
	err  error
	left func()
}

// watchOutput returns w as a stream that remembers, and its memory; left is
// called once nobody reads it any more.
func watchOutput(w io.Writer, left func()) (io.Writer, *stdout) {
	s := &stdout{to: w, left: left}
	return through(w, s.write), s
}

func (s *stdout) write(b []byte) (int, error) {
	n, err := s.to.Write(b)
	if err != nil && s.err == nil {
		if s.err = err; s.unread() {
			s.left()
		}
	}
	return n, err // a writer passes its error on
}

// unread says that whoever read the output has left, as head does.
func (s *stdout) unread() bool { return brokenPipe(s.err) }

type file interface {
	io.ReadWriteCloser
	Fd() uintptr
}

// through returns w with another Write. A terminal stays one: what draws on it
// asks for the methods of a file.
func through(w io.Writer, write stream) io.Writer {
	if f, ok := w.(file); ok {
		return streamFile{f, write}
	}
	return write
}

type stream func([]byte) (int, error)

func (s stream) Write(b []byte) (int, error) { return s(b) }

type streamFile struct {
	file
	write stream
}

func (f streamFile) Write(b []byte) (int, error) { return f.write(b) }

// exitCode ends a command with a code and no message of its own.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// asksForJSON looks for --json in a line that may not have been understood.
func asksForJSON(cmd *cobra.Command, args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	asks := slices.Contains(args, "--json") || slices.Contains(args, "--"+formatFlag+"="+jsonFormat)
	if i := slices.Index(args, "--"+formatFlag); i >= 0 && i+1 < len(args) {
		asks = asks || args[i+1] == jsonFormat
	}
	return !cmd.DisableFlagParsing && asks
}

// exit turns a command's error into its message and its code: in words, or,
// with --json, as the document that the command did not come to print.
func (a *app) exit(ctx context.Context, command string, err error) int {
	var code exitCode
	var e *report.Error
	switch err = a.calledError(err); {
	case err == nil:
		return report.ExitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &e):
	case ctx.Err() != nil:
		e = interrupted()
	default:
		e = &report.Error{Code: report.ExitInternal, What: err.Error()}
	}
	if a.json {
		doc := jsonv1.New(command, version, report.Facts{OS: a.sys.GOOS})
		doc.Fail(e.Code, e)
		if doc.Flush(a.out) == nil {
			return e.Code
		}
	}
	a.complain(e)
	return e.Code
}

// complain prints a failure on standard error, no wider than its terminal.
func (a *app) complain(err error) {
	width := 0
	if a.sys.StderrTTY {
		width = a.sys.Columns
	}
	plain.Error(a.errw, a.sys.List(), width, text.Failed(err, a.sys.Get("HOME")))
}

// interrupted is what a run ends with that a signal stopped.
func interrupted() *report.Error {
	return &report.Error{Code: report.ExitInterrupted, What: "interrupted",
		Why: "nothing was written that was not reported"}
}
