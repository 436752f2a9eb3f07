// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is printed for its content, and not because something
// failed, is told by its form: that of the whole text, or of a line.

package catalog

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// marks are what the kinds of text are known by. They are compiled for who asks
// about a text, and cost a hook nothing.
type marks struct {
	// A line of these kinds tells of an error that is not the reader's.
	aside []*regexp.Regexp
	// A text of nothing but the rows of one is data.
	rows []table
	// Of two lines of these kinds a text is what people said to each other.
	talk []*regexp.Regexp
	// passed and failed are the ends of a test run.
	passed, failed *regexp.Regexp
	code, heading  *regexp.Regexp
	changed, found *regexp.Regexp
	level          *regexp.Regexp
}

// table is a kind of data: a text in which each line is a row, and one the head.
type table struct{ row, head *regexp.Regexp }

var kinds = sync.OnceValue(func() marks {
	all := func(list ...string) (compiled []*regexp.Regexp) {
		for _, s := range list {
			compiled = append(compiled, regexp.MustCompile(s))
		}
		return compiled
	}
	return marks{
		aside: all(
			`^[-dlcbps][-rwxsStT]{9}[.+@]?\s+\d`,                                        // ls -l
			` = -1 E[A-Z]+ \(`,                                                          // strace
			`^E[A-Z0-9]{2,12}(\s+\d+|\(\d+\))\s+[A-Z]`,                                  // a table of errno
			`"(GET|HEAD|POST|PUT|PATCH|DELETE|CONNECT|OPTIONS) [^"]*" \d{3}\b`,          // the log of a server
			`^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w./-]+(\[\d+\])?:\s`,           // syslog
			`^\[ *\d+\.\d+\] `,                                                          // the kernel's log
			`(Readiness|Liveness|Startup) probe failed`,                                 // Kubernetes
			`^\s*\d+(\s+\d+)?\s*[|│┆]`,                                                  // code, or a table, behind a number
			`^\s*\d+:\d+\s+(error|warning|suggestion|info)\s`,                           // linters
			`^\d+\s{2,}\S.*["'`+"`]",                                                    // compilers show code behind its number
			`^\s*[-+~]\s+\w+\s+=\s+"`,                                                   // a plan of Terraform
			`\s\d+\.\d\s+\d+\.\d\s+\d+\s+\d+\s`,                                         // ps
			`^(msgid|msgstr) "`,                                                         // gettext
			`^#\d+\s{2,}`,                                                               // a list of issues
			`^\s*# Subtest: |^(PASS|XFAIL|SKIP|XPASS): |^\[info\] - |^TASK \[`,          // the names of tests and tasks
			`^\s+\* test |^Test Case '|^\s*Passed |\.{3,}\s+Passed| PASSED( |$)`,        // and those that passed
			`\b(echo|printf|puts|die|print|println|console\.\w+|log\.\w+)[ (]+["'`+"`]", // code that prints
			`^\s*(#define|return|throw|static|const|let|var|final|public|private)\s.*["'`+"`]",
		),
		rows: []table{
			{all(`^\d+[:-]([^\d].*)?$`)[0], all(`^\d`)[0]},                       // grep -n of one file
			{all(`^[^,]+(,[^,]*)+$`)[0], all(`^\w+(,\w+)+$`)[0]},                 // fields with commas
			{all(`^\s*\d+\s+\S.*$`)[0], all(`^\s+\d`)[0]},                        // history, uniq -c, wc
			{all(`^(\s{5,}\S.*|[A-Z][A-Z ()\d]*)$`)[0], all(`^[A-Z]+( |$)`)[0]},  // a manual page
			{all(`^(\./|[\w.-]+/)([^:]*|.*\.\w+)$`)[0], all(`/`)[0]},             // paths
			{all(`^(- \[.\]|\d+[.)]|#+) .*$`)[0], all(`^(- \[.\]|\d+[.)]) `)[0]}, // a plan
			{all(`^(\s*["'\w.$-]+\s*[:=]\s?.*|\s*#.*|\s*\[.*\]\s*|\s*[}\]]+,?|\s*- .*|---|[A-Z]\w* = .*)$`)[0],
				all(`^(\s*[a-z][\w.-]*:|\[+[\w."-]+\]+|[A-Z][A-Z_]+=.*|[A-Z]\w* = [{\[(])$`)[0]}, // keys and values
		},
		talk: all(
			`^\[?\d{1,2}:\d\d(:\d\d)?\]?\s+<?@?[A-Za-z]\w*>?:\s`,
			`^[A-Za-z]\w*\s+\d{1,2}:\d\d\s*(AM|PM)?$`,
			`^(\*\*)?(User|Human|Assistant|Q|A|Question|Answer|Me|You|Claude)(\*\*)?:(\*\*)?\s`,
			`^(title|state|author|labels|comments):\s`,
			`^(Asked|Viewed|Modified) .*(ago|times|today)|^\d+ Answers?$`,
		),
		passed: regexp.MustCompile(`(?m)^test result: ok|^ok\s+\S+\s+[\d.]+m?s|^PASS$|\d+ pass(ed|ing)\b|BUILD SUCCESS|` +
			`^OK\b|\b0 failures|All tests success|100% tests passed|\[success\]|Test Run Success|# PASS:|^ok \d+ - `),
		failed: regexp.MustCompile(`(?m)(^[\s=]*|[:,]\s*)[1-9]\d* (failed|failing|failures?|errors?)\b|FAIL\b|FAILED|(?i:errors?: [1-9])|` +
			`^(npm (ERR!|error)|error|fatal)\b|^Traceback|^not ok |^FAILURE|panic: `),
		code: regexp.MustCompile(`(?m)^\s*(package \w+$|import [\w"({]|from \w+ import|#include [<"]|#!/|def \w+\(|func \w+\(|` +
			`fn \w+|impl |class \w+|public |private |export |const \w|static |var \(|[A-Z]\w* = [{\[(]$|if .*; then$)`),
		heading: regexp.MustCompile(`(?i)what (happen|i|is|did|went|should)|error (messages?|logs?)|steps|expected|actual|` +
			`describe|environment|reproduc`),
		found:   regexp.MustCompile(`\A[\w.-]+/?[\w./-]*\.\w+\n\d+[:-]`), // a file's name, and numbered lines below it
		level:   regexp.MustCompile(`(?i)^\[?[\d:]+\]?\s+<?(error|warn|warning|info|debug|fatal|trace|notice|npm)\b`),
		changed: regexp.MustCompile(`(?m)^(diff --git |@@ -\d|[-+] (Expected|Received)$|-old snapshot$)`),
	}
})

