// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nobody reads an answer before it is one, no fix is tried
// that nobody asked for, and what a fix would write is seen to the letter.

package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestTheColumnsOfTheDoctorFillIn(t *testing.T) {
	d, p := midway(t, "outside", false, 80, 24)
	d.sees("TRYING", "0 of 9 probes", "1 of 2  trying inside: 2 sessions", "▸ ssh-agent         ✓        ◐ trying",
		"docker            ⊘        docker is not installed", "egress            ◐ trying", "Not answered yet.", "━━━━")
	d.seesNot("works", "BLOCKED", "✗", "f try fixes", "r run again")
	p.event(engine.ProbeStep{ID: "ssh-agent", Column: engine.Inside, Status: report.Fail, Summary: agentSays,
		Refusal: refusals["ssh-agent"]})
	d.send(nil)
	d.sees("✗ system call blocked: ssh-add", "inside    ✗ "+agentSays[:60])
	d.seesNot("BLOCKED")
	d, _ = midway(t, "inside", true, 80, 24)
	if row := rowWith(d.frame(), "▸ ssh-agent"); !strings.Contains(row, "✗") ||
		!strings.HasSuffix(strings.TrimSpace(row), "◐ trying") {
		t.Errorf("while the fixes are tried the row is %q", row)
	}
}

func TestTheTableOfTheDoctorKeepsItsPlace(t *testing.T) {
	place := func(frame string) []int {
		var at []int
		for _, p := range probesOfTests {
			at = append(at, slices.IndexFunc(strings.Split(frame, "\n"), func(row string) bool {
				return strings.HasPrefix(strings.TrimLeft(row, " ▸"), string(p.ID)+" ")
			}))
		}
		return at
	}
	for _, size := range sizes {
		d, p := midway(t, "outside", true, size[0], size[1])
		before := place(d.frame())
		newSick().play(nil, true, "", p.event)
		testenv.OK(t, p.finished())
		d.send(nil)
		if after := place(d.frame()); !slices.Equal(before, after) || slices.Contains(before, -1) {
			t.Errorf("at %v the rows were %v and are %v", size, before, after)
		}
	}
}

func TestNoFixIsTriedUnlessAsked(t *testing.T) {
	s := newSick()
	d, p := consult(t, s.run(false), 80, 24)
	d.sees("BLOCKED", "1 ✗ fail", "no fix tried", "▸ ssh-agent", "f tries", "f try fixes", "7.7 s",
		"layer     system call blocked (seccomp)")
	d.seesNot("settings.local.json")
	if len(s.tried) != 0 || s.runs != 1 {
		t.Fatalf("%d runs, fixes tried of %v", s.runs, s.tried)
	}
	d.press("down down f").sees("no fix to try for docker", "F try all fixes")
	d.press("home f")
	if s.runs != 1 || len(s.tried) != 1 || !slices.Equal(s.tried[0], []report.ID{"ssh-agent"}) {
		t.Errorf("%d runs, fixes tried of %v: f tries those of the selected probe", s.runs, s.tried)
	}
	d.sees("⚠ price", "with fix  ⚠ “Allow all unix sockets” works", "localhost-bind    ✓        ⚠ hidden or read-only, "+
		"by …      f tries")
	d.press("F")
	if len(s.tried) != 2 || !slices.Equal(s.tried[1], []report.ID{"localhost-bind"}) {
		t.Errorf("fixes tried of %v: only what is refused, and was not tried, needs them", s.tried)
	}
	d.sees("fixes tried", "✗ none", "r run again")
	d.seesNot("f try fixes")
	d.press("f").sees("fixes were tested; press r to run the probes again")
	if len(s.tried) != 2 {
		t.Error("f tried the fixes twice")
	}
	d.press("r") // as it was called: without fixes
	d.sees("no fix tried", "f try fixes")
	if s.runs != 2 || len(p.rows[0].changes) != 0 {
		t.Errorf("%d runs; %d changes of the run before", s.runs, len(p.rows[0].changes))
	}
}

