// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the home screen never looks better than what was found.

package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/report"
)

func openHome(t *testing.T, h HomeData, width, height int) *driver {
	t.Helper()
	return lookAt(t, newViewer(context.Background(), "", h.Facts, newHomePage(h)), width, height)
}

func rowWith(frame, word string) string {
	for row := range strings.Lines(frame) {
		if strings.Contains(row, word) {
			return row
		}
	}
	return ""
}

func TestHomeShowsTheWorstOfEachLayer(t *testing.T) {
	for _, c := range []struct {
		breaks report.ID
		status report.Status
		layers []string // that show it
		others []string // that do not
	}{
		{"sandbox-support", report.Fail, []string{"1 sandbox"}, []string{"0 clean env", "2 permissions", "3 confirmation"}},
		{"project-settings", report.Fail, []string{"1 sandbox", "2 permissions", "3 confirmation"}, []string{"0 clean env"}},
		{"denials", report.Unknown, []string{"2 permissions", "3 confirmation"}, []string{"0 clean env", "1 sandbox"}},
		{"clean-env", report.Unknown, []string{"0 clean env"}, []string{"1 sandbox", "2 permissions"}},
	} {
		fs := healthy()
		for i := range fs {
			if fs[i].Check == c.breaks {
				fs[i].Status = c.status
			}
		}
		for _, size := range sizes {
			d := openHome(t, homeOf(fs, 0), size[0], size[1])
			for _, layer := range c.layers {
				if row := rowWith(d.frame(), layer); !strings.Contains(row, c.status.Symbol()) {
					t.Errorf("%v, %s is %s: the row of %s is %q", size, c.breaks, c.status, layer, row)
				}
			}
			for _, layer := range c.others {
				if row := rowWith(d.frame(), layer); row == "" || strings.Contains(row, c.status.Symbol()) {
					t.Errorf("%v, %s is %s: the row of %s is %q", size, c.breaks, c.status, layer, row)
				}
			}
		}
	}
}

func TestALayerOfWhichNothingIsKnownIsUnknown(t *testing.T) {
	if s := layerStatus(nil, report.LayerSandbox); s != report.Unknown {
		t.Errorf("no finding is shown as %s", s)
	}
	if s := layerStatus([]report.Finding{{Layer: report.LayerSandbox, Status: report.Skip}},
		report.LayerSandbox); s != report.Unknown {
		t.Errorf("what does not apply is shown as %s", s)
	}
	if s := layerStatus([]report.Finding{{Layer: report.LayerSandbox, Status: "other"}},
		report.LayerSandbox); s != report.Unknown {
		t.Errorf("an unknown status is shown as %s", s)
	}
}

func TestHomeSaysHowFreshTheProofIs(t *testing.T) {
	openHome(t, homeOf(healthy(), 50*time.Hour), 80, 24).sees("PROTECTED   tested 2 days ago with this runtime")
	d := openHome(t, homeOf(healthy(), 0), 80, 24)
	d.sees("PROTECTED   not tested with this runtime")
	d.seesNot("tested 2")
	openHome(t, homeOf(broken(), time.Hour), 80, 24).sees("UNPROTECTED   tested 1 hour ago")
	openHome(t, homeOf(healthy(), 0), 120, 40).sees("⚠ claude-iso", "⚠ plain claude", "2 bypasses this week",
		"all hosts but 14") // tools that are not the newest are a warning for both
	fs := healthy()
	fs[10].Launches[1].Status = report.Fail
	openHome(t, homeOf(fs, 0), 120, 40).sees("✗ claude-iso")
	h := homeOf(healthy(), 0)
	h.Hosts, h.Bypasses = 0, -1
	openHome(t, h, 120, 40).sees("~/, every host")
	h.Hosts = -1
	d = openHome(t, h, 120, 40)
	d.seesNot("bypass", "-1")
}

func TestHomeShowsOnlyKeysThatLeadSomewhere(t *testing.T) {
	h := homeOf(healthy(), 0)
	h.Actions = []Action{{"v", "verify"}, {"h", "history"}}
	d := openHome(t, h, 80, 24)
	d.sees("v verify", "h history", "? help", "q quit")
	d.seesNot("d doctor", "i install")
	d.press("d i s u")
	if d.quit {
		t.Fatal("a key without a command ended the screen")
	}
	if d.press("h"); !d.quit || d.v.pick != "h" || d.v.end != Quit {
		t.Errorf("pick %q, %s", d.v.pick, d.v.end)
	}
	d = openHome(t, h, 80, 24)
	if d.press("q"); d.v.pick != "" || d.v.end != Quit {
		t.Errorf("pick %q, %s", d.v.pick, d.v.end)
	}
	d = openHome(t, h, 80, 24)
	if d.press("ctrl+c"); d.v.end != Interrupted {
		t.Errorf("%s", d.v.end)
	}
	d = openHome(t, h, 80, 24)
	if d.press("y"); len(d.copied) != 1 || d.copied[0] != "steward-setup install --plan" {
		t.Errorf("copied %q", d.copied)
	}
}

func TestHomeNeverShowsHalfACommand(t *testing.T) {
	fs := healthy()
	fs[0].Remedies = []report.Remedy{report.Command{Line: "steward-setup install --project " +
		"/home/ada/a-directory-with-a-name-that-no-row-holds/tracker", Why: "why"}}
	d := openHome(t, homeOf(fs, 0), 40, 24)
	d.sees("y copies its command")
	d.seesNot("--project")
	if d.press("y"); len(d.copied) != 1 || !strings.HasSuffix(d.copied[0], "/tracker") {
		t.Errorf("copied %q", d.copied)
	}
}

func TestHomeOfAMachineWithoutASetup(t *testing.T) {
	h := homeOf(broken(), 0)
	h.Empty = true
	for _, size := range sizes {
		d := openHome(t, h, size[0], size[1])
		d.sees("NOT SET UP", "i  install", "t  try", "nothing")
		d.seesNot("✓", "PROTECTED", "14") // the list of hosts is yet to come
	}
}

// A row that begins with the launch does not name it again.
func TestALaunchIsNamedOnceInItsRow(t *testing.T) {
	fs := healthy()
	fs[0].Launches = []report.LaunchStatus{{Launch: report.Iso, Status: report.Fail,
		Summary: "claude-iso is not defined"}}
	row := rowWith(openHome(t, homeOf(fs, 0), 120, 40).frame(), "started as")
	if !strings.Contains(row, "claude-iso is not defined") || strings.Contains(row, "claude-iso claude-iso") {
		t.Errorf("%q", row)
	}
}

// TestHomeNamesAnInterruptedRun, whether anything else is there or not.
func TestHomeNamesAnInterruptedRun(t *testing.T) {
	for _, empty := range []bool{false, true} {
		h := homeOf(healthy(), 0)
		h.Empty = empty
		h.Left = []report.Command{{ID: "finish", Why: "finish install", Line: "steward-setup install"}}
		openHome(t, h, 80, 24).sees("next", "1  finish install", "steward-setup install")
	}
}
