// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a keys file that is not understood is refused before the
// program starts, with the line that is wrong.

package main

import (
	"fmt"
	"strings"
)

// step is one line of a keys file.
type step struct {
	line      int
	verb, arg string
}

// named are the keys that have a name, as xterm sends them.
var named = map[string]string{
	"enter": "\r", "tab": "\t", "shift+tab": "\x1b[Z", "esc": "\x1b", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
	"home": "\x1b[H", "end": "\x1b[F", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
	"ctrl+c": "\x03", "ctrl+d": "\x04",
}

// parseSteps reads a keys file; the error begins with the line's number.
func parseSteps(text string) ([]step, error) {
	var steps []step
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		s := step{line: n}
		s.verb, s.arg, _ = strings.Cut(line, " ")
		s.arg = strings.TrimSpace(s.arg)
		switch {
		case s.arg == "":
			return nil, fmt.Errorf("%d: %s what?", n, s.verb)
		case s.verb == "wait" || s.verb == "type":
		case s.verb == "key":
			if _, ok := named[s.arg]; !ok && len([]rune(s.arg)) > 1 {
				return nil, fmt.Errorf("%d: there is no key %q", n, s.arg)
			}
		case s.verb == "shot":
			if strings.ContainsAny(s.arg, "/\\. ") {
				return nil, fmt.Errorf("%d: %q is not a name: the .png is added", n, s.arg)
			}
		default:
			return nil, fmt.Errorf("%d: %q is none of wait, key, type and shot", n, s.verb)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// play takes the steps in order; shot saves a picture under a name.
func play(steps []step, t *terminal, shot func(name string) error) error {
	for _, s := range steps {
		var err error
		switch s.verb {
		case "wait":
			err = t.wait(s.arg)
		case "key":
			keys, ok := named[s.arg]
			if !ok {
				keys = s.arg
			}
			err = t.send(keys)
		case "type":
			err = t.send(s.arg)
		case "shot":
			t.settle()
			err = shot(s.arg)
		}
		if err != nil {
			return fmt.Errorf("line %d, %s %s: %w", s.line, s.verb, s.arg, err)
		}
	}
	return nil
}
