// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: "why this line" is answered with the reason of the entry
// that the line belongs to, or honestly with the reason of the whole file.

package tui

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// entryAt finds the entry that line at of a diff belongs to. Where one value
// stands in several lists of a document, the list that encloses the line
// decides.
func entryAt(lines []diffLine, at int, entries []report.Entry) (report.Entry, bool) {
	if at < 0 || at >= len(lines) {
		return report.Entry{}, false
	}
	var found report.Entry
	best := 0
	for _, e := range entries {
		path, value, isValue := strings.Cut(e.Key, ":")
		score := 0
		switch {
		case isValue && strings.Contains(lines[at].text, quoted(value)):
			score = 2 + 2*len(value)
			if encloses(lines[:at], lastPart(path)) {
				score++
			}
		case strings.Contains(lines[at].text, quoted(lastPart(path))+":"):
			score = 2
		}
		if score > best {
			found, best = e, score
		}
	}
	return found, best > 0
}

// encloses says whether the nearest list or object that is opened in lines is
// called name.
func encloses(lines []diffLine, name string) bool {
	for i := len(lines) - 1; i >= 0; i-- {
		t := strings.TrimSpace(lines[i].text)
		if strings.HasSuffix(t, "[") || strings.HasSuffix(t, "{") {
			return strings.HasPrefix(t, quoted(name)+":")
		}
	}
	return false
}

func lastPart(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// quoted is s as it stands in a JSON document that is not escaped for HTML.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return s
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// whyRows answers for the line under the cursor in exactly height rows.
func (l look) whyRows(d *diff, changes []shown, entries []report.Entry, width, height int) []string {
	head, reason := "this line", ""
	if e, ok := entryAt(d.lines, d.cursor, entries); ok {
		head, reason = own(e.Key), fmt.Sprintf("%s (%s, %s)", own(e.Why), layerWord(e.Layer), e.State)
	} else if len(changes) > 0 {
		head, reason = "the file", own(changes[0].Why)
	}
	rows := []string{l.dim.Render(text.Pad("why", noteLabel)) + l.bold.Render(text.Cut(head, width-noteLabel))}
	return exactly(append(rows, after(text.Pad("", noteLabel), reason, width)...), height)
}

// layerWords number the layers as the documentation does.
var layerWords = []struct {
	layer report.Layer
	word  string
}{
	{report.LayerTools, "tools"},
	{report.LayerCleanEnv, "0 clean env"},
	{report.LayerSandbox, "1 sandbox"},
	{report.LayerPermissions, "2 permissions"},
	{report.LayerConfirmation, "3 confirmation"},
	{report.LayerVisibility, "visibility"},
}

func layerWord(layer report.Layer) string {
	for _, w := range layerWords {
		if w.layer == layer {
			return w.word
		}
	}
	return string(layer)
}

// layersOf names the layers that a section's entries belong to, in their
// order, and gives their numbers alone.
func layersOf(s report.Section) (long, short string) {
	seen := make(map[report.Layer]bool)
	for _, e := range s.Entries {
		seen[e.Layer] = true
	}
	var words, numbers []string
	head := ""
	for _, w := range layerWords {
		if !seen[w.layer] {
			continue
		}
		number, _, numbered := strings.Cut(w.word, " ")
		if numbered {
			head = "layers "
		}
		words, numbers = append(words, w.word), append(numbers, number)
	}
	return head + strings.Join(words, " · "), head + strings.Join(numbers, " ")
}
