// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which files git leaves out or converts is what git itself does.

package gitrepo

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

const aPolicy = ".claude/settings.json"

// TestConversionsAreGits holds each line of attributes against git check-attr.
func TestConversionsAreGits(t *testing.T) {
	p := newPlace(t)
	dir := p.repo("attributes")
	for _, tc := range []struct{ in, text, want string }{
		{"", "settings.json working-tree-encoding=UTF-32", "working-tree-encoding=UTF-32"},
		{"", "/.claude/*.json filter=x", "filter=x"},
		{"", "**/settings.json filter=x", "filter=x"},
		{"", ".claude/** filter=x", "filter=x"},
		{"", ".claud[!f]/settings.json filter=x", "filter=x"},
		{"", `".claude/settings.json" filter=x`, "filter=x"},
		{"", "\t* filter=x", "filter=x"},
		{"", "[attr]wide filter=x\n[attr]wider wide\nsettings.json wider", "filter=x"},
		{".claude", "settings.* filter=x", "filter=x"},
		{"", "settings.* filter=x\r", "filter=x\r"},
		{"", "*/settings.json -filter", ""},
		{"", "* filter=x\n.claude/** !filter", ""},
		{"", "*.json filter=x\n.claude/settings.json -filter", ""},
		{"", "* -filter\n*.json filter=x", "filter=x"},
		{"", "* filter=x\n*.json filter", ""},
		{"", "[attr]plain -filter\n* filter=x\n*.json plain", ""},
		{"", ".claude filter=x", ""},
		{"", ".claude/ filter=x", ""},
		{"", "claude/settings.json filter=x", ""},
		{"", "*.json text eol=crlf", ""},
		{"", "# settings.json filter=x", ""},
		{".claude", ".claude/settings.json filter=x", ""},
	} {
		p.write(p.path("attributes", tc.in, ".gitattributes"), tc.text+"\n", 0o644)
		got := ""
		for _, c := range Conversions([]Attributes{{[]byte(tc.text), tc.in}}, aPolicy) {
			got = c.Attribute
		}
		out, err := exec.Command("git", "-C", dir, "check-attr", "filter", "working-tree-encoding", "--", aPolicy).Output()
		testenv.OK(t, err)
		gits := strings.Contains(string(out), ": x") || strings.Contains(string(out), ": UTF-32")
		if strings.TrimSpace(got) != strings.TrimSpace(tc.want) || gits != (tc.want != "") {
			t.Errorf("%q in %q: %q, git says %s", tc.text, tc.in, got, out)
		}
		p.remove(p.path("attributes", tc.in, ".gitattributes"))
	}
}

// TestSparseIsGits holds the lists of a sparse checkout against git's own.
func TestSparseIsGits(t *testing.T) {
	p := newPlace(t)
	dir := p.repo("sparse")
	p.write(p.path("sparse", aPolicy), "{}", 0o644)
	p.git(dir, "add", "-f", aPolicy)
	p.git(dir, "-c", "user.name=x", "-c", "user.email=x@example.invalid", "commit", "-qm", "x")
	p.git(dir, "config", "core.sparseCheckout", "true")
	for text, want := range map[string]bool{
		"/*\n!/*/\n":                      false,
		"/*\n!/*/\n/.claude/\n":           true,
		"/*\n!/.claude/\n":                false,
		"/*\n!/.claude/\n!/x/\n":          false,
		"/*\n!settings.json\n":            false,
		"!settings.json\n/.claude\n":      false,
		"/.claude/\n":                     true,
		"*.json\n":                        true,
		"/src/\n":                         false,
		"/*\n# !/.claude/\n":              true,
		"/*\n!/.claude/  \n":              false,
		"/*\n!/.claude/settings.json/\n":  true,
		"/*\n!.c*/s*\n":                   false,
		"/*\n!**/settings.json\n*.json\n": true,
	} {
		p.write(p.path("sparse", ".git/info/sparse-checkout"), text, 0o644)
		p.git(dir, "read-tree", "-mu", "HEAD")
		out, err := exec.Command("git", "-C", dir, "ls-files", "-t", aPolicy).Output()
		testenv.OK(t, err)
		if _, in := sparse(text, aPolicy); in != want || strings.HasPrefix(string(out), "H") != want {
			t.Errorf("%q: %v, git says %s", text, in, out)
		}
	}
}

func FuzzCheckout(f *testing.F) {
	f.Add("[attr]a filter=x\n\"*.json\" a\n!/x/\n[", aPolicy)
	f.Fuzz(func(t *testing.T, text, name string) {
		lines := strings.Count(text, "\n") + 1
		for _, c := range Conversions([]Attributes{{[]byte(text), ""}}, name) {
			if c.Line < 1 || c.Line > lines || c.Attribute == "" {
				t.Errorf("%+v", c)
			}
		}
		if line, in := sparse(text, name); line < 0 || line > lines || in && line == 0 {
			t.Errorf("line %d, %v", line, in)
		}
	})
}
