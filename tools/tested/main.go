// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Command tested runs test binaries, shows what a person wants to know of what
// they say, and keeps a line of each test for the summary of test.sh:
//
//	go test -c -o DIR ./...
//	go list -f '{{.ImportPath}} {{.Dir}}' ./... | tested -run DIR -keep FILE [-before DIR ...] WHO[:PROGRAM]...
//	tested -summary FILE [-sessions FILE]
//
// Each WHO is a user who runs all of them, PROGRAM what starts a binary for
// that user.
//
// Contract: what failed is shown with all that it printed, what was skipped
// with its reason, what passed as one line a package; a failure that belongs to
// no test, such as a build or a time limit, counts as one.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	binaries := flag.String("run", "", "run the test binaries of this `directory`")
	keep := flag.String("keep", "", "the `file` that gets a line of each test")
	summary := flag.String("summary", "", "say what stands in this `file`")
	var b before
	flag.StringVar(&b.dir, "before", "", "a `directory` of what passed, which is not run again")
	flag.StringVar(&b.system, "system", "", "a `digest` of what lies outside the tree")
	flag.StringVar(&b.work, "work", "", "the `directory` of this run alone")
	flag.StringVar(&b.copy, "copy", "", "the `directory` with a copy of the tree, which is the working directory")
	sessions := flag.String("sessions", "", "the `file` with a line of each session of the runtime")
	flag.Parse()
	var err error
	b.tree, err = os.Getwd()
	switch {
	case err != nil:
	case *summary != "":
		err = summarise(os.Stdout, *summary, *sessions)
	case *binaries != "" && *keep != "" && flag.NArg() > 0:
		err = keeping(*keep, func(kept io.Writer) error { return run(os.Stdin, os.Stdout, kept, *binaries, b, flag.Args()) })
	default:
		flag.Usage()
		os.Exit(64)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// keeping opens the file that lines are kept in.
func keeping(path string, do func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	err = do(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
