// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a project's own files would run, or change, outside
// the sandbox is named with its place, one by one. What the user has looked at
// is known by its digest; nothing else counts as looked at. What claude-iso
// refuses to read, a plain start reads and runs all the same; its hooks and
// servers are named, and none is approved.

// Package projectcode says what a project's own settings, texts, plugins and servers run,
// redirect or open outside the sandbox: it is the check of that name.
//
// Contract: what the user has approved is known by its digest; nothing else counts as looked
// at, and what was not opened is said.
package projectcode

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// brought is what a project brings.
type brought struct {
	variables, settings []string // never approved
	texts               []string // whose front matter runs programs
	plugins             []string // that load by themselves
	opens               []string // keys that take protection away
	unknown             []string // keys that no table names
	newer               bool     // than the tables is the runtime
	links               []string // that lead to credentials, or import them
	outside             []string // instructions that lead out of the project
	both                []string // what claude-iso does with it as well, a sentence each
	elsewhere           []string // .mcp.json of subdirectories
	below               []string // their settings
	hooks, servers      int      // not approved
	approved            int
	changeable          []string // approved, but a plain start runs what commands can change
	unclear             []string // variables of which nobody knows what they do
	noServers           bool     // no .mcp.json names a server for this start
	evidence, harmless  []report.Evidence
	remedies            []report.Remedy
	lesser              []report.Evidence // those of evidence that only warn
	later               []report.Remedy   // and what mends them
}

// Check asks what the project around dir runs outside the sandbox.
func Check(ctx context.Context, r host.Reader, dir string) report.Finding {
	starts := session.StartsIn(r, dir)
	var b brought
	var unread []report.Evidence
	for _, start := range starts {
		s := session.At(r, start)
		b.noServers = !serversAround(r, start)
		for _, l := range s.Layers {
			if l.Scope.OfProject() &&
				session.StartAt(r, filepath.Dir(l.Doc.Path)) != session.StartAt(r, r.Places().AgentDir) {
				b.ofSettings(l, s.ByRoot)
			}
		}
		unread = append(unread, b.ofTexts(r, start)...)
		unread = append(unread, b.ofInstructions(r, start)...)
		g := grants.Of(r, s)
		launch, err := iso.Survey(r, start)
		if linked := (*sensitive.LinkError)(nil); errors.As(err, &linked) {
			b.ofLink(linked.Path, linked.Error())
		} else if err != nil {
			unread = append(unread, report.ErrorEvidence(start, err))
		}
		if err != nil {
			launch.Items = unapproved(r, start, launch.Place.Root, s.Layers)
		}
		for _, item := range launch.Items {
			if b.declined(item, s.Layers) {
				continue
			}
			if b.ofItem(item, g) {
				unread = append(unread, report.FileEvidence(item.Where, "cannot be understood"))
			}
		}
		b.ofMoves(g, s.Layers, launch.Items)
	}
	b.ofNested(ctx, r, starts)
	if b.unknown != nil {
		b.newer = !ClaudeKnown(ctx, r)
	}
	return b.finding(starts, unread)
}

// add keeps evidence once.
func (b *brought) add(e report.Evidence) (fresh bool) {
	if slices.Contains(b.evidence, e) {
		return false
	}
	b.evidence = append(b.evidence, e)
	return true
}

// take notes a name for the summary, with what was seen and what mends it, once.
func (b *brought) take(names *[]string, name string, seen report.Evidence, mends report.Remedy) {
	if !b.add(seen) {
		return
	}
	*names = append(*names, name)
	if slices.Contains([]*[]string{&b.opens, &b.outside, &b.elsewhere, &b.below, &b.unknown}, names) {
		b.lesser, b.later = append(b.lesser, seen), append(b.later, mends)
		return
	}
	b.remedies = append(b.remedies, mends)
}

// ofSettings takes what cannot be approved from a settings file.
func (b *brought) ofSettings(l settings.ScopedDoc, root bool) {
	b.ofVariables(l, root)
	b.ofKeys(l)
}

// commandOf is the program that a setting names, for evidence, without
// arguments that may be secrets.
func commandOf(v *settings.Value) string {
	if command, _ := v.Command(); command != nil {
		v = command
	}
	if v.Kind != settings.Str {
		return ""
	}
	return ": " + redact.Command(v.Text)
}

