// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package frontmatter reads the front matter of a project's texts.
//
// Contract: front matter is hostile YAML. What this reader and that of the
// runtime may read differently is looked for as text too, so that the stricter of
// two readings counts. What a key does is said by internal/agent/claude, which
// hooks link and this package not: a reader of YAML costs each start of a program.
package frontmatter

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// MaxSize bounds front matter, in bytes. The runtime itself does not parse
// more from a source that it does not trust.
const MaxSize = 64 << 10

// Key is a key of front matter with its line, and the texts of its value.
type Key struct {
	claude.Key
	Line   int
	Values []string
	// Commands are what a key that runs something starts; Unread says that
	// the key was found as text alone, so that they are not known.
	Commands []Command
	Unread   bool
	// Hooks are those of a key hooks, with what they answer to.
	Hooks []Hook
}

// lookalike finds what may be a key "hooks" or "mcpServers" in YAML, at any
// depth, since "<<" lifts what stands deeper; and keys that only a whole
// reader of YAML could tell: with escapes, behind a question mark, with a tag
// or an anchor. A line of a long text that looks the same counts too.
var lookalike = lazy.Regexp(`(?im)(?:^|[{,])[ \t-]*["']?(hooks|mcp[-_]?servers)["']?[ \t]*:|"[^"\n]*\\[^"\n]*"[ \t]*:|^[ \t]*\?[ \t]|(?:^|[{,])[ \t]*[!&][^ \t\n]*[ \t]+["']?(hooks|mcp[-_]?servers)`)

// Read lists the keys of the front matter of a text; none if it has
// none. The error says that it is more than is read, or that it is none that
// this reader of YAML understands: the runtime's is another.
func Read(kind claude.Text, b []byte) ([]Key, error) {
	front, line := cutFront(b)
	if len(front) > MaxSize {
		return nil, fmt.Errorf("the front matter is longer than %d bytes", MaxSize)
	}
	var keys []Key
	var doc yaml.Node
	err := yaml.Unmarshal(front, &doc)
	if err != nil {
		doc = yaml.Node{}
		err = yaml.Unmarshal(quoted(front), &doc)
	}
	if err == nil && len(doc.Content) > 0 {
		keys = mapping(kind, doc.Content[0], line, 0)
	}
	if err != nil && closed(front, b) {
		err = errors.New("the front matter is not plain YAML: what it sets is not known")
	} else {
		err = nil
	}
	at := lookalike().FindSubmatchIndex(front)
	if at == nil || runs(keys) {
		return keys, err
	}
	name := "hooks"
	for _, g := range []int{2, 4} {
		if at[g] >= 0 {
			name = string(front[at[g]:at[g+1]])
		}
	}
	row := claude.Front(kind, name)
	if row.Class == claude.Unknown { // a style, which has neither
		return keys, err
	}
	return append(keys, Key{Key: row, Line: line + bytes.Count(front[:at[1]], []byte("\n")), Unread: true}), nil
}

// closed says whether a text that begins with this front matter has what ends
// it for the runtime: three dashes, wherever they stand.
func closed(front, text []byte) bool {
	return bytes.Contains(front, []byte("---")) || bytes.Count(text, []byte("---")) > 1
}

func runs(keys []Key) bool {
	for _, k := range keys {
		if k.Class == claude.Runs {
			return true
		}
	}
	return false
}

// cutFront returns the text between the lines of dashes, and the number of its
// first line. Without a second line of dashes all is front matter.
func cutFront(b []byte) (front []byte, line int) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	b = bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	lead := len(b) - len(bytes.TrimLeft(b, " \t\n"))
	front, ok := bytes.CutPrefix(b[lead:], []byte("---"))
	if !ok {
		return nil, 0
	}
	if first, _, more := bytes.Cut(front, []byte("\n")); more && len(bytes.TrimFunc(first, isSpace)) == 0 {
		front = front[len(first):] // what its YAML reader never sees
	}
	if end := bytes.Index(front, []byte("\n---")); end >= 0 {
		front = front[:end]
	}
	return front, 1 + bytes.Count(b[:lead], []byte("\n"))
}

// isSpace is what the runtime takes for space: \s of JavaScript.
func isSpace(r rune) bool { return unicode.IsSpace(r) && r != '\u0085' || r == '\ufeff' }

// maxMerges bounds how deep "<<" is followed.
const maxMerges = 8

// mapping lists the keys of a mapping, those merged into it among them.
func mapping(kind claude.Text, n *yaml.Node, line, depth int) []Key {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if depth > maxMerges {
		return nil
	}
	var keys []Key
	if n.Kind == yaml.SequenceNode && depth > 0 {
		for _, item := range n.Content {
			keys = append(keys, mapping(kind, item, line, depth+1)...)
		}
	}
	if n.Kind != yaml.MappingNode {
		return keys
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if name.Value == "<<" {
			keys = append(keys, mapping(kind, value, line, depth+1)...)
			continue
		}
		k := Key{Key: claude.Front(kind, name.Value), Line: line + name.Line - 1, Values: scalars(value)}
		if k.Class == claude.Runs {
			k.Commands = commandsIn(value, claude.Folded(name.Value), line-1, 0)
			k.Hooks = hooksIn(value, line-1)
		}
		keys = append(keys, k)
	}
	return keys
}

// scalars lists the texts of a value that is a text or a list of texts.
func scalars(n *yaml.Node) []string {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return []string{n.Value}
	case yaml.SequenceNode:
		var list []string
		for _, item := range n.Content {
			if item.Kind == yaml.ScalarNode {
				list = append(list, item.Value)
			}
		}
		return list
	}
	return nil
}

var plainLine = lazy.Regexp(`^([a-zA-Z_-]+):\s+(\S.*)$`)

// quoted is front matter with values quoted that hold a character of YAML's
// own, as the runtime reads what is no YAML otherwise (2.1.329).
func quoted(front []byte) []byte {
	lines := strings.Split(string(front), "\n")
	for i, l := range lines {
		m := plainLine().FindStringSubmatch(l)
		if m == nil || strings.ContainsAny(m[2][:1], `"'[`) || !strings.ContainsAny(m[2], "{}[]*&#!|>%@`") &&
			!strings.Contains(m[2], ": ") {
			continue
		}
		lines[i] = m[1] + `: "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(m[2]) + `"`
	}
	return []byte(strings.Join(lines, "\n"))
}

// Rules splits the texts of allowed-tools into rules: at commas and spaces
// that stand outside of parentheses.
func Rules(values []string) []string {
	var rules []string
	for _, v := range values {
		depth, from := 0, 0
		for i, r := range v + "," {
			switch {
			case r == '(':
				depth++
			case r == ')':
				depth--
			case depth <= 0 && (r == ',' || r == ' '):
				if rule := strings.TrimSpace(v[from:i]); rule != "" {
					rules = append(rules, rule)
				}
				from = i + 1
			}
		}
	}
	return rules
}
