// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: docs/verify-matrix.md is what the tests saw, word for word.

package verify_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/report"
)

var update = flag.Bool("update", false, "write the tables of docs/verify-matrix.md again")

// seen is a row of the table.
type seen struct {
	name   string
	check  report.ID
	status report.Status
	reads  string
}

const pageFile = "../../docs/verify-matrix.md"

// comparePage compares a section of the page with what it should be, or writes
// it. A section stands between two comments, the first of which begins with
// its name and ends with what makes it: "<!-- tables: begin (go test ...) -->".
func comparePage(t *testing.T, section, want string) {
	t.Helper()
	page, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begins := strings.Cut(string(page), "<!-- "+section+": begin ")
	made, rest, ends := strings.Cut(rest, " -->\n")
	_, tail, closes := strings.Cut(rest, "<!-- "+section+": end -->\n")
	if !begins || !ends || !closes {
		t.Fatalf("%s has no place for the %s", pageFile, section)
	}
	want = head + "<!-- " + section + ": begin " + made + " -->\n" + want + "<!-- " + section + ": end -->\n" + tail
	if *update {
		if err := os.WriteFile(pageFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(want, string(page)); diff != "" {
		t.Errorf("%s is stale: %s\n%s", pageFile, made, diff)
	}
}

// many is a count that differs between machines: of the programs and start
// files below an opened home or root.
var many = regexp.MustCompile(`(^|: |, )[0-9]{2,} (settings|files or variables|commands) `)

// kept is the name of a file that is kept by the digest of a path, which differs
// between machines.
var kept = regexp.MustCompile(`(policies|approved)/[0-9a-f]{16}`)

// faultTable is a section of faults.
func faultTable(title string, rows []seen) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n| Fault | Check | Status | What the user reads |\n|---|---|---|---|\n", title)
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | `%s` | %s %s | %s |\n", cell(r.name), r.check, r.status.Symbol(), r.status,
			cell(kept.ReplaceAllString(many.ReplaceAllString(r.reads, "${1}N $2 "), "$1/ID")))
	}
	return b.String()
}

// healthyTable is the section of the machines on which nothing fails.
func healthyTable(rows []seen) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %d healthy machines, on which nothing fails\n\n| Machine | Warnings |\n|---|---|\n", len(rows))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s |\n", cell(r.name), r.reads)
	}
	return b.String() + "\n"
}

// cell is text as a cell of a table shows it.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "*", `\*`, "~", `\~`, "_", `\_`, "`", "\\`", "\n",
		" ").Replace(strings.ToValidUTF8(s, "\uFFFD"))
}