// anyOf says whether one of the marks stands in a line.
func anyOf(list []*regexp.Regexp, line string) bool {
	return slices.ContainsFunc(list, func(mark *regexp.Regexp) bool { return mark.MatchString(line) })
}

// ordinary says whether a text is as a whole what no error is: a conversation, a
// page of the web, data, or the report of tests that passed.
func ordinary(text string) bool {
	k := kinds()
	start := toLower(strings.TrimSpace(text))
	for _, mark := range []string{"<?xml", "<!doctype", "<html", "<testsuite"} {
		if strings.HasPrefix(start, mark) {
			return true
		}
	}
	if strings.Contains(text, "exports[`") || k.passed.MatchString(text) && !k.failed.MatchString(text) {
		return true
	}
	lines := full(text)
	for _, mark := range k.talk {
		said := 0
		for _, line := range lines {
			if mark.MatchString(line) && !k.level.MatchString(line) {
				said++
			}
		}
		if said >= 2 {
			return true
		}
	}
	return len(lines) >= 2 && slices.ContainsFunc(k.rows, func(t table) bool {
		return slices.ContainsFunc(lines, t.head.MatchString) &&
			!slices.ContainsFunc(lines, func(line string) bool { return !t.row.MatchString(line) })
	})
}

// full are the lines of a text that are not blank.
func full(text string) []string {
	return slices.DeleteFunc(strings.Split(strings.ReplaceAll(text, "\r", ""), "\n"), func(line string) bool {
		return strings.TrimSpace(line) == ""
	})
}

// literal says whether an error stands in a line only between quotation marks, as
// it does where somebody tells of it; found says whether it stands in what is left.
// Programs quote the errors of others too, behind a colon or an equals sign.
func literal(line string, found func(rest string) bool) bool {
	var rest strings.Builder
	said := false
	for at := 0; at < len(line); {
		open := strings.IndexAny(line[at:], "\"`")
		if open < 0 {
			rest.WriteString(line[at:])
			break
		}
		open += at
		end := strings.IndexByte(line[open+1:], line[open])
		if end < 0 {
			rest.WriteString(line[at:])
			break
		}
		before := strings.TrimRight(line[:open], " ")
		told := strings.Count(before, " ") >= 2 && !strings.ContainsAny(before, ":=(")
		if inner := line[open+1 : open+1+end]; told && strings.Contains(inner, " ") {
			rest.WriteString(line[at:open] + "_")
			said = true
		} else {
			rest.WriteString(line[at : open+end+2])
		}
		at = open + end + 2
	}
	return said && !found(rest.String())
}
