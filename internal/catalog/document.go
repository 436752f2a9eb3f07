// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether a text is a document, a history or a listing is judged
// over all of it. A line of one is what somebody wrote about an error.

package catalog

import (
	"slices"
	"strings"
)

// document is a text as its reader sees it. A page is a report where its headings
// are those of one; asserts says that what failed is an assertion.
type document struct {
	page, report, history, issues, search bool
	ordinary, changed, mail, code, found  bool
	asserts                               bool
	fenced                                map[string]bool // the lines between "```"
}

// read judges a text: a page has two headings that stand alone, or are underlined,
// a history the head of a commit, a list of issues a number before each, the result
// of a search a file and a line number before each.
func read(text string) document {
	d := document{fenced: map[string]bool{}, ordinary: ordinary(text), changed: diffLine().MatchString(text),
		mail: strings.Contains(text, " wrote:\n"), asserts: strings.Contains(toLower(text), "\ne       assert"),
		code: codeLine().MatchString(text) && !strings.Contains(text, "Traceback (most") &&
			!strings.Contains(text, "\n    at "), found: numberedFile().MatchString(text)}
	lines := strings.Split(text, "\n")
	blank := func(i int) bool { return i < 0 || i >= len(lines) || strings.TrimSpace(lines[i]) == "" }
	var headings, full, issues, searched int
	fence := false
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		if strings.HasPrefix(strings.TrimSpace(line), "```") || line == "----" { // Markdown, AsciiDoc
			fence = !fence
		} else if fence {
			d.fenced[strings.TrimSpace(line)] = true
		}
		if mark := strings.TrimLeft(line, "#="); len(mark) < len(line) && strings.HasPrefix(mark, " ") && blank(i-1) &&
			blank(i+1) || i > 0 && underlines(line, lines[i-1]) {
			headings++
			d.report = d.report || reportHeading().MatchString(mark) || mark == "" && reportHeading().MatchString(lines[i-1])
		}
		name, commit := strings.CutPrefix(line, "commit ")
		name, _, _ = strings.Cut(name, " ")
		d.history = d.history || commit && len(name) >= 7 && strings.Trim(name, "0123456789abcdef") == "" && !blank(i+1) &&
			(strings.HasPrefix(lines[i+1], "Author: ") || strings.HasPrefix(lines[i+1], "Merge: "))
		if blank(i) || strings.HasPrefix(line, "$ ") {
			continue
		}
		full++
		if issue(line) {
			issues++
		}
		if searchHit(line) {
			searched++
		}
	}
	d.page = headings >= 2
	d.issues, d.search = full >= 2 && issues == full, searched == full && (full >= 2 || grepped(text))
	return d
}

// underlines says whether a line is nothing but the mark below the heading before it.
func underlines(line, before string) bool {
	return len(line) >= 3 && len(line) == len(before) && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "")
}

// grepped says whether a line is a hit of grep: compilers and logs have a blank
// behind the number.
func grepped(line string) bool {
	parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
	return len(parts) == 3 && !strings.HasPrefix(parts[2], " ")
}

// written says whether a text is one of these, as a whole.
func (d document) written() bool {
	return d.page || d.history || d.issues || d.search || d.ordinary || d.changed
}

// issue says whether a line is one of a list of issues: "#17  open  TITLE", or
// fields with tabs. The log of a build has one blank behind its number.
func issue(line string) bool {
	line = strings.TrimPrefix(strings.TrimSpace(line), "#")
	rest := strings.TrimLeft(line, "0123456789")
	return len(rest) < len(line) && (strings.HasPrefix(rest, "  ") || strings.HasPrefix(rest, "\t")) &&
		slices.ContainsFunc([]string{"open", "closed", "merged", "draft"}, func(state string) bool {
			fields := strings.Fields(toLower(rest))
			return len(fields) > 1 && fields[0] == state
		})
}

