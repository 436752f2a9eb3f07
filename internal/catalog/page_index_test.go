// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the page leads from the words of an error to what it may be,
// and from a topic to its troubles, by the catalog alone.

package catalog

import (
	"slices"
	"strings"
)

// headings are those of the topics.
var headings = map[Topic]string{
	"files":    "Files, directories and caches",
	"network":  "Network, proxy and localhost",
	"git":      "git, SSH and signing",
	"sockets":  "Unix sockets, Docker and Podman",
	"logins":   "Logins and credentials",
	"programs": "Programs, browsers, sudo and processes",
	"start":    "The sandbox does not start",
	"rules":    "Permission rules and settings",
	"ordinary": "Not the sandbox",
}

// errorWords are those that most errors have, as somebody searches for them.
var errorWords = []string{"Operation not permitted", "Read-only file system", "No such file or directory",
	"Permission denied", "Connection refused",
	"403", "Temporary failure in name resolution", "command not found", "File exists", "Device or resource busy", "bwrap:"}

// of are the entries of a topic, those last that occur on macOS only.
func of(entries []Entry, t Topic) (list []Entry) {
	for _, linux := range []bool{true, false} {
		for _, e := range entries {
			if e.Topic == t && slices.Contains(e.Platforms, "linux") == linux {
				list = append(list, e)
			}
		}
	}
	return list
}

// saying links the entries that occur on Linux and have a message with these
// words: those first for which the words are enough, then those that have most.
func saying(entries []Entry, words string) (list []string) {
	const most, general = 7, 100
	type counted struct {
		link string
		n    int
	}
	var found []counted
	for _, e := range entries {
		c := counted{link: "[" + cell(e.Title) + "](#" + e.ID + ")"}
		for _, s := range e.Symptoms {
			if strings.Contains(strings.ToLower(s.Example), strings.ToLower(words)) {
				c.n++
			}
			if len(s.Match) == 1 && len(s.Any) == 0 && strings.EqualFold(strings.Trim(s.Match[0], " :"), words) {
				c.n += general
			}
		}
		if c.n > 0 && slices.Contains(e.Platforms, "linux") {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b counted) int { return b.n - a.n })
	for _, c := range found[:min(most, len(found))] {
		list = append(list, c.link)
	}
	return list
}
