// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package settings_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestWithout(t *testing.T) {
	for _, tt := range []struct{ before, want string }{
		{`{"a": {"b": ["x"]}}`, `{"a": {"b": []}}`},
		{`{"a": {"b": ["x", "y", 1, "x"]}}`, `{"a": {"b": ["y", 1]}}`},
		{"{\"a\": {\"b\": [\n  \"y\",\n  \"x\"\n]}}\n", "{\"a\": {\"b\": [\n  \"y\"\n]}}\n"},
		{"{\"a\": {\"b\": [\n  \"x\",\n  \"y\"\n]}}\n", "{\"a\": {\"b\": [\n  \"y\"\n]}}\n"},
		{"\ufeff{\"a\": {\"b\": [\"x\", \"z\"]}}", "\ufeff{\"a\": {\"b\": []}}"},
		{`{"a": {"b": ["y", "x", "z", "y", "x", "z", "w"]}}`, `{"a": {"b": ["y", "y", "w"]}}`},
		{"{\"a\": {\"b\": [\n  \"x\",\n  \"z\",\n  \"y\"\n]}}\n", "{\"a\": {\"b\": [\n  \"y\"\n]}}\n"},
		{`{"a": {"b": "x"}}`, `{"a": {"b": "x"}}`},
		{`{"c": ["x"]}`, `{"c": ["x"]}`},
		{``, ``},
	} {
		d := testenv.Must(settings.Parse("s.json", []byte(tt.before)))(t)
		got, err := settings.Without(d, []string{"a", "b"}, "x", "z")
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v; want %s", tt.before, got, err, tt.want)
		}
	}
}
