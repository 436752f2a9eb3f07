// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every question has a flag of its own name, and the line
// that applies a plan gives back exactly the answers that were given.

package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// none is the word for an empty answer to a question with several.
const none = "none"

type answerFlag struct {
	q       report.Question
	answers report.Answers
}

// addAnswerFlags gives every question its flag; answers fills as flags are
// read.
func addAnswerFlags(flags *pflag.FlagSet, questions []report.Question, answers report.Answers) {
	for _, q := range questions {
		f := flags.VarPF(answerFlag{q, answers}, string(q.ID), "", flagHelp(q))
		if q.Kind == report.Confirm {
			f.NoOptDefVal = "yes"
		}
	}
}

func flagHelp(q report.Question) string {
	help := q.Title
	switch {
	case len(q.Options) > 0:
		help += " (" + strings.Join(answerFlag{q: q}.values(), ", ") + ")"
	case q.Kind == report.List:
		help += " (may be repeated)"
	}
	if len(q.Default) > 0 {
		help += " [default " + strings.Join(q.Default, ",") + "]"
	}
	return help
}

// String is asked for by pflag to print defaults; flagHelp does that.
func (f answerFlag) String() string { return "" }

// Type is what --help shows behind the flag's name.
func (f answerFlag) Type() string {
	switch f.q.Kind {
	case report.Confirm:
		return "yes|no"
	case report.Multi:
		return "LIST"
	default:
		return "TEXT"
	}
}

// Set takes one value from the command line. Its error is a *report.Error
// that says by itself what the flag takes.
func (f answerFlag) Set(s string) error {
	switch f.q.Kind {
	case report.Confirm:
		switch s {
		case "yes", "true":
			s = "yes"
		case "no", "false":
			s = "no"
		default:
			return f.takes("yes or no", s)
		}
		f.answers[f.q.ID] = []string{s}
	case report.Multi:
		values, err := f.several(s)
		if err != nil {
			return err
		}
		f.answers[f.q.ID] = values
	case report.List:
		if s == none && f.answers[f.q.ID] == nil {
			f.answers[f.q.ID] = []string{}
			return nil
		}
		f.answers[f.q.ID] = append(f.answers[f.q.ID], s)
	case report.Choice:
		if !f.offers(s) {
			return f.takes(inWords(f.values(), "or"), s)
		}
		f.answers[f.q.ID] = []string{s}
	case report.Text:
		f.answers[f.q.ID] = []string{s}
	}
	return nil
}

func (f answerFlag) several(s string) ([]string, error) {
	values := []string{}
	if s == none {
		return values, nil
	}
	for value := range strings.SplitSeq(s, ",") {
		value = strings.TrimSpace(value)
		if !f.offers(value) {
			return nil, f.takes("any of "+inWords(f.values(), "and")+", or "+none, value)
		}
		values = append(values, value)
	}
	return values, nil
}

// offers says whether value is an option; a question without a list of its
// own takes any value.
func (f answerFlag) offers(value string) bool {
	return len(f.q.Options) == 0 || slices.Contains(f.values(), value)
}

func (f answerFlag) values() []string {
	values := make([]string, 0, len(f.q.Options))
	for _, o := range f.q.Options {
		values = append(values, o.Value)
	}
	return values
}

func (f answerFlag) takes(what, value string) error {
	return &report.Error{Code: report.ExitUsage, What: takes("--"+string(f.q.ID), what, value, f.values())}
}

// answerLine is the answers as flags, in the questions' order.
func answerLine(questions []report.Question, answers report.Answers) string {
	var b strings.Builder
	for _, q := range questions {
		values, given := answers[q.ID]
		if !given {
			continue
		}
		flag := " --" + string(q.ID)
		switch {
		case q.Kind == report.Confirm && len(values) == 1 && values[0] == "yes":
			b.WriteString(flag)
		case q.Kind == report.List && len(values) > 0:
			for _, v := range values {
				b.WriteString(flag + "=" + scripts.Quote(v))
			}
		case len(values) == 0:
			b.WriteString(flag + "=" + none)
		default:
			b.WriteString(flag + "=" + scripts.Quote(strings.Join(values, ",")))
		}
	}
	return b.String()
}
