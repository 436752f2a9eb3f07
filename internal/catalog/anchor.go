// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the generated tables follow from the catalog alone; a test
// renders them again and compares.

package catalog

import "strings"

//go:generate go test -run TestSignaturesAreCurrent|TestThePageIsCurrent -update .

// anchor is the longest stretch of a piece of match that every JSON encoder
// writes as it is, in lower case; "" if none has minAnchor bytes.
func (s Symptom) anchor() string {
	longest := ""
	for _, piece := range s.Match {
		for _, stretch := range strings.FieldsFunc(piece, escaped) {
			if len(stretch) > len(longest) {
				longest = stretch
			}
		}
	}
	if len(longest) < minAnchor {
		return ""
	}
	return toLower(longest)
}

// escaped says whether some JSON encoder writes r as an escape.
func escaped(r rune) bool {
	return r < ' ' || r > '~' || strings.ContainsRune(`"\/<>&'`, r)
}
