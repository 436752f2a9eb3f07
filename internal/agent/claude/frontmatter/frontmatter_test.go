// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package frontmatter_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/frontmatter"
)

func TestFrontMatter(t *testing.T) {
	for _, tt := range []struct {
		name string
		kind claude.Text
		text string
		// want are the keys that are not harmless, with their lines, and where
		// there is a doubt.
		want string
	}{
		{"no front matter", claude.Skill, "hooks: {}\n", ""},
		{"plain keys", claude.Skill, "---\nname: x\ndescription: writes hooks well\n---\nhooks: text\n", ""},
		{"hooks", claude.Skill, "---\nname: x\nhooks:\n  Stop: []\n---\n", "hooks:3"},
		{"servers of an agent", claude.Agent, "---\nname: x\nmcpServers:\n  - e: {command: x}\n---\n", "mcpServers:3"},
		{"other spelling", claude.Agent, "---\nMCP-servers: []\n---\n", "mcpServers:2"},
		{"in braces", claude.Agent, "\ufeff---\r\n{name: a, \"hooks\": {}}\r\n---\r\n", "hooks:2"},
		{"a value that is called like a key", claude.Skill, "---\nname: x\nhooks:\n  Stop:\n    - hooks: [{type: command, " +
			"command: x}]\n---\n", "hooks:3"},
		{"escaped", claude.Skill, "---\n\"\\x68ooks\": {}\n---\n", "hooks:2"},
		{"quoted by the runtime", claude.Agent, "---\ndescription: Use this: when *asked*\n" +
			"permissionMode: bypassPermissions\n---\n", "permissionMode:3"},
		{"a hint in brackets", claude.Skill, "---\nargument-hint: [a] [b]\nallowed-tools: Bash(git add:*), Read\n---\n",
			"allowed-tools:3"},
		{"a comment that the runtime may read", claude.Skill, "---\nallowed-tools: Read # Write\n---\n",
			"allowed-tools:2 allowed-tools:2"},
		{"a list that is not closed", claude.Skill, "---\nname: x\nallowed-tools: Write\nmetadata: [a\n---\n",
			"allowed-tools:3"},
		{"opened with a space of Unicode", claude.Skill, "---\u00a0\n\nname: x\nallowed-tools: Write\n---\n",
			"allowed-tools:4"},
		{"no front matter, but a line", claude.Skill, "---\nSee: [a\n", ""},
		{"unknown", claude.Style, "---\nname: x\ncolour: red\n---\n", "colour:3"},
		{"no end", claude.Skill, "---\nallowed-tools: Write\n", ""},
		{"a list", claude.Skill, "---\n- hooks\n---\n", ""},
		{"empty", claude.Skill, "---\n---\n", ""},

		{"an alias as key", claude.Skill, "---\ndescription: &model hooks\n*model : {}\n---\n", "?2:14"},
		{"an alias as value", claude.Skill, "---\nname: &w Write\nallowed-tools: [*w]\n---\n",
			"allowed-tools:3 allowed-tools:3 ?2:7"},
		{"an anchor", claude.Skill, "---\nmetadata:\n  x: &x 1\n---\n", "?3:6"},
		{"a merge", claude.Skill, "---\nname: x\n<<: {hooks: {}}\n---\n", "?3:1"},
		{"a quoted merge", claude.Skill, "---\n\"<<\": {hooks: {}}\n---\n", "?2:1"},
		{"a tag", claude.Skill, "---\n!!str hooks: {}\n---\n", "hooks:2 ?2:1"},
		{"a list as key", claude.Skill, "---\n[hooks]: {}\n---\n", "?2:1"},
		{"a table as key", claude.Skill, "---\nname: {{x}}\n---\n", "?2:8"},
		{"a key twice", claude.Skill, "---\nhooks: {}\nname: x\nhooks: []\n---\n", "hooks:2 hooks:4 ?4:1"},
		{"a second document", claude.Skill, "---\nname: x\n...\nhooks: {}\n---\n", "?3:1"},
		{"a directive", claude.Skill, "---\n%YAML 1.1\nhooks: {}\n---\n", "?2:1"},
		{"a line break of YAML 1.1", claude.Skill, "---\nname: x #\u0085hooks: {}\n---\n", "hooks:3 ?2:10"},
		{"a line break of its own", claude.Skill, "---\nname: x\rhooks: {}\n---\n", "hooks:3 ?2:8"},
		{"dashes within a line", claude.Skill, "---\nname: x ---\nhooks: {}\n---\n", "?2:9"},
		{"a list that is none", claude.Skill, "---\nallowed-tools: [Write, :\tb]\n---\n", "allowed-tools:2 ?2:1"},
		{"not YAML", claude.Skill, "---\nname: x\nhooks: {}\n\t- {\n---\n", "?4:1"},
		{"text behind a table", claude.Skill, "---\n{name: x}\nhooks: {}\n---\n", "?2:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			keys, doubt := frontmatter.Read(tt.kind, []byte(tt.text))
			var got []string
			for _, k := range keys {
				if k.Class != claude.Harmless {
					got = append(got, fmt.Sprintf("%s:%d", k.Path, k.Line))
				}
			}
			if doubt != nil {
				got = append(got, fmt.Sprintf("?%d:%d", doubt.Line, doubt.Col))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%q, want %q; doubt %v", got, tt.want, doubt)
			}
		})
	}
}

