// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the table of rooms in ARCHITECTURE.md is the rule, not a
// picture of it: its rows are the packages that exist, and a package imports
// only what stands below it there.

package archtest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

// rooms lists the packages of ARCHITECTURE.md in the order of its table.
func rooms(page string) []string {
	var list []string
	for _, m := range row.FindAllStringSubmatch(page, -1) {
		list = append(list, m[1])
	}
	return list
}

// unlisted compares the table with the packages that have files.
func unlisted(rooms []string, srcs []source) []string {
	exist := map[string]bool{}
	for _, s := range srcs {
		exist[s.room()] = true
	}
	var bad []string
	for _, r := range rooms {
		if !exist[r] {
			bad = append(bad, fmt.Sprintf("ARCHITECTURE.md lists %s, which has no Go file", r))
		}
		delete(exist, r)
	}
	for _, r := range slices.Sorted(maps.Keys(exist)) {
		bad = append(bad, fmt.Sprintf("ARCHITECTURE.md does not list %s: give it a row, below everything that imports it", r))
	}
	return bad
}

// lookUp names rooms whose external tests (package x_test, which nothing
// imports) may use a room above, with the reason.
var lookUp = map[string]struct {
	targets []string
	reason  string
}{
	"internal/agent/claude/checks": {[]string{"steps/install", "internal/agent/claude/setup"},
		"its faults are seeded into what the real install has written"},
	"steps/doctor": {[]string{"internal/agent/claude/explain"}, "a text that leads to a probe is one of its tests"},
	"internal/agent/claude/iso": {[]string{"internal/agent/claude/play", "internal/testenv/sessions"},
		"what it starts is the real runtime"},
}

// upward lists the imports that do not point down the table.
func upward(rooms []string, srcs []source) []string {
	var bad []string
	for _, s := range srcs {
		for _, spec := range s.ast.Imports {
			target, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module+"/")
			from, to := slices.Index(rooms, s.room()), slices.Index(rooms, target)
			switch {
			case !ours || s.test() && target == s.room(): // an external test of its own package
			case s.test() && strings.HasSuffix(s.ast.Name.Name, "_test") && slices.Contains(lookUp[s.room()].targets, target):
			case to < 0 || from < 0 || to <= from:
				bad = append(bad, fmt.Sprintf("%s: %s may not import %s: imports point down the table of ARCHITECTURE.md",
					s.at(spec), s.room(), target))
			}
		}
	}
	return bad
}

func TestRoomsAreThoseOfThePage(t *testing.T) {
	report(t, unlisted(rooms(files(t)["ARCHITECTURE.md"]), program(t)))
}

func TestImportsPointDown(t *testing.T) {
	report(t, upward(rooms(files(t)["ARCHITECTURE.md"]), program(t)))
}

func TestTheRoomRulesFind(t *testing.T) {
	table := rooms("| Room | Contract |\n|---|---|\n| `internal/high` | x |\n| `internal/low` | y |\n")
	low := func(imports string) []source {
		return example(t, "internal/low/a.go", "package low\nimport \""+imports+"\"\n")
	}
	high := example(t, "internal/high/a.go", "package high\nimport \""+module+"/internal/low\"\n")
	if got := upward(table, append(high, low("fmt")...)); len(got) != 0 {
		t.Errorf("a downward import is refused: %q", got)
	}
	for _, target := range []string{"/internal/high", "/internal/low", "/internal/nowhere"} {
		if got := upward(table, low(module+target)); len(got) != 1 || !strings.HasPrefix(got[0], "internal/low/a.go:2: ") {
			t.Errorf("import of %s from low: %q", target, got)
		}
	}
	if got := unlisted(table, append(high, low("fmt")...)); len(got) != 0 {
		t.Errorf("a complete table is refused: %q", got)
	}
	if got := unlisted(table, append(high, example(t, "internal/new/a.go", "package new\n")...)); len(got) != 2 {
		t.Errorf("one room gone and one new: %q", got)
	}
}
