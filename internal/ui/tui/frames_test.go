// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every page has a golden frame at three sizes, without
// styles, so that a change of a screen is seen in review. Whatever is in it,
// a frame is exactly as large as the window.

package tui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

const framesDir = "../../../testdata/frames"

var sizes = [][2]int{{40, 24}, {80, 24}, {120, 40}}

// scenes are the pages, and the keys that lead to them.
var scenes = []struct {
	name string
	b    fake
	keys string
}{
	{"tools", fake{}, ""},
	{"tools-done", fake{toolsThere: true}, ""},
	{"question-text", fake{questions: true}, "s"},
	{"question-hosts", fake{questions: true}, "s enter down"},
	{"question-confirm", fake{questions: true}, "s enter enter"},
	{"policy", fake{questions: true}, "s enter enter enter"},
	{"policy-why", fake{}, "s w down down down down down down down"},
	{"policy-alone", fake{}, "s f end"},
	{"policy-entries", fake{}, "s c down down space"},
	{"policy-read", fake{}, "s n"},
	{"wrapper-line", fake{}, "s a right"},
	{"hooks", fake{}, "s a a right right right"},
	{"hooks-left-out", fake{}, "s a a s b"},
	{"wiring", fake{}, "s a a a"},
	{"roots", fake{}, "s a a a a right"},
	{"review", fake{}, toReview},
	{"review-look", fake{}, toReview + " down down down"},
	{"review-line", fake{}, toReview + " down down down down down"},
	{"review-left-out", fake{}, "s a a a a a b b b b b b s s s enter enter enter"},
	{"review-open", fake{drift: true}, "s a a a a a b s"},
	{"nothing", fake{done: true, toolsThere: true}, ""},
	{"no-plan", fake{proposeErr: &report.Error{Code: report.ExitMalformed, Where: home + "/.claude/settings.json:14:3",
		What: "a comment",
		Why:  "the runtime silently ignores the whole file", Next: "remove the comment, then press r",
		Err: errors.New("invalid character '/'")}}, ""},
	{"stopped", fake{applyErr: errDisk, failAt: 3}, toReview + " enter"},
	{"report", fake{report: healthy()}, toReview + " enter"},
	{"report-check", fake{}, toReview + " enter home down down"},
	{"report-step", fake{}, toReview + " enter end"},
	{"help", fake{}, "s ?"},
	{"quit", fake{}, "s a q"},
}

// doctorOfTests is what the wizard's last page leads to.
var doctorOfTests = []Action{{Key: "d", Word: "doctor"}}

func TestFrames(t *testing.T) {
	for i := range scenes {
		s := &scenes[i]
		t.Run(s.name, func(t *testing.T) {
			var b strings.Builder
			for _, size := range sizes {
				d := drive(t, s.b.fresh(), Options{Actions: doctorOfTests}, size[0], size[1])
				d.press(s.keys)
				fmt.Fprintf(&b, "%dx%d\n%s\n\n", size[0], size[1], checkedFrame(t, d, size))
			}
			compare(t, s.name, b.String())
		})
	}
	for _, s := range []struct{ name, keys string }{
		{"way", ""}, {"recommended", "enter"}, {"recommended-review", "enter enter enter"},
		{"recommended-answer", "enter enter enter " + strings.Repeat("down ", 13)},
		{"recommended-change", "enter enter enter " + strings.Repeat("down ", 13) + "enter"},
	} {
		t.Run(s.name, func(t *testing.T) {
			var b strings.Builder
			for _, size := range sizes {
				d := setOut(t, &fake{questions: true}, Options{}, size[0], size[1])
				d.press(s.keys)
				fmt.Fprintf(&b, "%dx%d\n%s\n\n", size[0], size[1], checkedFrame(t, d, size))
			}
			compare(t, s.name, b.String())
		})
	}
	t.Run("undo", func(t *testing.T) {
		var b strings.Builder
		for _, size := range sizes {
			c := undoPage(&fake{})
			m := newWizard(context.Background(), confirmed{c}, Options{Command: c.Command})
			m.confirm(&c)
			d := &driver{t: t, m: m, msgs: make(chan tea.Msg), cancel: func() {}}
			d.start(size[0], size[1])
			fmt.Fprintf(&b, "%dx%d\n%s\n\n", size[0], size[1], checkedFrame(t, d, size))
		}
		compare(t, "undo", b.String())
	})
}

// checkedFrame is the frame, if it has the size of the window.
func checkedFrame(t *testing.T, d *driver, size [2]int) string {
	t.Helper()
	rows := strings.Split(d.frame(), "\n")
	if len(rows) != size[1] {
		t.Errorf("%d rows in a window of %d:\n%s", len(rows), size[1], d.frame())
	}
	for i, row := range rows {
		if w := text.Width(row); w > size[0] {
			t.Errorf("row %d takes %d cells of %d: %q", i, w, size[0], row)
		}
		rows[i] = strings.TrimRight(row, " ")
	}
	return strings.Join(rows, "\n")
}

