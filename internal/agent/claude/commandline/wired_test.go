// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package commandline

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
)

// Every key whose program the runtime starts outside the sandbox is wired, the search
// among them.
func TestWhatSettingsStartIsWired(t *testing.T) {
	d, err := settings.Parse("/h/.claude/settings.json", []byte(`{
  "sandbox": {"ripgrep": {"command": "/h/p/rg", "args": ["-x"]}},
  "apiKeyHelper": "a",
  "statusLine": {"type": "command", "command": "s"},
  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "h"}]}]}
}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range Wired(settings.ScopedDoc{Doc: d}) {
		got = append(got, c.What+": "+c.Command.Text)
	}
	want := "a Stop hook: h, the status line: s, apiKeyHelper: a, sandbox.ripgrep: /h/p/rg"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}
