// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// Int makes a number.
func Int(n int) *Value { return &Value{Kind: Number, Text: strconv.Itoa(n)} }

func splice(t *testing.T, text string, edits ...Edit) string {
	t.Helper()
	d := mustParse(t, text)
	after, err := Splice(d, edits)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if string(d.Bytes()) != text {
		t.Fatal("the document itself was changed")
	}
	return string(after)
}

// lf writes a document of several lines without escapes.
func lf(lines ...string) string { return strings.Join(lines, "\n") }

var (
	deny = []string{"permissions", "deny"}
	rule = Append(deny, String("Bash(curl *)"))
)

func TestSpliceWritesAsTheFileIsWritten(t *testing.T) {
	for _, c := range []struct {
		name, before string
		edits        []Edit
		after        string
	}{
		{"one rule to an array of lines: a comma and a line",
			lf("{", "    \"permissions\": {", "        \"deny\": [", "            \"a\"", "        ]", "    }", "}", ""),
			[]Edit{rule},
			lf("{", "    \"permissions\": {", "        \"deny\": [", "            \"a\",", "            \"Bash(curl *)\"",
				"        ]", "    }", "}", "")},
		{"an array on one line stays there while it is short",
			lf("{", "  \"permissions\": {\"deny\": [\"a\", \"b\"], \"x\": 1}", "}"), []Edit{rule},
			lf("{", "  \"permissions\": {\"deny\": [\"a\", \"b\", \"Bash(curl *)\"], \"x\": 1}", "}")},
		{"what does not fit goes below",
			lf("{", "  \"permissions\": {", "    \"deny\": [\"a\"],", "    \"x\": 1", "  }", "}"),
			[]Edit{Append(deny, String("b"), String(strings.Repeat("c", 90)))},
			lf("{", "  \"permissions\": {", "    \"deny\": [\"a\",", "      \"b\",", "      \""+strings.Repeat("c", 90)+"\"",
				"    ],", "    \"x\": 1", "  }", "}")},
		{"two on a line, the bracket on the next",
			lf("{", "  \"permissions\": {", "    \"deny\": [ \"a\", \"b\"", "    ]", "  }", "}"), []Edit{rule},
			lf("{", "  \"permissions\": {", "    \"deny\": [ \"a\", \"b\",", "      \"Bash(curl *)\"", "    ]", "  }", "}")},
		{"an empty array opens",
			lf("{", "\t\"permissions\": {", "\t\t\"deny\": []", "\t}", "}"), []Edit{rule},
			lf("{", "\t\"permissions\": {", "\t\t\"deny\": [", "\t\t\t\"Bash(curl *)\"", "\t\t]", "\t}", "}")},
		{"a missing array in an object", lf("{", "  \"permissions\": {", "    \"allow\": []", "  }", "}", ""), []Edit{rule},
			lf("{", "  \"permissions\": {", "    \"allow\": [],", "    \"deny\": [", "      \"Bash(curl *)\"", "    ]", "  }",
				"}", "")},
		{"a missing key at the top, no final newline", lf("{", "  \"a\": 1", "}"), []Edit{Set([]string{"b"}, Boolean(true))},
			lf("{", "  \"a\": 1,", "  \"b\": true", "}")},
		{"CRLF and a byte order mark", "\ufeff{\r\n  \"a\": [\r\n    1\r\n  ]\r\n}\r\n",
			[]Edit{Append([]string{"a"}, Int(2)), Set([]string{"b", "c"}, String("x"))},
			"\ufeff{\r\n  \"a\": [\r\n    1,\r\n    2\r\n  ],\r\n  \"b\": {\r\n    \"c\": \"x\"\r\n  }\r\n}\r\n"},
		{"a document on one line", `{"a":1,"permissions":{"deny":["x"]}}`, []Edit{rule, Set([]string{"b", "c"}, List())},
			`{"a":1,"permissions":{"deny":["x","Bash(curl *)"]},"b":{"c":[]}}`},
		{"a document on one line, with spaces", `{ "a" : 1 }` + "\n",
			[]Edit{Set([]string{"b"}, Dict(Pair("c", Int(1)), Pair("d", Int(2))))},
			`{ "a" : 1, "b" : {"c" : 1, "d" : 2} }` + "\n"},
		{"an empty object opens, whatever is in it", "{ \n }", []Edit{Set([]string{"a"}, Int(1))}, "{\n  \"a\": 1\n}"},
		{"an absent file", "", []Edit{rule, Set([]string{"a"}, List())},
			lf("{", "  \"permissions\": {", "    \"deny\": [", "      \"Bash(curl *)\"", "    ]", "  },", "  \"a\": []", "}",
				"")},
		{"braces that share a line go on sharing it",
			lf("{", "  \"h\": [{", "    \"a\": 1", "  }],", "  \"x\": 1", "}"),
			[]Edit{Append([]string{"h"}, Dict(Pair("a", Int(2))))},
			lf("{", "  \"h\": [{", "    \"a\": 1", "  }, {", "    \"a\": 2", "  }],", "  \"x\": 1", "}")},
		{"a comma that begins a line", lf("{ \"a\": 1", ", \"b\": 2", "}"), []Edit{Set([]string{"c"}, Int(3))},
			lf("{ \"a\": 1", ", \"b\": 2,", "  \"c\": 3", "}")},
		{"a value is replaced where it stands", lf("{ \"a\" :  \"x\" , \"b\": [1,", "2] }"),
			[]Edit{Set([]string{"a"}, String("a & b < c")), Set([]string{"b", "1"}, Int(3))},
			lf("{ \"a\" :  \"a & b < c\" , \"b\": [1,", "3] }")},
		{"an element of an array of objects", lf("{", "  \"a\": [", "    {\"b\": {}}", "  ]", "}"),
			[]Edit{Set([]string{"a", "0", "b", "c"}, Int(1))},
			lf("{", "  \"a\": [", "    {\"b\": {", "      \"c\": 1", "    }}", "  ]", "}")},
		{"keys that mean something in a path", `{"a.b":{"#":{"|@*:?":[1]}},"mcp__a":0,"mcp__*":[]}`,
			[]Edit{Append([]string{"a.b", "#", "|@*:?"}, Int(2)), Append([]string{"mcp__*"}, String("Bash(git:*)")),
				Set([]string{"", ""}, Int(1)), Set([]string{"", ""}, Int(2))},
			`{"a.b":{"#":{"|@*:?":[1,2]}},"mcp__a":0,"mcp__*":["Bash(git:*)"],"":{"":2}}`},
		{"a key that is spelled with escapes", `{"\u0061\"b":[1]}`, []Edit{Append([]string{`a"b`}, Int(2))},
			`{"\u0061\"b":[1,2]}`},
		{"no edits", "\ufeff \n", nil, "\ufeff \n"},
		{"nothing to append", `{"a": [ ]}`, []Edit{Append([]string{"a"})}, `{"a": [ ]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := splice(t, c.before, c.edits...); got != c.after {
				t.Errorf("got\n%s\nwant\n%s", got, c.after)
			}
		})
	}
}

func TestSpliceRefusesWhatItWouldDestroy(t *testing.T) {
	for _, c := range []struct {
		before string
		edit   Edit
		where  string
	}{
		{`{"permissions": "oops"}`, rule, "s.json:1:17"},
		{`{"permissions": {"deny": "oops"}}`, rule, "s.json:1:26"},
		{`{"permissions": {"deny": {}}}`, rule, "s.json:1:26"},
		{`{"permissions": [1]}`, rule, "s.json:1:17"},
		{`{"a": [1]}`, Set([]string{"a", "4"}, Int(1)), "s.json:1:7"},
		{`{}`, Append([]string{"a"}, String("/home/\xff")), "s.json"},
		{`{}`, Set([]string{"a", "\xff"}, Int(1)), "s.json"},
	} {
		after, err := Splice(mustParse(t, c.before), []Edit{c.edit})
		if e := refusal(t, err); e.Where != c.where || after != nil {
			t.Errorf("%s: %+v", c.before, e)
		}
	}
}

func TestAResultThatWasNotIntendedIsNoResult(t *testing.T) {
	d := mustParse(t, `{"a": 1}`)
	for _, after := range []string{`{"a": 1}`, `{"a": 1, "b": 1}`, `{"a": 2, "b": true}`, `{"b": true}`,
		`{"a": 1, "b": true, "c": 1}`} {
		var e *report.Error
		edit := Set([]string{"b"}, Boolean(true))
		_, err := d.became(mustParse(t, after), "", func(was any) any { return edit.made(was, edit.path) })
		if !errors.As(err, &e) || e.Code != report.ExitInternal {
			t.Errorf("%s: %v", after, err)
		}
	}
	// What cannot be read again is no result either: here, a key twice.
	if _, err := Splice(d, []Edit{Set([]string{"b"}, Dict(Pair("c", Int(1)), Pair("c", Int(2))))}); err == nil {
		t.Error("a document with a key twice is written")
	}
}

// changed returns the part of before that is not in after: what remains
// between the longest common beginning and the longest common end.
func changed(before, after string) (start, end int) {
	for start < len(before) && start < len(after) && before[start] == after[start] {
		start++
	}
	end, last := len(before), len(after)
	for end > start && last > start && before[end-1] == after[last-1] {
		end, last = end-1, last-1
	}
	return start, end
}

func FuzzSplice(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed, "permissions", "deny", "Bash(git:*)", true)
		f.Add(seed, "a.b", "#", "x", false)
		f.Add(seed, "mcp__*", "0", "é && <", true)
		f.Add(seed, "", "", "\u2028", false)
	}
	f.Fuzz(func(t *testing.T, text, key, below, value string, appended bool) {
		d, err := Parse("s.json", []byte(text))
		if err != nil {
			return
		}
		edit := Set([]string{key, below}, String(value))
		if appended {
			edit = Append([]string{key, below}, String(value), Dict(Pair(key, List(String(value)))))
		}
		want := testenv.Must(d.decoded())(t)
		after, err := Splice(d, []Edit{edit})
		if err != nil {
			refusal(t, err) // never an internal error
			return
		}
		got, err := mustParse(t, string(after)).decoded()
		if err != nil || !reflect.DeepEqual(got, edit.made(want, edit.path)) {
			t.Fatalf("%q gives %q (%v)", text, after, err)
		}
		// Nothing but white space is gone, or what was replaced.
		if text == string(after) {
			return
		}
		start, end := changed(text, string(after))
		if old := d.Get(edit.path...); old != nil && !appended {
			mark := len(text) - len(d.body)
			if start < mark+old.start || end > mark+old.end {
				t.Fatalf("%q gives %q: more than the old value is gone", text, after)
			}
		} else if gone := text[start:end]; strings.Trim(gone, " \t\r\n") != "" {
			t.Fatalf("%q gives %q: %q is gone", text, after, gone)
		}
	})
}

// A text that was made of a value is made of no other one that was not held against it.
func TestAValueIsTheSameOnlyAsItIsWritten(t *testing.T) {
	list := []*Value{String("1"), String("2"), Int(1), {Kind: Number, Text: "1.0"},
		List(), List(Int(1)), List(Int(1), Int(1)),
		Dict(), Dict(Pair("a", Int(1))), Dict(Pair("b", Int(1))), Dict(Pair("a", Int(2))),
		Dict(Pair("a", Int(1)), Pair("b", Int(1))), Dict(Pair("b", Int(1)), Pair("a", Int(1)))}
	for i, v := range list {
		for j, w := range list {
			if v.same(w) != (i == j) {
				t.Errorf("%d and %d: %v", i, j, v.same(w))
			}
		}
	}
	if (*Value)(nil).same(list[0]) {
		t.Error("nothing was made of it before")
	}
}
