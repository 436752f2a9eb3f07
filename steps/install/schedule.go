// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a timer is a file of the user's own, written where no
// sandboxed command may write, and starts nothing before the user enables it.

package install

import (
	"context"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

var scheduleQuestion = report.Question{
	ID: "schedule", Section: "schedule", Kind: report.Confirm,
	Title:   "Look for drift once a week?",
	Help:    "A timer of your own (systemd, or launchd on macOS) runs steward-setup update for this project. It changes nothing; the home screen shows what it found.",
	Price:   "a rehearsal of some seconds when the runtime or your settings changed",
	Default: []string{"no"},
}

// schedule proposes the timer. It is asked for by its flag alone, so that the
// wizard is no longer for it.
func (p *proposer) schedule(context.Context) (report.Section, error) {
	if !p.answers.Yes(scheduleQuestion) {
		return report.Section{}, nil
	}
	p.ask(scheduleQuestion)
	s := report.Section{ID: "schedule", Title: "A weekly drift report",
		Why: "Runs steward-setup update for this project once a week. A report that finds a blocked action that succeeds ends with a failure, which the system shows."}
	switch {
	case p.repo == nil || p.repo.Root == "":
		s.Findings = append(s.Findings, leftOut("there is no project here"))
		return s, nil
	case p.binaryPath == "":
		s.Findings = append(s.Findings, leftOut("there is no safe program that it could call"))
		return s, nil
	case strings.ContainsFunc(p.repo.Root+p.binaryPath, unicode.IsControl):
		s.Findings = append(s.Findings, leftOut("a path has a control character"))
		return s, nil
	}
	name := timerPrefix + string(report.DigestOf([]byte(p.repo.Root)))[len("sha256:"):][:8]
	files, enable := p.systemd(name)
	if p.r.System().GOOS == "darwin" {
		files, enable = p.launchd(name)
	}
	for _, u := range files {
		if !p.guard(&s, "schedule", "the timer", u.path) {
			return s, nil
		}
		f, err := p.draft.open(u.path, "")
		if err != nil {
			return s, err
		}
		if c, needed := p.draft.change(report.ID("schedule/"+filepath.Base(u.path)), u.why, f, []byte(u.text), 0o644); needed {
			s.Items = append(s.Items, c)
		}
	}
	if len(s.Items) > 0 {
		s.Items = append(s.Items, report.Command{ID: "schedule/enable", Line: enable, Why: "enables the timer"})
	} else {
		s.Findings = append(s.Findings, report.Finding{Check: "schedule", Layer: report.LayerVisibility, Status: report.Pass,
			Summary: "the timer is there", Evidence: []report.Evidence{report.FileEvidence(files[0].path, "as it would be written")}})
	}
	return s, nil
}

// timerPrefix begins the name of every timer.
const timerPrefix = "steward-setup-update-"

// StopTimers are the commands that stop the timers whose files the changes take
// away. One that is not enabled needs none, so its command is optional.
func StopTimers(r host.Reader, changes []report.Change) (stops []report.Item) {
	for _, c := range changes {
		name := filepath.Base(c.Path)
		if c.After != nil || !strings.HasPrefix(name, timerPrefix) {
			continue
		}
		stop := report.Command{ID: report.ID("schedule/stop/" + name), Why: "stops the timer; run this before its file is taken away"}
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

// unit is one file of a timer.
type unit struct{ path, why, text string }

// systemd are a timer and its service for the user's own manager.
func (p *proposer) systemd(name string) (files []unit, enable string) {
	dir := filepath.Join(filepath.Dir(p.r.Places().Config), "systemd", "user")
	// systemd.service(5), "COMMAND LINES": quotes and backslashes as in C, %
	// and $ doubled.
	word := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(s) + `"`
	}
	value := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(s) + `"`
	}
	service := fmt.Sprintf(`[Unit]
Description=steward-setup: drift report of one project

[Service]
Type=oneshot
Environment=%s
ExecStart=%s update --plain --project %s
# 1 is drift, for the home screen to show. 2, a blocked action that succeeds,
# is a failed unit: systemctl --user --failed
SuccessExitStatus=1
Nice=10
`, value("PATH="+p.r.System().Get("PATH")), word(p.binaryPath), word(p.repo.Root))
	timer := `[Unit]
Description=steward-setup: drift report of one project, once a week

[Timer]
OnCalendar=weekly
RandomizedDelaySec=1h
Persistent=true

[Install]
WantedBy=timers.target
`
	return []unit{{filepath.Join(dir, name+".service"), "runs the drift report of this project", service},
			{filepath.Join(dir, name+".timer"), "starts it once a week", timer}},
		"systemctl --user daemon-reload && systemctl --user enable --now " + name + ".timer"
}

// launchd is an agent of the user's own on macOS (launchd.plist(5)).
func (p *proposer) launchd(name string) (files []unit, enable string) {
	text := func(s string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
		return b.String()
	}
	plist := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>%s</string>
	<key>ProgramArguments</key>
	<array>
		<string>%s</string>
		<string>update</string>
		<string>--plain</string>
		<string>--project</string>
		<string>%s</string>
	</array>
	<key>EnvironmentVariables</key>
	<dict>
		<key>PATH</key>
		<string>%s</string>
	</dict>
	<key>StartCalendarInterval</key>
	<dict>
		<key>Weekday</key>
		<integer>1</integer>
		<key>Hour</key>
		<integer>10</integer>
	</dict>
	<key>LowPriorityIO</key>
	<true/>
</dict>
</plist>
`, name, text(p.binaryPath), text(p.repo.Root), text(p.r.System().Get("PATH")))
	path := filepath.Join(p.r.Places().Home, "Library", "LaunchAgents", name+".plist")
	return []unit{{path, "runs the drift report of this project once a week", plist}},
		"launchctl bootstrap gui/$(id -u) " + scripts.Quote(path)
}
