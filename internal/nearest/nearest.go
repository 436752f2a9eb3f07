// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package nearest finds the word that somebody meant.
//
// Law of this file: no word is near to an empty one.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// longest is the number of bytes of a word above which it is not compared: no
// name of ours or of a tool's comes near it.
const longest = 64

// All returns those of the names that word begins, or that are two edits or
// less from it, and fewer than half of its letters, or have two letters swapped.
func All(word string, names []string) (near []string) {
	for _, name := range names {
		edits := Edits(word, name)
		if word != "" && (strings.HasPrefix(name, word) || edits <= 2 && 2*edits < len(word) || Swapped(word, name)) {
			near = append(near, name)
		}
	}
	return near
}

// One returns the name that word begins, or else is a part of, or else the one
// that takes the fewest edits from it, two at most; "" if none is near.
func One(word string, names []string) string {
	for _, holds := range []func(name, word string) bool{strings.HasPrefix, strings.Contains} {
		if i := slices.IndexFunc(names, func(name string) bool { return len(word) > 2 && holds(name, word) }); i >= 0 {
			return names[i]
		}
	}
	near := All(word, names)
	if near == nil {
		return ""
	}
	return slices.MinFunc(near, func(a, b string) int { return cmp.Compare(Edits(word, a), Edits(word, b)) })
}

// Edits counts the bytes that have to be added, taken away or replaced to make
// b of a (Levenshtein's distance).
func Edits(a, b string) int {
	if len(a) > longest || len(b) > longest {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above, cost := row[j+1], diagonal
			if a[i] != b[j] {
				cost++
			}
			row[j+1], diagonal = min(cost, above+1, row[j]+1), above
		}
	}
	return row[len(b)]
}

// Swapped says whether a is b with two bytes beside each other swapped.
func Swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
