// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a screen asks about a push are the answers that --only
// and --message give.

package sync

import (
	"context"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// The questions about a push.
const (
	questionFiles   = report.ID("only")
	questionMessage = report.ID("message")
)

// rel is the file of a change that Push made.
func rel(c report.Change) string { return strings.TrimPrefix(string(c.ID), "push/") }

// Chosen is what leaves by answers to Questions; message is the one that was
// given before, "" for a draft. The error is a *report.Error: the message looks
// like a secret.
func (o *Outgoing) Chosen(ctx context.Context, a report.Answers, message string) (*Outgoing, error) {
	files, some := a[questionFiles]
	if said := a[questionMessage]; len(said) == 1 && strings.TrimSpace(said[0]) != "" {
		message = said[0] + "\n"
		if err := CheckMessage(ctx, message); err != nil {
			return nil, err
		}
	}
	return o.Without(o.dir, message, func(c report.Change) bool { return !some || slices.Contains(files, rel(c)) }), nil
}

// Questions are what is asked about the files of a push: which, and by which
// message. chosen is what Chosen made of the answers.
func (o *Outgoing) Questions(chosen *Outgoing) []report.Question {
	if len(o.Files) == 0 {
		return nil
	}
	files := report.Question{ID: questionFiles, Section: "push", Kind: report.Multi, Title: "Which files are committed?",
		Help: "The others stay as they are, uncommitted.", Reason: "all that differ"}
	for _, c := range o.Files {
		what, _, _ := strings.Cut(c.Why, ":")
		files.Options = append(files.Options, report.Option{Value: rel(c), Label: rel(c), Note: what})
		files.Default = append(files.Default, rel(c))
	}
	list := []report.Question{files}
	if len(chosen.Files) > 0 {
		first, _, _ := strings.Cut(chosen.Message, "\n")
		list = append(list, report.Question{ID: questionMessage, Section: "push", Kind: report.Text, Title: "Commit message",
			Help: "It is pushed with the commit.", Default: []string{first}, Reason: "drafted"})
	}
	return list
}
