// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs in the namespace types the question at the
// shell's prompt and hands on what came; it judges nothing.

package ownshell

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// Word is what this program is called with in the namespace, after "stage".
const Word = "shell"

// The words after it.
const (
	wordTalk   = "talk"
	wordAnswer = "answer"
)

// raw is one answer: the fields of the shell's question.
type raw struct {
	Mark   string   `json:"mark"`
	Shell  string   `json:"shell"`
	Fields []string `json:"fields"`
	Env    []string `json:"env"`
}

// said is what came of a start.
type said struct {
	Answers []raw `json:"answers"`
	// Ended says that the shell ended by itself, Screen what it printed last.
	Ended  bool   `json:"ended"`
	Screen string `json:"screen"`
	Failed string `json:"failed,omitempty"`
}

// Inside is what this program is in the namespace. It is no command for people.
func Inside(ctx context.Context, in io.Reader, out io.Writer, environ env.Env, args []string) error {
	switch {
	case len(args) == 2 && args[1] == wordTalk:
		var j job
		if err := proc.Job(in, &j); err != nil {
			return err
		}
		return json.NewEncoder(out).Encode(j.do(ctx))
	case len(args) > 4 && args[1] == wordAnswer:
		return json.NewEncoder(out).Encode(raw{Mark: args[2], Shell: args[3], Fields: args[4:], Env: environ.List()})
	}
	return errors.New("this is started in a namespace only")
}

// How the question is typed.
const (
	// patience is how long one spelling of the question is given: what is
	// typed while start files run is read later.
	patience = 1200 * time.Millisecond
	// settles is what is waited for after the first answer: some plugins load
	// behind the first prompt.
	settles = 400 * time.Millisecond
	// settlesLater is what is waited for instead where zsh has something of its
	// own to run later.
	settlesLater = 2500 * time.Millisecond
	// changes is how long the shell is given to change its directory.
	changes = 100 * time.Millisecond
	polls   = 15 * time.Millisecond
)

// maxScreen bounds what is kept of what the shell printed.
const maxScreen = 2 << 10

// do starts the shell and asks it at its first prompt, and once more at a
// later one, where a session starts.
func (j job) do(ctx context.Context) (s said) {
	err := proc.Talk(ctx, proc.Interactive(j.Start.Path, j.Dir, j.Start.Login, j.Environ),
		func(ctx context.Context, terminal io.ReadWriter, ended <-chan struct{}) {
			screen := &screen{terminal: terminal}
			go screen.read()
			for round := 1; round <= rounds; round++ {
				if round > 1 {
					wait(ctx, j.settles(), nil)
				}
				if !j.ask(ctx, screen, ended, round) {
					break
				}
			}
			s.Answers, s.Screen = j.answers(), screen.text()
			select {
			case <-ended:
				s.Ended = ctx.Err() == nil // else it was ended
			default:
			}
		})
	if err != nil {
		s.Failed = err.Error()
	}
	return s
}

// ask types the question of a round until it is answered.
func (j job) ask(ctx context.Context, screen *screen, ended <-chan struct{}, round int) bool {
	there, lines := typed("there", j.Start.Shell, round), typed("ask", j.Start.Shell, round)
	done := func() bool {
		return slices.ContainsFunc(j.answers(), func(a raw) bool { return a.Mark == markOf(j.Mark, round) })
	}
	for i := 0; ctx.Err() == nil; i++ {
		if round > 1 && j.Start.Then != "" { // a line of its own: hooks of the prompt run between
			screen.write("\x15" + there[i%len(there)] + "\r")
			wait(ctx, changes, ended)
		}
		screen.write("\x15" + lines[i%len(lines)] + "\r") // what stands on the line is taken away
		for range patience / polls {
			if done() {
				return true
			}
			if !wait(ctx, polls, ended) {
				return done()
			}
		}
	}
	return false
}

// settles is how long to wait before the shell is asked again.
func (j job) settles() time.Duration {
	if slices.ContainsFunc(j.answers(), raw.later) {
		return settlesLater
	}
	return settles
}

// wait waits; it is false when there is nothing more to wait for.
func wait(ctx context.Context, d time.Duration, ended <-chan struct{}) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	select {
	case <-ctx.Done():
		return errors.Is(ctx.Err(), context.DeadlineExceeded)
	case <-ended:
		return false
	}
}

// answers are those that have come whole, of all rounds.
func (j job) answers() (list []raw) {
	b, err := fs.Read(answered)
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(b) {
		var a raw
		if json.Unmarshal(line, &a) == nil && strings.HasPrefix(a.Mark, j.Mark+".") {
			list = append(list, a)
		}
	}
	return list
}

// screen is the other end of the shell's terminal.
type screen struct {
	terminal io.ReadWriter
	mu       sync.Mutex
	last     []byte
}

// read keeps the end of what is printed, and answers what programs ask of a
// terminal before they go on: what it is, and where the cursor is (xterm).
func (s *screen) read() {
	buf := make([]byte, 4096)
	for {
		n, err := s.terminal.Read(buf)
		if err != nil {
			return
		}
		for question, answer := range map[string]string{"\x1b[c": "\x1b[?62;22c", "\x1b[0c": "\x1b[?62;22c",
			"\x1b[6n": "\x1b[1;1R"} {
			if bytes.Contains(buf[:n], []byte(question)) {
				s.write(answer)
			}
		}
		s.mu.Lock()
		s.last = append(s.last, buf[:n]...)
		s.last = slices.Clone(s.last[max(0, len(s.last)-maxScreen):])
		s.mu.Unlock()
	}
}

func (s *screen) write(text string) {
	_, _ = io.WriteString(s.terminal, text) // the shell has ended, which is seen elsewhere
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ToValidUTF8(string(s.last), "")
}
