// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of each start it is said what it would be under, and by
// which file; what settings promise is never called proved.

package checks_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/agent/claude/starts"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// rows are the starts of a machine: who, where, status and the scope that
// protects.
func rows(m *Machine) (list []string) {
	rows, _ := starts.Starts(context.Background(), m.host(), m.Project)
	for _, s := range rows {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", s.By, s.Start, s.Status, s.Policy)))
	}
	return list
}

func TestStarts(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	project := []string{"claude root pass project", "claude-iso root pass --settings", "claude subdirectory fail",
		"claude-iso subdirectory pass --settings",
		"claude worktree pass project", "claude-iso worktree pass --settings", "claude elsewhere fail",
		"claude-iso elsewhere skip", "editor root pass project", "editor elsewhere fail"}
	floor := []string{"claude root pass project", "claude-iso root pass --settings", "claude subdirectory pass user",
		"claude-iso subdirectory pass --settings",
		"claude worktree pass project", "claude-iso worktree pass --settings", "claude elsewhere pass user",
		"claude-iso elsewhere pass user", "editor root pass project", "editor elsewhere pass user"}
	for _, tt := range []struct {
		name  string
		setup setup
		seed  func(*Machine)
		want  []string
	}{
		{"the usual machine", usualSetup, func(*Machine) {}, project},
		{"with a policy in user settings", floored, func(*Machine) {}, floor},
		{"a subdirectory switches it off", floored, func(m *Machine) {
			m.write("~/code/tracker/web/.claude/settings.json", `{"sandbox":{"enabled":false}}`, 0o644)
		}, slices.Insert(slices.Clone(floor), 8, "claude subdirectory fail")},
		{"the worktree has no policy", usualSetup, func(m *Machine) { m.remove("~/code/tracker-fix/.claude/settings.json") },
			func() []string {
				want := slices.Clone(project)
				want[4], want[5] = "claude worktree fail", "claude-iso worktree skip"
				return want
			}()},
		{"only the user's settings have one there", floored, func(m *Machine) {
			m.remove("~/code/tracker-fix/.claude/settings.json")
		}, func() []string {
			want := slices.Clone(floor)
			want[4], want[5] = "claude worktree pass user", "claude-iso worktree skip"
			return want
		}()},
	} {
		m := build(t, tt.setup)
		m.approve()
		tt.seed(m)
		if diff := gocmp.Diff(tt.want, rows(m)); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
		rows, _ := starts.Starts(context.Background(), m.host(), m.Project)
		for _, s := range rows {
			if len(s.Evidence) == 0 || s.Dir == "" || s.Rehearsed || (s.Status == report.Pass) != (s.Why == "") ||
				strings.Contains(s.Why, "has changed") {
				t.Errorf("%s: %+v", tt.name, s)
			}
		}
	}
}
