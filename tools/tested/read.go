// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each event of go test is about a package or a test in it;
// what a test printed is kept until it is known whether anybody wants it.

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// event is one line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// otherHalf is testenv.OtherHalf: such a test is neither passed nor skipped.
const otherHalf = "run by the other user"

type reader struct {
	out  io.Writer
	keep io.Writer
	as   string
	// logs are what has been printed, by package and test; shown is what will
	// be said of a package when it ends.
	logs   map[[2]string]string
	shown  map[string]string
	failed map[string]bool
	// over says that a package has ended, bad that anything failed.
	over, bad bool
}

func newReader(out, keep io.Writer, as string) *reader {
	return &reader{out, keep, as, map[[2]string]string{}, map[string]string{}, map[string]bool{}, false, false}
}

// read reads every event. What is no event is shown as it is.
func (r *reader) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case len(line) == 0:
		case json.Unmarshal(line, &e) != nil:
			_, _ = r.out.Write(line)
		default:
			if err := r.take(e); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// frame are the lines of go test's own.
var frame = regexp.MustCompile(`^(=== |\s*--- |PASS\n|FAIL\n|ok  \t|FAIL\t|\?   \t)`)

func (r *reader) take(e event) error {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "output", "build-output":
		if e.Action == "build-output" {
			key = [2]string{e.ImportPath}
		}
		if !frame.MatchString(e.Output) {
			r.logs[key] += e.Output
		}
		return nil
	case "build-fail":
		r.shown[""] += r.logs[[2]string{e.ImportPath}]
		return nil
	case "pass", "fail", "skip":
	default:
		return nil
	}
	if e.Test == "" {
		return r.ended(e)
	}
	log := r.logs[key]
	delete(r.logs, key)
	switch {
	case e.Action == "skip" && strings.Contains(log, otherHalf):
		return nil
	case e.Action == "skip":
		r.shown[e.Package] += fmt.Sprintf("    skipped: %s %s\n", e.Test, reason(log))
	case e.Action == "fail":
		r.shown[e.Package] += fmt.Sprintf("--- FAIL: %s (%.2fs)\n%s", e.Test, e.Elapsed, log)
		r.failed[e.Package] = true
	}
	return r.note(e)
}

// reason is the last line that a skipped test printed, without its place.
func reason(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if place, rest, ok := strings.Cut(last, ": "); ok && strings.Contains(place, ".go:") {
		return rest
	}
	return last
}

// ended says what became of a package.
func (r *reader) ended(e event) error {
	r.over = true
	fmt.Fprint(r.out, r.shown[""], r.shown[e.Package])
	delete(r.shown, "")
	switch e.Action {
	case "fail":
		r.bad = true
		// What is left tells of a panic, a time limit, a build.
		for key, log := range r.logs {
			if key[0] == e.Package {
				fmt.Fprint(r.out, log)
			}
		}
		fmt.Fprintf(r.out, "FAIL\t%s\t%.1fs%s\n", e.Package, e.Elapsed, r.by())
	case "pass":
		fmt.Fprintf(r.out, "ok  \t%s\t%.1fs%s\n", e.Package, e.Elapsed, r.by())
	}
	for key := range r.logs {
		if key[0] == e.Package {
			delete(r.logs, key)
		}
	}
	if e.Action == "fail" && !r.failed[e.Package] {
		return r.note(e)
	}
	return nil
}

// by says who ran a package.
func (r *reader) by() string {
	if r.as == "" {
		return ""
	}
	return "\t" + r.as
}

// note keeps a line for the summary.
func (r *reader) note(e event) error {
	name := e.Package[strings.LastIndexByte(e.Package, '/')+1:]
	if r.as != "" {
		name = r.as + ": " + name
	}
	if e.Test != "" {
		name += " " + e.Test
	}
	_, err := fmt.Fprintf(r.keep, "%s\t%.2f\t%s\n", map[string]string{"pass": "passed", "fail": "failed",
		"skip": "skipped"}[e.Action], e.Elapsed, name)
	return err
}
