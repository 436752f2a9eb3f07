// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a text is read once, several bytes at a step, whatever
// the number of symptoms. The search is that of Wu and Manber ("A fast
// algorithm for multi-pattern searching", 1994) with blocks of two bytes.

package catalog

import "strings"

// blocks is the number of block numbers; see block.
const blocks = 1 << 12

// A signature's number has to fit, with one to spare for "none".
const _ = uint16(len(signatures))

// search holds the tables of one search. They are made for each: that takes
// about a microsecond, and costs a program that never searches nothing.
type search struct {
	// skip is, for each block, how many bytes less than minAnchor-1 the
	// search may move on when it sees it. Those of which it is minAnchor-1
	// decide: an anchor may end its first minAnchor bytes with them. head
	// and next list the signatures of such a block, as number+1.
	skip [blocks]uint8
	head [blocks]uint16
	next [len(signatures)]uint16

	progress [len(signatures)]struct {
		done         int // anchors before this place need no look
		found, tries uint8
	}
	// The lines that were looked at last, in lower case.
	from, to int
	lower    string
}

// block numbers two bytes without regard to case. Others share the number;
// that costs a look, not a mistake.
func block(a, b byte) uint16 { return (uint16(a|0x20)*31 ^ uint16(b|0x20)<<4) & (blocks - 1) }

func (s *search) prepare() {
	for i := range signatures {
		anchor := signatures[i].anchor
		for j := 1; j < minAnchor; j++ {
			b := block(anchor[j-1], anchor[j])
			s.skip[b] = max(s.skip[b], uint8(j))
		}
		b := block(anchor[minAnchor-2], anchor[minAnchor-1])
		s.next[i], s.head[b] = s.head[b], uint16(i+1)
	}
}

// scan calls visit with each signature whose anchor stands in text, and
// where, in the order of the text, until visit returns false.
func (s *search) scan(text string, visit func(signature, at int) bool) {
	for i := minAnchor - 1; i < len(text); {
		b := block(text[i-1], text[i])
		if shift := minAnchor - 1 - int(s.skip[b]); shift > 0 {
			i += shift
			continue
		}
		at := i - (minAnchor - 1)
		for n := s.head[b]; n > 0; n = s.next[n-1] {
			if hasPrefixFold(text[at:], signatures[n-1].anchor) && !visit(int(n-1), at) {
				return
			}
		}
		i++
	}
}

// hasPrefixFold says whether s begins with the lower-case prefix, whatever
// the case of s.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}

// lower is c in lower case, if it is an ASCII letter.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// look puts the lines around text[at] into s.lower: the line itself, and
// n-1 lines before and after it, as far as reach goes.
func (s *search) look(text string, at, n int) {
	base, end := max(0, at-reach), min(len(text), at+reach)
	from, to := at, at
	for range n {
		i := strings.LastIndexByte(text[base:from], '\n')
		if from = base + i; i < 0 {
			break
		}
	}
	from++
	for k := range n {
		i := strings.IndexByte(text[to:end], '\n')
		if i < 0 {
			to = end
			break
		}
		if to += i; k < n-1 {
			to++
		}
	}
	if s.lower == "" || s.from != from || s.to != to {
		s.from, s.to, s.lower = from, to, toLower(text[from:to])
	}
}

// toLower lowers ASCII letters only, so that offsets stay what they are.
func toLower(s string) string {
	b := make([]byte, len(s))
	for i := range b {
		b[i] = lower(s[i])
	}
	return string(b)
}
