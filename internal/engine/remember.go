// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a plan that was printed is remembered by digests only, in
// the cache, so that a later --apply can say what has changed since. The
// names begin with the time, so that the oldest go first.

package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
)

// remembered is a plan without its bytes, and the project that it is about.
type remembered struct {
	Project string           `json:"project,omitempty"`
	Items   []rememberedItem `json:"items"`
	// Fields are what its id is the digest of.
	Fields [][]string `json:"fields"`
}

type rememberedItem struct {
	ID    report.ID     `json:"id"`
	Path  string        `json:"path,omitempty"`
	Base  report.Digest `json:"base,omitempty"`
	After report.Digest `json:"after,omitempty"`
	Line  string        `json:"line,omitempty"`
	// Target is the file that Path leads to, Mode are its permissions.
	Target string        `json:"target,omitempty"`
	Mode   iofs.FileMode `json:"mode,omitempty"`
}

// maxPlans bounds how many printed plans are remembered.
const maxPlans = 20

// Remember notes down below cache a plan that was printed for the project with
// this root ("" for none). Failing to is no error: only the explanation of a
// later mismatch would be poorer.
func Remember(cache string, now time.Time, project string, p report.Plan) {
	b, err := json.Marshal(summary(project, p))
	if err != nil {
		return
	}
	dir := filepath.Join(cache, "plans")
	if fs.Cache(filepath.Join(dir, now.UTC().Format(stamp)+string(p.ID)), b) != nil {
		return
	}
	names, _ := fs.List(dir)
	fs.Uncache(dir, surplus(names, now, maxPlans))
}

// WhatChanged compares the plan that was approved with the plan of today for
// project, one line for each difference; known is false when the approved one
// is not remembered here.
func WhatChanged(cache string, approved report.PlanID, project string, today report.Plan) (lines []string, known bool) {
	old, known := recall(cache, approved)
	if !known {
		return nil, false
	}
	if old.Project != project {
		return []string{fmt.Sprintf("it is about %s, and this is %s", place(old.Project), place(project))}, true
	}
	now := summary(project, today)
	for _, o := range old.Items {
		i := slices.IndexFunc(now.Items, func(n rememberedItem) bool { return n.ID == o.ID })
		switch {
		case i < 0 && o.stands():
			lines = append(lines, fmt.Sprintf("%s is written already", name(o)))
		case i < 0:
			lines = append(lines, fmt.Sprintf("%s is no longer proposed", name(o)))
		case now.Items[i].Base != o.Base:
			lines = append(lines, fmt.Sprintf("%s has changed on disk", name(o)))
		case now.Items[i].Target != o.Target:
			lines = append(lines, fmt.Sprintf("%s points to another file now, %s", name(o), now.Items[i].Target))
		case now.Items[i].Mode != o.Mode:
			lines = append(lines, fmt.Sprintf("%s has other permissions now (%04o, and had %04o)", name(o), now.Items[i].Mode,
				o.Mode))
		case now.Items[i] != o:
			lines = append(lines, fmt.Sprintf("%s would be written differently now", name(o)))
		}
	}
	for _, n := range now.Items {
		if !slices.ContainsFunc(old.Items, func(o rememberedItem) bool { return o.ID == n.ID }) {
			lines = append(lines, fmt.Sprintf("%s is new", name(n)))
		}
	}
	return lines, true
}

// CommandsLess says how many commands of the plan that was approved today's lacks, which
// somebody has run since; ok is false where it lacks none, or differs in anything else.
// What is remembered is believed by the digest that the approval is.
func CommandsLess(cache string, approved report.PlanID, today report.Plan) (n int, ok bool) {
	old, known := recall(cache, approved)
	if !known || report.IDOf(old.Fields) != approved {
		return 0, false
	}
	n, ok = today.CommandsLess(old.Fields)
	return n, ok && n > 0
}

// recall returns what is remembered of a plan.
func recall(cache string, id report.PlanID) (old remembered, known bool) {
	dir := filepath.Join(cache, "plans")
	names, _ := fs.List(dir)
	i := slices.IndexFunc(names, func(n string) bool { return strings.HasSuffix(n, "-"+string(id)) })
	if i < 0 || len(id) < len("0000-0000-0000-0000") {
		return old, false
	}
	b, err := fs.Read(filepath.Join(dir, names[i]))
	return old, err == nil && json.Unmarshal(b, &old) == nil
}

// stands says whether the file is already what the plan would make it.
func (i rememberedItem) stands() bool {
	b, err := fs.ReadAll(i.Path)
	return err == nil && report.DigestOf(b) == i.After
}

func place(project string) string { return cmp.Or(project, "no repository") }

func summary(project string, p report.Plan) remembered {
	s := remembered{Project: project, Fields: p.Fields()}
	for _, it := range p.Items() {
		switch it := it.(type) {
		case report.Change:
			s.Items = append(s.Items, rememberedItem{ID: it.ID, Path: it.Path, Base: it.Base(), After: it.Result(),
				Target: it.Target, Mode: it.ModeBefore.Perm()})
		case report.Command:
			s.Items = append(s.Items, rememberedItem{ID: it.ID, Line: it.Line})
		}
	}
	return s
}

func name(i rememberedItem) string {
	if i.Path != "" {
		return i.Path
	}
	return "the command `" + i.Line + "`"
}
