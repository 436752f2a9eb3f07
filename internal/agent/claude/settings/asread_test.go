// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// odd are files that Parse refuses. on says whether they switch the sandbox on;
// lost that the runtime drops them, known that Read says what it takes.
var odd = map[string]struct {
	text            string
	on, lost, known bool
}{
	"off, then on": {text: `{"sandbox": {"enabled": false, "enabled": true}}`, on: true, known: true},
	"on, then off": {text: `{"sandbox": {"enabled": true, "enabled": false}}`, known: true},
	"a block off, then on": {text: `{"sandbox": {"enabled": false, "x": [{"y": 1}]}, "sandbox": {"enabled": true}}`,
		on: true, known: true},
	"the first is of a wrong type": {text: `{"sandbox": {"enabled": "yes"}, "sandbox": {"enabled": true}}`, on: true,
		known: true},
	"a key in another spelling": {text: `{"sandbox": {"enabled": true, "\u0065nabled": false}}`, known: true},
	"three of one key": {text: `{"a": 1, "a": "}", "sandbox": {"enabled": true}, "a": {"b": 2}}`,
		on: true, known: true},
	"not UTF-8, in a value": {text: "{\"a\": \"\xff\", \"sandbox\": {\"enabled\": true}}", on: true,
		known: true},
	"not UTF-8, between values": {text: "{\xff\"sandbox\": {\"enabled\": true}}", lost: true},
	"UTF-16": {text: "\xff\xfe" + wide(`{"sandbox": {"enabled": true}}`), on: true,
		known: true},
	"nested 1,000 deep": {text: `{"a": ` + nested(1000) + `, "sandbox": {"enabled": true}}`, on: true,
		known: true},
	"nested 10,000 deep, unknown to us": {text: `{"a": ` + nested(10_000) + `, "sandbox": {"enabled": true}}`, on: true},
	"150,000 values, unknown to us": {text: `{"a": [` + strings.Repeat("1,", 150_000) +
		`1], "sandbox": {"enabled": true}}`, on: true},
	"twice, and malformed": {text: `{"a": 1, "a": 2, "sandbox": {"enabled": true},}`, lost: true},
}

func wide(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.Write([]byte{c, 0})
	}
	return b.String()
}

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func TestReadTakesWhatTheRuntimeTakes(t *testing.T) {
	for name, o := range odd {
		d, doubt, err := Read("s.json", []byte(o.text))
		switch {
		case o.known:
			if err != nil || doubt == nil || d.Get("sandbox", "enabled").True() != o.on {
				t.Errorf("%s: %v, %v", name, doubt, err)
			}
		case err == nil || Kept(err) == o.lost:
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatIsTakenStandsAtItsPlace(t *testing.T) {
	d, _, err := Read("s.json", []byte("{\n  \"a\": [\n    1 ],\n  \"a\": 2,\n  \"b\": 3\n}"))
	if err != nil || d.Where(d.Get("a")) != "s.json:4:8" || d.Where(d.Get("b")) != "s.json:5:8" {
		t.Errorf("%v, %v", d, err)
	}
}

func TestTheRuntimeAgreesOnOddFiles(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	newSession(t)
	for name, o := range odd {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			s.layer(User, o.text)
			if got := s.state().Enabled; got != o.on {
				t.Errorf("the runtime has it on: %v", got)
			}
		})
	}
}

// What is larger than 2 MiB is dropped.
func TestTheRuntimeAgreesOnTheSize(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	for _, size := range []int{droppedSize - 100, droppedSize + 100} {
		s := newSession(t)
		text := `{"a": "` + strings.Repeat("x", size-40) + `", "sandbox": {"enabled": true}}`
		text += strings.Repeat("\n", size-len(text))
		s.layer(User, text)
		_, err := Check("s.json", []byte(text))
		if on := s.state().Enabled; on != (size < droppedSize) || on != (err == nil) {
			t.Errorf("%d bytes: the runtime has it on: %v; we: %v", size, on, err)
		}
	}
}
