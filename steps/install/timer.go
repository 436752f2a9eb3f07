// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a timer is the same on every system: one command of this
// program, by its absolute path, with the PATH that the user has now. A timer
// is a file of the user's own, written where no sandboxed command may write,
// and starts nothing before the user enables it.

package install

import (
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// TimerPrefix begins the name of every timer.
const TimerPrefix = "steward-setup-"

// Timer is a command of this program that the user's own service manager runs:
// once a week, or every hour.
type Timer struct {
	// Name is that of its files, What says what it does in a few words.
	Name, What string
	Args       []string
	Hourly     bool
	// Left are lines of the service for systemd.
	Left string
}

// Changes are the timer's files, and the command that enables it where one of
// them is new.
func (t Timer) Changes(d Draft, section report.ID, binary string) (items []report.Item, err error) {
	files, enable := t.files(d.Host, binary)
	for _, u := range files {
		f, err := d.Open(u.path, "")
		if err != nil {
			return nil, err
		}
		if c, needed := d.Change(section+report.ID("/"+filepath.Base(u.path)), u.why, f, []byte(u.text), 0o644); needed {
			items = append(items, c)
		}
	}
	if len(items) > 0 {
		items = append(items, report.Command{ID: section + "/enable", Line: enable, Why: "enable the timer"})
	}
	return items, nil
}

// Paths are the timer's files.
func (t Timer) Paths(r host.Reader) (paths []string) {
	files, _ := t.files(r, "")
	for _, u := range files {
		paths = append(paths, u.path)
	}
	return paths
}

func (t Timer) files(r host.Reader, binary string) (files []unit, enable string) {
	if r.System().GOOS == "darwin" {
		return t.launchd(r, binary)
	}
	return t.systemd(r, binary)
}

func (t Timer) often() string {
	if t.Hourly {
		return "every hour"
	}
	return "once a week"
}

// unit is one file of a timer.
type unit struct{ path, why, text string }

// systemd are a timer and its service for the user's own manager.
func (t Timer) systemd(r host.Reader, binary string) (files []unit, enable string) {
	dir := filepath.Join(filepath.Dir(r.Places().Config), "systemd", "user")
	// systemd.service(5), "COMMAND LINES": quotes and backslashes as in C, %
	// and $ doubled.
	value := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(s) + `"`
	}
	word := func(s string) string { return strings.ReplaceAll(value(s), "$", "$$") }
	line := word(binary)
	for _, a := range t.Args {
		if strings.Trim(a, "abcdefghijklmnopqrstuvwxyz-") != "" {
			a = word(a)
		}
		line += " " + a
	}
	service := fmt.Sprintf(`[Unit]
Description=steward-setup: %s

[Service]
Type=oneshot
Environment=%s
ExecStart=%s
%sNice=10
`, t.What, value("PATH="+r.System().Get("PATH")), line, t.Left)
	calendar, delay := "weekly", "1h"
	if t.Hourly {
		calendar, delay = "hourly", "10min"
	}
	timer := fmt.Sprintf(`[Unit]
Description=steward-setup: %s, %s

[Timer]
OnCalendar=%s
RandomizedDelaySec=%s
Persistent=true

[Install]
WantedBy=timers.target
`, t.What, t.often(), calendar, delay)
	return []unit{{filepath.Join(dir, t.Name+".service"), "runs the " + t.What, service},
			{filepath.Join(dir, t.Name+".timer"), "starts it " + t.often(), timer}},
		"systemctl --user daemon-reload && systemctl --user enable --now " + t.Name + ".timer"
}

// launchd is an agent of the user's own on macOS (launchd.plist(5)).
func (t Timer) launchd(r host.Reader, binary string) (files []unit, enable string) {
	text := func(s string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
		return b.String()
	}
	var args strings.Builder
	for _, a := range append([]string{binary}, t.Args...) {
		args.WriteString("\t\t<string>" + text(a) + "</string>\n")
	}
	calendar := "\t\t<key>Weekday</key>\n\t\t<integer>1</integer>\n\t\t<key>Hour</key>\n\t\t<integer>10</integer>\n"
	if t.Hourly {
		calendar = "\t\t<key>Minute</key>\n\t\t<integer>17</integer>\n"
	}
	plist := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>%s</string>
	<key>ProgramArguments</key>
	<array>
%s	</array>
	<key>EnvironmentVariables</key>
	<dict>
		<key>PATH</key>
		<string>%s</string>
	</dict>
	<key>StartCalendarInterval</key>
	<dict>
%s	</dict>
	<key>LowPriorityIO</key>
	<true/>
</dict>
</plist>
`, t.Name, args.String(), text(r.System().Get("PATH")), calendar)
	path := filepath.Join(r.Places().Home, "Library", "LaunchAgents", t.Name+".plist")
	return []unit{{path, "runs the " + t.What + " " + t.often(), plist}},
		"launchctl bootstrap gui/$(id -u) " + scripts.Quote(path)
}

// TimerThere is the finding about a timer that needs no change.
func TimerThere(path string) report.Finding {
	return report.Finding{Check: "schedule", Layer: report.LayerVisibility, Status: report.Pass,
		Summary: "the timer is there", Evidence: []report.Evidence{report.FileEvidence(path, "as it would be written")}}
}

// StopTimers are the commands that stop the timers whose files the changes take
// away. One that is not enabled needs none, so its command is optional.
func StopTimers(r host.Reader, changes []report.Change) (stops []report.Item) {
	for _, c := range changes {
		name := filepath.Base(c.Path)
		if c.After != nil || !strings.HasPrefix(name, TimerPrefix) {
			continue
		}
		stop := report.Command{ID: report.ID("schedule/stop/" + name),
			Why: "stop the timer; run this before its file is removed"}
		switch filepath.Ext(name) {
		case ".timer":
			// WantedBy=timers.target makes this link (systemctl(1), enable).
			enabled := host.There(r, filepath.Join(filepath.Dir(c.Path), "timers.target.wants", name))
			stop.Line, stop.Optional = "systemctl --user disable --now "+name, !enabled
		case ".plist":
			stop.Line = "launchctl bootout gui/$(id -u)/" + strings.TrimSuffix(name, ".plist")
		default:
			continue
		}
		stops = append(stops, stop)
	}
	return stops
}