// screens are those that change nothing.
var screens = []struct {
	name string
	open func(*testing.T, [2]int) *driver
}{
	{"verify-running", func(t *testing.T, s [2]int) *driver { return half(t, healthy(), s[0], s[1]) }},
	{"verify-protected", verifyScene(healthy, "")},
	{"verify-unprotected", verifyScene(broken, "")},
	{"verify-launches", verifyScene(healthy, "home down down down down down down down down down down")},
	{"verify-detail", verifyScene(broken, "right")},
	{"verify-evidence", verifyScene(broken, "v")},
	{"verify-step", verifyScene(broken, "end up")},
	{"verify-help", verifyScene(broken, "?")},
	{"doctor-running", func(t *testing.T, s [2]int) *driver { d, _ := midway(t, "outside", false, s[0], s[1]); return d }},
	{"doctor-trying-fixes", func(t *testing.T, s [2]int) *driver {
		d,
			_ := midway(t, "inside", true, s[0], s[1])
		return d
	}},
	{"doctor-done", doctorScene(newSick(), false, "")},
	{"doctor-fixes", doctorScene(newSick(), false, "f")},
	{"doctor-detail", doctorScene(newSick(), true, "enter")},
	{"doctor-all-skipped", doctorScene(nothingHere(), false, "")},
	{"doctor-help", doctorScene(newSick(), false, "?")},
	{"update-regression", updateScene("")},
	{"update-detail", updateScene("right")},
	{"trial-running", rehearsing},
	{"trial-lost", trialScene(true)},
	{"trial-nothing-lost", trialScene(false)},
	{"home-drift", homeScene(drifted(homeOf(healthy(), 50*time.Hour)))},
	{"home-sync", homeScene(synced(homeOf(healthy(), 50*time.Hour)))},
	{"home-protected", homeScene(homeOf(healthy(), 50*time.Hour))},
	{"home-unprotected", homeScene(homeOf(broken(), 0))},
	{"home-empty", homeScene(HomeData{Facts: facts, Findings: broken(), Empty: true, Hosts: -1, Bypasses: -1,
		Actions: actions})},
}

func verifyScene(findings func() []report.Finding, keys string) func(*testing.T, [2]int) *driver {
	return func(t *testing.T, s [2]int) *driver {
		t.Helper()
		return lookAt(t, newVerify(t.Context(), verifying(findings)), s[0], s[1]).press(keys)
	}
}

func homeScene(h HomeData) func(*testing.T, [2]int) *driver {
	return func(t *testing.T, s [2]int) *driver { t.Helper(); return openHome(t, h, s[0], s[1]) }
}

func TestScreens(t *testing.T) {
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) {
			var b strings.Builder
			for _, size := range sizes {
				fmt.Fprintf(&b, "%dx%d\n%s\n\n", size[0], size[1], checkedFrame(t, s.open(t, size), size))
			}
			compareFile(t, s.name, b.String())
		})
	}
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	compareFile(t, "wizard-"+name, got)
}

func compareFile(t *testing.T, name, got string) {
	t.Helper()
	testenv.Golden(t, filepath.Join(framesDir, name+".txt"), got, "go test ./internal/ui/tui -update")
}

func TestResizingKeepsThePlace(t *testing.T) {
	for _, keys := range []string{"s down down down down down down down down down down down", "s c down down down",
		toReview + " down down down", "s a a right right"} {
		d := drive(t, &fake{}, Options{}, 80, 24).press(keys)
		before := d.frame()
		marked := markedRow(before)
		for _, size := range [][2]int{{120, 40}, {40, 24}, {29, 5}, {200, 60}, {31, 13}, {40, 24}, {80, 24}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			if size[0] >= minWidth && size[1] >= minHeight {
				checkedFrame(t, d, size)
			} else {
				d.sees("needs 30×12")
			}
		}
		if got := markedRow(d.frame()); got != marked {
			t.Errorf("after %q the cursor is on %q, was on %q\n%s", keys, got, marked, d.frame())
		}
	}
}

// markedRow is the last row with a cursor.
func markedRow(frame string) string {
	var found string
	for row := range strings.Lines(frame) {
		if strings.Contains(row, "▸") {
			found = strings.TrimSpace(row)
		}
	}
	return found
}

func TestEveryFrameFitsEveryWindow(t *testing.T) {
	for i := range scenes {
		s := &scenes[i]
		for _, size := range [][2]int{{30, 12}, {45, 14}, {59, 20}, {60, 18}, {109, 24}, {110, 24}, {220, 70}} {
			d := drive(t, s.b.fresh(), Options{}, size[0], size[1])
			d.press(s.keys)
			checkedFrame(t, d, size)
		}
	}
	for _, s := range screens {
		for _, size := range [][2]int{{30, 12}, {45, 14}, {59, 20}, {60, 18}, {109, 24}, {110, 24}, {220, 70}} {
			checkedFrame(t, s.open(t, size), size)
		}
	}
}
