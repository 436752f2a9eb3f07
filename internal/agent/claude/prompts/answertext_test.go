// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what code is given to decide is found wherever it is called.

package prompts

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
)

// respond is a function that answers as it is told.
const respond = "function respond (choice) {\n  console.log(JSON.stringify({permissionDecision: choice}))\n}\n"

// codes are hooks in code: the interpreter, the code, what is known of its answers.
var codes = map[string]struct {
	by, text string
	want     Saying
}{
	"a function that nobody calls": {"python3", "def decide (x):\n" +
		"    print(json.dumps({'permissionDecision': x}))\nwhy = 'we allow it'\n", SaysPerhaps},
	"a function with a space, called once":  {"node", respond + "respond('allow')\n", SaysAllow},
	"a function with a space, called twice": {"node", respond + "respond('allow')\nrespond('deny')\n", SaysAllow},
	"a function that only refuses": {"node", respond +
		"respond('deny')\nrespond ('deny')\nwhy = 'allow'\n", SaysNothing},
	"a call above its function":    {"node", "respond('allow')\n" + respond, SaysAllow},
	"a refusal above its function": {"node", "respond('deny')\n" + respond + "why = 'allow'\n", SaysNothing},
	"one of two functions with the same argument": {"node", respond +
		"function or(choice) { respond('deny') }\nor('allow')\n", SaysAllow},
	"a call that chooses":                {"node", respond + "respond('deny' + rest, 'we allow it')\n", SaysPerhaps},
	"the word print in a text of Python": {"python3", "sys.stderr.write('Do not print secrets')\n", SaysNothing},
	"the word print in a text of node":   {"node", "process.stderr.write('Do not print secrets')\n", SaysNothing},
	"Python prints what it reads":        {"python3", "print (answer)\n", SaysPerhaps},
	"Ruby prints without parentheses":    {"ruby", "puts answer\n", SaysPerhaps},
}

// preToolUse is a hook whose answers decide.
var preToolUse = Answering{Event: claude.PreToolUse}

func TestCodeOfHooks(t *testing.T) {
	for name, c := range codes {
		t.Run(name, func(t *testing.T) {
			if _, got := codeSays(grants.Ground{}, preToolUse, readCode(c.text, c.by), c.text, "", "", 0); got != c.want {
				t.Errorf("%d is known of\n%s\nwant %d", got, c.text, c.want)
			}
		})
	}
}

// endings are code that ends within a comment, a text or a pattern.
var endings = []string{"#", "x=1 # a #", "x = 1\n########", "#!", "// //", "/*/", "'", "x = \"a\\", "'''", "f'{",
	"`${'", "\"#{", "/[/", "x = /a\\", "=/[/=/[", "print(f\"{x", "puts \"#{`", "$t =~ s/\"//"}

func FuzzCodeOfHooks(f *testing.F) {
	for _, c := range codes {
		f.Add(c.text)
	}
	for _, text := range endings {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, by := range []string{"python3", "node", "ruby", "perl"} {
			code := readCode(text, by)
			if len(code.said) != len(text) || len(code.calls) != len(text) {
				t.Errorf("%s: views of another length: %q", by, text)
			}
			if at, _ := code.judged(); at > len(text) {
				t.Errorf("%s: a place behind %q", by, text)
			}
		}
	})
}
