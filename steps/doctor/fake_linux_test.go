// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a probe asks another agent what it asks the first one, and offers
// a fix in that agent's own rules, if no protection is lost with it.

package doctor_test

import (
	"context"
	"encoding/json"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/fakeagent"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/doctor"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// fake is the fake agent for the doctor. Its settings are lines; a fix of its catalog
// says which.
type fake struct {
	fakeagent.Agent
	exe string
}

func rulesOf(r host.Reader) string { return filepath.Join(r.Places().Home, ".fake", "rules") }

const fakeCatalog = `schema = 1

[[entry]]
id = "tmpdir"
title = "The wall lets nobody write in /tmp"
topic = "files"
layer = "mount"
probe = "tmpdir"
platforms = ["linux"]
since = "1.0"
hint = "fresh /tmp"
cause = "Behind the wall the project alone can be written."
sources = ["measured"]

  [[entry.symptom]]
  match = ["failed to create file via template"]
  confirm = "sandbox"
  example = "mktemp: failed to create file via template '/tmp/x': Read-only file system"
  seen = ["1.0"]

  [[entry.fix]]
  title = "A fresh /opt"
  settings = '{"fresh":["/opt"]}'
  scope = "user"
  price = "none, and no effect"
  proof = { linux = "refuted" }

  [[entry.fix]]
  title = "No wall"
  settings = '{"without":["wall"]}'
  scope = "user"
  price = "everything"
  proof = { linux = "measured" }

  [[entry.fix]]
  title = "A fresh /tmp"
  settings = '{"fresh":["/tmp"]}'
  scope = "user"
  price = "what is there is not seen"
  proof = { linux = "measured" }
`

func (fake) Catalog() (name string, text []byte) { return "fake.toml", []byte(fakeCatalog) }

func (fake) Change(_ context.Context, r host.Reader, _, entry string, fix catalog.Fix) (report.Change, error) {
	c := report.Change{ID: report.ID("doctor/" + entry), Path: rulesOf(r), Target: rulesOf(r), Mode: 0o644, Why: fix.Title,
		Price: fix.Price}
	before, err := r.Read(c.Path)
	var what map[string][]string
	if err := errors.Join(err, json.Unmarshal([]byte(fix.Settings), &what)); err != nil {
		return c, err
	}
	lines := strings.Split(string(before), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return slices.Contains(what["without"], line) })
	for _, path := range what["fresh"] {
		lines = append([]string{"fresh " + path}, lines...)
	}
	c.Before, c.After = before, []byte(strings.Join(lines, "\n"))
	return c, nil
}

func (fake) Effect(fix catalog.Fix) catalog.Effect {
	return catalog.Effect{Allows: strings.Contains(fix.Settings, "fresh")}
}

func (fake) WouldOpen(context.Context, host.Reader, string) func(report.Change) ([]string, error) {
	return func(report.Change) ([]string, error) { return nil, nil }
}

func (fake) Rules(context.Context, host.Reader, string) catalog.Rules {
	return catalog.Rules{Denies: func(string) []report.Evidence { return nil },
		Unsandboxed: func(string) string { return "" }}
}

func (fake) Spelled(path, _ string) string { return path }
func (fake) Line(context.Context, host.Reader, string, catalog.Fix, ...string) *report.Command {
	return nil
}
func (fake) Allow(context.Context, host.Reader, string, ...string) report.Line { return report.Line{} }
func (fake) Unplayed(host.Reader, string) []report.Evidence                    { return nil }
func (fake) Off(context.Context, host.Reader, string) (why report.Evidence, next report.Remedy) {
	return why, nil
}
func (fake) Mend(context.Context, host.Reader) (c report.Command, ok bool) {
	return c, false
}

// What verify asks is tried in its own tests: here it is what a session needs.

func (fake) Version(context.Context, host.Reader) string { return "1.0" }
func (a fake) Find(context.Context, host.Reader, string, string) (verify.Found, error) {
	return verify.Found{Path: a.exe}, nil
}
func (fake) At(r host.Reader, _ string) verify.InForce                               { return fakeRules{} }
func (fake) Checks(verify.Options, *verify.Rehearsal, engine.Sink) []engine.Check    { return nil }
func (fake) Fired(context.Context, host.Reader, string, *trial.Trial) []regress.Hook { return nil }
func (fake) Decides(context.Context, string, string, *verify.Keyer)                  {}
func (fake) Forgeable(context.Context, host.Reader, string) []report.Evidence        { return nil }
func (fake) Unbridged() report.Evidence                                              { return report.Evidence{} }

