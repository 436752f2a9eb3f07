// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the banner is short, on standard error, and says what is
// different from a plain start; it never holds a value of a variable.

package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// isoBanner says what is started.
func (a *app) isoBanner(h *host.Host, l iso.Launch, other []iso.Found) {
	kept, credentials := 0, 0
	for _, v := range l.Vars {
		if v.Kept {
			kept++
		}
		if v.Credential {
			credentials++
		}
	}
	a.dim("%s   %d variables kept, %d dropped, %d of them named like credentials", l.Runtime.Path, kept, len(l.Vars)-kept,
		credentials)
	switch {
	case l.Lost != nil:
		a.loud("NO POLICY of the project: %s", l.Lost)
	case l.State.Mode == inforce.Off || len(l.State.Broken) > 0:
		a.loud("NO SANDBOX or not all of it: %s", isoWhy(l.State))
	default:
		a.dim("%s", isoPolicy(l))
	}
	home := h.Places().Home
	for _, part := range []struct {
		print func(string, ...any)
		said  string
	}{{a.dim, isoInner(l)}, {a.loud, isoAdded(l, home)}, {a.loud, isoStarted(l, home)}, {a.dim, isoWithheld(l)},
		{a.loud, isoUnseen(l)}} {
		if part.said != "" {
			part.print("%s", part.said)
		}
	}
	if len(other) > 0 {
		paths := make([]string, len(other))
		for i, f := range other {
			paths[i] = text.Home(f.Path, home)
		}
		a.dim("without claude-iso also start: %s", strings.Join(paths, ", "))
	}
	open, never := isoMissed(l)
	if all := strings.Join(append(open, never...), ", "); all == "" || !a.once(h, l, all) {
		return
	}
	if open != nil {
		a.dim("of this project are not loaded: %s", strings.Join(open, ", "))
		a.dim("to review and load them:  %s iso --approve", a.self(h))
	}
	if never != nil {
		a.dim("of this project claude-iso never loads: %s", strings.Join(never, ", "))
	}
}

func isoWhy(s inforce.State) string {
	if len(s.Broken) > 0 {
		return s.Broken[0].What
	}
	return "no settings switch the sandbox on"
}

func isoPolicy(l iso.Launch) string {
	switch {
	case !l.Known && !l.Approved:
		return "the project's policy is not approved yet"
	case !l.Approved && l.Policy.Empty():
		return "the project's policy is not on this branch"
	case !l.Approved:
		return "the project's policy differs from the approved one"
	case l.Policy.Empty() && l.State.Mode == inforce.Off:
		return "the project has no policy, and " + isoWhy(l.State)
	case l.Policy.Empty():
		return "the project has no policy; your user policy is in force"
	}
	return "the policy of " + l.Place.Project + " is in force, as approved (" + l.Policy.Digest().Name(12) + ")"
}

// isoInner says that a repository nearer to the start directory does not
// count.
func isoInner(l iso.Launch) string {
	if l.Place.Inner == "" {
		return ""
	}
	return l.Place.Inner + " is a repository that you have not approved: it counts as part of " + l.Place.Project
}

// isoAdded names the directories that --add-dir opens.
func isoAdded(l iso.Launch, home string) string {
	if len(l.Added) == 0 {
		return ""
	}
	paths := make([]string, len(l.Added))
	for i, dir := range l.Added {
		paths[i] = text.Home(dir, home)
	}
	return "--add-dir: commands and the agent can also read and write in " + strings.Join(paths, ", ")
}

// isoStarted names the arguments whose plugins, servers or agents run outside the
// sandbox.
func isoStarted(l iso.Launch, home string) string {
	var all []string
	for _, s := range l.Started {
		what := s.Option
		if s.Path != "" {
			what += " " + text.Home(s.Path, home)
		}
		if s.Writable {
			what += " (sandboxed commands can change it)"
		}
		all = append(all, what)
	}
	if len(all) == 0 {
		return ""
	}
	return "hooks and servers run outside the sandbox: " + strings.Join(all, ", ")
}

// isoWithheld says why the project's instructions are not read.
func isoWithheld(l iso.Launch) string {
	if len(l.Leads) == 0 {
		return ""
	}
	return "CLAUDE.md and .claude/rules are not read: " + l.Leads[0].Where + " " + l.Leads[0].String()
}

// isoUnseen names the files of the user's of which it is not known whether
// commands reach them by another name.
func isoUnseen(l iso.Launch) string {
	if len(l.Unseen) == 0 {
		return ""
	}
	return fmt.Sprintf("UNKNOWN whether commands can reach %s by a hard link: there are more than %d files. Copy each "+
		"file and rename the copy over it", strings.Join(l.Unseen, ", "), host.MaxEntries)
}

// isoMissed says what of the project a plain start would load and this one does not: what
// can be approved is counted ("2 hooks"), what claude-iso never loads named ("the setting env").
func isoMissed(l iso.Launch) (open, never []string) {
	counts := map[iso.Kind]int{}
	for _, i := range l.Items {
		switch {
		case i.Kind == iso.Other:
			never = append(never, i.Name)
		case !i.Allowed && i.Refused != "":
			never = append(never, "the "+string(i.Kind)+" "+i.Name)
		case !i.Allowed:
			counts[i.Kind]++
		}
	}
	for _, kind := range []iso.Kind{iso.Hook, iso.Server, iso.Allow} {
		if n := counts[kind]; n > 0 {
			open = append(open, report.Counted(n, "1 "+string(kind), "%d "+string(kind)+"s"))
		}
	}
	return open, never
}

// maxNotices bounds the file that says which notices were shown, in bytes.
const maxNotices = 64 << 10

// once says whether a notice was not shown for this project yet, and notes
// that it is. If that cannot be noted it is shown again.
func (a *app) once(h *host.Host, l iso.Launch, notice string) bool {
	path := filepath.Join(h.Places().State, "notices.jsonl")
	line, err := json.Marshal(map[string]string{"project": l.Place.ID, "notice": string(report.DigestOf([]byte(notice)))})
	if err != nil {
		return true
	}
	if b, err := h.Read(path); err == nil && slices.Contains(strings.Split(string(b), "\n"), string(line)) {
		return false
	}
	_ = fs.AppendLine(path, line, maxNotices)
	return true
}

// dim and loud print one line of the banner.
func (a *app) dim(format string, args ...any)  { a.banner("2", format, args...) }
func (a *app) loud(format string, args ...any) { a.banner("1;31", format, args...) }

func (a *app) banner(colour, format string, args ...any) {
	said := pathname.TildeIn(fmt.Sprintf(format, args...), a.sys.Get("HOME"))
	head := "claude-iso  "
	for _, row := range text.Rows(redact.Line(redact.Text(said), 1000), a.columns()-len(head)) {
		line := head + row
		if a.sys.StdoutTTY && a.sys.Get("NO_COLOR") == "" {
			line = "\x1b[" + colour + "m" + line + "\x1b[0m"
		}
		fmt.Fprintln(a.errw, line)
		head = strings.Repeat(" ", len(head))
	}
}

func showBlock(s string) string { return strings.TrimRight(redact.Block(redact.Text(s)), "\n") }
