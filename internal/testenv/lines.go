// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line that is offered to be pasted is one that a shell
// reads, and what it asks of this program is what the program takes.

package testenv

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Lines judges lines that are offered to be pasted.
type Lines struct {
	// ask calls the program without a home, and returns what it says.
	ask   func(args []string) (said []byte, err error)
	known sync.Map // what was said of a call, by its arguments
}

// NewLines builds the program that is asked.
func NewLines(t testing.TB) *Lines {
	t.Helper()
	program := filepath.Join(t.TempDir(), "steward-setup")
	Build(t, program)
	return LinesOf(func(args []string) ([]byte, error) {
		cmd := exec.Command(program, args...)
		cmd.Env = []string{"PATH=/nowhere"}
		return cmd.CombinedOutput()
	})
}

// LinesOf asks by ask, which calls the program without a home.
func LinesOf(ask func(args []string) (said []byte, err error)) *Lines { return &Lines{ask: ask} }

// Doubt says why a line cannot be pasted; nil if it can. Each call of this
// program in it is parsed by the program itself, which has no home here and
// stops at that, once it knows what it was asked.
func (l *Lines) Doubt(line string) error {
	if strings.TrimSpace(line) == "" || strings.Contains(line, "\n") {
		return errors.New("is not one line")
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return fmt.Errorf("no shell reads it: %w", err)
	}
	var doubt error
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || call.Args[0].Lit() != "steward-setup" {
			return true
		}
		args, err := expand.Fields(&expand.Config{}, call.Args[1:]...)
		if err == nil {
			err = l.asked(args)
		}
		doubt = errors.Join(doubt, err)
		return true
	})
	return doubt
}

// understood is what the program says once it knows what it was asked: that it
// has no home or no git, or that a word which stands for a path leads nowhere.
var understood = regexp.MustCompile(`HOME: is not set to an absolute path|git is not on PATH|/(DIR|PATH|FILE):? is not `)

// asked is what the program says of its arguments.
func (l *Lines) asked(args []string) error {
	key := strings.Join(args, "\x00")
	if said, ok := l.known.Load(key); ok {
		err, _ := said.(error)
		return err
	}
	out, err := l.ask(args)
	if err != nil && understood.Match(out) {
		err = nil
	} else if err != nil {
		err = fmt.Errorf("steward-setup %s: %s", strings.Join(args, " "), out)
	}
	l.known.Store(key, err)
	return err
}

// called finds a line of this program in a sentence: at its beginning, or
// behind a colon.
var called = regexp.MustCompile("(?:^|:  ?)(steward-setup [a-z][^;\n]*)")

// Step says why a next step does not lead on: by its words, or by its line and
// what that is for; nil if it does.
func (l *Lines) Step(words, line, why string) error {
	switch {
	case line == "":
		return l.DoubtIn(words)
	case why == "":
		return errors.New("does not say why")
	}
	return l.Doubt(line)
}

// DoubtIn is Doubt of the lines of this program in a sentence. Each ends with
// the sentence, at a semicolon, or where a comment begins.
func (l *Lines) DoubtIn(sentence string) (doubt error) {
	for _, m := range called.FindAllStringSubmatch(sentence, -1) {
		doubt = errors.Join(doubt, l.Doubt(m[1]))
	}
	return doubt
}