func TestWhatAFixWouldWriteIsSeenWhole(t *testing.T) {
	for _, size := range sizes {
		d, _ := consult(t, newSick().run(true), size[0], size[1])
		d.press("enter")
		seen := d.frame()
		for range 40 {
			seen += d.press("down").frame()
		}
		flat := strings.Join(strings.Fields(seen), "") // a narrow window breaks lines anywhere
		for _, want := range []string{"fix Allow all unix sockets", "price every socket that",
			`+ "allowAllUnixSockets": true`, `"model": "opus"`, "layer system call blocked (seccomp)", "use an HTTPS remote",
			"nothing is written", "every denial held"} {
			if !strings.Contains(flat, strings.ReplaceAll(want, " ", "")) {
				t.Errorf("at %v the user does not read %q in\n%s", size, want, d.frame())
			}
		}
		d.press("esc q")
		if !d.quit || d.v.end != Quit {
			t.Errorf("%s", d.v.end)
		}
	}
}

func TestTheDoctorsLastWords(t *testing.T) {
	run := newSick().run(true)
	run.Next = func([]report.Finding) []report.NextStep {
		return []report.NextStep{{Text: "make the change shown above"}}
	}
	d, p := consult(t, run, 80, 24)
	d.press("q")
	words := strings.Join(p.lastWords(d.v.end), "\n")
	for _, want := range []string{"BLOCKED   1 ✗  1 ⚠", "✗ ssh-agent", "price  every socket",
		".claude/settings.local.json:\n", "\n      +       \"allowAllUnixSockets\": true\n",
		"1  make the change shown above"} {
		if !strings.Contains(words, want) {
			t.Errorf("once the screen is gone the user does not read %q in\n%s", want, words)
		}
	}
	if words := p.lastWords(Interrupted); len(words) != 1 || !strings.Contains(words[0], "nothing was changed") {
		t.Errorf("%q", words)
	}
}

func TestTheDoctorsKeys(t *testing.T) {
	run := newSick().run(false)
	run.AsCalled = func(s report.NextStep) (report.NextStep, bool) {
		c := *s.Command
		c.Line = "/opt/" + c.Line
		s.Command = &c
		return s, true
	}
	d, p := consult(t, run, 80, 24)
	d.press("y")
	if len(d.copied) != 1 || d.copied[0] != "/opt/steward-setup doctor ssh-agent --try-fix" {
		t.Errorf("copied %q", d.copied)
	}
	d.press("down down y").sees("▸ docker", "no command here")
	d.press("end").sees("▸ egress")
	d.press("pgup pgup home up k").sees("▸ ssh-agent")
	d.press("?").sees("Keys", "everything else must stay blocked")
	d.press("esc f").sees("▸ ssh-agent", "some fixes tried")
	p.run.Fixable = func(report.Finding) bool { return false }
	d.press("r f").sees("no fix is known for what is blocked here")
}

func TestAnOpenDenialIsNothingToFix(t *testing.T) {
	s := newSick()
	f := s.finding("ssh-agent")
	f.Voids, f.Summary = true, "not protected: a command reads ~/.aws/credentials"
	s.finding("localhost-bind").Remedies = nil
	d, _ := consult(t, s.run(false), 80, 24)
	d.sees("NOT PROTECTED")
	d.seesNot("f try fixes", "f tries")
	d.press("f").sees("a protection failed: no fix is tested until it works")
	if s.tried != nil {
		t.Error("a fix was tried while a denial is open")
	}
}

