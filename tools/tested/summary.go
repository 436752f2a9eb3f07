// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the closing lines say what came of everything that was run
// and what it cost.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// slowest is how many tests are named.
const slowest = 10

// spentBy begins the line of a package: its seconds of a processor, and whose.
const spentBy = "spent"

// readBefore begins the line of a session that was not played: an earlier run, or
// this one, had its answer. What was played has there why it was
// (internal/testenv/sessions).
const (
	readBefore   = "read"
	readRecorded = "recorded" // in this tree
)

// passedBefore is a test that passed in an earlier run and is not run again (before.go).
const passedBefore = "before"

type result struct {
	seconds float64
	name    string
}

// whole adds the parts of a test to it: while its parallel parts run, a test is
// not counted as running. A part that has parts of its own is not added.
func whole(parts map[string]float64) []result {
	inner := map[string]bool{}
	for name := range parts {
		for {
			i := strings.LastIndexByte(name, '/')
			if i < 0 {
				break
			}
			name = name[:i]
			inner[name] = true
		}
	}
	sums := map[string]float64{}
	for name, seconds := range parts {
		if top, _, part := strings.Cut(name, "/"); part && !inner[name] {
			sums[top] += seconds
		}
	}
	var list []result
	for name, seconds := range parts {
		if !strings.Contains(name, "/") {
			list = append(list, result{max(seconds, sums[name]), name})
		}
	}
	return list
}

// summarise says what stands in the kept lines, and fails if a line is of a
// failure or there is none at all.
func summarise(out io.Writer, kept, sessions string) error {
	b, err := os.ReadFile(kept)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	parts, spent := map[string]float64{}, map[string]float64{}
	for line := range strings.Lines(string(b)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		counts[fields[0]]++
		if len(fields) < 3 {
			continue // a step, not a test
		}
		took, err := strconv.ParseFloat(fields[1], 64)
		switch {
		case err != nil:
		case fields[0] == passedBefore:
		case fields[0] == spentBy:
			spent[fields[2]] = took
		default:
			parts[fields[2]] = took
		}
	}
	top(out, "\nthe slowest tests:", whole(parts))
	top(out, "packages, by seconds of a processor:", whole(spent))
	if sessions != "" {
		lines, err := os.ReadFile(sessions)
		if err != nil {
			return err
		}
		played, read, recorded := 0, 0, 0
		by, reasons := map[string]int{}, map[string]int{}
		for line := range strings.Lines(string(lines)) {
			why, test, _ := strings.Cut(strings.TrimSpace(line), "\t")
			switch why {
			case readBefore:
				read++
				continue
			case readRecorded:
				recorded++
				continue
			}
			played++
			by[test]++
			reasons[why]++
		}
		fmt.Fprintf(out, "%d sessions of the runtime were played, %d read, and %d recordings", played, read, recorded)
		if played == 0 {
			fmt.Fprintln(out)
		} else {
			fmt.Fprintln(out, "; they were played because:")
			most(out, reasons)
			fmt.Fprintln(out, "most were played by:")
			most(out, by)
		}
	}
	again := ""
	if n := counts[passedBefore]; n > 0 {
		again = fmt.Sprintf(" (%d of them in an earlier run today, with the same binaries, files and system)", n)
	}
	passed := counts["passed"] + counts[passedBefore]
	fmt.Fprintf(out, "%d passed%s, %d failed, %d skipped\n", passed, again, counts["failed"], counts["skipped"])
	switch {
	case counts["failed"] > 0:
		return errors.New("something failed")
	case passed == 0:
		return errors.New("nothing was tested")
	}
	return nil
}

// top lists those that took most.
func top(out io.Writer, title string, list []result) {
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(a, b result) int {
		return cmp.Or(cmp.Compare(b.seconds, a.seconds), strings.Compare(a.name, b.name))
	})
	fmt.Fprintln(out, title)
	for _, t := range list[:min(slowest, len(list))] {
		fmt.Fprintf(out, "%8.1f s  %s\n", t.seconds, t.name)
	}
}

// most names the tests that played most sessions.
func most(out io.Writer, played map[string]int) {
	names := slices.SortedFunc(maps.Keys(played), func(a, b string) int {
		return cmp.Or(cmp.Compare(played[b], played[a]), strings.Compare(a, b))
	})
	for _, name := range names[:min(slowest, len(names))] {
		fmt.Fprintf(out, "%8d    %s\n", played[name], name)
	}
}
