// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line that is printed for the user installs exactly one
// version, one that the machine offers, and holds nothing that a shell would
// expand. What is known of a tool was asked on this machine: of the tool
// itself, of the package manager that installed it, of what that one offers.
// Asking changes nothing and needs no network.

package setup

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/startfailure"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/platform"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/install"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// separators stand between a package and its version on a command line.
var separators = map[platform.Manager]string{platform.Apt: "=", platform.Dnf: "-"}

// line returns the command that installs the tool at version, a package's
// version string where the manager offers several; ok is false if the manifest
// gives no command to build it from.
func (t *toolSeen) line(version string) (line string, ok bool) {
	prefix, pkg := t.Installs()
	if pkg == "" {
		return "", false
	}
	if sep := separators[t.Manager]; sep != "" {
		pkg += sep + version
	}
	return prefix + " " + pkg, true
}

// toolCommands collects the lines of the tools and joins those that differ
// only in their last word.
type toolCommands struct {
	root  bool
	lines []toolLine
	// fetch is the manager whose package lists have to be fetched first, ""
	// if none; fetchOptional if no tool that is missing needs them.
	fetch         platform.Manager
	fetchOptional bool
}

type toolLine struct {
	prefix          string
	packages, tools []string
	optional        bool
	then            string
	privileged      bool
}

func (c *toolCommands) add(t *toolSeen, version string, optional bool) {
	line, _ := t.line(version)
	i := strings.LastIndexByte(line, ' ')
	own, pkg := c.asRoot(t.Manager, line[:i]), scripts.Quote(line[i+1:])
	before := t.first.Then(t.aside).Then(own)
	prefix := before.Line + t.option
	for n := range c.lines {
		// npm's packages are not joined: a tool of its own, at its own time.
		if l := &c.lines[n]; l.prefix == prefix && l.optional == optional && t.Manager != npm {
			l.packages, l.tools = append(l.packages, pkg), append(l.tools, t.Pin.Tool)
			return
		}
	}
	c.lines = append(c.lines, toolLine{prefix, []string{pkg}, []string{t.Pin.Tool}, optional, t.then,
		before.Privileged})
}

// refresh notes that the manager's package lists have to be fetched.
func (c *toolCommands) refresh(m platform.Manager, optional bool) {
	c.fetchOptional = optional && (c.fetch == "" || c.fetchOptional)
	c.fetch = m
}

// items returns the commands in the order in which they are to be run.
func (c *toolCommands) items() (items []report.Item) {
	if c.fetch != "" {
		line := "apt-get update"
		if c.fetch == platform.Dnf {
			line = "dnf makecache"
		}
		fetch := c.asRoot(c.fetch, line)
		items = append(items, report.Command{ID: "tools/refresh", Why: "fetch what " + string(c.fetch) +
			" offers; then look again", Line: fetch.Line, Privileged: fetch.Privileged, Optional: c.fetchOptional})
	}
	for _, l := range c.lines {
		why := "install " + strings.Join(l.tools, " and ")
		if l.optional {
			why = "install the pinned " + strings.Join(l.tools, " and ") + "; optional: the installed version works"
		}
		items = append(items, report.Command{ID: report.ID("tools/" + strings.Join(l.tools, "-")), Why: why,
			Line: l.prefix + " " + strings.Join(l.packages, " ") + l.then, Privileged: l.privileged, Optional: l.optional})
	}
	return items
}

// asRoot is a line of a package manager. What a system's does is privileged, and
// needs sudo unless the user is root; a manifest may write sudo itself.
func (c *toolCommands) asRoot(m platform.Manager, line string) startfailure.Beginning {
	system, sudo := separators[m] != "", strings.HasPrefix(line, "sudo ")
	if system && !c.root && !sudo {
		line = "sudo " + line
	}
	return startfailure.Beginning{Line: line, Privileged: system || sudo}
}

// override is what the local override states for a tool that takes the
// distribution's version.
func (t *toolSeen) override() pins.Override {
	line, _ := t.line(t.Offered)
	return pins.Override{Tool: t.Pin.Tool, Version: t.Offered, Install: map[string]string{string(t.Manager): line}}
}

// ToolLines says which lines bring the pinned tools here, as the plan has them.
// framework is a checkout whose manifest replaces the one that is built in, or "".
func ToolLines(framework string) func(context.Context, host.Reader) verify.ToolLines {
	return func(ctx context.Context, r host.Reader) (lines verify.ToolLines) {
		set, err := pins.Load(r, r.Places().Config, framework)
		if err != nil {
			return lines // tools-pinned says so
		}
		seen := surveyTools(ctx, r, set)
		p := toolsProposal{platform: seen.platform, commands: toolCommands{root: r.System().UID == 0}}
		_, mended := startfailure.Mends(ctx, r, framework)
		for i := range seen.tools {
			t := &seen.tools[i]
			agent, w := t.Pin.Tool == claude.Name, t.way(r, false)
			if agent && w == wayInstall {
				alone := toolCommands{root: p.commands.root}
				alone.add(t, t.Wanted, false)
				lines.Runtime = remedies(alone.items())
			}
			if status, _ := t.state(); status == report.Fail && !(agent && mended) {
				lines.Missing = append(lines.Missing, p.propose(t, w).Remedies...)
			}
		}
		lines.Missing = append(remedies(p.commands.items()), lines.Missing...)
		return lines
	}
}

