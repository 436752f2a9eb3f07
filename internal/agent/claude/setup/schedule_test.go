// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path of any letters is one word of the unit, and nothing
// is proposed unless it was asked for.

package setup

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/install"
)

func machineOf(t *testing.T, goos string) *host.Host {
	t.Helper()
	home := testenv.Home(t)
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, home)), GOOS: goos, UID: 1000, Cwd: home,
		Executable: "/opt/steward-setup", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func scheduled(t *testing.T, goos, root string, yes bool) report.Section {
	t.Helper()
	h := machineOf(t, goos)
	p := &proposer{r: h, answers: report.Answers{"schedule": {report.YesNo(yes)}}, draft: install.NewDraft(h),
		places:  install.Places{Draft: install.NewDraft(h)},
		program: install.Program{Path: "/opt/it's $x %y/steward-setup"},
		Project: install.Project{Repo: &gitrepo.Repo{Root: root}}}
	s, err := p.schedule(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestASchedule(t *testing.T) {
	if s := scheduled(t, "linux", "/p", false); s.ID != "" {
		t.Errorf("proposed unasked: %+v", s)
	}
	s := scheduled(t, "linux", `/home/u/a "b\ $HOME %h`, true)
	if len(s.Items) != 3 {
		t.Fatalf("%+v", s)
	}
	service, timer, enable := s.Items[0].(report.Change), s.Items[1].(report.Change), s.Items[2].(report.Command)
	want := `ExecStart="/opt/it's $$x %%y/steward-setup" update --plain --project "/home/u/a \"b\\ $$HOME %%h"` + "\n"
	if !strings.Contains(string(service.After), want) {
		t.Errorf("%s\nwant %s", service.After, want)
	}
	if !strings.HasSuffix(timer.Path, ".timer") || filepath.Base(filepath.Dir(timer.Path)) != "user" ||
		!strings.Contains(enable.Line, filepath.Base(timer.Path)) {
		t.Errorf("%s %s", timer.Path, enable.Line)
	}
	if program, err := exec.LookPath("systemd-analyze"); err == nil {
		out, _ := exec.Command(program, "calendar", "weekly").CombinedOutput()
		if !strings.Contains(string(out), "Mon") {
			t.Errorf("systemd does not understand weekly: %s", out)
		}
	}
}

// TestATimerIsStoppedBeforeItsFileGoes: the command stands for each system, and
// is optional where the timer was never enabled.
func TestATimerIsStoppedBeforeItsFileGoes(t *testing.T) {
	for goos, want := range map[string]string{"linux": "systemctl --user disable --now steward-setup-update-",
		"darwin": "launchctl bootout gui/$(id -u)/steward-setup-update-"} {
		s := scheduled(t, goos, "/p", true)
		h := machineOf(t, goos)
		var gone []report.Change
		for _, item := range s.Items {
			if c, is := item.(report.Change); is {
				if install.StopTimers(h, []report.Change{c}) != nil {
					t.Errorf("%s: a timer that is written is stopped", goos)
				}
				c.Path = filepath.Join(h.Places().Home, "units", filepath.Base(c.Path))
				c.Before, c.After = c.After, nil
				gone = append(gone, c)
			}
		}
		stops := install.StopTimers(h, gone)
		if len(stops) != 1 || !strings.HasPrefix(stops[0].(report.Command).Line, want) ||
			stops[0].(report.Command).Optional != (goos == "linux") {
			t.Fatalf("%s: %+v", goos, stops)
		}
		if goos == "darwin" {
			continue
		}
		wants := filepath.Join(h.Places().Home, "units", "timers.target.wants")
		_, name, _ := strings.Cut(stops[0].(report.Command).Line, "--now ")
		if err := errors.Join(os.MkdirAll(wants, 0o755), os.Symlink("../"+name, filepath.Join(wants, name))); err != nil {
			t.Fatal(err)
		}
		if stops := install.StopTimers(h, gone); len(stops) != 1 || stops[0].(report.Command).Optional {
			t.Errorf("an enabled timer: %+v", stops)
		}
	}
}

func TestAScheduleOnMacOS(t *testing.T) {
	s := scheduled(t, "darwin", "/Users/u/<&>", true)
	if len(s.Items) != 2 {
		t.Fatalf("%+v", s)
	}
	plist := s.Items[0].(report.Change)
	var words []string
	for d := xml.NewDecoder(strings.NewReader(string(plist.After))); ; {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := tok.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" {
			words = append(words, string(text))
		}
	}
	if got := strings.Join(words, "|"); !strings.Contains(got,
		"/opt/it's $x %y/steward-setup|update|--plain|--project|/Users/u/<&>|") {
		t.Errorf("%s", got)
	}
}
