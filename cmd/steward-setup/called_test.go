// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what anything leads to is a line that this program takes,
// called as it can be here.

package main

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/nearest"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// leads are the fields of an error, a note, a finding's remedy or a command that say
// what to do.
var leads = []string{"Next", "Line", "Title", "Target", "Text"}

// spelled is a line of this program in a sentence.
var spelled = regexp.MustCompile(`(^|[:,] +|run )steward-setup [a-z]`)

// wording is the text of an expression, with a mark for what only a run knows.
func wording(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil {
			return s
		}
	case *ast.BinaryExpr:
		return wording(e.X) + wording(e.Y)
	case *ast.ParenExpr:
		return wording(e.X)
	}
	return onlyARunKnows
}

// ownWords are the words of a line of this program where report.Own makes one.
func ownWords(call *ast.CallExpr) (string, bool) {
	made, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || made.Sel.Name != "Own" || len(call.Args) != 2 {
		return "", false
	}
	return wording(call.Args[0]), true
}

const onlyARunKnows = "\x00"

// cut is what is known of a sentence: where a word of it is not, that word, the
// flags before it and all that follows are left out.
func cut(sentence string) string {
	known, _, cut := strings.Cut(sentence, onlyARunKnows)
	if !cut {
		return sentence
	}
	known = known[:strings.LastIndex(known, " ")+1]
	for words := strings.Fields(known); len(words) > 1 && strings.HasPrefix(words[len(words)-1], "-"); {
		words = words[:len(words)-1]
		known = strings.Join(words, " ")
	}
	return known
}

