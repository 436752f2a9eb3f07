// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what changes more than what is allowed is not tried together
// with others, and what could have helped is not refuted by a trial of many.

package doctor

import (
	"errors"
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

const (
	readsAgent   = `{"sandbox":{"filesystem":{"allowRead":["/run/agent"]}}}`
	readsDocker  = `{"sandbox":{"filesystem":{"allowRead":["/run/docker"]}}}`
	readsBoth    = `{"sandbox":{"filesystem":{"allowRead":["/run/agent","/run/docker"]}}}`
	everySocket  = `{"sandbox":{"network":{"allowAllUnixSockets":true}}}`
	asksToo      = `{"permissions":{"ask":["Bash(ssh-add *)"]}}`
	deniesHost   = `{"sandbox":{"network":{"deniedDomains":["example.org"]}}}`
	allowsHost   = `{"sandbox":{"network":{"allowedDomains":["example.org"]}}}`
	opensAndShut = `{"sandbox":{"filesystem":{"allowWrite":["/a"],"denyWrite":["/a/b"]}}}`
)

func TestWhatIsTriedTogether(t *testing.T) {
	for settings, want := range map[string]bool{readsAgent: true, readsBoth: true, everySocket: false, opensAndShut: false,
		asksToo: false, deniesHost: false, "{": false, "{}": false} {
		if (fixes.Claude{}).Effect(catalog.Fix{Settings: settings}).Allows != want {
			t.Errorf("%s: %v", settings, !want)
		}
	}
	b := &bench{r: plainHost(t, "linux"), o: Options{Agent: fixes.Claude{}}}
	b.inputs.Root = t.TempDir()
	refused := func(layer catalog.Refuser, cause []report.Evidence, settings ...string) *inquiry {
		c := &inquiry{results: []result{{ask: ask{entry: "e"}, status: report.Fail, layer: layer, cause: cause}}}
		for _, s := range settings {
			a := trying("e", s)
			a.treatment, c.tried = &treatment{}, append(c.tried, a)
		}
		return c
	}
	denied := []report.Evidence{report.FileEvidence("settings.json", "denies it")}
	for name, c := range map[string]struct {
		cases []*inquiry
		want  []string
	}{
		"of one probe and of another": {[]*inquiry{refused(catalog.Mount, nil, readsAgent, everySocket, readsBoth),
			refused(catalog.Mount, nil, readsDocker)}, []string{readsAgent, readsBoth, readsDocker}},
		"one alone": {[]*inquiry{refused(catalog.Mount, nil, readsAgent, everySocket)}, nil},
		"a host that the proxy refused": {[]*inquiry{refused(catalog.Proxy, nil, allowsHost),
			refused(catalog.Mount, nil, readsAgent)}, nil},
		"a host that another entry denies": {[]*inquiry{refused(catalog.Proxy, denied, allowsHost),
			refused(catalog.Mount, nil, readsAgent)}, []string{allowsHost, readsAgent}},
		"a host that nobody refused by name": {[]*inquiry{refused(catalog.Namespace, nil, allowsHost),
			refused(catalog.Mount, nil, readsAgent)}, []string{allowsHost, readsAgent}},
	} {
		var got []string
		if s := b.sieves(t.Context(), c.cases); s != nil {
			for _, m := range s.members {
				if got = append(got, m.a.settings); m.a.sieve != s {
					t.Errorf("%s: %s does not know it", name, m.a.settings)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestWhatATrialOfManyRefutes: a call that was made and refused, and nothing
// else.
func TestWhatATrialOfManyRefutes(t *testing.T) {
	entry := catalog.Entry{ID: "agent"}
	control := trial.Probe{ID: trial.ControlCommand, Call: model.Bash("echo it-works"),
		Through: trial.Through{Reply: "it-works"}, Control: true}
	noSandbox := model.Result{Text: "bwrap: Can't mkdir /run/agent: Read-only file system"}
	for name, c := range map[string]struct {
		reply   string // "" where the call was not made
		control model.Result
		err     error
		refuted bool
	}{
		"refused":               {reply: "refused", refuted: true},
		"it got through":        {reply: "works"},
		"it was not made":       {},
		"the session broke off": {reply: "refused", err: errors.New("broke off")},
		"it was cut off":        {reply: "Command timed out after 2m"},
		"no command could run":  {reply: noSandbox.Text, control: noSandbox},
	} {
		replies := map[string]model.Result{model.ID(0, 0): {Text: "it-works"}}
		if c.control.Text != "" {
			replies[model.ID(0, 0)] = c.control
		}
		if c.reply != "" {
			replies[model.ID(1, 0)] = model.Result{Text: c.reply}
		}
		q := ask{id: "agent", entry: "agent", through: trial.Through{Reply: "works"}}
		s := trial.New(rehearsal.Session{}, []trial.Probe{control, q.probe()})
		s.Raw.Results, s.Err = replies, c.err
		a := &attempt{entry: entry, sieve: &treatment{trials: map[string]*trial.Trial{"": s}, fixes: 3}}
		a.sieve.once.Do(func() {}) // it was played
		m := member{&inquiry{results: []result{{ask: q, status: report.Fail, layer: catalog.Mount}}}, a}
		if got := (&bench{}).refuted(t.Context(), m); (got != "") != c.refuted {
			t.Errorf("%s: %q", name, got)
		}
	}
}
