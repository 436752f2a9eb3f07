// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package frontmatter reads the front matter of a project's texts.
//
// Contract: front matter is hostile YAML, and the runtime's reader of YAML (Bun's)
// is another than this one. What the two may read differently is a doubt, never
// nothing. What a key does is said by internal/agent/claude, which
// hooks link and this package not: a reader of YAML costs each start of a program.
package frontmatter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// MaxSize bounds front matter, in bytes. The runtime itself does not parse
// more from a source that it does not trust.
const MaxSize = 64 << 10

// Key is a key of front matter with its line, and the texts of its value: "" of null.
type Key struct {
	claude.Key
	Line   int
	Values []string
	// Value is the value as a document of JSON would have it, without columns.
	Value *settings.Value
}

// Doubt is a place in front matter that the runtime may read differently: what
// the text sets is not known. Why is a predicate of "its front matter".
type Doubt struct {
	Line, Col int
	Why       string
}

func (d *Doubt) String() string { return "its front matter " + d.Why }

// Read lists the keys of the front matter of a text; none if it has none. Where
// there is a doubt, they are those that were read all the same.
func Read(kind claude.Text, b []byte) ([]Key, *Doubt) {
	front, line, doubt := cutFront(b)
	if len(front) > MaxSize {
		return nil, &Doubt{line, 1, fmt.Sprintf("is longer than %d bytes", MaxSize)}
	}
	doc, err := parse(front)
	second, no := parse(quoted(front))
	keys := keysOf(kind, doc, line-1)
	for _, k := range keysOf(kind, second, line-1) {
		same := func(f Key) bool {
			return f.Path == k.Path && (k.Class == claude.Runs || slices.Equal(f.Values, k.Values))
		}
		if err != nil || k.Class > claude.Protects && !slices.ContainsFunc(keys, same) {
			keys = append(keys, k)
		}
	}
	if at := odd().FindIndex(front); doubt == nil && at != nil {
		doubt = doubtAt(front, at[0], line, "has a line break or a document that not every reader of YAML sees")
	}
	if doubt == nil && err != nil && no != nil {
		doubt = &Doubt{line, 1, "is not plain YAML"}
		var n int
		if _, err := fmt.Sscanf(err.Error(), "yaml: line %d:", &n); err == nil {
			doubt.Line += n - 1
		}
	}
	for _, n := range []*yaml.Node{doc, second} {
		if doubt == nil {
			doubt = doubtIn(n, line-1)
		}
	}
	for _, k := range keys {
		if doubt == nil && k.Class > claude.Protects && len(k.Values) == 1 &&
			(strings.HasPrefix(k.Values[0], "[") || strings.HasPrefix(k.Values[0], "{")) {
			doubt = &Doubt{k.Line, 1, "has a text that may be a list or a table"}
		}
	}
	return keys, doubt
}

// parse is the value of the one document that a text is.
func parse(text []byte) (*yaml.Node, error) {
	var doc, more yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	err := d.Decode(&doc)
	if err == nil {
		err = d.Decode(&more)
	}
	switch {
	case err == nil:
		return &more, errors.New("a second document")
	case !errors.Is(err, io.EOF):
		return &yaml.Node{}, err
	case len(doc.Content) == 0:
		return &doc, nil
	}
	return doc.Content[0], nil
}

var (
	// opening and closing are what front matter stands between for the runtime
	// (2.1.324 and 2.1.330); \s of JavaScript is wider than that of Go.
	opening = lazy.Regexp(`^---` + space + `*\n`)
	closing = lazy.Regexp(`^---[ \t\r]*(?:\n|$)`)
	// odd is what YAML 1.1 and 1.2 break lines at differently, and what begins a
	// directive or ends a document.
	odd = lazy.Regexp(`(?m)[\x{85}\x{2028}\x{2029}\x{feff}]|\r(?:[^\n]|\z)|^%|^\.\.\.`)
)

const space = `[\s\v\p{Z}\x{feff}]`

// cutFront returns what the runtime takes for front matter, and the number of its
// first line: it ends at three dashes, wherever they stand.
func cutFront(b []byte) (front []byte, line int, doubt *Doubt) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	opens := opening().FindIndex(b)
	if opens == nil {
		return nil, 1, nil
	}
	line = 1 + bytes.Count(b[:opens[1]], []byte("\n"))
	b = b[opens[1]:]
	end := bytes.Index(b, []byte("---"))
	if end < 0 {
		return nil, line, nil
	}
	if end > 0 && b[end-1] != '\n' || !closing().Match(b[end:]) {
		doubt = doubtAt(b, end, line, "ends at three dashes within a line")
	}
	return b[:end], line, doubt
}

// doubtAt is a doubt about a byte of front matter that begins in this line.
func doubtAt(front []byte, at, line int, why string) *Doubt {
	before := front[:at]
	return &Doubt{line + bytes.Count(before, []byte("\n")), at - bytes.LastIndexByte(before, '\n'), why}
}