// TestEveryLineOfThisProgramIsOneThatItTakes: of all that the sources hold, in
// errors that nobody has seen yet, too.
func TestEveryLineOfThisProgramIsOneThatItTakes(t *testing.T) {
	testenv.AsUser(t)
	lines := testenv.LinesOf(func(args []string) ([]byte, error) {
		var said bytes.Buffer
		sys := env.System{Env: env.New(nil), GOOS: runtime.GOOS, Cwd: t.TempDir(), Now: time.Now}
		if code := run(context.Background(), sys, strings.NewReader(""), &said, &said, args); code != 0 {
			return said.Bytes(), exitCode(code)
		}
		return said.Bytes(), nil
	})
	seen := 0
	judge := func(at token.Position, sentence string) {
		if strings.Contains(sentence, "steward-setup ") {
			seen++
		}
		if err := lines.DoubtIn(cut(sentence)); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
	root := filepath.Join("..", "..")
	for _, dir := range []string{"cmd", "internal", "steps"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if words, ok := ownWords(n); ok {
						judge(set.Position(n.Pos()), report.Program+" "+words)
					}
				case *ast.KeyValueExpr:
					switch key, _ := n.Key.(*ast.Ident); {
					case key == nil:
					case key.Name == "Words":
						judge(set.Position(n.Pos()), report.Program+" "+wording(n.Value))
					case slices.Contains(leads, key.Name) && spelled.MatchString(wording(n.Value)):
						t.Errorf("%s: %q spells a line of this program: report.Line, or report.Own, has it as it is called",
							set.Position(n.Pos()), wording(n.Value))
					}
				case *ast.ValueSpec:
					for _, v := range n.Values {
						judge(set.Position(n.Pos()), wording(v))
					}
				case *ast.AssignStmt:
					for _, v := range n.Rhs {
						judge(set.Position(n.Pos()), wording(v))
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 50 {
		t.Errorf("only %d lines were found", seen)
	}
}

func TestALineIsCalledAsItCanBe(t *testing.T) {
	a := &app{project: "/code/my project"}
	const self, project = "/opt/ss", " --project '/code/my project'"
	for said, want := range map[report.Line]string{
		{Words: "verify"}:                              self + " verify" + project,
		{Words: "verify --help"}:                       self + " verify --help",
		{Words: "undo", After: "   # lists them"}:      self + " undo" + project + "   # lists them",
		{Words: "iso"}:                                 "cd '/code/my project' && " + self + " iso",
		{Words: "update --bisect 'Bash(a; b #c)'"}:     self + " update --bisect 'Bash(a; b #c)'" + project,
		{Words: "verify" + project}:                    self + " verify" + project,
		{After: "a hook that steward-setup wrote not"}: "a hook that steward-setup wrote not",
	} {
		once := a.calledLine(self, said)
		if again := a.calledLine(self, once); once.String() != want || again != once {
			t.Errorf("%+v becomes %q, then %q, want %q", said, once, again, want)
		}
	}
	for _, c := range []struct {
		command     report.Command
		plain, want string
	}{
		{report.Own("iso --approve", report.Command{}), "steward-setup iso --approve",
			"cd '/code/my project' && " + self + " iso --approve"},
		{report.Own("install", report.Command{Before: "export SHELL=/bin/bash"}),
			"export SHELL=/bin/bash && steward-setup install", "export SHELL=/bin/bash && " + self + " install" + project},
		{report.Own("install", report.Command{Dir: "'/other one'"}), "cd '/other one' && steward-setup install",
			"cd '/other one' && " + self + " install"},
		{report.Own("iso --approve", report.Command{Dir: "/w"}), "cd /w && steward-setup iso --approve",
			"cd /w && " + self + " iso --approve"},
		{report.Command{Line: "steward-setup is quoted"}, "steward-setup is quoted", "steward-setup is quoted"},
	} {
		once := a.called(self, c.command)
		if again := a.called(self, once); c.command.Line != c.plain || once.Line != c.want || again != once {
			t.Errorf("%q is called %q, then %q; want %q", c.command.Line, once.Line, again.Line, c.want)
		}
	}
}

func TestAnErrorLeadsToTheProgramAsItIsCalled(t *testing.T) {
	a := &app{project: "/code", sys: env.System{Env: env.New([]string{"HOME=" + t.TempDir(), "PATH=/nowhere"}),
		Executable: "/opt/ss"}}
	was := &report.Error{What: "is open", Next: "close it, then: ",
		Lines: []report.Line{{Words: "verify", After: ", or: "}, {Words: "iso --anyway"}}}
	var e *report.Error
	err := a.calledError(errors.Join(was))
	if !errors.As(err, &e) ||
		e.Advice() != "close it, then: /opt/ss verify --project /code, or: cd /code && /opt/ss iso --anyway" ||
		was.Advice() != "close it, then: steward-setup verify, or: steward-setup iso --anyway" {
		t.Errorf("%v leads to %q", err, e.Advice())
	}
	root := newRoot(a)
	pull, _, _ := root.Find([]string{"sync", "pull"})
	for err, want := range map[error]string{usage(root, "x"): "/opt/ss --help",
		usage(pull, "x"): "/opt/ss sync pull --help",
		needs(pull, pull.Flag(applyFlag)): "print the plan with your other flags; it ends with the line that applies it:  " +
			"/opt/ss sync pull --plan"} {
		if !errors.As(a.calledError(err), &e) || e.Advice() != want {
			t.Errorf("a line that means nothing leads to %q, want %q", e.Advice(), want)
		}
	}
}

func TestTheLinesOfADocumentCanBePasted(t *testing.T) {
	a := &app{project: "/home/u/a project", sys: env.System{Env: env.New([]string{"HOME=" + t.TempDir(), "PATH=/nowhere"}),
		GOOS: "linux", Executable: "/opt/steward-setup", Cwd: "/", Now: time.Now}}
	h := testenv.Must(a.host())(t)
	const line = "steward-setup doctor docker --try-fix"
	given := report.Finding{Check: "docker", Remedies: []report.Remedy{
		report.Own("doctor docker --try-fix", report.Command{}), report.Command{Line: "sudo sysctl x"},
		report.DocLink{Title: "t: ", Line: report.Line{Words: "undo", After: " x"}}}}
	got := a.calledEvent(a.self(h), engine.CheckDone{Finding: given}).(engine.CheckDone).Finding
	for i, want := range []report.Remedy{report.Command{Line: "/opt/steward-setup doctor docker --try-fix --project " +
		"'/home/u/a project'"}, report.Command{Line: "sudo sysctl x"},
		report.DocLink{Title: "t: ", Line: report.Line{After: "/opt/steward-setup undo --project '/home/u/a project' x"}}} {
		if got.Remedies[i] != want {
			t.Errorf("%+v, want %+v", got.Remedies[i], want)
		}
	}
	again := a.calledEvent(a.self(h), engine.CheckDone{Finding: got}).(engine.CheckDone).Finding
	if again.Remedies[0] != got.Remedies[0] {
		t.Errorf("built twice: %+v", again.Remedies[0])
	}
	if c := given.Remedies[0].(report.Command); c.Line != line {
		t.Errorf("the finding itself was changed: %+v", c)
	}
	plan := report.NewPlan([]report.Section{{Items: []report.Item{given.Remedies[0].(report.Command)},
		Findings: []report.Finding{given}}})
	shown := a.calledEvent(a.self(h), engine.PlanReady{Plan: plan}).(engine.PlanReady).Plan
	want := got.Remedies[0].(report.Command)
	if shown.Commands()[0] != want || shown.Findings()[0].Remedies[0] != want || shown.ID != plan.ID ||
		plan.Commands()[0].Line != line {
		t.Errorf("a plan shows %+v, and was made of %+v", shown, plan)
	}
}

func TestTheProbeThatWasMeant(t *testing.T) {
	for word, want := range map[string]string{"ssh": "ssh-agent", "git": "git-worktree", "sockets": "unix-sockets",
		"gpg": "gpg-sign", "dokcer": "docker", "podmann": "podman", "worktree": "git-worktree",
		"npm": "", "pkg": "", "network": "", "cache": "", "x": ""} {
		if got := nearest.One(word, probeNames()); got != want {
			t.Errorf("%q is taken for %s, want %s", word, got, want)
		}
	}
}
