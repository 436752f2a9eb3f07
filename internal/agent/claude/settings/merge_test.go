// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: after a merge the user has everything that the user had,
// and what was wanted unless the user has it otherwise; a second merge finds
// nothing to do.

package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

func merge(t *testing.T, have, want string, decide func(Conflict) bool) Merged {
	t.Helper()
	m := testenv.Must(Merge(mustParse(t, have), mustParse(t, want), decide))(t)
	return m
}

// handmade is a file as people write them.
const handmade = `{
    "model": "opus",
    "permissions": {
        "allow": ["Bash(ls *)"],

        "deny": [
            "Read(~/.ssh/**)",
            "Bash(git:*)"
        ]
    },
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [
                { "type": "command", "command": "~/mine.sh" }
            ] }
        ]
    },
    "statusLine": { "type": "command", "command": "mine", "padding": 1 }
}
`

func TestOneRuleAndHooksAreLinesThatAreAddedAndOneThatGainsAComma(t *testing.T) {
	m := merge(t, handmade, `{"permissions": {"deny": ["Bash(git:*)", "Bash(curl *)"]},
		"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "ours"}]}],
		          "PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "hint"}]}]}}`, nil)
	want := strings.NewReplacer(
		"            \"Bash(git:*)\"\n", "            \"Bash(git:*)\",\n            \"Bash(curl *)\"\n",
		"\"~/mine.sh\" }\n", "\"~/mine.sh\" },\n                {\n                    \"type\": \"command\",\n"+
			"                    \"command\": \"ours\"\n                }\n",
		"            ] }\n        ]\n", `            ] }
        ],
        "PostToolUse": [
            {
                "matcher": "Bash",
                "hooks": [
                    {
                        "type": "command",
                        "command": "hint"
                    }
                ]
            }
        ]
`).Replace(handmade)
	if string(m.After) != want {
		t.Errorf("got\n%s\nwant\n%s", m.After, want)
	}
	var got []string
	for _, f := range m.Added {
		got = append(got, fmt.Sprintf("+%s:%d", KeyPath(f.Path), f.Value.Line))
	}
	for _, f := range m.Kept {
		got = append(got, fmt.Sprintf("=%s:%d", KeyPath(f.Path), f.Value.Line))
	}
	want = "+permissions.deny.2:9 +hooks.PreToolUse.0.hooks.1:16 +hooks.PostToolUse.0:23 =permissions.deny.1:8"
	if strings.Join(got, " ") != want {
		t.Errorf("facts %s\nwant  %s", strings.Join(got, " "), want)
	}
}

func TestWhatTheUserSetDifferentlyIsTheUsersDecision(t *testing.T) {
	want := `{"model": "sonnet", "permissions": {"deny": {"x": 1}}, "statusLine": {"type": "command", "command": "ours"}, "hooks": {"PreToolUse": "x"}, "new": 1}`
	for take, after := range map[bool]string{
		false: strings.Replace(handmade, "\"padding\": 1 }\n", "\"padding\": 1 },\n    \"new\": 1\n", 1),
		true: `{
    "model": "sonnet",
    "permissions": {
        "allow": ["Bash(ls *)"],

        "deny": {
            "x": 1
        }
    },
    "hooks": {
        "PreToolUse": "x"
    },
    "statusLine": {
        "type": "command",
        "command": "ours"
    },
    "new": 1
}
`} {
		var asked []string
		m := merge(t, handmade, want, func(c Conflict) bool {
			asked = append(asked, fmt.Sprintf("%s:%d", KeyPath(c.Path), c.Have.Line))
			return take
		})
		if string(m.After) != after {
			t.Errorf("take %v: got\n%s\nwant\n%s", take, m.After, after)
		}
		if want := "model:2 permissions.deny:6 statusLine:18 hooks.PreToolUse:12"; strings.Join(asked, " ") != want ||
			len(m.Conflicts) != 4 {
			t.Errorf("asked about %q, reported %d", asked, len(m.Conflicts))
		}
		for _, c := range m.Conflicts {
			if c.Taken != take || c.Have == nil || c.Want == nil {
				t.Errorf("%+v", c)
			}
		}
	}
}

