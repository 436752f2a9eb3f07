// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// refusal returns the error's parts, and fails if it is not one for the user.
func refusal(t *testing.T, err error) *report.Error {
	t.Helper()
	var e *report.Error
	if !errors.As(err, &e) || e.Code != report.ExitMalformed || e.What == "" || e.Why == "" || e.Next == "" {
		t.Fatalf("%#v is not a complete refusal with exit code 65", err)
	}
	return e
}

func mustParse(t testing.TB, text string) *Doc {
	t.Helper()
	d, err := Parse("s.json", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return d
}

func TestARefusalNamesThePlaceAndTheReason(t *testing.T) {
	for _, c := range []struct{ text, where, what string }{
		{"{\n  \"a\": 1, // mine\n}", "2:11", "a comment"},
		{"{\n  /* mine */ \"a\": 1}", "2:3", "a comment"},
		{"# mine\n{}", "1:1", "a comment"},
		{"{\n<<<<<<< HEAD\n\"a\": 1\n=======\n\"a\": 2\n>>>>>>> b\n}", "2:1", "a merge conflict begins"},
		{"{\"a\": 1\n<<<<<<< HEAD\n,\"b\": 1}", "2:1", "a merge conflict begins"},
		{"{\"a\": [\n<<<<<<< HEAD\n1]}", "2:1", "a merge conflict begins"},
		{"{\"a\": [1, 2,\n]}", "1:12", "a comma with nothing between"},
		{"{\r\n\t\"a\": 1,\r\n}", "2:8", "a comma with nothing between"},
		{"{\"é😀\": 1,}", "1:9", "a comma with nothing between"},
		{"{\"a\": [1", "1:9", "ends too early"},
		{"{\"a\": \"x", "1:9", "ends too early"},
		{"{\"a\": \"x\\", "1:10", "ends too early"},
		{"{\n", "2:1", "ends too early"},
		{"{\"a\":", "1:6", "ends too early"},
		{"{\"a\": tru}", "1:7", "a value is expected"},
		{"{\"a\": 01}", "1:8", "a comma or '}' is expected"},
		{"{\"a\": -}", "1:8", "a digit is expected"},
		{"{\"a\": 1.}", "1:9", "a digit is expected"},
		{"{\"a\": NaN}", "1:7", "a value is expected"},
		{"{a: 1}", "1:2", "a key in double quotes"},
		{"{'a': 1}", "1:2", "a key in double quotes"},
		{"{\"a\" 1}", "1:6", "a colon"},
		{"{\"a\": 1 \"b\": 2}", "1:9", "a comma or '}'"},
		{"{\"a\": \"x\ty\"}", "1:9", "is not allowed in a string"},
		{"{\"a\": \"\\q\"}", "1:7", "broken escape"},
		{"{\"a\": \"\\u12\"}", "1:7", "broken escape"},
		{"{} {}", "1:4", "goes on after its end"},
		{"\f{}", "1:1", "a value is expected"},
		{"\u00a0{}", "1:1", "a value is expected"},
		{"\ufeff\ufeff{}", "1:1", "a value is expected"},
		{"[]", "1:1", "is an array, not an object"},
		{"\n null", "2:2", "is null, not an object"},
		{"\"x\"", "1:1", "is a string, not an object"},
		{"{\"a\": 1, \"b\": 2,\n \"\\u0061\": 3}", "2:2", `duplicate key "a" in one object, first on line 1`},
		{"{\"x\": [{\"a\": {\"k\": 1, \"k\": 2}}]}", "1:23", `duplicate key "k" in one object`},
		{"{\"a\": \"\xff\"}", "1:8", "not UTF-8"},
		{"\xff\xfe{\x00}\x00", "1:1", "not UTF-8"},
		{strings.Repeat(`{"a":`, 200) + "{}" + strings.Repeat("}", 200), "1:1001", "more than 200 deep"},
		{strings.Repeat(`[`, 1<<20), "1:201", "more than 200 deep"},
		{"{" + strings.Repeat(" ", maxSize) + "}", "", "more than 4194304"},
		{`{"a":[` + strings.Repeat("1,", maxValues), "1:200003", "more than 100000 values"},
	} {
		_, err := Parse("dir/s.json", []byte(c.text))
		e := refusal(t, err)
		where := strings.TrimSuffix("dir/s.json:"+c.where, ":")
		if e.Where != where || !strings.Contains(e.What, c.what) {
			t.Errorf("%.60q:\n got %s: %s\nwant %s: … %s …", c.text, e.Where, e.What, where, c.what)
		}
	}
}

func TestARefusalSaysWhatTheRuntimeDoes(t *testing.T) {
	for text, why := range map[string]string{
		"{/**/}":                "silently ignores the whole file: no sandbox, no deny rules",
		"[]":                    "silently ignores the whole file",
		`{"a": 1, "a": 2}`:      "takes the last one, an editor shows the first",
		"{\"a\": \"\xc3\x28\"}": "reads other characters",
	} {
		_, err := Parse("s.json", []byte(text))
		if e := refusal(t, err); !strings.Contains(e.Why, why) {
			t.Errorf("%q: %s", text, e.Why)
		}
	}
}

func TestWhatIsAcceptedKeepsItsOrderAndPlaces(t *testing.T) {
	d := mustParse(t, "\ufeff{\r\n\t\"z\": [\"é\", \"b\"],\r\n\t\"a\": {\"k\\\"\": -1.5e3}, \"\": null\r\n}")
	var keys []string
	for _, m := range d.Root.Members {
		keys = append(keys, fmt.Sprintf("%s@%d:%d", m.Key, m.Line, m.Col))
	}
	if got := strings.Join(keys, " "); got != "z@2:2 a@3:2 @3:24" {
		t.Errorf("keys %s", got)
	}
	for path, want := range map[string]string{
		"z": "s.json:2:7", "z/1": "s.json:2:13", "a/k\"": "s.json:3:15", "": "s.json:3:28",
	} {
		v := d.Get(strings.Split(path, "/")...)
		if v == nil || d.Where(v) != want {
			t.Errorf("%q is at %v, want %s", path, v, want)
		}
	}
	if v := d.Get("a", `k"`); v.Kind != Number || v.Text != "-1.5e3" {
		t.Errorf("number %+v", v)
	}
	for _, path := range [][]string{{"x"}, {"z", "2"}, {"z", "-1"}, {"z", "01"}, {"z", "0", "x"}, {"a", "k"}} {
		if v := d.Get(path...); v != nil {
			t.Errorf("%q is %+v, want nothing", path, v)
		}
	}
	st := d.Style
	if !st.BOM || st.Newline != "\r\n" || st.Indent != "\t" || st.OneLine {
		t.Errorf("style %+v", st)
	}
}

func TestAnAbsentOrEmptyFileIsAnEmptyDocument(t *testing.T) {
	for _, b := range [][]byte{nil, {}, []byte(" \n\t\r\n"), []byte("\ufeff")} {
		d, err := Parse("s.json", b)
		if err != nil || d.Root.Kind != Object || len(d.Root.Members) > 0 || string(d.Bytes()) != string(b) {
			t.Errorf("%q: %v %+v", b, err, d)
		}
	}
	if d, _ := Parse("s.json", nil); d.Bytes() != nil {
		t.Error("an absent file has bytes")
	}
}

func TestTheBoundsAreTheLastAccepted(t *testing.T) {
	mustParse(t, strings.Repeat(`{"a":`, 199)+"{}"+strings.Repeat("}", 199))
	mustParse(t, "{"+strings.Repeat(" ", maxSize-2)+"}")
	mustParse(t, `{"a":[`+strings.Repeat("1,", maxValues-3)+`1]}`)
}

func TestStyleIsReadFromTheFile(t *testing.T) {
	for text, want := range map[string]Style{
		"{\n    \"a\": 1\n}\n": {Indent: "    ", Newline: "\n", colon: ": ", comma: ", "},
		"{\"a\":1}":            {Indent: "  ", Newline: "\n", OneLine: true, colon: ":", comma: ","},
		"{\"a\" : 1}\r\n": {Indent: "  ", Newline: "\r\n", OneLine: true, colon: " : ",
			comma: ", "},
		"{ \"a\": {\n\t\"b\": 1 }, \"c\":2}": {Indent: "\t", Newline: "\n", colon: ": ", comma: ", "},
		"{}\n":                               {Indent: "  ", Newline: "\n", colon: ": ", comma: ", "},
		"{\"a\":\n1}":                        {Indent: "  ", Newline: "\n", colon: ": ", comma: ", "},
	} {
		if got := mustParse(t, text).Style; got != want {
			t.Errorf("%q:\n got %+v\nwant %+v", text, got, want)
		}
	}
}

// seeds are documents that have hurt someone: see the facts on splicing.
var seeds = []string{
	"", " \n", "{}", "{}\n", "{\n}\n", "\ufeff{}", `{"a":1}`, `{ "a" : 1 , "b":[ ] , "c" : { } }`,
	"{\n  \"permissions\": {\n    \"deny\": [\n      \"Bash(git:*)\",\n      \"mcp__*\"\n    ]\n  }\n}\n",
	"{\r\n\t\"permissions\": {\r\n\t\t\"deny\": [\"a\", \"b\"]\r\n\t}\r\n}",
	"\ufeff{\n    \"a.b\": {\"#\": 1, \"|\": [], \"@this\": {}, \":\": {\"*\": [1]}, \"?\": 0, \"\\\\\": 1, \"\": {}},\n" +
		"    \"é😀\": \"\\ud83d\\ude00 \\ud800 & < >\"\n}",
	`{"mcp__a":1,"mcp__*":[1,2],"Bash(git:*)":{"x":1},"0":[[],{}],"-1":null,"1":true}`,
	"{\"hooks\": {\"PreToolUse\": [{\n  \"matcher\": \"Bash\",\n  \"hooks\": [{\"type\": \"command\", \"command\": \"x " +
		"&& y\"}]\n}]}}",
	"{\n \"sandbox\":{\"credentials\":{\"files\":[{\"path\":\"~/.x\",\"mode\":\"deny\"}],\"envVars\":[]}}, " +
		"\"statusLine\": {\"type\":\"command\",\"command\":\"x\"}}",
	"{\n  \"a\": [ \"x\"\n  , \"y\"\n  ]\n, \"b\": 1\n}", "{\"a\":1,\"a\":2}", "{\"a\":[1,]}", "{//\n}", "[1]",
	"{\"a\":1e400,\"b\":-0.0E+1}",
}

func FuzzParse(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := Parse("s.json", b)
		if err != nil {
			refusal(t, err)
			return
		}
		Problems(d)
		if string(d.Bytes()) != string(b) {
			t.Fatalf("the bytes of the file are lost: %q", d.Bytes())
		}
		if !d.blank && !json.Valid(d.body) {
			t.Fatal("accepted what encoding/json refuses")
		}
		decoded := testenv.Must(d.decoded())(t)
		if got, want := asJSON(t, d.Root.plain()), asJSON(t, decoded); got != want {
			t.Fatalf("read %s\nis   %s", got, want)
		}
	})
}

// asJSON writes a decoded value with sorted keys, so that two can be compared.
func asJSON(t testing.TB, v any) string {
	t.Helper()
	b := testenv.Must(json.Marshal(v))(t)
	return string(b)
}
