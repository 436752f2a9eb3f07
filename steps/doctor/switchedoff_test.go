// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where no settings have a sandbox, whoever asks the doctor is
// told so, and what ends it.

package doctor

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/trial"
)

func TestWithoutASandboxInTheSettingsTheDoctorSaysWhatEndsIt(t *testing.T) {
	const on = `{"sandbox":{"enabled":true}}`
	for name, c := range map[string]struct{ settings, says, why, next string }{
		"nothing is installed": {"", "no sandbox is in force here: ", "no settings file switches the sandbox on",
			"steward-setup install"},
		"a merge conflict": {"{\n<<<<<<< ours\n\"sandbox\":{\"enabled\":true}\n=======\n>>>>>>> theirs\n}",
			"no sandbox is in force here: ", "a merge conflict begins here", "fix the file"},
		"a sandbox that does not hold": {on, "not protected: ", "", "steward-setup verify"},
		"switched off by a line":       {`{"sandbox":{"enabled":false}}`, "not protected: ", "", "steward-setup verify"},
	} {
		t.Run(name, func(t *testing.T) {
			h := plainHost(t, "linux")
			project := h.Places().Home + "/p"
			if c.settings != "" {
				testenv.Write(t, project+"/.claude/settings.json", c.settings, 0o644)
			}
			open := trial.Outcome{Probe: trial.Probe{ID: "read"}, Status: report.Fail}
			b := &bench{r: h, o: Options{Agent: fixes.Claude{}}, trials: map[scene]*pair{
				root: {outcomes: []trial.Outcome{open}}}}
			b.inputs.Root = project
			for i, says := range []string{c.says, "not judged: a protection does not work (see first)"} {
				q := &inquiry{probe: probe{id: []report.ID{"first", "second"}[i]}, asked: []ask{{}}}
				b.void(t.Context(), q)
				f := q.finding
				if f.Status != report.Fail || !f.Voids || !strings.HasPrefix(f.Summary, says) {
					t.Errorf("%s, voids %v: %q", f.Status, f.Voids, f.Summary)
				}
				seen := ""
				for _, e := range f.Evidence {
					seen += e.Text
				}
				if i == 0 && !strings.Contains(seen, c.why) || c.why == "" && seen != "" {
					t.Errorf("evidence %q", seen)
				}
				steps := report.Steps([]report.Finding{f}, nil)
				if len(steps) != 1 || !strings.Contains(steps[0].String(), c.next) {
					t.Errorf("leads to %v, want %s", steps, c.next)
				}
			}
		})
	}
}
