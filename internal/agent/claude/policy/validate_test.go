// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what would open more than the user means never passes as
// an answer, and what the user means does.

package policy

import (
	"strings"
	"testing"
)

func TestHosts(t *testing.T) {
	for _, good := range []string{"example.org", "docs.example.org", "*.example.org", "a-b.example.co.uk",
		"*.example.co.uk", "xn--bcher-kva.example", "1.example.org"} {
		if why := wrongHost(good); why != "" {
			t.Errorf("%s is refused: %s", good, why)
		}
	}
	for bad, reason := range map[string]string{
		"": "empty", "*": "every host", "**": "every host", "*.*": "every host", "*.org": "suffix", "*.co.uk": "suffix",
		"*.gob.mx": "suffix", "paste.rs": "anyone",
		"10.0.0.1.nip.io": "addresses", "*.ec2.internal": "credentials",
		"*.com.au": "suffix",
		"a.*.org":  "star", "foo*.example.org": "star", "*example.org": "star",
		"https://example.org": "only a host name", "example.org:443": "only a host name", "example.org/x": "only a host name",
		"user@example.org": "only a host name",
		"localhost":        "this machine", "127.0.0.1": "this machine", "[::1]": "this machine",
		"x.localhost": "this machine",
		"10.0.0.1":    "not a number", "::2": "only a host name", "host": "without a dot",
		"Example.org": "not the name of a host", "bücher.example": "not the name of a host",
		"example..org": "not the name of a host", "example.org.": "not the name of a host",
		"-x.org": "not the name of a host", " example.org": "not the name of a host",
		"ex\x1bample.org": "invisible", "example.org\n": "invisible", "ex\u202eample.org": "invisible",
		"\xff.org":                        "invisible",
		strings.Repeat("a.", 130) + "org": "longer",
	} {
		if why := wrongHost(bad); !strings.Contains(why, reason) {
			t.Errorf("%q: %q, want a reason with %q", bad, why, reason)
		}
	}
}

func TestProjectNames(t *testing.T) {
	for _, good := range []string{"", "tracker", "apache-steward", "my project", "größe", ".hidden"} {
		if why := wrongName(good); why != "" {
			t.Errorf("%q is refused: %s", good, why)
		}
	}
	for _, bad := range []string{".", "..", "~", "a/b", "../x", `a\b`, "*", "a*", "x\x00", "a\tb", " a", "gh", "gcloud",
		".ssh", "a)b", strings.Repeat("a", 300)} {
		if wrongName(bad) == "" {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestAskRules(t *testing.T) {
	for in, want := range map[string]string{
		"svn commit": "Bash(svn commit *)", "Bash(svn commit *)": "Bash(svn commit *)", "git -* tag*": "Bash(git -* tag*)",
		"Edit(Makefile)": "Edit(Makefile)", "mcp__mail__send": "mcp__mail__send",
	} {
		if got, why := askRule(in); got != want || why != "" {
			t.Errorf("%q: %q %s, want %q", in, got, why, want)
		}
	}
	for _, bad := range []string{"", "Bash(", "Bash()", "read(x)", "x)", " ls", "a\nb", "Bash(a) Bash(b)"} {
		if got, why := askRule(bad); why == "" {
			t.Errorf("%q becomes %q", bad, got)
		}
	}
}

// A host that passes is a host and nothing else: it cannot be a URL, it names
// at least two labels besides a star, and it holds nothing that a terminal or
// a JSON reader would treat as more than letters.
func FuzzHost(f *testing.F) {
	for _, s := range []string{"example.org", "*.example.org", "*", "https://x.y", "a.b:1", "x\u202ey.org", "*.co.uk",
		"127.0.0.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if wrongHost(s) != "" {
			return
		}
		name := strings.TrimPrefix(s, "*.")
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" || strings.Count(name, ".") < 1 ||
			len(s) > maxLine || overWide(s) != "" {
			t.Errorf("%q passes", s)
		}
	})
}
