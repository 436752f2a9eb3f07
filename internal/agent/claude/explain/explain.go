// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an explanation is of a session as it would start: with the
// settings of every scope, for plain claude and for claude-iso apart. It names
// the file and line that decide, also where claude-iso hands them on in a
// document of its own.

// Package explain says what decides about a path, a host, a command or a variable in
// the sessions of Claude Code, and what of the troubleshooting catalog helps with the
// text of an error here.
//
// Contract: nothing is started or written, unless a rehearsal is asked for.
package explain

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Kind is what an explanation is about.
type Kind string

// The kinds.
const (
	AboutPath    Kind = "path"
	AboutHost    Kind = "host"
	AboutCommand Kind = "command"
	AboutEnv     Kind = "env"
)

// Question is what is to be explained.
type Question struct {
	Kind    Kind
	Subject string
	// Project is a directory in the project, "" for the working directory.
	Project string
	// Live tries it in a rehearsal too.
	Live bool
}

// host is the host that is asked about, "" if it is something else.
func (q Question) host() string {
	if q.Kind != AboutHost {
		return ""
	}
	return q.Subject
}

// maxSubject bounds what is asked about, in bytes.
const maxSubject = 16 << 10

// Explain says what decides about the subject. Nothing is changed; without
// Live nothing of the agent is started. The error is a *report.Error: the
// question cannot be understood (exit code 64).
func Explain(ctx context.Context, r host.Reader, q Question) (report.Explanation, error) {
	x := report.Explanation{Kind: string(q.Kind), Subject: q.Subject, Notes: []report.Note{}}
	if q.Subject == "" || len(q.Subject) > maxSubject || strings.ContainsRune(q.Subject, 0) {
		return x, &report.Error{Code: report.ExitUsage, Where: "--explain-" + string(q.Kind),
			What: "needs something to explain, of at most 16 kB", Lines: []report.Line{{Words: "doctor --help"}}}
	}
	root := gitrepo.RootOf(ctx, r, q.Project)
	plain := access.Plain(ctx, r, root)
	starts := []*ruled{{Start: plain}, {Start: access.Iso(ctx, r, root, plain)}}
	asked, err := question(r, q, root)
	if err != nil {
		return x, err
	}
	x.Subject = asked.Text
	x.Notes = append(x.Notes, asked.Notes...)
	if r.System().GOOS != "linux" {
		x.Notes = append(x.Notes, report.Note{
			Text: "what is said of the sandbox was measured on Linux; here it is not proved",
		})
	}
	noted := map[report.Note][]string{}
	for _, s := range starts {
		x.Notes = append(x.Notes, s.Notes...)
		if s.Missing {
			continue
		}
		var notes []report.Note
		s.rulings, notes = asked.Rule(s.Start)
		for _, n := range notes {
			if noted[n] == nil {
				x.Notes = append(x.Notes, n)
			}
			noted[n] = append(noted[n], s.Name())
		}
		for i := range s.rulings {
			s.rulings[i].Launches = []report.Launch{s.Launch}
		}
	}
	for i, n := range x.Notes { // what holds for one start only says for which
		if by := noted[n]; len(by) == 1 && !starts[1].Missing {
			x.Notes[i].Text = by[0] + ": " + n.Text
		}
	}
	if q.Live {
		x.Notes = append(x.Notes, try(ctx, r, root, asked.Subject, starts)...)
	}
	for _, s := range starts {
		x.Rulings = join(x.Rulings, s.rulings)
	}
	return x, nil
}

// join adds rulings; one that says the same of another launch is said once.
func join(list, more []report.Ruling) []report.Ruling {
	for _, m := range more {
		i := slices.IndexFunc(list, func(r report.Ruling) bool {
			r.Launches = m.Launches
			return reflect.DeepEqual(r, m)
		})
		if i >= 0 {
			list[i].Launches = append(slices.Clone(list[i].Launches), m.Launches...)
		} else {
			list = append(list, m)
		}
	}
	return list
}

// ruled is a start, and what was said of the subject in it.
type ruled struct {
	*access.Start
	rulings []report.Ruling
}

func question(r host.Reader, q Question, root string) (access.Question, error) {
	switch q.Kind {
	case AboutPath:
		return access.OfPath(r, q.Subject)
	case AboutHost:
		return access.OfHost(q.Subject)
	case AboutCommand:
		return access.OfCommand(r, q.Subject, root), nil
	case AboutEnv:
		return access.OfVariable(r, q.Subject)
	}
	return access.Question{}, &report.Error{Code: report.ExitUsage, What: "nothing is known of a " + string(q.Kind)}
}
