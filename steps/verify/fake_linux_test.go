// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: another agent is verified through what this package exports, with
// all that is asked of the first one, as far as it has it.

package verify_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/fakeagent"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// On a stage this binary is the program, and the fake agent.
func TestMain(m *testing.M) { os.Exit(fakeagent.Tests(m)) }

// fake is the fake agent for verify; exe is its program, "" if there is none.
type fake struct {
	fakeagent.Agent
	exe string
}

func (fake) Version(context.Context, host.Reader) string { return "1.0" }

func (a fake) Find(_ context.Context, _ host.Reader, _, _ string) (verify.Found, error) {
	if a.exe == "" {
		return verify.Found{}, errors.New("fake is not on PATH")
	}
	return verify.Found{Path: a.exe}, nil
}

func (fake) At(r host.Reader, dir string) verify.InForce {
	var f fakeRules
	for _, dir := range []string{r.Places().Home, dir} {
		path := filepath.Join(dir, ".fake", "rules")
		if b, err := r.Read(path); err == nil {
			f.path, f.lines = path, append(f.lines, strings.Split(string(b), "\n")...)
		}
	}
	return f
}

func (a fake) Checks(o verify.Options, _ *verify.Rehearsal, _ engine.Sink) []engine.Check {
	return []engine.Check{engine.CheckOf("project-settings", func(_ context.Context, r host.Reader) report.Finding {
		f := a.At(r, o.Project).(fakeRules)
		seen := []report.Evidence{report.FileEvidence(f.path, "its rules")}
		if !slices.Contains(f.lines, "wall") {
			return report.Finding{Status: report.Fail, Voids: true, Summary: "there is no wall", Evidence: seen}
		}
		return report.Finding{Status: report.Pass, Summary: "there is a wall", Evidence: seen}
	})}
}

func (fake) Fired(context.Context, host.Reader, string, *trial.Trial) []regress.Hook { return nil }
func (fake) Forgeable(context.Context, host.Reader, string) []report.Evidence        { return nil }
func (fake) Unbridged() report.Evidence                                              { return report.Evidence{} }
func (fake) Decides(_ context.Context, _, dir string, k *verify.Keyer) {
	k.File(filepath.Join(k.Host.Places().Home, ".fake", "rules"))
}

// fakeRules are the rules of a start, a line each.
type fakeRules struct {
	path  string
	lines []string
}

func (f fakeRules) all(word string) (list []string) {
	for _, line := range f.lines {
		if rest, ok := strings.CutPrefix(line, word+" "); ok {
			list = append(list, rest)
		}
	}
	return list
}

func (f fakeRules) Inputs() trial.Inputs {
	return trial.Inputs{Withheld: f.all("drop"), Sockets: "it has no filter of system calls",
		Exposed: func(string) string { return "" }, Ruled: func(string) (bool, bool) { return true, false }}
}

func (f fakeRules) Named() []string { return nil }

func (f fakeRules) Opens(p trial.Probe, _ report.Launch) []verify.Opener {
	if p.Below != trial.Filesystem || slices.Contains(f.all("hide"), p.Subject) {
		return nil
	}
	return []verify.Opener{{Seen: report.FileEvidence(f.path, "no line hides "+p.Subject),
		Ends: report.DocLink{Title: "hide " + p.Subject, Target: f.path}}}
}

func (f fakeRules) ByMode(string) (by verify.Opener, ok bool)           { return by, false }
func (f fakeRules) Proxied(report.Launch) (at report.Evidence, ok bool) { return at, false }

func TestAnotherAgentIsVerified(t *testing.T) {
	testenv.Need(t, "bwrap", "socat", "rg", "git", "unshare")
	for name, want := range map[string]struct {
		forget, more string // a path that no rule names, and another rule
		absent       bool
		verdict      report.Verdict
		denials      report.Status
		says, next   string
		through      int // in the project
	}{
		"every credential has its rules": {more: "light\n", verdict: report.Protected, denials: report.Warn,
			says: "allowed by the settings: a command makes a unix socket"},
		"it refuses what makes a session light": {more: "heavy\n", verdict: report.Protected, denials: report.Warn,
			says: "allowed by the settings: a command makes a unix socket"},
		"one was forgotten": {forget: ".netrc", verdict: report.Unprotected, denials: report.Fail,
			says: "a command reads ~/.netrc", next: "hide ", through: 2},
		"it does not start": {more: "stop\n", verdict: report.Degraded, denials: report.Unknown,
			says: "never asked the model"},
		"it is not there": {absent: true, verdict: report.Degraded, denials: report.Unknown, says: "fake is not on PATH"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			home := testenv.Home(t)
			project := filepath.Join(home, "p")
			testenv.Write(t, filepath.Join(project, "README.md"), "hello\n", 0o644)
			h, err := host.New(env.System{Env: env.New(testenv.Env(t, home)), GOOS: "linux", GOARCH: runtime.GOARCH,
				UID: os.Getuid(), GID: os.Getgid(),
				Cwd: project, Executable: exe, Cores: 2, Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			_, inputs, err := verify.Theatre(t.Context(), h, verify.Options{Agent: fake{exe: exe}, Project: project})
			if err != nil {
				t.Fatal(err)
			}
			rules := "wall\ndrop GH_TOKEN\nnever save .fake/rules\nnever open notes/private.txt\n" + want.more
			for _, c := range append(inputs.Canaries, inputs.Outside...) {
				if want.forget == "" || !strings.HasSuffix(c.Path, want.forget) {
					rules += "hide " + c.Path + "\nnever open " + c.Path + "\n"
				}
			}
			testenv.Write(t, filepath.Join(home, ".fake", "rules"), rules, 0o644)

			if want.absent {
				exe = ""
			}
			o, live := verify.Options{Agent: fake{exe: exe}, Project: project}, verify.NewRehearsal()
			live.Begin(t.Context(), h, o)
			got, err := verify.Run(t.Context(), h, verify.WithRehearsal(o, live, nil), verify.RunOptions{From: live.From},
				func(engine.Event) {})
			if err != nil {
				t.Fatal(err)
			}
			rejudged(t, h, o, got, live)
			i := slices.IndexFunc(got.Findings, func(f report.Finding) bool { return f.Check == "denials" })
			denials := got.Findings[i]
			if os.Getuid() == 0 { // nothing is proved
				want.verdict = report.Weaker(want.verdict, report.Degraded)
				denials.Summary = strings.TrimPrefix(denials.Summary, verify.Root)
				if want.denials == report.Warn {
					want.denials = report.Unknown
				}
			}
			if got.Verdict != want.verdict || denials.Status != want.denials || !strings.Contains(denials.Summary, want.says) {
				t.Errorf("%s: %s: %s\n%+v", got.Verdict, denials.Status, denials.Summary, got.Findings)
			}
			next := slices.ContainsFunc(denials.Remedies, func(r report.Remedy) bool {
				link, is := r.(report.DocLink)
				return is && link.Target == filepath.Join(home, ".fake", "rules") && strings.HasPrefix(link.Title, want.next)
			})
			if next != (want.next != "") {
				t.Errorf("next is %+v", denials.Remedies)
			}
			for _, c := range got.Covers {
				if c.Start == report.AtRoot && (c.Through != want.through || c.Denied < 40 && want.denials == report.Fail) {
					t.Errorf("%+v", c)
				}
			}
		})
	}
}
