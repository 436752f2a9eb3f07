// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a value that the template would write in another form
// today is named with its line and the reason; what is the user's own is
// listed and judged by nobody here.

package policy

import "slices"

// Stated is one value of the sandbox or permissions block of a document.
type Stated struct {
	// ID is the entry's: "permissions.deny:Bash(curl *)".
	ID   string
	Line int
	// Corrected says in what form the template has the value today, and why;
	// "" where it is as it should be.
	Corrected string
	// Held says that the document has the corrected form too.
	Held bool
}

// Values lists the values of a document, in its order. The error is a
// *report.Error of exit code 65: the document is not understood.
func (p *Policy) Values(doc []byte, where, home string) ([]Stated, error) {
	ls, err := leaves(doc, where)
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, l := range ls {
		all = append(all, Entry{Key: l.key, Value: l.value})
	}
	have := tree(slices.DeleteFunc(all, func(e Entry) bool { _, known := shapes[e.Key]; return !known }))
	var list []Stated
	for _, l := range ls {
		if _, empty := l.value.([]any); empty {
			continue
		}
		s := Stated{ID: show(l), Line: l.line}
		// What install would leave out is no correction: the checks of a
		// policy name it as what it opens.
		if kept, why := correct(l, home); why != "" && len(kept) > 0 {
			s.Corrected = why
			s.Held = !slices.ContainsFunc(kept, func(v any) bool { return !held(have, home, Entry{Key: l.key, Value: v}) })
		}
		list = append(list, s)
	}
	return list, nil
}