// ofLink takes a file of the project that leads to credentials.
func (b *brought) ofLink(path, why string) {
	b.take(&b.links, filepath.Base(path), report.FileEvidence(path, why), report.DocLink{Title: "remove the symlink",
		Target: path})
}

// declined says whether settings in force refuse a server of .mcp.json by its name, as
// the runtime's dialog writes it. In any scope that comes before every yes (measured with
// 2.1.330, in print mode).
func (b *brought) declined(i iso.Item, layers []settings.ScopedDoc) bool {
	if i.Kind != iso.Server {
		return false
	}
	for _, l := range layers {
		for _, v := range settings.ItemsOf(l.Doc.Get(claude.KeyDisabledMcpjsonServers...)) {
			if v.Kind == settings.Str && v.Text == i.Name {
				b.harmless = append(b.harmless, report.FileEvidence(l.Doc.Where(v), fmt.Sprintf("the %s %q is refused",
					i.Kind, i.Name)))
				return true
			}
		}
	}
	return false
}

// ofItem takes what can be approved, and says whether it could not be
// understood.
func (b *brought) ofItem(i iso.Item, g grants.Ground) (unread bool) {
	switch {
	case strings.HasPrefix(i.Name, iso.MCPLink):
		b.ofLink(i.Where, opening.ToCredentials)
	case i.Kind == iso.Other:
		return strings.HasPrefix(i.Name, claude.ServersFile)
	case i.Kind != iso.Hook && i.Kind != iso.Server:
	case i.Allowed:
		for _, f := range i.Files {
			if _, yes := g.Writable(f.Path); yes {
				b.take(&b.changeable, f.Rel, report.FileEvidence(i.Where, fmt.Sprintf("the %s %q is approved, but commands can "+
					"change %s, and plain claude runs the changed file", i.Kind, i.Name, f.Path)),
					report.DocLink{Title: "start claude-iso, which runs a copy, or add the file to " + claude.KeyDenyWrite.String(),
						Target: f.Path})
			}
		}
		e := report.FileEvidence(i.Where, fmt.Sprintf("the %s %q is approved as it is now", i.Kind, i.Name))
		if !slices.Contains(b.harmless, e) {
			b.harmless = append(b.harmless, e)
			b.approved++
		}
	default:
		seen := fmt.Sprintf("the %s %q runs outside the sandbox; it is not approved", i.Kind, i.Name)
		if i.Refused != "" {
			seen += ", and cannot be: " + i.Refused
		}
		if !b.add(report.FileEvidence(i.Where, seen)) {
			return false
		}
		if i.Kind == iso.Hook {
			b.hooks++
		} else {
			b.servers++
		}
		if i.Refused != "" {
			b.remedies = append(b.remedies, report.DocLink{Title: "remove it, or start claude-iso, which does not load it",
				Target: i.Where})
		}
	}
	return false
}