// remedies are commands as what mends a finding.
func remedies(items []report.Item) (list []report.Remedy) {
	for _, it := range items {
		if c, ok := it.(report.Command); ok {
			list = append(list, c)
		}
	}
	return list
}

// npm installs the agent runtime on every platform.
const npm platform.Manager = "npm"

// toolSeen is one pinned tool as the machine has it.
type toolSeen struct {
	install.Package // its manager installs the tool here
	pins.Answer
	// skip says why the tool is not needed here, "" if it is.
	skip string
	// foreign is the program, if npm would install a second one beside it;
	// aside begins a line that moves it aside, where it does not start.
	foreign string
	aside   startfailure.Beginning
	// first, option and then are what npm's line needs here (startfailure.NpmFirst,
	// startfailure.NpmPlace).
	first        startfailure.Beginning
	option, then string
	// there, if it has a line, starts a copy that is there already; place says where.
	there report.Command
	place string
}

// toolSurvey is every pinned tool as the machine has it.
type toolSurvey struct {
	platform platform.Platform
	tools    []toolSeen
}

// surveyTools asks the machine about every pin. What cannot be asked is left
// empty, with evidence of the attempt.
func surveyTools(ctx context.Context, r host.Reader, set pins.Set) toolSurvey {
	s := toolSurvey{platform: platform.Here(r)}
	s.tools = make([]toolSeen, len(set.Pins))
	var all sync.WaitGroup // package managers are slow to answer: ask them at once
	for i, pin := range set.Pins {
		all.Go(func() { s.tools[i] = surveyTool(ctx, r, s.platform, pin) })
	}
	all.Wait()
	var off []*install.Package
	for i := range s.tools {
		if t := &s.tools[i]; t.skip == "" && t.Standing != pins.AsPinned {
			off = append(off, &t.Package)
		}
	}
	install.AskOffered(ctx, r, off)
	return s
}

func surveyTool(ctx context.Context, r host.Reader, p platform.Platform, pin pins.Pin) toolSeen {
	t := toolSeen{Package: install.Package{Pin: pin, Manager: p.Manager}}
	if _, ok := pin.Install(string(npm)); ok {
		t.Manager = npm
	}
	t.Saw(report.FileEvidence(pin.Origin()))
	if t.skip = pins.Needless(pin.Tool, p.OS); t.skip != "" {
		if pins.Known(pin.Tool) {
			t.AskInstalled(ctx, r)
		}
		return t
	}
	res := r.Run(ctx, proc.Version(proc.Tool(pin.Tool)))
	t.Answer = pin.Answered(res, startfailure.NotStarting(r, res))
	t.Saw(t.Seen)
	if t.Manager == npm {
		t.foreign = startfailure.ForeignTo(r, pin.Tool)
	}
	if t.Broken != "" && t.foreign != "" {
		t.aside = startfailure.Aside(r, pin.Tool)
	}
	if pin.Tool == claude.Name {
		place, _, first := startfailure.StartsWith(ctx, r, pin, res)
		_, pkg := t.Installs()
		if c, ok := first.(report.Command); ok && !strings.Contains(c.Line, pkg) {
			t.there, t.place = c, place
		}
	}
	if t.Manager == npm && t.Standing != pins.AsPinned {
		t.first, _ = startfailure.NpmFirst(r)
		t.option, t.then = startfailure.NpmPlace(ctx, r)
	}
	t.AskInstalled(ctx, r)
	if a := pin.AsPackage(t.Answer, string(t.Manager), t.Installed); a.Standing == pins.Older { // what is newer will do
		t.Answer = a
	}
	return t
}

// hasDistro says whether the package that the distribution offers is installed,
// or a newer revision of it; where no revision is known, any one will do.
func (t *toolSeen) hasDistro() bool {
	scheme, ok := pins.SchemeOf(string(t.Manager))
	if ok && t.Installed != "" && pins.Upstream(t.Installed) == pins.Upstream(t.Version) {
		c, err := scheme.Compare(t.Installed, t.Offered)
		return err == nil && c >= 0
	}
	c, err := pins.Compare(t.Pin.Tool, t.Version, t.Offered)
	return err == nil && c == 0
}

// complete says whether every pin of the set was asked about.
func (s toolSurvey) complete(set pins.Set) bool {
	return len(s.tools) == len(set.Pins) && !slices.ContainsFunc(s.tools, func(t toolSeen) bool {
		pin, ok := set.Pin(t.Pin.Tool)
		return !ok || pin.Version != t.Pin.Version
	})
}

// runtime is the agent runtime's version, "" if it was not found.
func (s toolSurvey) runtime() string {
	for _, t := range s.tools {
		if t.Pin.Tool == claude.Name {
			return t.Version
		}
	}
	return ""
}
