// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package text holds the few words and forms that every renderer shares.
//
// Contract: pure; everything that comes from outside is made safe for a
// terminal here, by redact, before a renderer lays it out.
package text

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/report/preview"
)

// maxLine bounds one line of foreign text, in runes.
const maxLine = 400

// Line makes foreign text one safe line.
func Line(s string) string { return redact.Line(redact.Text(s), maxLine) }

// MaxOwn bounds a paragraph of our own, and a line to paste, in runes.
const MaxOwn = 4000

// Own makes words of the program's own, and lines to paste, safe to show. Unlike what
// comes from outside (Line) they are not searched for secrets: many of them are about
// the names of credentials.
func Own(s string) string { return redact.Line(s, MaxOwn) }

// Seen is a place and what was seen there as one safe line; where or what may be
// "". Each is at most so many runes, and is made safe for itself: together, a
// file's name and words about it ("/etc/passwd: is …") look like the name of a
// credential and its value.
func Seen(where, what string, most int) string {
	where, what = redact.Line(redact.Text(where), most), redact.Line(redact.Text(what), most)
	if where == "" || what == "" {
		return where + what
	}
	return where + ": " + what
}

// Tested says that a fix to the file at path was tried; its diff follows.
func Tested(path string, f report.Facts) string {
	return "tested on a copy of your setup; nothing was written. The change, in " + Path(path, f) + ":"
}

// Path shows a path: ~ for the home directory, a path below the project
// relative to it, and nothing that a terminal could obey.
func Path(path string, f report.Facts) string {
	if rest, ok := pathname.Below(path, f.Project); ok {
		path = rest
	} else {
		path = Home(path, f.Home)
	}
	return redact.Line(path, maxLine)
}

// Home replaces a leading home directory by ~.
func Home(path, home string) string { return pathname.Tilde(path, home) }

// Said are findings with the paths of their sentences as Home shows them. What
// was seen, and what is to be typed, stays as it is, but for evidence that only repeats
// its sentence.
func Said(findings []report.Finding, home string) []report.Finding {
	said := slices.Clone(findings)
	for i, f := range said {
		said[i].Summary = pathname.TildeIn(f.Summary, home)
		said[i].Evidence = slices.Clone(f.Evidence)
		for n, e := range f.Evidence {
			if Repeats(f, e) {
				said[i].Evidence[n].Where, said[i].Evidence[n].Text = Home(e.Where, home), pathname.TildeIn(e.Text, home)
			}
		}
		said[i].Launches = slices.Clone(f.Launches)
		for n, l := range f.Launches {
			said[i].Launches[n].Summary = pathname.TildeIn(l.Summary, home)
		}
	}
	return said
}

// SaidIn are sections with the paths of their sentences as Home shows them.
func SaidIn(sections []report.Section, home string) []report.Section {
	said := slices.Clone(sections)
	all := func(list []string) []string {
		list = slices.Clone(list)
		for i, s := range list {
			list[i] = pathname.TildeIn(s, home)
		}
		return list
	}
	for i, s := range said {
		s.Why, s.Opens, s.Exposes = pathname.TildeIn(s.Why, home), all(s.Opens), all(s.Exposes)
		s.Findings, s.Items = Said(s.Findings, home), slices.Clone(s.Items)
		for n, it := range s.Items {
			switch it := it.(type) {
			case report.Change:
				it.Why = pathname.TildeIn(it.Why, home)
				s.Items[n] = it
			case report.Command:
				it.Why = pathname.TildeIn(it.Why, home)
				s.Items[n] = it
			}
		}
		said[i] = s
	}
	return said
}

// Failed is an error with its paths as Home shows them.
func Failed(err error, home string) *report.Error {
	e := &report.Error{What: err.Error()}
	if known, ok := errors.AsType[*report.Error](err); ok {
		copied := *known
		e = &copied
	}
	e.Where, e.What, e.Why = Home(e.Where, home), pathname.TildeIn(e.Happened(), home), pathname.TildeIn(e.Why, home)
	e.Err = nil // What says it
	return e
}

// Step is an instruction that may end with a path, with that as Home shows it.
func Step(s, home string) string {
	i := strings.LastIndex(s, Pasted)
	if i < 0 {
		return s
	}
	i += len(Pasted)
	return s[:i] + Home(s[i:], home)
}

// Summary counts what a plan would do: "4 files change, 2 commands are yours
// to run".
func Summary(p report.Plan) string {
	parts := []string{"nothing changes"}
	if n := report.Files(p.Changes()); n > 0 {
		parts[0] = report.Counted(n, "1 file changes", "%d files change")
	}
	if n := len(p.Commands()); n > 0 {
		parts = append(parts, report.Counted(n, "1 command is yours to run", "%d commands are yours to run"))
	}
	for _, d := range p.Downloads() {
		parts = append(parts, report.Counted(d.AtMost, "1 download", "at most %d downloads"))
	}
	return strings.Join(parts, ", ")
}

// Size is how large a download is, unpacked: "378 MB", or that nobody says it.
func Size(d report.Download) string {
	if d.Bytes <= 0 {
		return "the registry does not say how large"
	}
	size := bytesOf(int(d.Bytes)) + " unpacked"
	if d.AtMost > 1 {
		size += " each"
	}
	return size
}

// Stat is the size of a change: "new, 61 lines", "+61 −1", "removed", and of
// a file that has no lines the size that it will have: "binary, 15 MB".
func Stat(c report.Change) string {
	added, removed := Added(c)
	switch {
	case c.Link():
		return "symlink"
	case c.After == nil:
		return "removed"
	case c.Before != nil && bytes.Equal(c.Before, c.After):
		return "mode"
	case preview.Binary(c):
		return "binary, " + bytesOf(len(c.After))
	case c.Before == nil && added == 0:
		return "new"
	case c.Before == nil:
		return report.Counted(added, "new, 1 line", "new, %d lines")
	default:
		return fmt.Sprintf("+%d −%d", added, removed)
	}
}

// bytesOf is a size of n bytes in the largest decimal unit that it fills:
// "640 bytes", "12 kB", "15 MB".
func bytesOf(n int) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%d MB", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%d kB", n/1e3)
	default:
		return report.Counted(n, "1 byte", "%d bytes")
	}
}

// Tally is the worst-first count of a report: "1 ✗  2 ⚠  12 ✓".
func Tally(findings []report.Finding) string {
	n := report.Count(findings)
	var parts []string
	for _, s := range report.Statuses {
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], s.Symbol()))
		}
	}
	return strings.Join(parts, "  ")
}

// layerWords say in plain words what a layer does to a call that it refuses.
var layerWords = map[catalog.Refuser]string{
	catalog.Seccomp:        "system call blocked",
	catalog.Mount:          "hidden or read-only",
	catalog.Namespace:      "isolated from the host",
	catalog.Proxy:          "host not allowed",
	catalog.Seatbelt:       "blocked by the profile",
	catalog.PermissionRule: "blocked by a rule",
	catalog.Environment:    "variable removed",
	catalog.Dependency:     "sandbox part missing",
	catalog.Settings:       "settings ignored",
}

// Layer is a layer in plain words; one that has none is given back as it is.
func Layer(l catalog.Refuser) string { return cmp.Or(layerWords[l], string(l)) }
