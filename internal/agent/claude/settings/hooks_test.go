// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"strings"
	"testing"
)

func wireOurs(d *Doc) []Edit { return WireHook(d, "PreToolUse", "Bash", "~/.claude/scripts/warn.sh") }

func TestAHookIsWiredOnceInTheBlockOfItsMatcher(t *testing.T) {
	const entry = `{"type": "command", "command": "~/.claude/scripts/warn.sh"}`
	for _, c := range []struct{ name, before, after string }{
		{"no hooks yet", `{"a": 1}`, `{"a": 1, "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [` + entry + `]}]}}`},
		{"beside a foreign hook", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}]}}`,
			`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}, ` + entry +
				`]}]}}`},
		{"another matcher is another block", `{"hooks": {"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [` + entry +
			`]}, {"hooks": []}]}}`,
			`{"hooks": {"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [` + entry +
				`]}, {"hooks": []}, {"matcher": "Bash", "hooks": [` + entry + `]}]}}`},
		{"wired already, in a later block of the matcher",
			`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": []}, {"matcher": "Bash", "hooks": [` + entry + `]}]}}`, ""},
		{"wired already, with a time of the user's",
			`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "timeout": 3, "command": "~/.claude/scripts/warn.sh"}]}]}}`, ""},
		{"with arguments it is another command",
			`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "~/.claude/scripts/warn.sh", "args": ["x"]}]}]}}`,
			`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "~/.claude/scripts/warn.sh", "args": ["x"]}, ` + entry + `]}]}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			edits := wireOurs(mustParse(t, c.before))
			got := splice(t, c.before, edits...)
			if c.after == "" {
				c.after = c.before
			}
			if got != c.after {
				t.Errorf("got\n%s\nwant\n%s", got, c.after)
			}
			if again := wireOurs(mustParse(t, got)); len(again) > 0 {
				t.Errorf("wired a second time: %+v", again)
			}
			if problems := Problems(mustParse(t, got)); len(problems) > 0 {
				t.Errorf("the runtime would not take it: %+v", problems)
			}
		})
	}
}

func TestHooksThatAreNotInTheRuntimesShapeAreNotTouched(t *testing.T) {
	for _, text := range []string{`{"hooks": "x"}`, `{"hooks": {"PreToolUse": "x"}}`, `{"hooks": {"PreToolUse": {}}}`,
		`{"hooks": []}`} {
		d := mustParse(t, text)
		_, err := Splice(d, wireOurs(d))
		refusal(t, err)
	}
}

func TestAMergeUnitesHooksByMatcherAndCommand(t *testing.T) {
	have := `{"hooks":{"E":[{"matcher":"Bash","hooks":[{"type":"command","command":"a"}]},{"matcher":"Bash","hooks":[{"type":"command","command":"b","timeout":1}]}]}}`
	for _, c := range []struct {
		name, want, after string
		conflicts         int
	}{
		{"each is found in its block", `[{"matcher":"Bash","hooks":[{"type":"command","command":"b"},{"type":"command","command":"a"}]}]`, "", 0},
		{"a missing key is added", `[{"matcher":"Bash","hooks":[{"type":"command","command":"a","timeout":9}]}]`,
			strings.Replace(have, `"command":"a"`, `"command":"a","timeout":9`, 1), 0},
		{"another time is a conflict", `[{"matcher":"Bash","hooks":[{"type":"command","command":"b","timeout":2}]}]`, "", 1},
		{"a new one goes to the first block", `[{"matcher":"Bash","hooks":[{"type":"command","command":"c"}]}]`,
			strings.Replace(have, `"a"}`, `"a"},{"type":"command","command":"c"}`, 1), 0},
		{"one that is wanted twice is not confused",
			`[{"matcher":"Bash","hooks":[{"type":"command","command":"b","timeout":1},{"type":"command","command":"b"}]}]`, "",
			0},
		{"what has no hooks is an element like any other", `[5,{"matcher":"Bash"},5]`,
			strings.Replace(have, `}]}]}}`, `}]},5,{"matcher":"Bash"}]}}`, 1), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := mustParse(t, `{"hooks":{"E":`+c.want+`}}`)
			m := united(t, mustParse(t, have), want, false)
			if c.after == "" {
				c.after = have
			}
			if string(m.After) != c.after || len(m.Conflicts) != c.conflicts {
				t.Errorf("got\n%s\nwant\n%s\nconflicts %+v", m.After, c.after, m.Conflicts)
			}
		})
	}
}