// searchHit says whether a line is one that grep found: a file in a directory and a
// line number stand before it. Compilers name a file from the root, and a column.
func searchHit(line string) bool {
	file, rest, _ := strings.Cut(line, ":")
	_, rest, _ = strings.Cut(rest, ":")
	return placed(strings.TrimSpace(line)) && strings.Contains(file, "/") &&
		!strings.HasPrefix(rest, "in ") && // Ruby
		(!strings.HasPrefix(file, "/") || rest != "" && !strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "    "))
}

// coded are the marks of code that returns the words of an error, and of the log of
// a test that provokes one.
var coded = []string{"case '", "case \"", "return '", "return \"", "got expected error:"}

// tells says whether the lines of a symptom stand in the text as what somebody
// wrote, or as what no error is: silent where that leaves no doubt. A page may be a
// report of the error too, which shows it in a block of its own, between "```" or at
// the margin.
func (d document) tells(lines string) (written, silent bool) {
	first, _, _ := strings.Cut(strings.TrimLeft(lines, "\n"), "\n")
	first = strings.TrimRight(first, "\r")
	indented := strings.HasPrefix(first, "    ") || strings.HasPrefix(first, "\t")
	begins := func(marks string) bool { return first != "" && strings.IndexByte(marks, first[0]) >= 0 }
	switch line := strings.TrimSpace(first); {
	case slices.ContainsFunc(coded, func(mark string) bool { return strings.Contains(toLower(line), mark) }):
		return true, true
	case d.ordinary, d.issues || d.search || d.history && indented, d.changed && begins("+- "), d.mail && begins(">"),
		d.found && begins("0123456789"), d.asserts && !begins("E"), anyOf(asideKinds, first), listed(line),
		d.code && strings.ContainsAny(line, "\"'`"):
		return true, true
	case d.page && !d.fenced[line]:
		return true, indented || begins("#|>+") || prose(line)
	}
	return d.page, d.page && !d.report
}

// maxScreen bounds how wide a screen breaks lines that are joined again, in bytes,
// minScreen how narrow.
const minScreen, maxScreen = 60, 250

// joined is a text without the breaks that a screen made: before each of them the
// line is so long that the next word would not have fitted.
func joined(text string) string {
	lines := strings.Split(text, "\n")
	width := 0
	for _, line := range lines {
		width = max(width, len(strings.TrimRight(line, " \r")))
	}
	if width < minScreen || width > maxScreen {
		return text
	}
	var b strings.Builder
	for i, line := range lines {
		line = strings.TrimRight(line, " \r")
		var words []string
		if i+1 < len(lines) {
			words = strings.Fields(lines[i+1])
		}
		if i > 0 && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			line = strings.TrimLeft(line, " ")
		}
		b.WriteString(line)
		if len(words) > 0 && len(strings.TrimRight(lines[i], " \r"))+1+len(words[0]) > width {
			b.WriteByte(' ')
		} else {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// explained says which symptoms are what came of another one in the text: those of
// the entries that a symptom stands over, and what else their lines, and its own,
// are symptoms of. counts says whether a symptom that stands over others is one.
func explained(found []Found, counts func(Found) bool) func(Found) bool {
	over := map[string]bool{}    // ids
	owner := map[string]string{} // of lines: the id of the entry that they speak for, "" for none
	for _, f := range found {
		if len(f.Over) > 0 && counts(f) {
			for line := range strings.Lines(f.Text) {
				owner[strings.TrimSpace(line)] = f.Hint.ID
			}
			for _, id := range f.Over {
				over[id] = true
			}
		}
	}
	for _, f := range found {
		if _, spoken := owner[strings.TrimSpace(f.Text)]; over[f.Hint.ID] && !spoken {
			owner[strings.TrimSpace(f.Text)] = ""
		}
	}
	return func(f Found) bool {
		id, spoken := owner[strings.TrimSpace(f.Text)]
		return spoken && id != f.Hint.ID
	}
}
