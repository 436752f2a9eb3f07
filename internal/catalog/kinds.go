// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is printed for its content, and not because something
// failed, is told by its form: that of the whole text, or of a line.

package catalog

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// A line of one of these kinds tells of an error that is not the reader's.
var asideKinds = []string{
	`^[-dlcbps][-rwxsStT]{9}[.+@]?\s+\d`,                               // ls -l
	` = -1 E[A-Z]+ \(`,                                                 // strace
	`^E[A-Z0-9]{2,12}(\s+\d+|\(\d+\))\s+[A-Z]`,                         // a table of errno
	`"(GET|HEAD|POST|PUT|PATCH|DELETE|CONNECT|OPTIONS) [^"]*" \d{3}\b`, // the log of a server
	`^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w./-]+(\[\d+\])?:\s`,  // syslog
	`^\[ *\d+\.\d+\] `,                                                 // the kernel's log
	`(Readiness|Liveness|Startup) probe failed`,                        // Kubernetes
	`^\s*\d+(\s+\d+)?\s*[|│┆]`,                                         // code, or a table, behind a number
	`^\s*\d+:\d+\s+(error|warning|suggestion|info)\s`,                  // linters
	`^\d+\s{2,}\S.*["'` + "`]",                                         // compilers show code behind its number
	`^\s*[-+~]\s+\w+\s+=\s+"`,                                          // a plan of Terraform
	`\s\d+\.\d\s+\d+\.\d\s+\d+\s+\d+\s`,                                // ps
	`^(msgid|msgstr) "`,
	`^\s*# |^\s*#$|^\s*\d+\) |^\s*(modified|renamed|deleted|new file): |\|\s+\d+ [-+]+$|^\s*\[[\w./-]+ [0-9a-f]{7,}\] `, // git, tests
	`(?i)^\s*(\S+:\d+: )?(got|want|expected|actual|received|left|right)( \w+)?:\s`,                                      // what was compared
	`^[A-Z]{2,}-\d+\s{2,}|(?i:npm warn deprecated)|^\s*[☐☒✗✘✖X✓] |^v\d[\w.]*\s{2,}|^[\w.-]+/[\w.-]+#\d+\s|^\|.*\|$`,     // gettext
	`^#\d+\s{2,}`, // a list of issues
	`^\s*# Subtest: |^(PASS|XFAIL|SKIP|XPASS): |^\[info\] - |^TASK \[`,            // the names of tests and tasks
	`^\s+\* test |^Test Case '|^\s*Passed |\.{3,}\s+Passed| PASSED( |$)`,          // and those that passed
	`\b(echo|printf|puts|die|print|println|console\.\w+|log\.\w+)[ (]+["'` + "`]", // code that prints
	`^\s*(#define|return|throw|static|const|let|var|final|public|private)\s.*["'` + "`]",
}

// table is a kind of data: a text in which each line is a row, and one the head.
type table struct{ row, head string }

// A text of nothing but the rows of one of these is data.
var tables = []table{
	{`^(([\w.-]+/)+[\w.-]+\.\w{1,5}[:-].*|--)$`, `^([\w.-]+/)+[\w.-]+\.\w{1,5}:[^\d\s]`}, // grep
	{`^(\S.* \(\d+\):|\s{6}.*)$`, `\(\d+\):$`},                                           // git shortlog
	{`^\d+[:-]([^\d].*)?$`, `^\d`},                                                       // grep -n of one file
	{`^[^,]+(,[^,]*)+$`, `^\w+(,\w+)+$`},                                                 // fields with commas
	{`^\s*\d+\s+\S.*$`, `^\s+\d`},                                                        // history, uniq -c, wc
	{`^(\s{5,}\S.*|[A-Z][A-Z ()\d]*)$`, `^[A-Z]+( |$)`},                                  // a manual page
	{`^(\./|[\w.-]+/)([^:]*|.*\.\w+)$`, `/`},                                             // paths
	{`^(- \[.\]|\d+[.)]|#+) .*$`, `^(- \[.\]|\d+[.)]) `},                                 // a plan
	{`^(\s*["'\w.$-]+\s*[:=]\s?.*|\s*#.*|\s*\[.*\]\s*|\s*[}\]]+,?|\s*- .*|---|[A-Z]\w* = .*)$`,
		`^(\s*[a-z][\w.-]*:|\[+[\w."-]+\]+|[A-Z][A-Z_]+=.*|[A-Z]\w* = [{\[(])$`}, // keys and values
}

// Of two lines of one of these kinds a text is what people said to each other.
var talkKinds = []string{
	`^\[?\d{1,2}:\d\d(:\d\d)?\]?\s+<?@?[A-Za-z]\w*>?:\s`,
	`^[A-Za-z]\w*\s+\d{1,2}:\d\d\s*(AM|PM)?$`,
	`^(\*\*)?(User|Human|Assistant|Q|A|Question|Answer|Me|You|Claude)(\*\*)?:(\*\*)?\s`,
	`(?i)^(title|url|state|author|labels|comments):\s`,
	`^(Asked|Viewed|Modified) .*(ago|times|today)|^\d+ Answers?$`,
}

