// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a version counts as offered only if a package source would
// give it; the one that is merely installed does not.

package platform

import (
	"strconv"
	"strings"
)

// Offer is what a package manager says about one package.
type Offer struct {
	// Versions are those that its sources offer now, as it prints them,
	// newest first.
	Versions []string
	// Candidate is the one that it would install by itself, "" if it does
	// not say or if that one is offered by no source.
	Candidate string
}

// maxAnswer bounds what is read of a package manager's answer, in bytes.
const maxAnswer = 1 << 20

func answer(out []byte) string { return string(out[:min(len(out), maxAnswer)]) }

// ParseAptPolicy reads what the answer of "apt-cache policy PACKAGE..." in the C
// locale says about one of them:
//
//	bubblewrap:
//	  Installed: (none)
//	  Candidate: 0.9.0-1ubuntu0.1
//	  Version table:
//	     0.9.0-1ubuntu0.1 500
//	        500 http://archive.ubuntu.com/ubuntu noble-updates/main amd64 Packages
//	 *** 0.9.0-1build1 100
//	        100 /var/lib/dpkg/status
//
// A version is offered if a source other than dpkg's own status file has it
// with a priority that is not negative (apt_preferences(5): those are never
// installed). The table begins with the newest. A package begins at the margin;
// apt has nothing to say about one that it does not know.
func ParseAptPolicy(pkg string, out []byte) Offer {
	var offer Offer
	candidate, version, about := "", "", false
	for line := range strings.Lines(answer(out)) {
		line = strings.TrimRight(line, "\r\n")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case line[0] != ' ':
			about = line == pkg+":"
		case !about:
		case words[0] == "Candidate:" && len(words) > 1:
			candidate = words[1]
		case strings.HasPrefix(line, " *** ") && len(words) > 1:
			version = words[1]
		case strings.HasPrefix(line, "     ") && line[5] != ' ':
			version = words[0]
		case strings.HasPrefix(line, "      ") && len(words) > 1 && version != "":
			priority, err := strconv.Atoi(words[0])
			if err == nil && priority >= 0 && words[1] != "/var/lib/dpkg/status" {
				offer.Versions = append(offer.Versions, version)
				version = "" // one source is enough
			}
		}
	}
	for _, v := range offer.Versions {
		if v == candidate {
			offer.Candidate = v
		}
	}
	return offer
}

// ParseDpkgQuery reads the answer of dpkg-query with the format
// ${Status}<tab>${Version}: the version of a package that is installed, or ""
// (a removed package may leave its configuration and still be listed).
func ParseDpkgQuery(out []byte) string {
	for line := range strings.Lines(answer(out)) {
		status, version, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if words := strings.Fields(status); ok && len(words) == 3 && words[2] == "installed" {
			return version
		}
	}
	return ""
}
