// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package pathname_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		path, dir, rest string
		within          bool
	}{
		{"/home/ana/code", "/home/ana", "code", true},
		{"/home/ana/code/a b", "/home/ana", "code/a b", true},
		{"/home/ana/code", "/home/ana/", "code", true},
		{"/home/ana", "/home/ana", "", true},
		{"/home/ana", "/home/ana/", "", true},
		{"/home/ana", "/home/ana/", "", true},
		{"/home/ana", "/home/ana/", "", true},
		{"/home/ana", "/home/an", "", false},
		{"/home", "/home/ana", "", false},
		{"/home/ana", "/", "home/ana", true},
		{"/", "/", "", true},
		{"/", "/home", "", false},
		{"/home/ana", "", "", false},
		{"/", "", "", false},
		{"", "", "", false},
		{"", "/", "", false},
		{"code", "", "", false},
		{"code/x", "code", "x", true},
		{"~/.ssh/id", "~", ".ssh/id", true},
	} {
		rest, below := pathname.Below(tt.path, tt.dir)
		if got := pathname.Within(tt.path, tt.dir); got != tt.within || rest != tt.rest || below != (rest != "") {
			t.Errorf("%q in %q: %t, below at %q (%t); want %t, %q", tt.path, tt.dir, got, rest, below, tt.within, tt.rest)
		}
	}
}

func TestTilde(t *testing.T) {
	for _, tt := range [][3]string{
		{"/home/ana/code", "/home/ana", "~/code"}, {"/home/ana", "/home/ana", "~"},
		{"/home/anatol", "/home/ana", "/home/anatol"},
		{"/etc", "/", "~/etc"}, {"/etc", "", "/etc"}, {"", "", ""},
	} {
		if got := pathname.Tilde(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%q of %q: %q; want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestBeforeWildcard(t *testing.T) {
	for pattern, want := range map[string]string{"/a/b": "/a/b", "/a/b*": "/a", "/a/*/c": "/a", "/a/b/**": "/a/b",
		"/*":        "/",
		"/a/[bc]/d": "/a", "/a/b?": "/a", "*.go": ".", "a/{b,c}/d": "a/{b,c}/d", "": ""} {
		if got := pathname.BeforeWildcard(pattern); got != want {
			t.Errorf("%q: %q, want %q", pattern, got, want)
		}
	}
}

func TestTildeIn(t *testing.T) {
	for sentence, want := range map[string]string{
		"/home/an is there":             "~ is there",
		"in /home/an/a: it is":          "in ~/a: it is",
		"of /home/ana and (/home/an/b)": "of /home/ana and (~/b)",
		`the entry "/home/an/a"`:        `the entry "/home/an/a"`,
		"Edit(//home/an/a/**)":          "Edit(//home/an/a/**)",
		"/mnt/home/an, /home/an":        "/mnt/home/an, ~",
		"/home/an/home/an":              "~/home/an",
		"/home/an.old/a is a copy":      "/home/an.old/a is a copy",
		"from /home/an:/mnt":            "from /home/an:/mnt",
		"(in /home/an): not /home/an.":  "(in ~): not ~.",
	} {
		if got := pathname.TildeIn(sentence, "/home/an"); got != want {
			t.Errorf("%q: %q, want %q", sentence, got, want)
		}
	}
	for _, home := range []string{"", "/"} {
		if got := pathname.TildeIn("in /home", home); got != "in /home" {
			t.Errorf("home %q: %q", home, got)
		}
	}
}

func TestFrom(t *testing.T) {
	for _, c := range [][3]string{{"/d", "x/../y", "/d/y"}, {"/d", "/x/", "/x/"}, {"/d", "", "/d"}, {"", "x", "x"},
		{"/d", "../x", "/x"}} {
		if got := pathname.From(c[0], c[1]); got != c[2] {
			t.Errorf("%q from %q: %q, want %q", c[1], c[0], got, c[2])
		}
	}
}

func TestExpand(t *testing.T) {
	for _, c := range []struct {
		path, home, want string
		tilde            bool
	}{
		{"~", "/home/ana", "/home/ana", true},
		{"~/", "/home/ana", "/home/ana", true},
		{"~/x", "/home/ana", "/home/ana/x", true},
		{"~/x/", "/home/ana/", "/home/ana/x", true},
		{"~//x", "/home/ana", "/home/ana/x", true},
		{"~/../x", "/home/ana", "/home/x", true},
		{"~/.", "/", "/", true},
		{"~/a~b", "/home/ana", "/home/ana/a~b", true},
		{"~bob/x", "/home/ana", "~bob/x", false},
		{"~x", "/home/ana", "~x", false},
		{"~+/x", "/home/ana", "~+/x", false},
		{"a/~/x", "/home/ana", "a/~/x", false},
		{"/x/../y", "/home/ana", "/x/../y", false},
		{" ~/x", "/home/ana", " ~/x", false},
		{"", "/home/ana", "", false},
		{"~/x", "", "~/x", false},
		{"~", "", "~", false},
	} {
		if got, tilde := pathname.Expand(c.path, c.home); got != c.want || tilde != c.tilde {
			t.Errorf("%q in %q: %q, %t; want %q, %t", c.path, c.home, got, tilde, c.want, c.tilde)
		}
	}
}

func TestUpward(t *testing.T) {
	for _, c := range []struct{ dir, last, want string }{
		{"/a/b", "/", "/a/b /a /"}, {"/a/b/c", "/a", "/a/b/c /a/b /a"}, {"/a", "/a", "/a"}, {"/", "/", "/"},
		{"/a/b", "/x", "/a/b /a /"}, {"a/b", "/", "a/b a ."},
	} {
		if got := strings.Join(slices.Collect(pathname.UpTo(c.dir, c.last)), " "); got != c.want {
			t.Errorf("%s up to %s: %s, want %s", c.dir, c.last, got, c.want)
		}
	}
	for dir := range pathname.Upward("/a/b") {
		if dir == "/a" {
			break
		}
	}
}

func TestLike(t *testing.T) {
	for _, tt := range []struct {
		name     string
		patterns []string
		like     bool
	}{
		{".env.a.local", []string{".env", ".env.*.local"}, true}, {".envrc", []string{".env", ".env.*.local"}, false},
		{"a/b", []string{"*"}, false}, {"[x", []string{"[x"}, true}, {"x", []string{"[x"}, false}, {"x", nil, false},
	} {
		if got := pathname.Like(tt.name, tt.patterns...); got != tt.like {
			t.Errorf("%q is like %q: %v", tt.name, tt.patterns, got)
		}
	}
}
