// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestOneTextIsOneDocument(t *testing.T) {
	b := []byte(`{"permissions": {"allow": ["Bash(ls:*)"]}}`)
	read := func(path string, b []byte) *Doc {
		t.Helper()
		d := testenv.Must(Parse(path, b))(t)
		return d
	}
	first := read("one", b)
	if read("one", append([]byte(nil), b...)) != first {
		t.Error("the same text at the same path is read twice")
	}
	if other := read("two", b); other == first || other.Path != "two" {
		t.Error("a path is forgotten")
	}
	copy(b[len(b)-10:], "XXXXXXXXXX")
	if strings.Contains(string(first.Bytes()), "X") {
		t.Error("a document follows the bytes of its reader")
	}
	if _, err := Parse("one", b); err == nil {
		t.Error("what was refused is taken for what was there before")
	}
	if read("none", nil).Bytes() != nil || read("none", []byte{}).Bytes() == nil {
		t.Error("no file and an empty one are one document")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	var m memory
	body := []byte(`{"a": "` + strings.Repeat("x", maxRemembered/4) + `"}`)
	for i := range 20 {
		path := fmt.Sprint(i)
		if d, err := m.doc(path, body, func(path string, b []byte) (*Doc, error) {
			return &Doc{Path: path, body: b}, nil
		}); err != nil || d.Path != path {
			t.Fatal(d, err)
		}
		if m.size > maxRemembered {
			t.Fatalf("%d bytes are held after %d documents", m.size, i+1)
		}
	}
	if _, err := m.doc("bad", body, func(string, []byte) (*Doc, error) {
		return nil, &report.Error{What: "refused"}
	}); err == nil {
		t.Error("an error is lost")
	}
}

func TestRulesAreTheAskersOwn(t *testing.T) {
	text := `{"permissions": {"allow": ["Bash(ls:*)"], "deny": ["Bash(ls:*)"]}}`
	first := Combine([]ScopedDoc{{User, testenv.Must(Parse("settings", []byte(text)))(t)}}, Dirs{Home: "/h"})
	rules := first.Rules()
	rules[0].List = "changed"
	if first.Rules()[0].List == "changed" {
		t.Error("who asks can change what the next one gets")
	}
}

// TestAHostileDocumentIsNotKept: a list of single digits takes 60 times its text.
func TestAHostileDocumentIsNotKept(t *testing.T) {
	text := []byte(`{"a": [` + strings.Repeat("0,", manyValues) + `0]}`)
	read := func(path string, b []byte) *Doc {
		t.Helper()
		d := testenv.Must(Parse(path, b))(t)
		return d
	}
	hostile := read("hostile", text)
	if read("hostile", text) == hostile {
		t.Error("the document is kept")
	}
	for i := range maxRemembered/(perValue*manyValues/2) + 2 { // each below the bound, all of them above it
		read(fmt.Sprint("many", i), []byte(`{"a": [`+strings.Repeat("0,", manyValues/2)+`0]}`))
		if remembered.size > maxRemembered {
			t.Fatalf("%d bytes are held after %d documents", remembered.size, i+1)
		}
	}
}
