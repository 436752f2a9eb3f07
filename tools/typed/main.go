// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Command typed checks the types of packages and of their tests, as they are for the
// platform that GOOS and GOARCH name:
//
//	GOOS=linux GOARCH=arm64 typed ./...
//
// Contract: everything is read as source, also the standard library, and nothing is
// compiled, which takes a fifth of what `go vet` takes where nothing is compiled yet. Of
// the standard library the bodies of functions are left out: each release of Go is built
// for its platforms. Each error is a line with its place; the exit code is then 1.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: typed PACKAGES")
		os.Exit(64)
	}
	wrong, err := check(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || wrong {
		os.Exit(1)
	}
}

// check prints what is wrong with the packages of these patterns and all that they
// import.
func check(patterns []string) (wrong bool, err error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return false, err
	}
	standard := filepath.Join(strings.TrimSpace(string(out)), "src") + string(filepath.Separator)
	list, err := packages.Load(&packages.Config{Tests: true, Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedImports | packages.NeedDeps | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
		ParseFile: func(set *token.FileSet, path string, src []byte) (*ast.File, error) {
			f, err := parser.ParseFile(set, path, src, parser.AllErrors|parser.SkipObjectResolution)
			if f != nil && strings.HasPrefix(path, standard) {
				hollow(f)
			}
			return f, err
		}}, patterns...)
	if err != nil {
		return false, err
	}
	packages.Visit(list, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if e.Kind == packages.TypeError && strings.HasPrefix(e.Pos, standard) {
				continue // an import for a body that is left out
			}
			fmt.Fprintln(os.Stderr, e)
			wrong = true
		}
	})
	return wrong, nil
}

// hollow leaves the bodies of functions out.
func hollow(f *ast.File) {
	for _, d := range f.Decls {
		if fn, is := d.(*ast.FuncDecl); is {
			fn.Body = nil
		}
	}
}
