// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an answer is read by its words and not by its columns,
// which differ between dnf 4 and dnf 5 and wrap when they are wide.

package platform

import (
	"slices"
	"strings"
)

// ParseDnfList reads the answer of "dnf -q list --showduplicates PACKAGE" in
// the C locale:
//
//	Installed Packages
//	bubblewrap.x86_64        0.11.0-2.fc43        @fedora
//	Available Packages
//	bubblewrap.x86_64        0.11.0-2.fc43        fedora
//	bubblewrap.x86_64        0.11.2-1.fc43        updates
//
// What stands under "Available" is offered, oldest first (measured with dnf
// 4.14.0). dnf does not name a candidate.
func ParseDnfList(pkg string, out []byte) Offer {
	var offer Offer
	available, next := false, false
	for line := range strings.Lines(answer(out)) {
		words := strings.Fields(line)
		if len(words) == 2 && strings.EqualFold(words[1], "packages") {
			available, next = strings.EqualFold(words[0], "available"), false
			continue
		}
		for _, word := range words {
			if next && !slices.Contains(offer.Versions, word) {
				offer.Versions = append(offer.Versions, word)
			}
			name, arch, ok := cutLast(word, ".")
			next = available && ok && name == pkg && arch != ""
		}
	}
	slices.Reverse(offer.Versions)
	return offer
}

// ParseRpmQuery reads the answer of rpm -q with the format EPOCH:VERSION-RELEASE:
// the version of a package that is installed, or "".
func ParseRpmQuery(out []byte) string {
	version := strings.TrimSpace(answer(out))
	if strings.ContainsAny(version, " \t\n") { // "package X is not installed"
		version, _, _ = strings.Cut(version, "\n")
	}
	if strings.ContainsAny(version, " \t") {
		return ""
	}
	return version
}

// ParseBrewVersions reads the answer of "brew list --versions FORMULA": the
// newest of the versions that are installed, which brew prints last, or "".
func ParseBrewVersions(formula string, out []byte) string {
	words := strings.Fields(answer(out))
	if len(words) < 2 || words[0] != formula {
		return ""
	}
	return words[len(words)-1]
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