// What else such texts are known by: the ends of a test run, and what says that it was tried again, and worked.
var (
	testsPass = lazy.Regexp(`(?m)^test result: ok|^ok\s+\S+\s+[\d.]+m?s|^PASS$|\d+ pass(ed|ing)\b|BUILD SUCCESS|` +
		`^OK\b|\b0 failures|All tests success|100% tests passed|\[success\]|Test Run Success|# PASS:|^ok \d+ - `)
	testsFail = lazy.Regexp(`(?m)(^[\s=]*|[:,]\s*)[1-9]\d* (failed|failing|failures?|errors?)\b|FAIL\b|FAILED|` +
		`(?i:errors?: [1-9])|^(npm (ERR!|error)|error|fatal)\b|^Traceback|^not ok |^FAILURE|panic: `)
	codeLine = lazy.Regexp(`(?m)^\s*(package \w+$|import [\w"({]|from \w+ import|#include [<"]|#!/|def \w+\(|func \w+\(|` +
		`fn \w+|impl |class \w+|public |private |export |const \w|static |var \(|[A-Z]\w* = [{\[(]$|if .*; then$)`)
	reportHeading = lazy.Regexp(`(?i)what (happen|i|is|did|went|should)|error (messages?|logs?)|steps|expected|actual|` +
		`describe|environment|reproduc`)
	numberedFile = lazy.Regexp(`\A[\w.-]+/?[\w./-]*\.\w+\n\d+[:-]`) // a file's name, and numbered lines below it
	logLevel     = lazy.Regexp(`(?i)^\[?[\d:]+\]?\s+<?(error|warn|warning|info|debug|fatal|trace|notice|npm)\b`)
	quotesError  = lazy.Regexp(`(?i)\b(msg|err|error|message|reason|cause|content|stdout|stderr|output|details?|summary)"?\s*[=:]\s*["'\x60]|` +
		`^\s*((npm|\S*:)\s+)?(error|err!|fatal|warning|warn|exception|caused by|panic)\b|\((os )?err(no|code):? \d+,? "|\w(Error|Exception)\b|^E\s{3}`)
	worked   = lazy.Regexp(`(?i)\b(connected|accepting connections|ready|succeeded|success|done|started|up)\W*$`)
	diffLine = lazy.Regexp(`(?m)^(diff --git |@@ -\d|[-+] (Expected|Received)$|-old snapshot$)`)
)

// anyOf says whether one of the marks stands in a line.
func anyOf(list []string, line string) bool {
	return slices.ContainsFunc(list, func(mark string) bool { return lazy.Compiled(mark).MatchString(line) })
}

// ordinary says whether a text is as a whole what no error is: a conversation, a
// page of the web, data, or the report of tests that passed.
func ordinary(text string) bool {
	start := toLower(strings.TrimSpace(text))
	for _, mark := range []string{"<?xml", "<!doctype", "<html", "<testsuite"} {
		if strings.HasPrefix(start, mark) {
			return true
		}
	}
	if strings.Contains(text, "exports[`") || testsPass().MatchString(text) && !testsFail().MatchString(text) {
		return true
	}
	lines := full(text)
	if n := len(lines); n > 1 && worked().MatchString(lines[n-1]) && !testsFail().MatchString(text) {
		return true // it was tried again, and worked
	}
	for _, mark := range talkKinds {
		said := 0
		for _, line := range lines {
			if lazy.Compiled(mark).MatchString(line) && !logLevel().MatchString(line) {
				said++
			}
		}
		if said >= 2 {
			return true
		}
	}
	return len(lines) >= 2 && slices.ContainsFunc(tables, func(t table) bool {
		return slices.ContainsFunc(lines, lazy.Compiled(t.head).MatchString) &&
			!slices.ContainsFunc(lines, func(line string) bool { return !lazy.Compiled(t.row).MatchString(line) })
	})
}

// full are the lines of a text that are not blank.
func full(text string) []string {
	return slices.DeleteFunc(strings.Split(strings.ReplaceAll(text, "\r", ""), "\n"), func(line string) bool {
		return strings.TrimSpace(line) == ""
	})
}

// literal says whether an error stands in a line only between quotation marks, as it
// does in code, in what a test compared and where somebody tells of it. Programs
// quote the errors of others too, and say that it is one.
func literal(line string, found func(text string) bool) bool {
	if strings.Contains(strings.TrimSpace(line), "\n") || quotesError().MatchString(line) {
		return false
	}
	var rest strings.Builder
	inside := false
	for at := 0; at < len(line); at++ {
		end := 0
		if strings.IndexByte("\"'`", line[at]) >= 0 && (at == 0 || strings.IndexByte(" ([{=,:!*", line[at-1]) >= 0) {
			end = 1 + strings.IndexByte(line[at+1:], line[at])
		}
		if end == 0 || !strings.Contains(line[at+1:at+end], " ") {
			rest.WriteByte(line[at])
			continue
		}
		inside = inside || found(line[at+1:at+end])
		at += end
	}
	return inside && !found(rest.String())
}
