// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a session showed is judged by what its twin showed.

package explain

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

func TestWhatASessionShows(t *testing.T) {
	probes := []trial.Probe{{ID: trial.ControlCommand, Call: model.Bash("echo"), Control: true,
		Through: trial.Through{Reply: "word"}},
		{ID: rulingID("w", "d"), Call: model.Bash("cat"), Through: trial.Through{Reply: "NONCE"}, Turn: 1}}
	said := func(first, second string) *trial.Trial {
		t := trial.New(rehearsal.Session{}, probes)
		t.Raw.Results = map[string]model.Result{}
		for i, text := range []string{first, second} {
			if text != "" {
				t.Raw.Results[model.ID(i, 0)] = model.Result{Text: text}
			}
		}
		return t
	}
	works := said("word", "yes NONCE")
	for _, c := range []struct {
		name         string
		policy, twin *trial.Trial
		want         report.Answer
		says         string
	}{
		{"through", works, works, report.Allowed, "succeeded"},
		{"blocked", said("word", "no such file"), works, report.Denied, "no such file"},
		{"the stage keeps it back too", said("word", "no such file"), said("word", "no such file"),
			report.Unclear, "failed in the test too"},
		{"no twin", said("word", "no such file"), said("word", ""), report.Unclear, "too: " + trial.NoOutput},
		{"a rule", said("word", "Permission to use Bash with command x has been denied."), said("word", ""), report.Denied,
			"by a rule"},
		{"a question", said("word", "Claude requested permissions to use Bash, but you haven't granted it yet."), works,
			report.Asks, "would have asked"},
		{"it broke off", said("word", ""), works, report.Unclear, "did not reach this call"},
		{"nothing works", said("Claude requested permissions to use Bash, but you haven't granted it yet.", "no"), works,
			report.Unclear, "no command works"},
	} {
		got, ok := saw(c.policy.Judge(c.twin), report.Ruling{Who: "w", Does: "d"})
		if !ok || got.Answer != c.want || !strings.Contains(got.Said, c.says) {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		}
	}
	if _, ok := saw(works.Judge(works), report.Ruling{Who: "w", Does: "other"}); ok {
		t.Error("what was not tried is answered")
	}
}
