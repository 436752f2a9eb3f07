// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every Go file says who owns it and, but for tests, what it
// is for, fits on a few screens, and no file of the repository knows the machine
// on which it was written.

package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	header = "// Copyright the steward-setup authors.\n// SPDX-License-Identifier: Apache-2.0\n\n"
	// A file above maxLines is more than one thing; one above manyLines is
	// about to be. In lines.
	maxLines, manyLines = 400, 300
)

// headless lists what the beginning of a file lacks. A generated file says
// where it comes from instead; tests say what they hold by their names.
func headless(s source) []string {
	if ast.IsGenerated(s.ast) {
		return nil
	}
	if !strings.HasPrefix(s.text, header) {
		return []string{s.path + ": does not begin with the licence header and an empty line"}
	}
	if s.test() {
		return nil
	}
	for _, c := range s.ast.Comments {
		if c == s.ast.Doc || c.Pos() < s.ast.Package && strings.HasPrefix(c.Text(), "Law of this file: ") {
			return nil
		}
	}
	return []string{s.path + ": neither documents its package nor states the law of the file"}
}

func TestEveryFileSaysWhatItIsFor(t *testing.T) {
	for _, s := range sources(t) {
		report(t, headless(s))
		switch n := strings.Count(s.text, "\n"); {
		case ast.IsGenerated(s.ast): // as long as what it is made of
		case n > maxLines:
			t.Errorf("%s: %d lines, more than %d: is it one thing?", s.path, n, maxLines)
		case n > manyLines:
			t.Logf("%s: %d lines, more than %d", s.path, n, manyLines)
		}
	}
}

func TestTheHeaderRuleFinds(t *testing.T) {
	for text, want := range map[string]int{
		header + "// Package a does.\npackage a\n":                      0,
		header + "// Law of this file: none.\n\npackage a\n":            0,
		header + "//go:build linux\n\n// Package a does.\npackage a\n":  0,
		header + "package a\n":                                          1,
		header + "package a\n\n// Law of this file: late.\n":            1,
		"// Package a does.\npackage a\n":                               1,
		strings.Replace(header, "Apache-2.0", "MIT", 1) + "package a\n": 1,
	} {
		if got := headless(example(t, "a.go", text)[0]); len(got) != want {
			t.Errorf("%q: %q, want %d complaints", text, got, want)
		}
	}
}

// strange is text that must not stand in the repository. The patterns are
// written so that they do not match themselves.
var strange = []struct {
	pattern *regexp.Regexp
	reason  string
	// data are files that speak of such things to the user.
	data []string
}{
	{pattern: regexp.MustCompile(`(^|[^\w.~}$/-])/(work|far[m])/`),
		reason: "a path of the machine on which it was written"},
	{pattern: regexp.MustCompile(`registry\.npmj[s]\.org|(proxy|sum)\.golan[g]\.org|index\.crate[s]\.io|files\.pythonhoste[d]\.org`),
		reason: "tests and builds take the registries that their tools are set up for",
		data: []string{"templates/...", "manifests/...", "steps/...", "internal/agent/claude/policy/...",
			"internal/agent/claude/checks/...", "internal/ui/...",
			"testdata/...", "docs/policy.md", "docs/troubleshooting.md"}},
}

// strangers lists the lines of a file that hold strange text.
func strangers(name, text string) []string {
	if strings.ContainsRune(text, 0) {
		return nil // an image, not text
	}
	var bad []string
	n := 0
	for line := range strings.Lines(text) {
		n++
		for _, s := range strange {
			if found := s.pattern.FindString(line); found != "" && !within(name, s.data) {
				bad = append(bad, fmt.Sprintf("%s:%d: %q: %s", name, n, found, s.reason))
			}
		}
	}
	return bad
}

func TestNoFileKnowsTheMachine(t *testing.T) {
	all := files(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		report(t, strangers(name, all[name]))
	}
}

func TestTheStrangerRuleFinds(t *testing.T) {
	dir, host := "/wor"+"k/main", "registry.npm"+"js.org"
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"a.md", "see `" + dir + "`\n" + dir, 2},
		{"a.md", "~" + dir + " $HOME" + dir + " /home/me" + dir, 0},
		{"test.sh", "npm --registry https://" + host, 1},
		{"templates/settings.json", `["` + host + `"]`, 0},
		{"templates/settings.json", `["` + dir + `"]`, 1},
		{"docs/images/a.png", "\x00" + dir, 0},
	} {
		if got := strangers(c.name, c.text); len(got) != c.want {
			t.Errorf("%s %q: %q, want %d complaints", c.name, c.text, got, c.want)
		}
	}
}
