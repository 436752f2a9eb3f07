// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package archtest holds the laws of ARCHITECTURE that the compiler does not
// know: who may import what, who may read the clock, what every file begins
// with.
//
// Contract: each rule is a row of data with its reason and a function from
// sources to complaints; each rule is tried on the repository and on a small
// source that breaks it. Nothing but the files of the repository is read.
package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// root is the repository, seen from this package's directory.
const root = "../.."

// module is the path that go.mod gives the repository.
const module = "github.com/steward-setup/steward-setup"

// source is one Go file.
type source struct {
	path string // from the repository's root, with slashes
	text string
	fset *token.FileSet
	ast  *ast.File
}

// room is the file's package, as a path from the repository's root.
func (s source) room() string { return path.Dir(s.path) }

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// at names a place in the file as an editor understands it.
func (s source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line)
}

// packageNames are the import paths of rules whose last element is not the
// package's name.
var packageNames = map[string]string{"charm.land/bubbletea/v2": "tea"}

// imports maps the names by which the file calls its imports to their paths.
func (s source) imports() map[string]string {
	names := map[string]string{}
	for _, spec := range s.ast.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(p)
		if known, ok := packageNames[p]; ok {
			name = known
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "_" || name == "." {
			name += p // several may stand in one file
		}
		names[name] = p
	}
	return names
}

// uses calls seen for every pkg.Name in the file, pkg as an import path.
func (s source) uses(seen func(pkg, name string, at ast.Node)) {
	imports := s.imports()
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			// Obj is set for what is declared in this file, such as
			// a parameter that has a package's name.
			if id, ok := sel.X.(*ast.Ident); ok && id.Obj == nil && imports[id.Name] != "" {
				seen(imports[id.Name], sel.Sel.Name, sel)
			}
		}
		return true
	})
}

func parse(path, text string) (source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, text, parser.ParseComments)
	return source{path, text, fset, file}, err
}

// example is a source for the rules' own tests.
func example(t *testing.T, path, text string) []source {
	t.Helper()
	s, err := parse(path, text)
	if err != nil {
		t.Fatal(err)
	}
	return []source{s}
}

// repository maps every file that belongs to the repository to its content.
var repository = sync.OnceValues(func() (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		// What .gitignore names, and git's own.
		if slices.Contains([]string{".git", "dist", "steward-setup"}, rel) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(p)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	return files, err
})

func files(t *testing.T) map[string]string {
	t.Helper()
	all, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// parsed are the Go files of the repository, those of the tools module included,
// in order of path.
var parsed = sync.OnceValues(func() (all []source, err error) {
	files, err := repository()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".go") && !strings.Contains(name, "testdata/") {
			s, err := parse(name, files[name])
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	return all, nil
})

// sources returns the Go files of the repository.
func sources(t *testing.T) []source {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(all)
}

// program returns those of sources that are built into steward-setup or its
// tests.
func program(t *testing.T) []source {
	t.Helper()
	return slices.DeleteFunc(sources(t), func(s source) bool { return strings.HasPrefix(s.path, "tools/") })
}

// report fails the test with each complaint.
func report(t *testing.T, complaints []string) {
	t.Helper()
	for _, c := range complaints {
		t.Error(c)
	}
}
