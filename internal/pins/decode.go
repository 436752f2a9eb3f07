// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a manifest is understood completely or refused with path,
// line and column. A key that nobody reads (a misspelt min_version) would be a
// guard that the user believes in and that does not exist.

package pins

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/strict"
)

// maxManifest bounds a manifest, in bytes; ours has 3 kB.
const maxManifest = 256 << 10

// document is the schema of a manifest and of an override.
type document struct {
	// PinnedAt is, like Released, a string or a date of TOML; anything else
	// that TOML knows is refused with its line, as a day that is none.
	PinnedAt any             `toml:"pinned_at"`
	Tools    map[string]tool `toml:"tools"`
}

// tool is the schema of one tool: nil is what is not stated.
type tool struct {
	Version          *string           `toml:"version"`
	MinVersion       *string           `toml:"min_version"`
	MinVersionReason *string           `toml:"min_version_reason"`
	Released         any               `toml:"released"`
	CooldownDays     *int              `toml:"cooldown_days"`
	Purpose          *string           `toml:"purpose"`
	Docs             *string           `toml:"docs"`
	UpstreamReleases *string           `toml:"upstream_releases"`
	Install          map[string]string `toml:"install"`
}

// names are the keys of a tool, each that of the field at its place.
var names = func() (list []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[tool]()) {
		list = append(list, f.Tag.Get("toml"))
	}
	return list
}()

// key names one value of a manifest: a tool and "version", "install.apt" and
// so on; pinned_at has no tool.
type key struct{ tool, name string }

// stated is a value with the place that states it.
type stated struct {
	text string
	file string
	line int // from 1
}

func (s stated) where() string { return s.file + ":" + strconv.Itoa(s.line) }

// decode reads one manifest. With lenient, unknown top-level keys are passed
// over: a framework is another project and may keep more in its manifest than
// this program reads. Inside [tools.*] a key is unknown to both.
//
// The decoder's own strictness is not enough: it takes "Version" for
// "version", and tells half of a path inside an inline table.
func decode(file string, data []byte, lenient bool) (map[key]stated, error) {
	if len(data) > maxManifest {
		return nil, malformed(file, strict.TooLarge(maxManifest), nil)
	}
	var doc document
	var syntax *toml.DecodeError
	err := toml.Unmarshal(data, &doc)
	switch {
	case errors.As(err, &syntax):
		line, column := syntax.Position()
		return nil, malformed(fmt.Sprintf("%s:%d:%d", file, line, column), "is not understood",
			errors.New(strings.TrimPrefix(syntax.Error(), "toml: ")))
	case err != nil:
		return nil, malformed(file, "is not understood", err)
	}
	lines := make(map[key]int)
	for _, e := range expressions(data) {
		line, column := e.position(data)
		for _, path := range e.states {
			if !known(path, e.header) && (!lenient || path[0] == "tools") {
				return nil, malformed(fmt.Sprintf("%s:%d:%d", file, line, column), strict.Unread(path), nil)
			}
			lines[keyOf(path)] = line
		}
	}
	values := make(map[key]stated)
	put := func(tool, name string, v any) {
		k := key{tool, name}
		values[k] = stated{fmt.Sprint(v), file, lines[k]} // a date prints as the day it is
	}
	if doc.PinnedAt != nil {
		put("", "pinned_at", doc.PinnedAt)
	}
	for _, tool := range slices.Sorted(maps.Keys(doc.Tools)) {
		had := len(values)
		for i, name := range names {
			switch v := reflect.ValueOf(doc.Tools[tool]).Field(i); {
			case v.IsNil():
			case v.Kind() == reflect.Map:
				for k, line := range v.Seq2() {
					put(tool, name+"."+k.String(), line)
				}
			default:
				put(tool, name, v.Elem())
			}
		}
		if len(values) == had {
			return nil, malformed(file, "has an empty [tools."+tool+"]: it pins nothing", nil)
		}
	}
	return values, nil
}

func malformed(where, what string, err error) error {
	return &report.Error{Code: report.ExitMalformed, Where: where, What: what, Err: err,
		Why:  "a pin that is not understood is not held",
		Next: "correct the file (docs/tools.md has its schema), or move it away"}
}

// known says whether a path belongs to the schema: as a value, or as a table
// header.
func known(path []string, header bool) bool {
	switch {
	case len(path) == 1:
		return path[0] == "tools" && header || path[0] == "pinned_at" && !header
	case path[0] != "tools":
		return false
	case len(path) == 2:
		return header
	case len(path) == 3:
		return header == (path[2] == "install") && slices.Contains(names, path[2])
	}
	return len(path) == 4 && path[2] == "install" && !header
}

// keyOf turns the path of a known value into its key.
func keyOf(path []string) key {
	if len(path) < 3 {
		return key{"", path[0]}
	}
	return key{path[1], strings.Join(path[2:], ".")}
}

// expression is one line of a manifest, or several if its value spans them: a
// table header, or a key with its value.
type expression struct {
	header bool
	// path is the full path of keys, that of the table included.
	path []string
	// start is where the expression's line begins, at where its first key
	// does; byte offsets.
	start, at int
	// value is where the value's text stands, if it is a string.
	value unstable.Range
	// states are the full paths of what it states: path, or, of an inline table,
	// those of its values.
	states [][]string
}

// position is the expression's line and column, from 1, in bytes.
func (e expression) position(data []byte) (line, column int) {
	return 1 + bytes.Count(data[:e.at], []byte("\n")), 1 + e.at - e.start
}

// expressions takes a valid manifest apart, in order.
func expressions(data []byte) (list []expression) {
	var table []string
	p := &unstable.Parser{}
	p.Reset(data)
	for p.NextExpression() {
		node := p.Expression()
		e := expression{header: node.Kind != unstable.KeyValue}
		e.path, e.at = keyPath(node)
		e.start = 1 + bytes.LastIndexByte(data[:e.at], '\n')
		if e.header {
			table = e.path
		} else {
			e.path = slices.Concat(table, e.path)
			if v := node.Value(); v.Kind == unstable.String {
				e.value = v.Raw
			}
		}
		e.states = [][]string{e.path}
		if !e.header && node.Value().Kind == unstable.InlineTable {
			e.states = inline(node.Value(), e.path, nil)
		}
		list = append(list, e)
	}
	return list
}

// keyPath returns the keys of a header or of a key with its value, and the
// offset of the first.
func keyPath(node *unstable.Node) (path []string, at int) {
	for keys := node.Key(); keys.Next(); {
		if path == nil {
			at = int(keys.Node().Raw.Offset)
		}
		path = append(path, string(keys.Node().Data))
	}
	return path, at
}

// inline adds the paths of the values in an inline table to list.
func inline(table *unstable.Node, above []string, list [][]string) [][]string {
	for it := table.Children(); it.Next(); {
		if it.Node().Kind != unstable.KeyValue {
			continue // a comment
		}
		path, _ := keyPath(it.Node())
		path = slices.Concat(above, path)
		if v := it.Node().Value(); v.Kind == unstable.InlineTable {
			list = inline(v, path, list)
		} else {
			list = append(list, path)
		}
	}
	return list
}