func (b *brought) finding(starts []string, unread []report.Evidence) report.Finding {
	worst := slices.DeleteFunc(slices.Clone(b.evidence), func(e report.Evidence) bool {
		return slices.Contains(b.lesser, e)
	})
	f := report.Finding{Status: report.Pass, Summary: "the project runs nothing outside the sandbox", Remedies: b.remedies,
		Evidence: slices.Concat(worst, b.lesser, unread, b.harmless)}
	var does []string
	for _, c := range []struct {
		does  string
		names []string
		more  string
	}{{"sets ", b.variables, " for what runs outside the sandbox"}, {"has ", b.settings, ""},
		{"leads ", b.links, " to a credential file"}, {"runs programs from the front matter of ", b.texts, ""},
		{"has a plugin in ", b.plugins, ""}, {"runs ", b.changeable, iso.CanChange}} {
		if c.names != nil {
			does = append(does, c.does+report.Few(c.names)+c.more)
		}
	}
	var items []string
	if b.hooks > 0 {
		items = append(items, report.Counted(b.hooks, "1 hook", "%d hooks"))
	}
	if b.servers > 0 {
		items = append(items, report.Counted(b.servers, "1 MCP server", "%d MCP servers"))
	}
	if items != nil {
		does = append(does, "has "+strings.Join(items, " and ")+" that you have not approved")
		f.Remedies = append(f.Remedies, report.Own("iso --approve", report.Command{ID: "approve",
			Why: "review and approve each of them for claude-iso, which loads only what is approved"}))
	}
	plain := "plain claude loads all of it"
	say := func(status report.Status, summary string) { f.Status, f.Summary, plain = status, summary, summary }
	switch {
	case does != nil:
		f.Status, f.Summary = report.Fail, "the project "+strings.Join(does, ", and ")
	case unread != nil:
		say(report.Unknown, "what the project runs could not be read")
		for _, e := range unread {
			f.Remedies = append(f.Remedies, report.DocLink{Title: "fix the file", Target: e.Where})
		}
	case b.unclear != nil:
		say(report.Unknown, "the project sets "+report.Few(b.unclear)+": not known to be harmless")
	case b.newer:
		say(report.Unknown, "the project sets "+report.Few(b.unknown)+": unknown to this check")
		plain = "your Claude Code is newer than the list of known keys, or does not report its version"
	case b.opens != nil:
		say(report.Warn, "the project weakens protection with "+report.Few(b.opens))
	case b.outside != nil:
		say(report.Warn, "the project leads "+report.Few(b.outside)+" out of itself")
		plain = "plain claude sends its content to the model"
	case b.elsewhere != nil:
		say(report.Warn, report.Few(b.elsewhere)+" starts MCP servers in sessions that start there")
		plain = "plain claude that starts there runs them outside the sandbox"
	case b.below != nil:
		say(report.Warn, report.Few(b.below)+" runs or opens more in sessions that start there")
		plain = "plain claude that starts there follows it"
	case b.unknown != nil:
		say(report.Warn, "Claude Code ignores "+report.Few(b.unknown)+" of the project")
	case b.approved > 0:
		f.Summary = fmt.Sprintf("what the project runs outside the sandbox is approved, %d in all", b.approved)
	}
	f.Remedies = append(f.Remedies, b.later...)
	if f.Evidence == nil {
		f.Evidence = []report.Evidence{report.FileEvidence(filepath.Join(starts[0], claude.Dir),
			"neither settings nor .mcp.json name a program")}
	}
	if f.Status != report.Pass {
		f.Launches = []report.LaunchStatus{{Launch: report.Plain, Status: f.Status, Summary: plain},
			{Launch: report.Iso, Status: report.Pass, Summary: "claude-iso loads only what is approved"}}
		if b.both != nil {
			f.Launches[1] = report.LaunchStatus{Launch: report.Iso, Status: report.Warn, Summary: b.both[0]}
		}
	}
	return f
}

// ofMoves takes the approved hooks that depend on their working directory: a
// plain session runs them where the agent last changed to, claude-iso in the
// start directory.
func (b *brought) ofMoves(g grants.Ground, layers []settings.ScopedDoc, items []iso.Item) {
	for _, l := range layers {
		if !l.Scope.OfProject() {
			continue
		}
		for _, c := range commandline.Wired(l) {
			where := l.Doc.Where(c.Command)
			approved := func(i iso.Item) bool { return i.Kind == iso.Hook && i.Allowed && i.Where == where }
			at := commandline.Wanders(g, c.Event)
			if at.Moves == grants.Stays || !slices.ContainsFunc(items, approved) {
				continue
			}
			for _, u := range commandline.Reach(at, c).Uses {
				o, yes := commandline.Moving(at, u, c.What+" of the project", where)
				if yes && o.Status == report.Fail {
					b.take(&b.changeable, u.By+" in other directories", report.FileEvidence(where,
						"it is approved, but plain claude runs it in other directories: "+o.Opens),
						report.DocLink{Title: commandline.InProject, Target: where})
				}
			}
		}
	}
}

// unapproved lists the hooks and servers of a plain start, where a survey of
// the work tree at root gave up. Settings that Parse refuses are in layers as
// the runtime reads them.
func unapproved(r host.Reader, start, root string, layers []settings.ScopedDoc) (items []iso.Item) {
	for _, l := range layers {
		if !l.Scope.OfProject() {
			continue
		}
		if hooks, err := iso.HooksIn(l.Doc); err == nil {
			items = append(items, hooks...)
		}
	}
	for dir := range pathname.Upward(start) {
		items = append(items, iso.ServersIn(r, root, dir)...)
	}
	return items
}
