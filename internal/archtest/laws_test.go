// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the first two laws of ARCHITECTURE, as far as source can
// show them: no call that could write stands outside the engine, and no call
// that could gain privileges exists.

package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	fsRoom   = "internal/host/fs"
	procRoom = "internal/host/proc"
)

// anyone marks what only looks.
const anyone = "*"

// mayUse says who may use what a file of fsRoom declares. What a file that is
// not listed declares is for the engine alone, which writes only what was
// approved.
var mayUse = map[string]struct {
	rooms  []string
	reason string
}{
	"read.go":    {[]string{anyone}, "reading"},
	"access.go":  {[]string{anyone}, "asking what could be read or written"},
	"through.go": {[]string{anyone}, "looking where a path leads"},
	"acl.go":     {[]string{anyone}, "reading who may write"},
	"scratch.go": {[]string{"internal/sample", "cmd/steward-setup"}, "try works in a directory that it made and removes"},
	"laid.go":    {[]string{anyone}, "naming what a stage is to hold"},
	"stage.go": {[]string{"internal/rehearsal"}, "a stage is memory, and a replica home is the program's own from " +
		"making to removing"},
	"lock.go":  {[]string{"steps/sync"}, "the lock of the sync repository, which its own script takes too"},
	"cache.go": {[]string{"internal/agent/claude/statusline"}, "what is in the cache is worth nothing to anybody"},
	"journal.go": {[]string{"cmd/steward-setup", "internal/agent/claude/hook"},
		"what a hook saw is appended to the state directory, which is the program's own"},
	"held.go": {[]string{anyone}, "asking whether a lock is held"},
}

// writes lists uses of fsRoom's functions that mayUse does not allow (law 2:
// nothing unseen is written).
func writes(srcs []source) []string {
	allowed := map[string][]string{}
	for _, s := range srcs {
		if s.room() != fsRoom || s.test() {
			continue
		}
		rooms := []string{"internal/engine"}
		if row, ok := mayUse[path.Base(s.path)]; ok {
			rooms = row.rooms
		}
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				allowed[f.Name.Name] = append(rooms, fsRoom)
			}
		}
	}
	var bad []string
	for _, s := range srcs {
		if s.test() {
			continue
		}
		s.uses(func(pkg, name string, at ast.Node) {
			rooms, isFunc := allowed[name]
			if pkg == module+"/"+fsRoom && isFunc && !slices.Contains(rooms, s.room()) && rooms[0] != anyone {
				bad = append(bad, fmt.Sprintf("%s: %s may not call fs.%s: only %s may", s.at(at), s.room(), name, rooms[0]))
			}
		})
	}
	return bad
}

// unstartable are programs that no Spec may name: those that grant
// privileges, and shells, which would start anything.
var unstartable = []string{"sudo", "su", "doas", "pkexec", "run0", "sh", "bash", "dash", "zsh", "fish", "env", "xargs"}

// starts lists calls in procRoom whose program is neither a constant, nor an
// agent's, nor a file that a stage holds, or is unstartable, and privileged
// programs that stand anywhere in its strings (law 1: never privileged).
func starts(srcs []source) []string {
	var bad []string
	for _, s := range srcs {
		if s.test() {
			continue
		}
		if s.room() != procRoom {
			bad = append(bad, agentsPrograms(s)...)
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if id, ok := n.Type.(*ast.Ident); ok && id.Name == "Spec" {
					if program, ok := specName(n); !ok || slices.Contains(unstartable, program) {
						bad = append(bad, fmt.Sprintf("%s: a Spec names %q: one program, as a constant, and not one "+
							"that can start others", s.at(n), program))
					}
				}
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				if n.Kind != token.STRING || err != nil {
					break
				}
				for _, word := range strings.FieldsFunc(text, func(r rune) bool {
					return strings.ContainsRune(" \t\n/='\",;", r)
				}) {
					if slices.Contains(unstartable[:5], word) {
						bad = append(bad, fmt.Sprintf("%s: %s stands in a string", s.at(n), word))
					}
				}
			}
			return true
		})
	}
	return bad
}

