// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what looks like a symptom is looked at only in its own lines.

package catalog

import (
	"slices"
	"strings"
)

const (
	// minAnchor is the least length of a symptom's anchor, in bytes. The
	// longer it is, the more bytes a step of the search passes over.
	minAnchor = 8
	// reach bounds how far around an anchor a symptom is looked for, in
	// bytes each way.
	reach = 4 << 10
	// perSignature bounds how often one signature is found, maxTries how
	// often one that spans lines is tried: its windows overlap.
	perSignature = 8
	maxTries     = 64
	// maxCommand bounds how much of a command is looked at, in bytes.
	maxCommand = 16 << 10
)

// signature is a Symptom as the search uses it: texts in lower case, and the
// number of its entry.
type signature struct {
	entry   int
	anchor  string
	match   []string
	any     []string
	unless  []string
	within  int
	start   bool
	command string
	confirm Confirm
	witness string
	over    []string
	frame   bool
}

// Hint is what a hook needs of an entry.
type Hint struct {
	ID, Probe, Text string
	Platforms       []string
	// Host says that a fix of it allows a host.
	Host bool
}

// Found is a symptom in a text.
type Found struct {
	Hint    *Hint
	Confirm Confirm
	// Witness are the paths that confirm it, with "~" and "$NAME" in them;
	// only where Confirm is one of places.
	Witness string
	// Text is the line or lines that it stands on.
	Text string
	// Over are the ids of the entries whose errors it explains.
	Over []string
	// Symptom is its number in the entry, from 0; Frame that of the symptom.
	Symptom int
	Frame   bool
}

// in says whether a text is one of the same entry.
func (f Found) in(text string) bool {
	_, same := Match(text, "", func(other Found) bool { return other.Hint == f.Hint })
	return same
}

// Match returns the symptom of the highest priority in text that accept
// takes. command is the command that printed the text; symptoms that ask for
// something in it do not match when it is "". accept is called in the order
// of priority, for each symptom at most perSignature times.
func Match(text, command string, accept func(Found) bool) (Found, bool) {
	type candidate struct {
		signature int
		text      string
	}
	var candidates []candidate
	var s search
	s.prepare()
	command = strings.ToLower(command[:min(len(command), maxCommand)])
	s.scan(text, func(i, at int) bool {
		sig, p := &signatures[i], &s.progress[i]
		if at < p.done || p.found == perSignature || p.tries == maxTries || !strings.Contains(command, sig.command) {
			return true
		}
		s.look(text, at, max(1, sig.within))
		if sig.within > 1 {
			p.tries++
		} else {
			p.done = s.to // the other anchors of this line were looked at too
		}
		if from, to, ok := sig.in(s.lower); ok {
			p.found++
			candidates = append(candidates, candidate{i, text[s.from+from : s.from+to]})
		}
		return true
	})
	slices.SortStableFunc(candidates, func(a, b candidate) int { return a.signature - b.signature })
	for _, c := range candidates {
		sig := &signatures[c.signature]
		f := Found{Hint: &hints[sig.entry], Confirm: sig.confirm, Witness: sig.witness, Text: c.text, Over: sig.over,
			Frame: sig.frame}
		for n := c.signature; n > 0 && signatures[n-1].entry == sig.entry; n-- {
			f.Symptom++
		}
		if accept(f) {
			return f, true
		}
	}
	return Found{}, false
}

// Cause is Match, but for errors that another one in the text explains, which
// accept takes, too: they are what came of it.
func Cause(text, command string, accept func(Found) bool) (Found, bool) {
	var found []Found
	Match(text, command, func(f Found) bool { found = append(found, f); return false })
	came := explained(found, accept)
	if i := slices.IndexFunc(found, func(f Found) bool { return !came(f) && accept(f) }); i >= 0 {
		return found[i], true
	}
	return Found{}, false
}

// Possible says whether text, or the text inside a JSON document, can hold a
// symptom. It is much cheaper than to take the document apart: an anchor has
// no byte that JSON would write differently.
func Possible(text string) bool {
	var s search
	s.prepare()
	possible := false
	s.scan(text, func(int, int) bool { possible = true; return false })
	return possible
}

// in looks for the signature in lower-case text and returns the lines that it
// stands on.
func (sig *signature) in(lower string) (from, to int, ok bool) {
	for at := 0; ; at++ {
		i := strings.Index(lower[at:], sig.match[0])
		if i < 0 {
			return 0, 0, false
		}
		at += i
		line := 1 + strings.LastIndexByte(lower[:at], '\n')
		if sig.start && !sig.begins(lower[line:at]) {
			continue
		}
		end := at + len(sig.match[0])
		for _, piece := range sig.match[1:] {
			if i = strings.Index(lower[end:], piece); i < 0 {
				return 0, 0, false
			}
			end += i + len(piece)
		}
		if i = strings.IndexByte(lower[end:], '\n'); i < 0 {
			i = len(lower) - end
		}
		if strings.Count(lower[at:end], "\n") < max(1, sig.within) && sig.fits(lower[line:end+i]) {
			return line, end + i, true
		}
		if sig.within <= 1 { // what else begins on this line ends no earlier, and fits no better
			if i = strings.IndexByte(lower[at:], '\n'); i < 0 {
				return 0, 0, false
			}
			at += i
		}
	}
}

// launchers are the programs whose errors are passed on behind a label.
var launchers = []string{"bwrap:", "apply-seccomp:"}

// begins says whether the signature begins its line where before stands in
// front of it: blanks, or, of what started the command, a label like "Error: "
// in which nothing is quoted.
func (sig *signature) begins(before string) bool {
	label := slices.ContainsFunc(launchers, func(s string) bool { return strings.HasPrefix(sig.match[0], s) }) &&
		(strings.HasSuffix(before, ": ") || strings.HasSuffix(before, "] ")) && !strings.ContainsAny(before, "\"'`({")
	return label || strings.Trim(before, " \t") == ""
}

// fits says whether the lines hold one of the pieces that have to be there, and
// none that speaks of another cause.
func (sig *signature) fits(lines string) bool {
	stands := func(piece string) bool { return strings.Contains(lines, piece) }
	return (len(sig.any) == 0 || slices.ContainsFunc(sig.any, stands)) && !slices.ContainsFunc(sig.unless, stands)
}