func TestEntriesForTheSameThingAreOneDecision(t *testing.T) {
	have := `{"sandbox": {"credentials": {"files": [{"path": "a", "mode": "mask"}, {"path": "b", "mode": "deny"}], "envVars": [{"name": "A", "mode": "deny"}]}}}`
	want := `{"sandbox": {"credentials": {"files": [{"path": "a", "mode": "deny"}, {"path": "b", "mode": "deny", "injectHosts": []}, {"path": "c", "mode": "deny"}],
		"envVars": [{"name": "A", "mode": "deny"}, {"name": "B", "mode": "deny"}]}}}`
	m := merge(t, have, want, nil)
	after := `{"sandbox": {"credentials": {"files": [{"path": "a", "mode": "mask"}, {"path": "b", "mode": "deny", "injectHosts": []}, {"path": "c", "mode": "deny"}], "envVars": [{"name": "A", "mode": "deny"}, {"name": "B", "mode": "deny"}]}}}`
	if string(m.After) != after {
		t.Errorf("got\n%s\nwant\n%s", m.After, after)
	}
	if len(m.Conflicts) != 1 || KeyPath(m.Conflicts[0].Path) != "sandbox.credentials.files.0" {
		t.Errorf("conflicts %+v", m.Conflicts)
	}
}

func TestAnAbsentFileBecomesTheWantedOne(t *testing.T) {
	want := "{\n  \"b\": {\n    \"c\": [\n      1\n    ]\n  },\n  \"a\": {}\n}\n"
	m, err := Merge(&Doc{Path: "s", Root: &Value{Kind: Object}, Style: newFile, blank: true}, mustParse(t, want), nil)
	if err != nil || string(m.After) != want {
		t.Errorf("%v %q", err, m.After)
	}
}

// united merges twice, compares with the model, and returns the first merge.
func united(t *testing.T, have, want *Doc, take bool) Merged {
	t.Helper()
	decide := func(Conflict) bool { return take }
	m, err := Merge(have, want, decide)
	if err != nil {
		t.Fatalf("%v\nhave %s\nwant %s", err, have.body, want.body)
	}
	after := mustParse(t, string(m.After))
	got := testenv.Must(after.decoded())(t)
	h, _ := have.decoded()
	w, _ := want.decoded()
	if expected := (model{take}).merge("", h, w); !reflect.DeepEqual(got, expected) {
		t.Fatalf("have %s\nwant %s\ngot  %s\nnot  %s", have.body, want.body, m.After, asJSON(t, expected))
	}
	for _, f := range m.Added {
		if v := after.Get(f.Path...); v == nil || !v.Equal(f.Value) || v.Line != f.Value.Line {
			t.Fatalf("added %s:%d is not in\n%s", KeyPath(f.Path), f.Value.Line, m.After)
		}
	}
	again, err := Merge(after, want, decide)
	if err != nil || !bytes.Equal(again.After, m.After) || len(again.Added) > 0 {
		t.Fatalf("a second merge makes (%v)\n%s\nof\n%s\nwant\n%s", err, again.After, m.After, want.body)
	}
	return m
}

// inOrder fails unless every line of before is in after, in order: as it was,
// with a comma, or opened.
func inOrder(t *testing.T, before, after string) {
	t.Helper()
	rest := strings.Split(after, "\n")
next:
	for line := range strings.SplitSeq(before, "\n") {
		bare := strings.TrimRight(line, "\r,")
		for i, candidate := range rest {
			candidate = strings.TrimRight(candidate, "\r,")
			opened, empty := strings.CutSuffix(bare, "]")
			if !empty {
				opened, empty = strings.CutSuffix(bare, "}")
			}
			if candidate == bare || empty && candidate == opened && strings.ContainsAny(opened[len(opened)-1:], "[{") {
				rest = rest[i+1:]
				continue next
			}
		}
		t.Fatalf("the line %q of\n%s\nis not in\n%s", line, before, after)
	}
}

func FuzzMerge(f *testing.F) {
	for _, have := range seeds {
		for _, want := range seeds {
			f.Add(have, want, true)
		}
		f.Add(have, handmade, false)
		f.Add(handmade, have, true)
	}
	f.Fuzz(func(t *testing.T, haveText, wantText string, take bool) {
		have, err := Parse("s.json", []byte(haveText))
		want, err2 := Parse("s.json", []byte(wantText))
		if err != nil || err2 != nil || len(haveText)+len(wantText) > 4096 {
			return
		}
		united(t, have, want, take)
	})
}

