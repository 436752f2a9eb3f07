// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of a reply the line is shown that says what went wrong.

package trial

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// colours are the sequences that colour a line (ECMA-48, 8.3.117): Maven ends
// with two of them.
var colours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-9;]*m`) })

// maxLine bounds a line of a reply that is shown, in bytes.
const maxLine = 300

// NoOutput stands for a reply that says nothing.
const NoOutput = "(no output)"

// marks are those of the runtime around what a tool answers.
var marks = strings.NewReplacer("<tool_use_error>", "", "</tool_use_error>", "")

// Line is the line of a reply that says what went wrong: most programs say it
// last, before what the runtime adds. It is bounded.
func Line(reply string) string {
	last := ""
	for line := range strings.Lines(marks.Replace(reply)) {
		line = strings.TrimSpace(colours().ReplaceAllString(line, ""))
		if line != "" && !strings.Contains(line, "A complete log of this run") &&
			!strings.HasPrefix(line, "[ERROR] [Help ") && !strings.HasPrefix(line, "Exit code ") &&
			!strings.HasPrefix(line, "<") && !strings.HasPrefix(line, "deny network-outbound ") {
			last = line
		}
	}
	if len(last) > maxLine {
		last = strings.ToValidUTF8(last[:maxLine], "") + "…"
	}
	return cmp.Or(last, NoOutput)
}
