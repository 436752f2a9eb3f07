// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a share of one thing is said without "1 of 1", and a time as a
// person would.

package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// OfAll is n of all things: "the hook fired", "0 of 1 hook fired", "2 of 3
// hooks fired" of ("hook fired", "hooks fired").
func OfAll(n, all int, one, many string) string {
	switch {
	case n == 1 && all == 1:
		return "the " + one
	case all == 1:
		return fmt.Sprintf("%d of 1 %s", n, one)
	}
	return fmt.Sprintf("%d of %d %s", n, all, many)
}

// Counted is one for 1, else many, in which %d is the number.
func Counted(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return strings.ReplaceAll(many, "%d", strconv.Itoa(n))
}

// Things is a number of things: "1 file", "3 files".
func Things(n int, thing string) string { return Counted(n, "1 "+thing, "%d "+thing+"s") }

// Ago is how long ago something was: "just now", "5 minutes ago", "2 days
// ago". Less than no time is just now.
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return Things(int(d/time.Minute), "minute") + " ago"
	case d < 24*time.Hour:
		return Things(int(d/time.Hour), "hour") + " ago"
	}
	return Things(int(d/(24*time.Hour)), "day") + " ago"
}

// Counts are numbers of things, each with its words for one and for many.
type Counts []struct {
	N         int
	One, Many string
}

// String names those that there are.
func (c Counts) String() string {
	var parts []string
	for _, part := range c {
		if part.N > 0 {
			parts = append(parts, Counted(part.N, part.One, part.Many))
		}
	}
	return strings.Join(parts, ", ")
}

// Worse is the one of two statuses that a summary names first; of equals it is a.
func Worse(a, b Status) Status {
	if slices.Index(Statuses, b) < slices.Index(Statuses, a) {
		return b
	}
	return a
}

// WorseThan says whether a summary names s before t.
func (s Status) WorseThan(t Status) bool { return Worse(t, s) != t }

// Some are the first of a list with sep between them, and, after and, how many more
// there are.
func Some(list []string, most int, sep, and string) string {
	if more := len(list) - most; more > 0 {
		return fmt.Sprintf("%s%s%d more", strings.Join(list[:most], sep), and, more)
	}
	return strings.Join(list, sep)
}

// First names the first of a list, and how many more there are.
func First(list []string) string { return Some(list, 1, "", ", and ") }

// Union is a followed by what else there is in b, each once; a stays as it is.
func Union[T comparable](a []T, b ...T) []T {
	a = slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(a, v) {
			a = append(a, v)
		}
	}
	return a
}

// Few names the first of a list for a summary; files of one name are named once.
func Few(list []string) string { return Some(Union(nil, list...), 3, ", ", ", ") }
