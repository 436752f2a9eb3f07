// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an override is the user's own file. It is edited value by
// value, decoded before and after, and given back only if exactly the intended
// keys differ; every other byte stays.

package pins

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// Override is what an override file would state in place of the manifest: a
// tool at another version, with the day of its release if that is known, and
// the lines that install it, by package manager. The manifest's own lines follow
// the version (Load).
type Override struct {
	Tool, Version, Released string
	Install                 map[string]string
}

// keys are the keys that the override states, in the order in which they are
// written.
func (o Override) keys() []key {
	keys := []key{{o.Tool, "version"}}
	if o.Released != "" {
		keys = append(keys, key{o.Tool, "released"})
	}
	for _, manager := range slices.Sorted(maps.Keys(o.Install)) {
		keys = append(keys, key{o.Tool, installKey + manager})
	}
	return keys
}

// text is the value of one of the keys.
func (o Override) text(k key) string {
	switch k.name {
	case "version":
		return o.Version
	case "released":
		return o.Released
	}
	return o.Install[strings.TrimPrefix(k.name, installKey)]
}

// installKey begins the key of an install line.
const installKey = "install."

// plain says whether all that it states is safe to write.
func (o Override) plain() bool {
	for manager, line := range o.Install {
		if !safe(manager) || !safeWords(line) {
			return false
		}
	}
	return safe(o.Tool) && safeWords(o.Version) && (o.Released == "" || safe(o.Released))
}

// preamble begins an override file that did not exist.
const preamble = `# The versions of this machine, key by key in place of the pinned ones.
# What is not stated here comes from the manifest; see docs/tools.md. To go
# back to a pin, delete its table.
`

// Apply returns the override file path with the overrides in it; existing is
// what the file holds, nil if there is none. Keys that it states already get
// the new value where they stand; others are added to their table, or as a new
// table at the end. The error is that of a file that is malformed, or that is
// laid out (as an inline table) in a way that cannot be added to; it names the
// lines to write by hand.
func Apply(path string, existing []byte, overrides []Override) ([]byte, error) {
	before, err := decode(path, existing, false)
	if err != nil {
		return nil, err
	}
	after := existing
	if existing == nil {
		after = []byte(preamble)
	}
	want := maps.Clone(before)
	for _, o := range overrides {
		if !o.plain() {
			return nil, &report.Error{Code: report.ExitInternal, Where: path,
				What: "was to be given a value that is no version or no command"}
		}
		var missing []key
		for _, k := range o.keys() {
			if _, states := before[k]; states {
				after = replace(after, k, o.text(k))
			} else {
				missing = append(missing, k)
			}
			want[k] = stated{text: o.text(k)}
		}
		after = add(after, missing, o)
	}
	got, err := decode(path, after, false)
	if err != nil || !maps.EqualFunc(got, want, func(a, b stated) bool { return a.text == b.text }) {
		return nil, &report.Error{Code: report.ExitMalformed, Where: path,
			What: "is laid out in a way that cannot be added to without touching more than it should",
			Why:  "nothing of yours may be lost; nothing was changed", Next: "add these lines yourself:  " + byHand(overrides)}
	}
	return after, nil
}

// replace puts a new text in the place of a key's value.
func replace(data []byte, k key, text string) []byte {
	for _, e := range expressions(data) {
		if !e.header && e.value.Length > 0 && keyOf(e.path) == k {
			start, end := int(e.value.Offset), int(e.value.Offset+e.value.Length)
			return slices.Concat(data[:start], []byte(quote(text)), data[end:])
		}
	}
	return data
}

// add adds keys of one tool that the file does not state yet: each to the
// table that can hold it, the rest as a new table at the end.
func add(data []byte, missing []key, o Override) []byte {
	eol := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		eol = "\r\n"
	}
	table := ""
	// Backwards, since each goes in front of what is there.
	for _, k := range slices.Backward(missing) {
		path := append([]string{"tools", k.tool}, strings.SplitN(k.name, ".", 2)...)
		if offset, depth, ok := home(data, path); ok {
			line := strings.Join(path[depth:], ".") + " = " + quote(o.text(k)) + eol
			if offset > 0 && data[offset-1] != '\n' {
				line = eol + line
			}
			data = slices.Concat(data[:offset], []byte(line), data[offset:])
		} else {
			table = k.name + " = " + quote(o.text(k)) + eol + table
		}
	}
	if table == "" {
		return data
	}
	table = "[tools." + o.Tool + "]" + eol + table
	switch {
	case len(data) == 0:
	case data[len(data)-1] != '\n':
		table = eol + eol + table
	default:
		table = eol + table
	}
	return slices.Concat(data, []byte(table))
}

// home finds where a key of a tool can be added: below the header of its
// table, or in front of a dotted key of the same tool. offset is that of the
// new line, depth how many keys of its path the table there gives.
func home(data []byte, path []string) (offset, depth int, ok bool) {
	var header []string
	for _, e := range expressions(data) {
		if e.header {
			header = e.path
			if len(header) > max(1, depth) && len(header) < len(path) && slices.Equal(header, path[:len(header)]) {
				offset, depth, ok = len(data), len(header), true
				if end := bytes.IndexByte(data[e.start:], '\n'); end >= 0 {
					offset = e.start + end + 1
				}
			}
			continue
		}
		inTable := len(header) < 2 && slices.Equal(header, path[:len(header)])
		if !ok && inTable && len(e.path) > 2 && slices.Equal(e.path[:2], path[:2]) {
			return e.start, len(header), true
		}
	}
	return offset, depth, ok
}

// quote writes a value that safeWords has passed as a TOML basic string.
func quote(text string) string { return `"` + text + `"` }

// safeWords says whether text is words of safe bytes with one space between.
func safeWords(text string) bool {
	return !slices.ContainsFunc(strings.Split(text, " "), func(word string) bool { return !safe(word) })
}

// byHand is what Apply would have written, as dotted keys on one line each.
func byHand(overrides []Override) string {
	var lines []string
	for _, o := range overrides {
		for _, k := range o.keys() {
			lines = append(lines, "tools."+o.Tool+"."+k.name+" = "+quote(o.text(k)))
		}
	}
	return strings.Join(lines, "; ")
}
