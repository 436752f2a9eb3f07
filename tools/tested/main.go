// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Command tested reads what `go test -json` says, shows what a person wants to
// know of it, and keeps a line of each test for the summary of test.sh:
//
//	go test -json ./... | tested -keep FILE [-as WHO]
//	tested -summary FILE [-sessions FILE]
//
// Contract: what failed is shown with all that it printed, what was skipped
// with its reason, what passed as one line a package; a failure that belongs to
// no test, such as a build or a time limit, counts as one.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	keep := flag.String("keep", "", "the `file` that gets a line of each test")
	as := flag.String("as", "", "who runs the tests, for the list of the slowest")
	summary := flag.String("summary", "", "say what stands in this `file`")
	sessions := flag.String("sessions", "", "the `file` with a line of each session of the runtime")
	flag.Parse()
	var err error
	switch {
	case *summary != "":
		err = summarise(os.Stdout, *summary, *sessions)
	case *keep != "":
		err = show(os.Stdin, *keep, *as)
	default:
		flag.Usage()
		os.Exit(64)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func show(in io.Reader, keep, as string) error {
	f, err := os.OpenFile(keep, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	err = newReader(out, f, as).read(in)
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
