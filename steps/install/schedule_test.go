// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path of any letters is one word of the unit, and nothing
// is proposed unless it was asked for.

package install

import (
	"encoding/xml"
	"io"
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
)

func scheduled(t *testing.T, goos, root string, yes bool) report.Section {
	t.Helper()
	home := testenv.Home(t)
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, home)), GOOS: goos, UID: 1000, Cwd: home, Executable: "/opt/steward-setup", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	p := &proposer{r: h, answers: report.Answers{"schedule": {report.YesNo(yes)}}, draft: newDraft(h), binaryPath: "/opt/it's $x %y/steward-setup", repo: &gitrepo.Repo{Root: root}}
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
	if !strings.HasSuffix(timer.Path, ".timer") || filepath.Base(filepath.Dir(timer.Path)) != "user" || !strings.Contains(enable.Line, filepath.Base(timer.Path)) {
		t.Errorf("%s %s", timer.Path, enable.Line)
	}
	if program, err := exec.LookPath("systemd-analyze"); err == nil {
		out, _ := exec.Command(program, "calendar", "weekly").CombinedOutput()
		if !strings.Contains(string(out), "Mon") {
			t.Errorf("systemd does not understand weekly: %s", out)
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
	if got := strings.Join(words, "|"); !strings.Contains(got, "/opt/it's $x %y/steward-setup|update|--plain|--project|/Users/u/<&>|") {
		t.Errorf("%s", got)
	}
}
