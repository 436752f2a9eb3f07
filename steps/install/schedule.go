// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a timer is a file of the user's own, written where no
// sandboxed command may write, and starts nothing before the user enables it.

package install

import (
	"context"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

var scheduleQuestion = report.Question{
	ID: "schedule", Section: "schedule", Kind: report.Confirm,
	Title: "Look for drift once a week?",
	Help: "A timer of your own (systemd, or launchd on macOS) runs steward-setup update for this project. It changes " +
		"nothing; the home screen shows what it found.",
	Price:   "a rehearsal of some seconds when the runtime or your settings changed",
	Default: []string{"no"},
}

// TimerThere is the finding about a timer that needs no change.
func TimerThere(path string) report.Finding {
	return report.Finding{Check: "schedule", Layer: report.LayerVisibility, Status: report.Pass,
		Summary: "the timer is there", Evidence: []report.Evidence{report.FileEvidence(path, "as it would be written")}}
}

// schedule proposes the timer. It is asked for by its flag alone, so that the
// wizard is no longer for it.
func (p *proposer) schedule(context.Context) (report.Section, error) {
	if !p.answers.Yes(scheduleQuestion) {
		return report.Section{}, nil
	}
	p.ask(scheduleQuestion)
	s := report.Section{ID: "schedule",
		Why: "Runs steward-setup update for this project once a week. A report that finds a forbidden action that succeeds " +
			"ends with a failure, which the system shows."}
	switch {
	case p.repo == nil || p.repo.Root == "":
		s.Findings = append(s.Findings, leftOut("there is no project here"))
		return s, nil
	case p.binaryPath == "":
		s.Findings = append(s.Findings, leftOut(noProgram))
		return s, nil
	case strings.ContainsFunc(p.repo.Root+p.binaryPath, unicode.IsControl):
		s.Findings = append(s.Findings, leftOut("a path has a control character"))
		return s, nil
	}
	files, enable := p.timer().files(p.r, p.binaryPath)
	for _, u := range files {
		if !p.guard(&s, "schedule", "the timer", u.path) {
			return s, nil
		}
		f, err := p.draft.open(u.path, "")
		if err != nil {
			return s, err
		}
		if c, needed := p.draft.change(report.ID("schedule/"+filepath.Base(u.path)), u.why, f, []byte(u.text),
			0o644); needed {
			s.Items = append(s.Items, c)
		}
	}
	if len(s.Items) > 0 {
		s.Items = append(s.Items, report.Command{ID: "schedule/enable", Line: enable, Why: "enable the timer"})
	} else {
		s.Findings = append(s.Findings, TimerThere(files[0].path))
	}
	return s, nil
}

// timer is the weekly one of this project.
func (p *proposer) timer() Timer {
	return Timer{Name: timerPrefix + "update-" + string(report.DigestOf([]byte(p.repo.Root)))[len("sha256:"):][:8],
		What: "drift report of one project", Args: []string{"update", "--plain", "--project", p.repo.Root},
		Left: "# 1 is drift, for the home screen to show. 2, a forbidden action that succeeds,\n" +
			"# is a failed unit: systemctl --user --failed\nSuccessExitStatus=1\n"}
}

// StopTimers are the commands that stop the timers whose files the changes take
// away. One that is not enabled needs none, so its command is optional.
func StopTimers(r host.Reader, changes []report.Change) (stops []report.Item) {
	for _, c := range changes {
		name := filepath.Base(c.Path)
		if c.After != nil || !strings.HasPrefix(name, timerPrefix) {
			continue
		}
		stop := report.Command{ID: report.ID("schedule/stop/" + name),
			Why: "stop the timer; run this before its file is removed"}
		switch filepath.Ext(name) {
		case ".timer":
			// WantedBy=timers.target makes this link (systemctl(1), enable).
			_, err := r.Lstat(filepath.Join(filepath.Dir(c.Path), "timers.target.wants", name))
			stop.Line, stop.Optional = "systemctl --user disable --now "+name, err != nil
		case ".plist":
			stop.Line = "launchctl bootout gui/$(id -u)/" + strings.TrimSuffix(name, ".plist")
		default:
			continue
		}
		stops = append(stops, stop)
	}
	return stops
}
