// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the setup of another agent is proposed by that agent, in its own
// files, and is written and taken back as any plan is.

package install_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/install"
)

// fake has rules, a line each; a second section says what it was asked for.
type fake struct{ rules string }

var walled = report.Question{ID: "wall", Kind: report.Confirm, Title: "Put up the wall?"}

func (a fake) Begin(_ context.Context, d install.Draft, given report.Answers) (install.Setup, error) {
	return install.Setup{
		Skips:     func(id report.ID) bool { return id == "never" },
		Questions: func() []report.Question { return []report.Question{walled} },
		Facts:     func() report.Facts { return report.Facts{Runtime: "1.0"} },
		Steps: []install.Step{
			{ID: "policy", Title: "Rules", Propose: func(context.Context) (report.Section, error) {
				s := report.Section{ID: "policy"}
				f, err := d.Open(a.rules, "")
				want := "hide ~/.ssh\n"
				if given.Yes(walled) {
					want = "wall\n" + want
				}
				d.Write(&s, "policy/rules", "hides what is secret", f, []byte(want), 0o600)
				return s, err
			}, Finish: func(_ context.Context, s *report.Section) error {
				if len(s.Items) > 0 {
					s.Items = append(s.Items, report.Command{ID: "policy/say", Line: "fake --reload", Optional: true, Why: "reload"})
				}
				return nil
			}},
			{ID: "never", Title: "Left out", Propose: func(context.Context) (report.Section, error) { panic("it is left out") }},
			{ID: "seen", Title: "What is there", Propose: func(context.Context) (report.Section, error) {
				f, err := d.Open(a.rules, "") // as the first step leaves it
				s := report.Section{ID: "seen", Title: string(f.Bytes)}
				return s, err
			}},
		},
	}, nil
}

func TestTheSetupOfAnotherAgent(t *testing.T) {
	home := testenv.Home(t)
	rules := filepath.Join(home, ".fake", "rules")
	testenv.Write(t, rules, "ask run rm\n", 0o600)
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, home)), GOOS: "linux", UID: os.Getuid(), GID: os.Getgid(),
		Cwd: home, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	read := func() string {
		b, err := os.ReadFile(rules)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	d := install.NewDialogue(h, fake{rules})
	without, err := d.Propose(t.Context(), report.Answers{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Propose(t.Context(), report.Answers{"wall": {"yes"}})
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, s := range got.Plan.Sections {
		titles = append(titles, s.Title)
	}
	if want := []string{"Rules", "Left out", "wall\nhide ~/.ssh\n"}; !slices.Equal(titles, want) {
		t.Errorf("the sections are %q, want %q", titles, want)
	}
	if got.Plan.ID == without.Plan.ID || len(got.Questions) != 1 || got.Facts.Runtime != "1.0" {
		t.Errorf("%s, without the wall %s: %+v %+v", got.Plan.ID, without.Plan.ID, got.Questions, got.Facts)
	}
	if read() != "ask run rm\n" {
		t.Fatal("the proposal wrote")
	}

	a := engine.Applier{State: h.Places().State, Version: "1", Now: time.Now, Self: "steward-setup"}
	receipt, err := a.Apply(t.Context(), got.Plan, got.Plan.ID, "install", func(engine.Event) {})
	if err != nil || read() != "wall\nhide ~/.ssh\n" {
		t.Fatalf("%v: %q", err, read())
	}
	if again, err := d.Propose(t.Context(), report.Answers{"wall": {"yes"}}); err != nil || len(again.Plan.Changes()) > 0 {
		t.Errorf("%v: what is written is proposed again: %+v", err, again.Plan.Changes())
	}
	taken, back, err := a.UndoPlan(h, receipt)
	if err == nil {
		err = a.Undo(t.Context(), taken, back, back.ID, func(engine.Event) {})
	}
	if err != nil || read() != "ask run rm\n" {
		t.Errorf("%v: %q", err, read())
	}
}
