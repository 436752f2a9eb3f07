// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: docs/verify-matrix.md is what the tests saw, word for word.

package checks_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// seen is a row of the table.
type seen struct {
	name   string
	check  report.ID
	status report.Status
	reads  string
}

const pageFile = "../../../../docs/verify-matrix.md"

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
