// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of a JSON document only what a tool printed is looked at. Data
// tells of errors, and is none.

package catalog

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// carriers are the keys of a document that hold what a tool or a server printed: the
// runtime's results and events, and the error of a program that writes JSON.
var carriers = []string{"content", "tool_response", "toolUseResult", "tool_use_id", "stdout", "stderr", "is_error",
	"hook_event_name", "error"}

// unpacked is a text without the JSON around it: the strings of a document, or of
// documents a line each; "" for one that holds nothing that a tool printed.
func unpacked(text string) string {
	trimmed := strings.TrimSpace(text)
	if !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") && !strings.HasPrefix(trimmed, `"`) {
		return text
	}
	var found []string
	printed := strings.HasPrefix(trimmed, `"`)
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			found = append(found, v)
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				printed = printed || slices.Contains(carriers, key)
				walk(v[key])
			}
		}
	}
	dec := json.NewDecoder(strings.NewReader(trimmed))
	for dec.More() {
		var v any
		if dec.Decode(&v) != nil {
			return text
		}
		walk(v)
	}
	if !printed {
		return ""
	}
	return strings.Join(found, "\n")
}
