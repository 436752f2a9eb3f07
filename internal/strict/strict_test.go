// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package strict_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/strict"
)

// document is a data file.
type document struct {
	Schema int `toml:"schema"`
	Entry  []struct {
		ID    string `toml:"id"`
		Fixes []struct {
			Line string `toml:"line"`
		} `toml:"fix"`
	} `toml:"entry"`
}

// keys are those of a document, with what leads to them.
var keys = []string{"schema", "entry", "entry.id", "entry.fix", "entry.fix.line"}

const why = "what follows from it"

// refusal is the error of a text, nil if it is understood.
func refusal(t *testing.T, text string) (*report.Error, document) {
	t.Helper()
	var doc document
	err := strict.TOML("f.toml", text, why, &doc)
	if err == nil {
		return nil, doc
	}
	var e *report.Error
	if !errors.As(err, &e) || e.Code != report.ExitMalformed || e.Why != why || e.Next == "" {
		t.Fatalf("%q: %#v", text, err)
	}
	return e, doc
}

func TestWhatIsNotUnderstoodIsRefusedWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"schema = 1\nmin_versoin = 2\n":                       "f.toml:2:1 has a key that nobody reads: min_versoin",
		"[[entry]]\nid = 'a'\n  colour = 'red'\n":             "f.toml:3:3 has a key that nobody reads: entry.colour",
		"[[entry]]\n[[entry.fix]]\nline = 'x'\nprice = 'y'\n": "f.toml:4:1 has a key that nobody reads: entry.fix.price",
		"[[entires]]\nid = 'a'\n":                             "f.toml:1:3 has a key that nobody reads: entires",
		"schema = 'one'\n":                                    "f.toml:1:10 is not understood",
		"schema = 1\nschema = 2\n":                            "f.toml:2:1 is not understood",
		"schema = \n":                                         "f.toml:1:10 is not understood",
		"[[entry]]\nid = 'a\n":                                "f.toml:2:8 is not understood",
		strings.Repeat("#", strict.Most+1):                    "f.toml is larger than 1048576 bytes",
	} {
		e, _ := refusal(t, text)
		if e == nil {
			t.Errorf("%.80q is understood", text)
		} else if got := e.Where + " " + e.What; got != want {
			t.Errorf("%.80q: %s\nwant %s", text, got, want)
		}
	}
}

func TestWhatIsUnderstoodIsWhatTheFileSays(t *testing.T) {
	e, doc := refusal(t, "schema = 3\n[[entry]]\nid = 'a'\nfix = [{ line = 'x' }]\n[[entry]]\nid = \"b\\n\"\n"+
		strings.Repeat("#", strict.Most/2))
	if e != nil {
		t.Fatal(e)
	}
	if doc.Schema != 3 || len(doc.Entry) != 2 || doc.Entry[0].ID != "a" || doc.Entry[0].Fixes[0].Line != "x" ||
		doc.Entry[1].ID != "b\n" {
		t.Errorf("%+v", doc)
	}
	if e, _ := refusal(t, strings.Repeat("#", strict.Most)); e != nil {
		t.Errorf("a file of the greatest size: %v", e)
	}
}

// FuzzTOML: a text is refused at a place that it has, or each of its keys is one
// of the document's, as a decoder reads them that knows no document. Capitals do
// not count.
func FuzzTOML(f *testing.F) {
	f.Add("schema = 1\n[[entry]]\nid = 'a'\n[[entry.fix]]\nline = 'x'\n")
	f.Add("entry = [{ id = 'a', fix = [{ line = 'x', lines = 2 }] }]")
	f.Add("entry.id = 1\n[entry]")
	f.Add("'' = 1")
	f.Fuzz(func(t *testing.T, text string) {
		e, _ := refusal(t, text)
		var all map[string]any
		err := toml.Unmarshal([]byte(text), &all)
		if e == nil {
			if err != nil {
				t.Fatalf("%q is understood, and is no TOML: %v", text, err)
			}
			for _, key := range below("", all) {
				if !known(key) {
					t.Fatalf("%q: nobody reads %q", text, key)
				}
			}
			return
		}
		at := strings.Split(strings.TrimPrefix(e.Where, "f.toml"), ":")
		if len(at) != 3 {
			t.Fatalf("%q: refused at %q", text, e.Where)
		}
		line, _ := strconv.Atoi(at[1])
		column, _ := strconv.Atoi(at[2])
		lines := strings.Split(text, "\n")
		if line < 1 || line > len(lines) || column < 1 || column > len(lines[line-1])+1 {
			t.Fatalf("%q: refused at %q", text, e.Where)
		}
	})
}

// known says whether a document has a key.
func known(key string) bool {
	for _, k := range keys {
		if strings.EqualFold(k, key) {
			return true
		}
	}
	return false
}

// below lists the keys of a decoded value, with the path that leads to it.
func below(path string, v any) (list []string) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			at := strings.TrimPrefix(path+"."+key, ".")
			list = append(append(list, at), below(at, value)...)
		}
	case []any:
		for _, value := range v {
			list = append(list, below(path, value)...)
		}
	}
	return list
}
