// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a runtime that reads a variable which nobody has looked at
// is a failure here. What has no row although it was looked at, since nothing
// says what it does, stands in undocumented.txt: it stays unknown.

package claude_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

var (
	// registered is a variable in the runtime's own list of them, read one
	// that its code reads by name.
	registered = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*):\(\)=>[A-Za-z0-9_$]+[,}]`)
	read       = regexp.MustCompile(`process\.env(?:\.|\[")([A-Za-z_][A-Za-z0-9_]*)`)
	// joined are names that only seem to be: a text ends there, and the next
	// begins.
	joined = regexp.MustCompile(`_ENV(process|Internal|development)$`)
)

// leastVariables is how many the oldest of these versions reads: fewer mean that
// they were not found.
const leastVariables = 1400

// variables lists the names of the variables that a runtime reads.
func variables(t *testing.T, b []byte) (names []string) {
	t.Helper()
	i := bytes.Index(b, []byte("CLAUDE_CODE_GLOB_HIDDEN:()=>"))
	if i < 0 {
		t.Fatal("the list of variables is not where it was")
	}
	mark := []byte("// Version:")
	list := b[bytes.LastIndex(b[:i], mark):]
	list = list[:len(mark)+bytes.Index(list[len(mark):], mark)]
	for _, m := range slices.Concat(registered.FindAllSubmatch(list, -1), read.FindAllSubmatch(b, -1)) {
		if name := string(m[1]); !joined.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func undocumented(t *testing.T) []string {
	t.Helper()
	return strings.Fields(testenv.Read(t, "undocumented.txt"))
}

// looked says whether the table knows a variable.
func looked(name string) bool {
	v := claude.VariableOf(name)
	return v.Class != claude.Unknown || v.From != claude.Any
}

func TestEveryVariableIsLookedAt(t *testing.T) {
	lookAt(t, variables, leastVariables, undocumented(t), looked)
}

// byPattern are the names of runtimes that a pattern of the table explains, and that
// somebody has looked at.
func byPattern(t *testing.T) []string {
	t.Helper()
	return strings.Fields(testenv.Read(t, "testdata/bypattern.txt"))
}

// TestNoPatternExplainsANameThatNobodyLookedAt: CLAUDE_CODE_USE_COWORK_PLUGINS, which
// exchanges the settings, was taken for one that chooses a service.
func TestNoPatternExplainsANameThatNobodyLookedAt(t *testing.T) {
	unexplained := func(name string) bool { return !claude.ByPattern(name) }
	lookAt(t, variables, leastVariables, byPattern(t), unexplained)
	for _, name := range claude.Variables() {
		if strings.HasPrefix(name, "CLAUDE_") && strings.Contains(name, "*") {
			t.Errorf("%s is a pattern for names of the runtime", name)
		}
	}
}

// lookAt holds the names that runtimes know, of which each has at least so many,
// against those that have a row and those that were seen and have none.
func lookAt(t *testing.T, of func(*testing.T, []byte) []string, least int, seen []string, row func(string) bool) {
	t.Helper()
	all := map[string]bool{}
	runtimes(t, func(t *testing.T, b []byte) {
		names := of(t, b)
		if len(names) < least {
			t.Fatalf("only %d names of the runtime were found", len(names))
		}
		for _, name := range names {
			all[name] = true
			if !row(name) && !slices.Contains(seen, name) {
				t.Errorf("the runtime knows %s, and nobody has looked at it: what does it do to protection?", name)
			}
		}
	})
	for i, name := range seen {
		switch {
		case row(name):
			t.Errorf("%s has a row", name)
		case len(all) > 0 && !all[name]: // else no runtime is here to be asked
			t.Errorf("no runtime knows %s", name)
		case i > 0 && seen[i-1] >= name:
			t.Errorf("%s is not in order", name)
		}
	}
}

// TestTheTableOfVariablesHoldsNothingTwice, and every row says what it does.
func TestTheTableOfVariablesHoldsNothingTwice(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range claude.Variables() {
		if seen[name] || claude.VariableOf(strings.ReplaceAll(name, "*", "X")).Effect == "" {
			t.Errorf("the row of %s: seen before %v", name, seen[name])
		}
		seen[name] = true
	}
}

func TestWhatAVariableDoes(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        claude.Class
	}{
		{"DISABLE_AUTOUPDATER", "1", claude.Protects},
		{"DISABLE_TELEMETRY", "1", claude.Protects},
		{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1", claude.Protects},
		{"BASH_DEFAULT_TIMEOUT_MS", "600000", claude.Harmless},
		{"ENABLE_TOOL_SEARCH", "1", claude.Harmless},
		{"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", "1", claude.Harmless},
		{"VERTEX_REGION_CLAUDE_5_OPUS", "x", claude.Harmless},
		{"LC_TIME", "C", claude.Harmless},
		{"lang", "C", claude.Unknown},
		{"enable_tool_search", "1", claude.Unknown},
		{"CLAUDE_CODE_USE_BEDROCK", "1", claude.Redirects},
		{claude.CoworkVariable, "1", claude.Runs},
		{claude.CoworkVariable, "0", claude.Harmless},
		{claude.RulesVariable, "{}", claude.Runs},
		{claude.SessionKindVariable, "bg", claude.Opens},
		{claude.SessionKindVariable, "interactive", claude.Harmless},
		{"IS_SANDBOX", "1", claude.Opens},
		{"IS_SANDBOX", "0", claude.Harmless},
		{"CLAUDE_CODE_USE_NEW_THING", "1", claude.Unknown},
		{"CLAUDE_CODE_NEW_CONFIG", "1", claude.Unknown},
		{"CLAUDE_NEW_TOKEN", "1", claude.Unknown},
		{"CLAUDE_CODE_USE_NATIVE_FILE_SEARCH", "1", claude.Harmless},
		{"ANTHROPIC_MODEL", "opus", claude.Harmless},
		{"ANTHROPIC_NEW", "x", claude.Redirects},
		{"https_proxy", "http://x", claude.Redirects},
		{"CLAUDE_CODE_SHELL_PREFIX", "./x", claude.Runs},
		{"bash_env", "./x", claude.Runs},
		{"NODE_ENV", "test", claude.Harmless},
		{"NODE_OPTIONS", "--require ./x", claude.Runs},
		{"NODE_OPTIONS", "--max-old-space-size=8192", claude.Harmless},
		{"NODE_OPTIONS", "--max-old-space-size=8192 --require=./x", claude.Runs},
		{"GIT_AUTHOR_NAME", "Ana", claude.Harmless},
		{"GIT_SSH_COMMAND", "ssh -F x", claude.Runs},
		{"CLAUDE_CODE_SIMPLE", "1", claude.Opens},
		{"CLAUDE_CODE_AUTO_MODE_MODEL", "x", claude.Opens},
		{"FOO", "x", claude.Unknown},
		{"MY_CONFIG", "x", claude.Unknown},
		{"CLAUDE_CODE_NEW_THING", "1", claude.Unknown},
	} {
		if got := claude.VariableSet(c.name, c.value, true).Class; got != c.want {
			t.Errorf("%s=%s is %d, want %d", c.name, c.value, got, c.want)
		}
	}
}