// merge is the key that lifts the keys of its value.
const merge = "<<"

// doubtIn is the first doubt about a value; before is how many lines stand in
// front of the front matter.
func doubtIn(n *yaml.Node, before int) *Doubt {
	why := ""
	switch {
	case n.Kind == yaml.AliasNode:
		why = "has a YAML alias"
	case n.Anchor != "":
		why = "has a YAML anchor"
	case n.Style&yaml.TaggedStyle != 0:
		why = "has a YAML tag"
	}
	if why != "" {
		return &Doubt{before + n.Line, n.Column, why}
	}
	var keys []string
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			switch {
			case c.Kind == yaml.AliasNode: // is named as one
			case c.Kind != yaml.ScalarNode:
				why = "has a key that is a list or a table"
			case c.Value == merge:
				why = "has a YAML merge key"
			case slices.Contains(keys, c.Value):
				why = "has the key " + c.Value + " twice"
			}
			if why != "" {
				return &Doubt{before + c.Line, c.Column, why}
			}
			keys = append(keys, c.Value)
		}
		if d := doubtIn(c, before); d != nil {
			return d
		}
	}
	return nil
}

// Same says whether another key sets the same, however it is written.
func (k Key) Same(other Key) bool { return k.Path == other.Path && k.Value.Equal(other.Value) }

// keysOf lists the keys of a mapping.
func keysOf(kind claude.Text, n *yaml.Node, before int) (keys []Key) {
	for name, value := range members(n) {
		keys = append(keys, Key{Key: claude.Front(kind, name.Value), Line: before + name.Line, Values: scalars(value),
			Value: valueOf(value, before)})
	}
	return keys
}

// valueOf is a value as one of JSON; what YAML alone has is a doubt, and null here.
func valueOf(n *yaml.Node, before int) *settings.Value {
	v := &settings.Value{Kind: settings.Null, Line: before + n.Line}
	switch {
	case n.Kind == yaml.MappingNode:
		v.Kind = settings.Object
	case n.Kind == yaml.SequenceNode:
		v.Kind = settings.Array
		for _, item := range n.Content {
			v.Items = append(v.Items, valueOf(item, before))
		}
	case n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null":
		v.Kind, v.Text = settings.Str, n.Value
		if n.ShortTag() == "!!bool" {
			v.Kind = settings.Bool
		}
	}
	for name, value := range members(n) {
		v.Members = append(v.Members, settings.Member{Key: name.Value, Value: valueOf(value, before),
			Line: before + name.Line})
	}
	return v
}

// members are the keys of a mapping that are texts, and their values; none of
// any other value.
func members(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(name, value *yaml.Node) bool) {
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			text := n.Content[i].Kind == yaml.ScalarNode && n.Content[i].Value != merge
			if text && !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// scalars lists the texts of a value that is a text or a list of texts.
func scalars(n *yaml.Node) []string {
	switch {
	case n.ShortTag() == "!!null":
		return []string{""}
	case n.Kind == yaml.ScalarNode:
		return []string{n.Value}
	}
	var list []string
	for _, item := range n.Content {
		if n.Kind == yaml.SequenceNode && item.Kind == yaml.ScalarNode {
			list = append(list, item.Value)
		}
	}
	return list
}

var (
	plainLine = lazy.Regexp(`^([a-zA-Z_-]+):` + space + `+([^\s\v\p{Z}\x{feff}].*)$`)
	indent    = lazy.Regexp(`(?m)^\t+`)
)

// quoted is front matter with values quoted that hold a character of YAML's
// own, as the runtime reads what is no YAML otherwise (2.1.324 and 2.1.330).
func quoted(front []byte) []byte {
	lines := strings.Split(string(front), "\n")
	for i, l := range lines {
		m := plainLine().FindStringSubmatch(l)
		if m == nil || enclosed(m[2], `"`, `"`) || enclosed(m[2], `'`, `'`) ||
			!strings.ContainsAny(m[2], "{}[]*&#!|>%@`") && !strings.Contains(m[2], ": ") {
			continue
		}
		if list, err := parse([]byte(m[2])); enclosed(m[2], "[", "]") && err == nil && list.Kind == yaml.SequenceNode {
			continue
		}
		lines[i] = m[1] + `: "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(m[2]) + `"`
	}
	return indent().ReplaceAllFunc([]byte(strings.Join(lines, "\n")), func(tabs []byte) []byte {
		return bytes.Repeat([]byte("  "), len(tabs))
	})
}

func enclosed(s, before, after string) bool {
	return strings.HasPrefix(s, before) && strings.HasSuffix(s, after)
}

// Rules splits the texts of allowed-tools into rules: at commas and spaces
// that stand outside of parentheses.
func Rules(values []string) (rules []string) {
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