// settled merges generated documents in the given style both ways.
func settled(t *testing.T, a, b []byte, style byte) {
	text := (&maker{a}).value("", 0)
	if style&3 > 0 {
		var out bytes.Buffer
		testenv.OK(t, json.Indent(&out, []byte(text), "", []string{"", "  ", "\t", "     "}[style&3]))
		text = out.String()
	}
	if style&4 > 0 {
		text += "\n"
	}
	if style&8 > 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if style&16 > 0 {
		text = "\ufeff" + text
	}
	have, want := mustParse(t, text), mustParse(t, (&maker{b}).value("", 0))
	united(t, have, want, true)
	m := united(t, have, want, false)
	if style&3 > 0 {
		inOrder(t, text, string(m.After))
	}
}

// TestMergesOfManyDocuments merges documents that look like settings, so that
// entries meet others for the same thing, in every style.
func TestMergesOfManyDocuments(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		a, b := make([]byte, r.IntN(300)), make([]byte, r.IntN(300))
		for _, bytes := range [][]byte{a, b} {
			for i := range bytes {
				bytes[i] = byte(r.Uint32())
			}
		}
		settled(t, a, b, byte(r.Uint32()))
	}
}

// FuzzMergeOfSettings does the same with documents that the fuzzer makes.
func FuzzMergeOfSettings(f *testing.F) {
	for _, seed := range []string{"", "\x02\x02\x02\x02", "0123456789abcdefghijklmnopqrstuvwxyz",
		strings.Repeat("\x02\x05\x03", 40), strings.Repeat("\x07\x02\x01\x04\x0b", 60)} {
		f.Add([]byte(seed), []byte(seed+seed), byte(len(seed)))
	}
	f.Fuzz(settled)
}

// TestRetract: what one change added goes, whatever else was written since.
func TestRetract(t *testing.T) {
	for name, c := range map[string]struct{ before, after, now, want string }{
		"nothing since":  {`{"a": 1}`, `{"a": 1, "b": [1, 2]}`, `{"a": 1, "b": [1, 2]}`, `{"a": 1}`},
		"no file before": {``, `{"b": {"c": true}}`, `{"b": {"c": true}, "d": 1}`, `{"d": 1}`},
		"an element since": {`{}`, `{"a": {"b": ["x"], "c": true}}`, `{"a": {"b": ["x", "y"], "c": true}}`,
			`{"a": {"b": ["y"]}}`},
		"an element before":       {`{"a": ["x"]}`, `{"a": ["x", "y"]}`, `{"a": ["z", "x", "y"]}`, `{"a": ["z", "x"]}`},
		"an array that was empty": {`{"a": []}`, `{"a": ["x"]}`, `{"a": ["x"]}`, `{"a": []}`},
		"an object in an array": {`{"a": [{"k": 1}]}`, `{"a": [{"k": 1}, {"k": 2}]}`, `{"a": [{"k": 1}, {"k": 2}, {"k": 3}]}`,
			`{"a": [{"k": 1}, {"k": 3}]}`},
		"a value replaced":              {`{"a": 1}`, `{"a": 2}`, `{"b": 0, "a": 2}`, `{"b": 0, "a": 1}`},
		"a value changed since":         {`{"a": 1}`, `{"a": 2, "b": 2}`, `{"a": 3, "b": 4}`, `{"a": 3, "b": 4}`},
		"a value of another kind since": {`{}`, `{"a": {"b": 1}}`, `{"a": [1]}`, `{"a": [1]}`},
		"gone since":                    {`{}`, `{"a": {"b": 1}, "c": 1}`, `{"d": 1}`, `{"d": 1}`},
		"every byte of the rest": {`{}`, `{"a":1}`, "{\n\t\"b\" :  [ 1,2 ],\n\t\"a\":1\n}\n",
			"{\n\t\"b\" :  [ 1,2 ]\n}\n"},
		"the first of several":           {`{}`, `{"a":1}`, "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "{\n  \"b\": 2\n}\n"},
		"a key with a dot, a byte order": {`{}`, `{"a.b":1}`, "\ufeff{\"a.b\":1,\"c\":2}", "\ufeff{\"c\":2}"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Retract(mustParse(t, c.now), mustParse(t, c.before), mustParse(t, c.after))
			if err != nil || string(got) != c.want {
				t.Errorf("%v\ngot  %s\nwant %s", err, got, c.want)
			}
		})
	}
}
