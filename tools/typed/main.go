// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Command typed checks the types of packages and of their tests, as they are for the
// platform that GOOS and GOARCH name:
//
//	GOOS=linux GOARCH=arm64 typed ./...
//
// Contract: everything is read as source, also the standard library, and nothing is
// compiled, which takes a fifth of what `go vet` takes where nothing is compiled yet.
// Each error is a line with its place; the exit code is then 1.
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: typed PACKAGES")
		os.Exit(64)
	}
	list, err := packages.Load(&packages.Config{Tests: true, Mode: packages.NeedName | packages.NeedImports |
		packages.NeedDeps | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo}, os.Args[1:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if packages.PrintErrors(list) > 0 {
		os.Exit(1)
	}
}
