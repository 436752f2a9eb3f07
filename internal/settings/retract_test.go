// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what one change added goes, and nothing else does.

package settings

import "testing"

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