func TestFrontMatterIsBounded(t *testing.T) {
	if _, doubt := frontmatter.Read(claude.Skill, []byte("---\nx: "+strings.Repeat("a", frontmatter.MaxSize)+
		"\n---\n")); doubt == nil {
		t.Error("more than is read is read")
	}
}

func TestRules(t *testing.T) {
	for text, want := range map[string][]string{
		"Read, Write":                       {"Read", "Write"},
		"Bash(git add *), Read":             {"Bash(git add *)", "Read"},
		"Read Write Bash(a, b)":             {"Read", "Write", "Bash(a, b)"},
		"WebFetch(domain:example.com),Edit": {"WebFetch(domain:example.com)", "Edit"},
		"":                                  nil,
	} {
		if got := frontmatter.Rules([]string{text}); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// runtimes is what the runtime takes for front matter (2.1.324 and 2.1.330).
var runtimes = regexp.MustCompile(`^---[\s\v\p{Z}\x{feff}]*\n((?s:.*?))---`)

// acting are keys that do something in a skill or in an agent.
var acting = []string{"hooks", "mcpServers", "lspServers", "monitors", "settings", "allowed-tools", "permissionMode",
	"isolation"}

// FuzzFrontMatter: whatever key that does something a reader finds that resolves all of
// YAML, ours finds too, or it is in doubt. Bun's reader, which is the runtime's, was
// asked the same of 350000 texts (1.4.4).
func FuzzFrontMatter(f *testing.F) {
	const to = "{PreToolUse: [{? hooks : [{command: x}]}]}"
	for _, text := range []string{"hooks: {}", "a: &a [*a]\n<<: *a", "? x\n: y", "x: !!binary a",
		"description: &model hooks\n*model : " + to, "{description: &model hooks, *model : " + to + "}",
		"description: &model <<\n*model : {? hooks : " + to + "}", "<<: {<<: {<<: {? hooks : " + to + "}}}",
		"w: &w Write\nallowed-tools: [*w]", "[hooks]: " + to, "? - hooks\n: " + to, "!!str &a hooks: " + to,
		"name: x\n...\nhooks: 1", "%YAML 1.1", "x: |\n  hooks: 1\nisolation: remote", "x: 'a\n\n  b'\n\"monitors\": []",
		"name: x #\u0085hooks: " + to, "x: a: b\nmcpServers: []", "allowed-tools: [Write, :\tb]"} {
		f.Add([]byte("---\n" + text + "\n---\n"))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		found := map[string]bool{}
		inDoubt := false
		for _, kind := range []claude.Text{claude.Skill, claude.Agent} {
			keys, doubt := frontmatter.Read(kind, b)
			inDoubt = inDoubt || doubt != nil
			for _, k := range keys {
				found[k.Path] = true
				if k.Line < 1 {
					t.Errorf("%s stands in line %d", k.Path, k.Line)
				}
				frontmatter.Rules(k.Values)
			}
			if doubt != nil && (doubt.Line < 1 || doubt.Col < 1) {
				t.Errorf("a doubt in line %d, column %d", doubt.Line, doubt.Col)
			}
		}
		m := runtimes.FindSubmatch(bytes.TrimPrefix(b, []byte("\ufeff")))
		var all map[string]any
		if m == nil || inDoubt || yaml.Unmarshal(m[1], &all) != nil {
			return
		}
		for _, name := range acting {
			if _, sets := all[name]; sets && !found[name] {
				t.Errorf("%s is not found in %q", name, b)
			}
		}
	})
}
