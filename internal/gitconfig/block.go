// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: our setting stands at the end of the file, so that it
// counts and what was set before stays where it is. It says what it takes to
// remove it without a trace.

package gitconfig

import (
	"bytes"
	"strings"
)

// marker begins the comment above our lines; what follows it in parentheses
// is what was there before.
const (
	marker   = "# steward-setup scope whole-user; undone by: steward-setup scope per-project"
	wasNew   = " (new file)"
	unended  = " (no newline before)"
	ownTitle = "[core]"
)

// setting is our line for the hooks directory dir.
func setting(dir string) string {
	return "\thooksPath = \"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(dir) + "\"\n"
}

// Add returns the file with core.hooksPath set to dir by lines of ours, in
// place of earlier ones; b is nil where there is no file. ok is false where
// the file's last line goes on, so that nothing can follow it.
func Add(b []byte, dir string) (after []byte, ok bool) {
	if r := Remove(b, dir); r.Found {
		b = r.After
	}
	head := marker
	switch {
	case b == nil:
		head += wasNew
	case len(b) > 0 && b[len(b)-1] != '\n':
		head = "\n" + head + unended
	}
	begun := append(bytes.Clone(b), head[:len(head)-len(strings.TrimLeft(head, "\n"))]...)
	if list := lines(append(begun, 'x')); list[len(list)-1].start != len(begun) {
		return nil, false
	}
	return []byte(string(b) + head + "\n" + ownTitle + "\n" + setting(dir)), true
}

// Removal is what taking our lines out comes to.
type Removal struct {
	// After is the file without our lines; nil where it was made for them
	// and nothing else is in it.
	After []byte
	// Found says that there are lines of ours; Changed that the one which
	// sets core.hooksPath has another value now, and is kept. What After still
	// sets is for HooksPaths to say.
	Found, Changed bool
}

// Remove takes out the lines that Add put in for dir, also where git has
// written the same value in other words since. A section of ours that has got
// other settings since stays with them.
func Remove(b []byte, dir string) Removal {
	list := lines(b)
	at := -1
	for i, l := range list {
		if strings.HasPrefix(string(b[l.start:l.end]), marker) {
			at = i
		}
	}
	if at < 0 {
		return Removal{After: b}
	}
	r := Removal{Found: true}
	head, cut := string(b[list[at].start:list[at].end]), []line{list[at]}
	if next := at + 1; next < len(list) && strings.TrimSpace(string(b[list[next].start:list[next].end])) == ownTitle {
		used := false
		for _, l := range list[next+1:] {
			if l.header {
				break
			}
			raw, _ := l.value()
			switch {
			case l.section == "core" && l.key == hooksPath && raw == dir:
				cut = append(cut, l)
			case l.key != "":
				used = true
				r.Changed = r.Changed || l.key == hooksPath
			}
		}
		if !used {
			cut = append(cut, list[next])
		}
	}
	var after []byte
	for _, l := range list {
		ours := false
		for _, c := range cut {
			ours = ours || c.start == l.start
		}
		if !ours {
			after = append(after, b[l.start:l.end]...)
		}
	}
	if strings.Contains(head, unended) && len(after) == list[at].start {
		after = bytes.TrimSuffix(after, []byte("\n"))
	}
	if after == nil && !strings.Contains(head, wasNew) {
		after = []byte{}
	}
	r.After = after
	return r
}
