// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a report is written as changes nothing of what it says: not
// the run, not the exit code, and not who is asked.

package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/document"
)

const (
	formatFlag = "format"
	textFormat = "text"
	jsonFormat = "json"
)

// formats are the words of --format.
func formats() []string {
	words := []string{textFormat, jsonFormat}
	for _, f := range document.Formats {
		words = append(words, string(f))
	}
	return words
}

// formatValue is the flag --format; its word is app.format.
type formatValue struct{ a *app }

func (f formatValue) String() string {
	if f.a == nil {
		return ""
	}
	return f.a.format
}

func (formatValue) Type() string { return "string" }

// Set implements pflag.Value.
func (f formatValue) Set(word string) error {
	if !slices.Contains(formats(), word) {
		return &report.Error{Code: report.ExitUsage, What: takes("--"+formatFlag, inWords(formats(), "or"), word, formats())}
	}
	f.a.format, f.a.json = word, f.a.json || word == jsonFormat
	return nil
}

// oneFormat refuses a line that asks for two.
func (a *app) oneFormat(cmd *cobra.Command) error {
	if a.json && a.format != "" && a.format != jsonFormat {
		return usage(cmd, "--json and --"+formatFlag+" "+a.format+" ask for two formats")
	}
	return nil
}

// document is what the report is written as, ok false where that is lines, a screen
// or JSON.
func (a *app) document() (f document.Format, ok bool) {
	f = document.Format(a.format)
	return f, slices.Contains(document.Formats, f)
}

// write shows the run as a document.
func (v *verification) write(ctx context.Context, facts report.Facts, f document.Format) error {
	doc, self := document.New(version, facts, v.o.strict), v.a.self(v.h)
	emit, clear := v.a.waiting(len(v.shown()), func(e engine.Event) { doc.Emit(v.a.calledEvent(self, e)) })
	rep, err := v.run(ctx, emit)
	clear()
	if err != nil {
		return stopped(ctx, err, "verify")
	}
	b, err := doc.In(f)
	if err != nil {
		return &report.Error{Code: report.ExitInternal, What: "the report could not be written as " + string(f), Err: err}
	}
	_, _ = v.a.out.Write(b) // what becomes of the stream is said at the end (stdout)
	return exitCode(rep.Verdict.Exit())
}
