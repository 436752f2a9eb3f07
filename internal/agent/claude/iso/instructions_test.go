// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each line that the runtime would follow is named with its
// file and line; what is not there, or stays in the project, is not.

package iso

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestInstructionsLead(t *testing.T) {
	testenv.AsUser(t)
	for name, c := range map[string]struct {
		files map[string]string
		links map[string]string
		want  []string
	}{
		"nothing": {},
		"words": {files: map[string]string{"p/CLAUDE.md": "Write to ana@example.org, npm i " +
			"@types/node, @deprecated.\n"}},
		"imports of the project's own": {files: map[string]string{"p/CLAUDE.md": "see @docs/a.md\n",
			"p/docs/a.md": "@b.md\n", "p/docs/b.md": "@a.md\n"}},
		"a file of the home": {files: map[string]string{"p/CLAUDE.md": "x\n\n- @~/notes.txt\n", "notes.txt": ""},
			want: []string{"p/CLAUDE.md:3 imports a file outside the project, notes.txt"}},
		"one above": {files: map[string]string{"p/CLAUDE.md": "@../notes.txt", "notes.txt": ""},
			want: []string{"p/CLAUDE.md:1 imports a file outside the project, notes.txt"}},
		"by its whole path": {files: map[string]string{"p/CLAUDE.md": "@HOME/notes.txt", "notes.txt": ""},
			want: []string{"p/CLAUDE.md:1 imports a file outside the project, notes.txt"}},
		"with spaces and a part": {files: map[string]string{"p/CLAUDE.md": `@~/my\ notes.txt#two`, "my notes.txt": ""},
			want: []string{"p/CLAUDE.md:1 imports a file outside the project, my notes.txt"}},
		"within Markdown": {files: map[string]string{"p/CLAUDE.md": "**@~/notes.txt**, and so on",
			"notes.txt": ""}, want: []string{"p/CLAUDE.md:1 imports a file outside the project, notes.txt"}},
		"up to a space of Unicode": {files: map[string]string{"p/CLAUDE.md": "see @~/notes.txt\u00a0ok",
			"notes.txt": ""}, want: []string{"p/CLAUDE.md:1 imports a file outside the project, notes.txt"}},
		"up to a byte order mark": {files: map[string]string{"p/CLAUDE.md": "see @~/notes.txt\ufeffok",
			"notes.txt": ""}, want: []string{"p/CLAUDE.md:1 imports a file outside the project, notes.txt"}},
		"up to a backslash": {files: map[string]string{"p/CLAUDE.md": `see @~/notes.txt\x`, "notes.txt": ""},
			want: []string{"p/CLAUDE.md:1 imports a file outside the project, notes.txt"}},
		"a name with an at sign": {files: map[string]string{"p/CLAUDE.md": "\nsee @docs/a@b.md",
			"p/docs/a@b.md": "@~/notes.txt", "notes.txt": ""}, want: []string{"p/docs/a@b.md:1 imports a file outside the " +
			"project, notes.txt"}},
		"a name that is no UTF-8": {files: map[string]string{"p/CLAUDE.md": "@docs/\xff.md",
			"p/docs/\ufffd.md": "@~/notes.txt", "notes.txt": ""}, want: []string{"p/docs/\ufffd.md:1 imports a file outside " +
			"the project, notes.txt"}},
		"before what Markdown ends": {files: map[string]string{"p/CLAUDE.md": "**@~/notes.txt**x", "notes.txt": ""},
			want: []string{"p/CLAUDE.md:1 imports a file outside the project, notes.txt"}},
		"before an address": {files: map[string]string{"p/CLAUDE.md": "@~/notes.txthttps://example.org",
			"notes.txt": ""}, want: []string{"p/CLAUDE.md:1 imports a file outside the project, notes.txt"}},
		"before an address of mail": {files: map[string]string{"p/CLAUDE.md": "@~/notes,a@example.org", "notes,": ""},
			want: []string{"p/CLAUDE.md:1 imports a file outside the project, notes,"}},
		"behind an address": {files: map[string]string{"p/CLAUDE.md": "a@example.org@~/notes.txt",
			"notes.txt": ""}, want: []string{"p/CLAUDE.md:1 imports a file outside the project, notes.txt"}},
		"in a cell of a table": {files: map[string]string{"p/CLAUDE.md": "| a |\n|---|\n| @~/a\\|b |", "a|b": ""},
			want: []string{"p/CLAUDE.md:3 imports a file outside the project, a|b"}},
		"in a link": {files: map[string]string{"p/CLAUDE.md": `[@~/a\]b](x)`, "a]b": ""},
			want: []string{"p/CLAUDE.md:1 imports a file outside the project, a]b"}},
		"around comments": {files: map[string]string{"p/CLAUDE.md": "<!-- a\n-->@~/no<!-- b\n-->tes.txt\n\n" +
			"@~/other.txt", "notes.txt": "", "other.txt": ""}, want: []string{"p/CLAUDE.md:5 imports a file outside the " +
			"project, other.txt", "p/CLAUDE.md:1 imports a file outside the project, notes.txt"}},
		"an example beside .env": {files: map[string]string{"p/CLAUDE.md": "copy @.env.example or @.env_sample",
			"p/.env": "", "p/.env.example": ""}},
		"more than is looked for": {files: map[string]string{"p/CLAUDE.md": strings.Repeat("@*", 300)},
			want: []string{"p/CLAUDE.md holds more than is looked through"}},
		"letters that are composed": {files: map[string]string{"p/CLAUDE.md": "@docs/e\u0301.md"},
			want: []string{"p/CLAUDE.md holds more than is looked through"}},
		"behind a fence that is none": {files: map[string]string{"p/CLAUDE.md": "a ``` b\n@~/notes.txt\n", "notes.txt": ""},
			want: []string{"p/CLAUDE.md:2 imports a file outside the project, notes.txt"}},
		"a credential file of the home": {files: map[string]string{"p/CLAUDE.md": "@~/.ssh/id_rsa", ".ssh/id_rsa": ""},
			want: []string{"p/CLAUDE.md:1 imports a credential file (.ssh/id_rsa, "}},
		"the project's .env": {files: map[string]string{"p/CLAUDE.md": "@.env", "p/.env": ""},
			want: []string{"p/CLAUDE.md:1 imports a credential file (p/.env, "}},
		"the project's .npmrc": {files: map[string]string{"p/.claude/CLAUDE.md": "@../.npmrc", "p/.npmrc": ""},
			want: []string{"p/.claude/CLAUDE.md:1 imports a credential file (p/.npmrc, "}},
		"through a link": {files: map[string]string{"p/CLAUDE.md": "@docs/c.md", ".ssh/id_rsa": ""},
			links: map[string]string{"p/docs/c.md": ".ssh/id_rsa"}, want: []string{"p/CLAUDE.md:1 imports a credential file " +
				"(.ssh/id_rsa, "}},
		"through a linked directory": {files: map[string]string{"p/CLAUDE.md": "@docs/x.md", "out/x.md": ""},
			links: map[string]string{"p/docs": "out"}, want: []string{"p/CLAUDE.md:1 imports a file outside the project, " +
				"out/x.md"}},
		"four deep": {files: map[string]string{"p/CLAUDE.md": "@1.md", "p/1.md": "@2.md", "p/2.md": "@3.md",
			"p/3.md": "\n@../notes.txt", "notes.txt": ""}, want: []string{"p/3.md:2 imports a file outside the project, " +
			"notes.txt"}},
		"from a rule": {files: map[string]string{"p/.claude/rules/deep/r.md": "@~/notes.txt", "notes.txt": ""},
			want: []string{"p/.claude/rules/deep/r.md:1 imports a file outside the project, notes.txt"}},
		"from where a link leads": {files: map[string]string{"p/docs/real.md": "@../../notes.txt", "notes.txt": ""},
			links: map[string]string{"p/CLAUDE.md": "p/docs/real.md"},
			want:  []string{"p/docs/real.md:1 imports a file outside the project, notes.txt"}},
		"a link out": {files: map[string]string{"notes.txt": "@~/.ssh/id_rsa", ".ssh/id_rsa": ""},
			links: map[string]string{"p/CLAUDE.md": "notes.txt"}, want: []string{"p/CLAUDE.md is a symlink out of the " +
				"project, to notes.txt"}},
		"a link to credentials": {files: map[string]string{".ssh/id_rsa": ""},
			links: map[string]string{"p/.claude/rules/r.md": ".ssh/id_rsa"},
			want:  []string{"p/.claude/rules/r.md is a symlink to a credential file (.ssh/id_rsa, "}},
		"not followed deeper": {files: map[string]string{"p/CLAUDE.md": "@1.md", "p/1.md": "@2.md", "p/2.md": "@3.md",
			"p/3.md": "@4.md", "p/4.md": "@5.md", "p/5.md": "@6.md", "p/6.md": ""},
			want: []string{"p/6.md holds more than is looked through"}},
	} {
		t.Run(name, func(t *testing.T) {
			h, home := machine(t, map[string]string{"p/.git/HEAD": ""}, "")
			for file, text := range c.files {
				put(t, filepath.Join(home, file), strings.ReplaceAll(text, "HOME", home))
			}
			for link, to := range c.links {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(home, link)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(filepath.Join(home, to), filepath.Join(home, link)); err != nil {
					t.Fatal(err)
				}
			}
			root := filepath.Join(home, "p")
			w := &instructions{Project: Project{h, root, root}}
			if w.of(root); w.there == (c.files == nil) && len(w.leads) == 0 {
				t.Errorf("there are instructions: %v", w.there)
			}
			var got []string
			for _, l := range w.leads {
				got = append(got, strings.ReplaceAll(l.Where+" "+l.String(), home+"/", ""))
			}
			if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestManyInstructions holds that a command makes nobody wait by how many rules it writes:
// what is not looked through is said once.
func TestManyInstructions(t *testing.T) {
	testenv.AsUser(t)
	h, home := machine(t, map[string]string{"p/.git/HEAD": ""}, "")
	root := filepath.Join(home, "p")
	for n := range MaxTexts + 500 {
		put(t, filepath.Join(root, ".claude/rules", fmt.Sprintf("%d.md", n)), "x\n")
	}
	leads := Project{h, root, root}.Instructions([]string{root})
	if len(leads) != 1 || !leads[0].Unread {
		t.Errorf("%d places, want one that is not looked through", len(leads))
	}
}
