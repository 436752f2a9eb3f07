// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package frontmatter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/frontmatter"
)

func TestFrontMatter(t *testing.T) {
	for _, tt := range []struct {
		name string
		kind claude.Text
		text string
		// want are the keys that are not harmless, with their lines.
		want string
	}{
		{"no front matter", claude.Skill, "hooks: {}\n", ""},
		{"plain keys", claude.Skill, "---\nname: x\ndescription: writes hooks well\n---\nhooks: text\n", ""},
		{"hooks", claude.Skill, "---\nname: x\nhooks:\n  Stop: []\n---\n", "hooks:3"},
		{"servers of an agent", claude.Agent, "---\nname: x\nmcpServers:\n  - e: {command: x}\n---\n", "mcpServers:3"},
		{"other spelling", claude.Agent, "---\nMCP-servers: []\n---\n", "mcpServers:2"},
		{"in braces", claude.Agent, "\ufeff---\r\n{name: a, \"hooks\": {}}\r\n---\r\n", "hooks:2"},
		{"merged", claude.Skill, "---\nmetadata: &x\n  hooks: {}\n<<: *x\n---\n", "hooks:3"},
		{"merged from a list", claude.Skill, "---\nmetadata: &x\n  monitors: []\n<<: [*x]\n---\n", "monitors:3"},
		{"escaped", claude.Skill, "---\n\"\\x68ooks\": {}\n---\n", "hooks:2"},
		{"behind a tag", claude.Skill, "---\n!!str hooks: {}\n---\n", "hooks:2"},
		{"not YAML, with hooks", claude.Skill, "---\n\t- {\nhooks: {}\n---\n", "hooks:3"},
		{"quoted by the runtime", claude.Agent, "---\ndescription: Use this: when *asked*\n" +
			"permissionMode: bypassPermissions\n---\n", "permissionMode:3"},
		{"opened with a space of Unicode", claude.Skill, "---\u00a0\nname: x\nallowed-tools: Write\n---\n",
			"allowed-tools:3"},
		{"no front matter, but a line", claude.Skill, "---\nSee: [a\n", ""},
		{"unknown", claude.Style, "---\nname: x\ncolour: red\n---\n", "colour:3"},
		{"no end", claude.Skill, "---\nallowed-tools: Write\n", "allowed-tools:2"},
		{"a list", claude.Skill, "---\n- hooks\n---\n", ""},
		{"merged into itself", claude.Skill, "---\n<<: &x\n  <<: *x\n---\n", ""},
		{"empty", claude.Skill, "---\n---\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			keys, err := frontmatter.Read(tt.kind, []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, k := range keys {
				if k.Class != claude.Harmless {
					got = append(got, k.Path+":"+string(rune('0'+k.Line)))
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestFrontMatterThatIsNotUnderstood: the runtime takes allowed-tools from it
// (measured with 2.1.329).
func TestFrontMatterThatIsNotUnderstood(t *testing.T) {
	for _, text := range []string{"---\nname: x\nallowed-tools: Write\nmetadata: [a\n---\n",
		"---\nname: [x\nallowed-tools: Write ---\n"} {
		if keys, err := frontmatter.Read(claude.Skill, []byte(text)); err == nil {
			t.Errorf("%q: %v, and no error", text, keys)
		}
	}
}

func TestFrontMatterIsBounded(t *testing.T) {
	if _, err := frontmatter.Read(claude.Skill, []byte("---\nx: "+strings.Repeat("a", frontmatter.MaxSize)+
		"\n---\n")); err == nil {
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

func FuzzFrontMatter(f *testing.F) {
	for _, text := range []string{"---\nhooks: {}\n---\n", "---\na: &a [*a]\n<<: *a\n---\n", "---\n? x\n: y\n---\n",
		"---\nx: !!binary a\n---\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		keys, err := frontmatter.Read(claude.Agent, b)
		if err != nil && keys != nil {
			t.Error("keys with an error")
		}
		for _, k := range keys {
			if k.Line < 1 {
				t.Errorf("%s stands in line %d", k.Path, k.Line)
			}
			frontmatter.Rules(k.Values)
		}
	})
}