func TestDiagnosis(t *testing.T) {
	for _, c := range []struct {
		want string
		edit func(*sick)
	}{
		{"BLOCKED", func(*sick) {}},
		{"NOTHING BLOCKED", func(s *sick) { s.finding("ssh-agent").Status = report.Pass }},
		{"INCOMPLETE", func(s *sick) { s.finding("ssh-agent").Status = report.Unknown }},
		{"NOT PROTECTED", func(s *sick) { s.finding("egress").Status, s.finding("egress").Voids = report.Fail, true }},
		{"NOTHING APPLIES", func(s *sick) { *s = *nothingHere() }},
	} {
		s := newSick()
		c.edit(s)
		d, _ := consult(t, s.run(false), 80, 24)
		if row := strings.Split(d.frame(), "\n")[1]; !strings.HasPrefix(row, " "+c.want+" ") {
			t.Errorf("want %s, the row under the header is %q", c.want, row)
		}
	}
}

// TestAProbeThatFailedItselfIsUnknown: a probe with a defect tells no column.
func TestAProbeThatFailedItselfIsUnknown(t *testing.T) {
	run := newSick().run(false)
	run.Probes = probesOfTests[:1]
	run.Run = func(_ context.Context, emit engine.Sink) error {
		emit(engine.CheckStarted{ID: "ssh-agent"})
		emit(engine.ProbeStep{ID: "ssh-agent", Column: engine.Outside, Status: report.Pass, Summary: "2 identities",
			GoesOn: true})
		emit(engine.CheckDone{Finding: report.Finding{Check: "ssh-agent", Status: report.Unknown,
			Summary: "the probe itself failed: please report this"}})
		return nil
	}
	d, _ := consult(t, run, 80, 24)
	if row := rowWith(d.frame(), "▸ ssh-agent"); !strings.Contains(row, "? the probe itself failed") {
		t.Errorf("the row is %q", row)
	}
}

func TestLeavingTheDoctorBeforeItsAnswers(t *testing.T) {
	for _, key := range []string{"ctrl+c", "q", "esc y"} {
		m := leftEarly(t, key, func(ctx context.Context, work func(context.Context, engine.Sink) error) *viewer {
			run := newSick().run(false)
			run.Run = work
			m, _ := newDoctor(ctx, run)
			return m
		})
		if m.end != Interrupted {
			t.Errorf("%s: %s", key, m.end)
		}
	}
	// Esc asks first, and any no goes on.
	running, _ := midway(t, "inside", false, 80, 24)
	running.press("esc").sees("Stop and quit?", "Nothing was changed", "y stop and quit", "n stay")
	if running.press("n"); running.quit || running.v.end != "" {
		t.Error("the run ended though the user stays")
	}
	running.sees("TRYING")
	running.press("?").sees("esc", "asks first during a run")
	// Fixes are a run, too: to leave while they are tried is no answer.
	d, _ := consult(t, newSick().run(false), 80, 24)
	d.v.work = nil
	p := d.v.page.(*doctorPage)
	p.reset([]report.ID{"ssh-agent"}, true)
	d.sees("0 of 1 probe")
	if d.press("q"); d.v.end != Interrupted {
		t.Errorf("%s", d.v.end)
	}
}

func TestADoctorWithoutAnswersIsADefect(t *testing.T) {
	run := newSick().run(false)
	run.Run = func(_ context.Context, emit engine.Sink) error {
		newSick().play([]report.ID{"docker"}, false, "", emit)
		return nil
	}
	d, _ := consult(t, run, 80, 24)
	if e := (*report.Error)(nil); !d.quit || d.v.end != Failed || !errors.As(d.v.err, &e) ||
		e.Code != report.ExitInternal {
		t.Errorf("%s, %v", d.v.end, d.v.err)
	}
	broke := errors.New("no catalog")
	run.Run = func(context.Context, engine.Sink) error { return broke }
	if d, _ = consult(t, run, 80, 24); !d.quit || d.v.end != Failed || !errors.Is(d.v.err, broke) {
		t.Errorf("%s, %v", d.v.end, d.v.err)
	}
}