// specName returns the program of a Spec literal, if it is a constant.
func specName(lit *ast.CompositeLit) (string, bool) {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "name" {
				if given := types.ExprString(kv.Value); given == "agent.Program" || given == "filepath.Base(path)" {
					return given, true // agentsPrograms has the first
				}
				program, ok := literal(kv.Value)
				return program, ok && program != ""
			}
		}
	}
	return "", false
}

// agentsPrograms lists what a file calls the executable of an agent (env.Agent), if
// that is no constant of its own or is unstartable.
func agentsPrograms(s source) (bad []string) {
	constants := map[string]string{}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			for i, text := range literals(v.Values) {
				constants[v.Names[i].Name] = text
			}
		}
		return true
	})
	ast.Inspect(s.ast, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || types.ExprString(lit.Type) != "env.Agent" {
			return true
		}
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok && types.ExprString(kv.Key) == "Program" {
				program, ok := literal(kv.Value)
				if program == "" {
					program, ok = constants[types.ExprString(kv.Value)]
				}
				if !ok || slices.Contains(unstartable, program) {
					bad = append(bad, fmt.Sprintf("%s: an agent's executable is %q: a constant of this file, and not one "+
						"that can start others", s.at(kv), program))
				}
			}
		}
		return true
	})
	return bad
}

func TestOnlyTheEngineWrites(t *testing.T)       { report(t, writes(program(t))) }
func TestNoProgramGrantsPrivileges(t *testing.T) { report(t, starts(program(t))) }

func TestTheLawsFind(t *testing.T) {
	room := append(example(t, fsRoom+"/read.go", `package fs; func Read() {}`),
		append(example(t, fsRoom+"/scratch.go", `package fs; func Scratch() {}`),
			example(t, fsRoom+"/new.go", `package fs; func Apply() {}`)...)...)
	use := `; import "` + module + "/" + fsRoom + `"; func f() { fs.Read(); fs.Apply(); fs.Scratch() }`
	for path, want := range map[string]int{"steps/install/a.go": 2, "internal/engine/a.go": 1, "internal/sample/a.go": 1,
		"steps/install/a_test.go": 0} {
		if got := writes(append(room, example(t, path, "package p"+use)...)); len(got) != want {
			t.Errorf("%s: %q, want %d complaints", path, got, want)
		}
	}
	for src, want := range map[string]int{
		`Spec{name: "git", args: []string{"status"}}`:              0,
		`Spec{name: "s" + "udo"}`:                                  1,
		`Spec{name: agent.Program}`:                                0,
		`Spec{name: filepath.Base(path), path: path}`:              0,
		`Spec{name: filepath.Base(line)}`:                          1,
		`Spec{args: []string{"x"}}`:                                1,
		`Spec{name: "sudo"}`:                                       2,
		`Spec{name: "bash", args: []string{"-c", line}}`:           1,
		`Spec{name: "git", args: []string{"-c", "x=/usr/bin/su"}}`: 1,
		`Spec{name: "git", args: []string{"issue", "surplus"}}`:    0,
	} {
		if got := starts(example(t, procRoom+"/a.go", "package proc; var line string; var s = "+src)); len(got) != want {
			t.Errorf("%s: %q, want %d complaints", src, got, want)
		}
	}
	for src, want := range map[string]int{`const Program = "x"; var a = env.Agent{Program: Program}`: 0,
		`var a = env.Agent{Program: "x"}`: 0, `var a = env.Agent{Program: "env"}`: 1,
		`const Program = "sudo"; var a = env.Agent{Program: Program}`: 1, `var a = env.Agent{Program: f()}`: 1} {
		if got := starts(example(t, "internal/agent/x/a.go", "package x; "+src)); len(got) != want {
			t.Errorf("%s: %q, want %d complaints", src, got, want)
		}
	}
}
