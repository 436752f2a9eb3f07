// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"slices"
	"strings"
	"testing"
)

// judged is what Problems says of a document, in the words of a row: the first
// value that costs the file, else the first that costs itself.
func judged(d *Doc) string {
	problems := Problems(d)
	for _, loss := range []Loss{WholeFile, ThisValue} {
		for _, p := range problems {
			if p.Loss == loss {
				return map[Loss]string{WholeFile: "drop ", ThisValue: "skip "}[loss] + KeyPath(p.Path)
			}
		}
	}
	return "ok"
}

func TestProblemsAreThoseOfTheRuntime(t *testing.T) {
	for _, r := range corpus() {
		if got := judged(mustParse(t, r.text)); got != r.want {
			t.Errorf("%s\n got %s\nwant %s", r.text, got, r.want)
		}
	}
}

func TestSkippedRulesAreThoseOfTheRuntime(t *testing.T) {
	for rule, lists := range ruleRows {
		for _, list := range ruleLists {
			skipped := skippedRule(list, String(rule)) != ""
			if want := slices.Contains(strings.Fields(lists), list); skipped != want {
				t.Errorf("%s %q: skipped is %v, want %v", list, rule, skipped, want)
			}
		}
	}
}

func TestAProblemHasItsPlaceAndReason(t *testing.T) {
	d := mustParse(t, "{\n  \"permissions\": {\n    \"deny\": [\"Read\", \"Bash(\"],\n    \"defaultMode\": \"plann\"\n"+
		"  },\n  \"sandbox\": {\"enabled\": 1}\n}")
	var got []string
	for _, p := range Problems(d) {
		got = append(got, KeyPath(p.Path)+" "+(Source{Path: "s", Line: p.Line, Col: p.Col}).Where()+" "+p.Message)
	}
	want := []string{
		`permissions.deny.1 s:3:22 a rule is Tool or Tool(content) and ends with the ")"`,
		`permissions.defaultMode s:4:20 one of "acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan", "manual" is expected`,
		`sandbox.enabled s:6:26 true or false is expected, not a number`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestWhatIsNestedTooDeepIsIgnored(t *testing.T) {
	for depth, want := range map[int]int{63: 0, 64: 1, 150: 1} {
		d := mustParse(t, `{"zz":`+strings.Repeat("[", depth)+strings.Repeat("]", depth)+`}`)
		if p := Problems(d); len(p) != want || want == 1 && (p[0].Loss != ThisValue || len(p[0].Path) != 64) {
			t.Errorf("depth %d: %+v", depth, p)
		}
	}
}

func TestCheckRefusesWhatTheRuntimeDrops(t *testing.T) {
	for text, where := range map[string]string{
		"{\n \"sandbox\": {\"enabled\": \"yes\"}}":                             "s.json:2:25",
		"{\"permissions\": {\"deny\": [\"Bash(\"]}, \n \"statusLine\": \"x\"}": "s.json:2:16",
		"{//\n}": "s.json:1:2",
	} {
		_, err := Check("s.json", []byte(text))
		if e := refusal(t, err); e.Where != where || !strings.Contains(e.Why, "silently ignores the whole file") {
			t.Errorf("%s: %+v", text, e)
		}
	}
	if d, err := Check("s.json", []byte(`{"permissions": {"deny": ["Bash("]}}`)); err != nil || d == nil {
		t.Errorf("a rule that is skipped costs the file: %v", err)
	}
}

func TestAFaultNamesWhatStandsInTheFile(t *testing.T) {
	for text, want := range map[string]string{`{'a': 1}`: `not "'"`, `{"a": \x}`: `not "\"`, "{\"a\": True}": `not 'T'`} {
		if _, err := Parse("s", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %s", text, err, want)
		}
	}
}

// A sentence about the whole file names no key.
func TestWhatIsWrongWithAWholeFileIsSaidOfIt(t *testing.T) {
	_, err := Check("s.json", []byte(`{"a": "`+strings.Repeat("x", droppedSize)+`"}`))
	if e := refusal(t, err); !strings.HasPrefix(e.What, "the file has ") {
		t.Error(e.What)
	}
}
