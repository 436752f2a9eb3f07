// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what else stands in a text counts: a listing that shows the cause,
// and an error beside a line after which the program went on.

package catalog

import (
	"path"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// without are in the lines of programs that go on without what they could not write:
// npm, pip, composer, yarn and bundler.
var without = []string{"log files were not written due to", "the cache has been disabled", "proceeding without cache",
	"skipping preferred cache folder", "as your home directory temporarily"}

// goesOn says whether the program went on after a line of text, and an error that is
// none of this kind came later or before: nobody asks why there was no cache.
func goesOn(line, text string) bool {
	passes := func(line string) bool {
		line = toLower(line)
		return slices.ContainsFunc(without, func(mark string) bool { return strings.Contains(line, mark) })
	}
	aboutLog := func(line string) bool { // of npm
		line = toLower(line)
		return strings.Contains(line, "you can rerun the command") || strings.Contains(line, "a complete log of this run")
	}
	if !passes(line) {
		return false
	}
	for other := range strings.Lines(text) {
		if fails().MatchString(other) && !passes(other) && !aboutLog(other) {
			return true
		}
	}
	return false
}

// unquoted is a line that stands between quotation marks as a whole without them:
// somebody copied an error.
func unquoted(text string) string {
	if n := len(text) - 1; n > 1 && text[0] == text[n] && (text[0] == '\'' || text[0] == '`') &&
		strings.Contains(text, ": ") && strings.IndexByte(text[1:n], text[0]) < 0 && !strings.Contains(text, "\n") {
		return text[1:n]
	}
	return text
}

// fails are the beginnings of lines that say that something failed; listings and
// fillings are the rows of ls -l and df.
var (
	fails    = lazy.Regexp(`(?i)^\s*(error|fatal|failed|could not|cannot|your requirements could not|npm (err!|error))\b`)
	listings = lazy.Regexp(`(?m)^-([rwxsStT-]{9})[.+@]?\s+\d+ \S+ +\S+ +\d+ +` +
		`(?:\S+ +\d+ +[\d:]+|[\d-]+ +[\d:.]+)(?: [+-]\d{4})? (\S.*?)\s*$`)
	fillings = lazy.Regexp(`(?m)^/dev/\S+ +\S+ +\S+ +\S+ +100% (/\S*)\s*$`)
)

// shows says whether a text shows the cause that an entry of layer None names: the
// file without an execute permission, as ls -l lists it, or the disk without room, as
// df does. Inside the sandbox a hidden directory lies on no disk.
func shows(a Answer, text string) bool {
	switch a.Confirm {
	case Mode:
		for _, m := range listings().FindAllStringSubmatch(text, -1) {
			if !strings.ContainsAny(m[1], "xst") && slices.ContainsFunc(a.Paths, func(p string) bool {
				return path.Clean(p) == path.Clean(m[2])
			}) {
				return true
			}
		}
	case Disk, Explain:
		return a.Entry.ID == "disk-full" && fillings().MatchString(text)
	}
	return false
}