func TestTheDoctorKeepsItsPlaceWhenTheWindowChanges(t *testing.T) {
	for _, keys := range []string{"down down down", "enter"} {
		d, _ := consult(t, newSick().run(true), 80, 24)
		marked := markedRow(d.press(keys).frame())
		for _, size := range [][2]int{{120, 40}, {40, 24}, {29, 5}, {200, 60}, {31, 13}, {40, 12}, {80, 24}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			if size[0] >= minWidth && size[1] >= minHeight {
				checkedFrame(t, d, size)
			}
		}
		if got := markedRow(d.frame()); got != marked {
			t.Errorf("after %q the cursor is on %q, was on %q", keys, got, marked)
		}
	}
}

// TestNothingHostileReachesTheDoctorsTerminal: what probes say is what tools,
// sockets and files of the machine are called.
func TestNothingHostileReachesTheDoctorsTerminal(t *testing.T) {
	f := evilFinding(report.ID(evil))
	f.Layer = report.Layer(evil)
	f.Evidence = append(f.Evidence, report.RefusalEvidence(evil))
	f.Remedies = append(f.Remedies, report.Change{Path: evil, Why: evil, Price: evil, Before: []byte(evil + "\n"),
		After: []byte("x" + evil)})
	run := DoctorRun{Facts: report.Facts{Project: project + evil, Branch: evil, Home: home, Runtime: evil},
		Probes: []engine.Check{{ID: report.ID(evil), Title: evil}}, FixesTried: true,
		Run: func(_ context.Context, emit engine.Sink) error {
			emit(engine.CheckStarted{ID: f.Check, Title: evil})
			emit(engine.Progress{Text: evil, Done: -1, Of: 2})
			for _, c := range []engine.Column{engine.Outside, engine.Inside, engine.WithFix, engine.Column(evil)} {
				said := evil + " ghp_0123456789abcdef0123456789abcdef0123"
				emit(engine.ProbeStep{ID: f.Check, Column: c, Status: report.Status(evil), Summary: said,
					Refusal: engine.Refusal{Layers: []catalog.Refuser{evil}, Said: said, Works: said}})
			}
			emit(engine.CheckDone{Finding: f})
			return nil
		}}
	for _, size := range sizes {
		for _, keys := range []string{"", "enter", "?", "y"} {
			d, p := consult(t, run, size[0], size[1])
			d.press(keys)
			shown := styleCode.ReplaceAllString(d.v.View().Content, "") + "\n" + strings.Join(p.lastWords(Quit), "\n")
			for _, bad := range []string{"\x1b", "\x07", "\r", "\u202e", "\u009b", "ghp_0123"} {
				if strings.Contains(shown, bad) {
					t.Errorf("at %v after %q: %q reaches the terminal in %q", size, keys, bad, ansi.Strip(shown))
				}
			}
		}
	}
}

func TestTheDoctorPointsAtWhatMattersMost(t *testing.T) {
	s := newSick()
	s.finding("egress").Status, s.finding("egress").Voids = report.Fail, true
	d, _ := consult(t, s.run(false), 80, 24)
	d.sees("▸ egress")
	d.press("up r") // the user chose, so the cursor stays
	d.sees("▸ git-worktree")
}

// TestAProbeThatIsTriedHasNoReasonYet: what was said outside is none.
func TestAProbeThatIsTriedHasNoReasonYet(t *testing.T) {
	run := newSick().run(false)
	run.Probes = probesOfTests[:1]
	m, p := newDoctor(t.Context(), run)
	m.work = nil // the test plays it
	d := lookAt(t, m, 80, 24)
	p.event(engine.CheckStarted{ID: "ssh-agent"})
	step := engine.ProbeStep{ID: "ssh-agent", Column: engine.Outside, Status: report.Skip, Summary: "tried on a copy"}
	for _, goesOn := range []bool{false, true} {
		step.GoesOn = goesOn
		p.event(step)
		d.send(nil)
		row := rowWith(d.frame(), "▸ ssh-agent")
		if strings.Contains(row, "trying") != goesOn || strings.Contains(row, step.Summary) == goesOn {
			t.Errorf("it goes on %v: %q", goesOn, row)
		}
	}
}
