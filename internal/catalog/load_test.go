// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each test states what a catalog has to say before anybody is
// advised by it.

package catalog

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/strict"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/manifests"
)

func TestTheCatalogSaysEnough(t *testing.T) {
	entries := load(t)
	if len(entries) < 14 {
		t.Errorf("%d entries", len(entries))
	}
	var probed []string
	for _, e := range entries {
		probed = append(probed, e.Probe)
		if len(e.Fixes) == 0 && len(e.Alternatives) == 0 && e.Layer != Several && e.ID != "loopback-bind" {
			t.Errorf("%s: nothing helps?", e.ID)
		}
		for _, s := range e.Symptoms {
			if s.Example == "" {
				t.Errorf("%s: %q has no example", e.ID, s.Match)
			}
		}
		for _, f := range e.Fixes {
			if f.Proof["darwin"] == Measured {
				t.Errorf("%s: %s: nothing has been measured on macOS", e.ID, f.Title)
			}
		}
	}
	for _, p := range probes {
		if !slices.Contains(probed, p) {
			t.Errorf("no entry names the probe %s", p)
		}
	}
}

const valid = `schema = 1
[[entry]]
id = "a-b"
title = "t"
topic = "files"
layer = "mount"
platforms = ["linux"]
since = "2.1.141"
hint = "h"
cause = "c"
sources = ["s"]
  [[entry.symptom]]
  match = ["permission denied"]
  seen = ["2.1.329"]
  [[entry.fix]]
  title = "t"
  settings = '{"sandbox":{"enabled":true}}'
  scope = "user"
  price = "p"
  proof = { linux = "measured" }
`

func TestLoadRefusesWhatItDoesNotUnderstand(t *testing.T) {
	testenv.Must(checked("c.toml", []byte(valid)))(t)
	for _, c := range []struct{ old, new, want string }{
		{"schema = 1", "schema = 2", "schema 2"},
		{"hint = ", "hnit = ", "c.toml:9:1: has a key that nobody reads: entry.hnit"},
		{"hint = \"h\"", "hint = h", "c.toml:9:8"},
		{"[[entry]]", "[[entry]", "c.toml:2"},
		{`id = "a-b"`, `id = "A b"`, "kebab-case"},
		{`hint = "h"`, `hint = "h\nh"`, "one line"},
		{`hint = "h"`, "", "hint"},
		{`layer = "mount"`, `layer = "cellar"`, "no layer"},
		{`topic = "files"`, `topic = "cellar"`, "no topic"},
		{`cause = "c"`, "cause = \"c\"\nprobe = \"x\"", "no probe"},
		{`platforms = ["linux"]`, `platforms = ["windows"]`, "platforms"},
		{`since = "2.1.141"`, `since = "now"`, "versions"},
		{`sources = ["s"]`, "", "sources"},
		{`"permission denied"`, `"denied"`, "8 bytes"},
		{`"permission denied"`, `"permission denied", ""`, "empty"},
		{`seen = ["2.1.329"]`, "", "seen"},
		{`seen = ["2.1.329"]`, "seen = [\"x\"]\n  within = 99", "within"},
		{`seen = ["2.1.329"]`, "seen = [\"x\"]\n  confirm = \"x\"", "no confirm"},
		{`seen = ["2.1.329"]`, "seen = [\"x\"]\n  confirm = \"witness\"", "witness"},
		{`seen = ["2.1.329"]`, "seen = [\"x\"]\n  over = [\"c-d\"]", "no other entry"},
		{`seen = ["2.1.329"]`, "seen = [\"x\"]\n  over = [\"a-b\"]", "no other entry"},
		{`{"sandbox":{"enabled":true}}`, `{`, "JSON object"},
		{`scope = "user"`, "scope = \"user\"\n  exclude = true", "no settings"},
		{`scope = "user"`, `scope = "world"`, "no scope"},
		{`price = "p"`, "", "price"},
		{`linux = "measured"`, `darwin = "measured"`, "linux"},
		{`linux = "measured"`, `linux = "proved"`, "linux"},
	} {
		_, err := checked("c.toml", []byte(strings.Replace(valid, c.old, c.new, 1)))
		var e *report.Error
		if !errors.As(err, &e) || e.Code != report.ExitMalformed || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.new, err, c.want)
		}
	}
	if _, err := checked("c.toml", []byte(valid+strings.TrimPrefix(valid, "schema = 1\n"))); err == nil ||
		!strings.Contains(err.Error(), "two entries") {
		t.Errorf("one id twice: %v", err)
	}
	if _, err := checked("c.toml", make([]byte, strict.Most+1)); err == nil {
		t.Error("a huge catalog is read")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(valid)
	f.Add(manifests.Troubleshooting[:4096])
	f.Fuzz(func(t *testing.T, s string) {
		entries, err := checked("c.toml", []byte(s))
		var e *report.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%v is not a *report.Error", err)
		}
		for i, entry := range entries {
			for _, symptom := range entry.Symptoms {
				if sig := symptom.compile(i); len(sig.anchor) < minAnchor {
					t.Errorf("%q has no anchor", symptom.Match)
				}
			}
		}
	})
}