type fakeRules struct{ verify.InForce }

func (fakeRules) Named() []string { return nil }
func (fakeRules) Inputs() trial.Inputs {
	return trial.Inputs{Withheld: []string{"GH_TOKEN"}, Sockets: "it has no filter of system calls",
		Exposed: func(string) string { return "" }, Ruled: func(string) (bool, bool) { return true, false }}
}

func TestAProbeOfAnotherAgent(t *testing.T) {
	testenv.Need(t, "bwrap", "socat", "rg", "git", "mktemp")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := testenv.Home(t)
	project := filepath.Join(home, "p")
	testenv.Write(t, filepath.Join(project, "README.md"), "hello\n", 0o644)
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, home)), GOOS: "linux", GOARCH: runtime.GOARCH,
		UID: os.Getuid(), GID: os.Getgid(), Cwd: project, Executable: exe, Cores: 2, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	o := doctor.Options{Agent: fake{exe: exe}, Project: project, Probes: []report.ID{"tmpdir"}, TryFix: true}
	_, inputs, err := verify.Theatre(t.Context(), h, verify.Options{Agent: o.Agent, Project: project})
	if err != nil {
		t.Fatal(err)
	}
	hidden := "drop GH_TOKEN\nnever save .fake/rules\nnever open notes/private.txt\n"
	for _, c := range append(inputs.Canaries, inputs.Outside...) {
		hidden += "hide " + c.Path + "\nnever open " + c.Path + "\n"
	}
	for name, want := range map[string]struct {
		rules  string
		status report.Status
		voids  bool
		offers string // the rule that is offered
		column map[engine.Column]report.Status
	}{
		"it is refused, and a rule helps": {"wall\n" + hidden, report.Fail, false, "fresh /tmp\n",
			map[engine.Column]report.Status{engine.Outside: report.Pass, engine.Inside: report.Fail,
				engine.WithFix: report.Warn}},
		"it works": {"fresh /tmp\nwall\n" + hidden, report.Pass, false, "",
			map[engine.Column]report.Status{engine.Outside: report.Pass, engine.Inside: report.Pass}},
		"it works, for want of a wall": {hidden, report.Fail, true, "",
			map[engine.Column]report.Status{engine.Outside: report.Pass}},
	} {
		t.Run(name, func(t *testing.T) {
			testenv.Write(t, rulesOf(h), want.rules, 0o644)
			columns, refused := map[engine.Column]report.Status{}, false
			findings, err := doctor.Run(t.Context(), h, o, func(e engine.Event) {
				if s, ok := e.(engine.ProbeStep); ok {
					columns[s.Column] = s.Status
					if s.Column == engine.Inside && len(s.Refusal.Layers) > 0 && s.Refusal.String() != s.Summary {
						t.Errorf("%q in parts is %q", s.Summary, s.Refusal)
					}
					refused = refused || len(s.Refusal.Layers) > 0
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			f := findings[0]
			if f.Status != want.status || f.Voids != want.voids {
				t.Errorf("%s, nothing protects %v: %s", f.Status, f.Voids, f.Summary)
			}
			for column, status := range want.column {
				if columns[column] != status {
					t.Errorf("%v: %s, want %s", column, columns[column], status)
				}
			}
			if by := f.Of(report.Refusal); refused != (want.offers != "") || (by != nil) != refused {
				t.Errorf("refused %v by %q: %s", refused, by, f.Summary)
			}
			offered := ""
			for _, r := range f.Remedies {
				if c, is := r.(report.Change); is {
					if offered != "" || c.Path != rulesOf(h) {
						t.Errorf("offers %+v too", c)
					}
					offered = strings.TrimSuffix(string(c.After), want.rules)
				}
			}
			if offered != want.offers {
				t.Errorf("offers %q: %+v", offered, f)
			}
			if b, err := os.ReadFile(rulesOf(h)); err != nil || string(b) != want.rules {
				t.Errorf("the rules were changed: %v", errors.Join(err, iofs.ErrInvalid))
			}
		})
	}
}
