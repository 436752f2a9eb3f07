// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the way in which auto mode reads past a policy is shown
// with the real runtime, and each way in which it is closed.

package iso_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// inMode starts a session without a person in a permission mode. The model is
// one that auto mode is offered for; nothing is allowed beforehand.
func inMode(mode string) []string {
	return []string{"-p", "go", "--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-4-6",
		"--permission-mode", mode}
}

// TestAutoModeReadsNoUnnamedFile: in auto mode, and in plan mode where auto mode
// is on offer, the Read tool reads a file of the home that no rule names,
// without asking anybody (measured with 2.1.324 and 2.1.329).
func TestAutoModeReadsNoUnnamedFile(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	for _, v := range []struct {
		name    string
		runtime func(testing.TB) string
	}{{"pinned", testenv.Claude}, {"floor", testenv.ClaudeFloor}} {
		for _, mode := range []string{"auto", "plan"} {
			t.Run(v.name+" "+mode, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				l.runtime = v.runtime(t)
				l.approve()
				script := calls(readTool(filepath.Join(l.home, "secret.txt")))
				plain := func() string {
					return l.play("p", script, func() (string, []string, []string) {
						return filepath.Join(l.bin, "claude"), append([]string{"claude"}, inMode(mode)...), l.environ()
					}).text(t, 0)
				}
				if got := plain(); !strings.Contains(got, secret) {
					t.Fatalf("the attack does not even work on a plain start: %s", got)
				}

				launched := l.play("p", script, l.launch("p", iso.Options{Args: inMode(mode)}))
				if got := launched.text(t, 0); strings.Contains(got, secret) {
					t.Errorf("claude-iso, whose policy does not name auto mode: %s", got)
				}
				closes := []string{`{"permissions":{"disableAutoMode":"disable"}}`,
					`{"permissions":{"blockReadsOutsideWorkingDirectories":true}}`}
				if v.name == "floor" {
					closes = closes[:1] // what the template sets
				}
				for _, keys := range closes {
					l.settings(keys)
					if got := plain(); strings.Contains(got, secret) {
						t.Errorf("plain, with %s: %s", keys, got)
					}
				}
			})
		}
	}
}
