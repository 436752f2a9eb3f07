// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the settings allow is listed, and never judged: what of it
// weakens the policy, policy-invariants says.

package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// checkAllowances lists what a session in the project around dir may do, and the place
// that allows it: what both launches may, without a word, and what one may with its name.
func checkAllowances(ctx context.Context, r host.Reader, dir string) report.Finding {
	s, err := session.In(ctx, r, dir)
	if err != nil {
		return session.NotOpened(dir, err)
	}
	start := s.Dirs.Start
	plain := access.Plain(ctx, r, start)
	clean := access.Iso(ctx, r, start, plain)
	inPlain, inClean := plain.Allowances(), []access.Allowance(nil)
	if !clean.Missing {
		inClean = clean.Allowances()
	}
	for _, server := range serversToStart(r, start) {
		if !server.refused(plain) {
			inPlain = append(inPlain, server.Allowance)
		}
		if server.clean && !clean.Missing && !server.refused(clean) {
			inClean = append(inClean, server.Allowance)
		}
	}
	f := listed(inPlain, inClean, clean.Missing)
	if clean.Missing {
		for _, note := range clean.Notes {
			f.Evidence = append(f.Evidence, report.FileEvidence(note.Where, note.Text))
		}
	}
	return f
}

// listed is the list of what the launches may, by kind; alone says that there is no
// claude-iso to tell plain claude from.
func listed(inPlain, inClean []access.Allowance, alone bool) report.Finding {
	f := report.Finding{Status: report.Pass}
	var counts [len(access.AllowanceWords)]int
	seen, counted := map[access.Allowance]bool{}, map[string]bool{}
	plain, clean := textsOf(inPlain), textsOf(inClean)
	all := append(inPlain, slices.DeleteFunc(inClean, func(a access.Allowance) bool { return plain[a.Text] })...)
	slices.SortStableFunc(all, func(a, b access.Allowance) int { return int(a.Kind) - int(b.Kind) })
	for _, a := range all {
		if seen[a] {
			continue
		}
		seen[a] = true
		if !counted[a.Text] { // what two files allow is allowed once
			counts[a.Kind]++
		}
		counted[a.Text] = true
		switch {
		case !plain[a.Text]:
			a.Text += " (claude-iso)"
		case !alone && !clean[a.Text]:
			a.Text += " (plain claude)"
		}
		if len(f.Evidence) < maxAllowances {
			f.Evidence = append(f.Evidence, a.Evidence)
		}
	}
	if n := len(seen) - maxAllowances; n > 0 {
		f.Evidence = append(f.Evidence, report.EnvEvidence("allowances", fmt.Sprintf("%d more are not listed", n)))
	}
	var words []string
	for kind, n := range counts {
		if n > 0 {
			words = append(words, report.Counted(n, access.AllowanceWords[kind].One, access.AllowanceWords[kind].Many))
		}
	}
	f.Summary = "allowed: " + strings.Join(words, ", ")
	return f
}

// maxAllowances bounds how many are listed.
const maxAllowances = 1000

func textsOf(list []access.Allowance) map[string]bool {
	texts := map[string]bool{}
	for _, a := range list {
		texts[a.Text] = true
	}
	return texts
}

// serverToStart is an MCP server that a plain session starts; clean says that claude-iso
// starts it, too, project is its name where a project brings it.
type serverToStart struct {
	access.Allowance
	clean   bool
	project string
}

// refused says whether the settings of a start refuse a project's server by its name.
func (s serverToStart) refused(by *access.Start) bool {
	return s.project != "" && slices.Contains(by.Settings.Strings(claude.KeyDisabledMcpjsonServers...), s.project)
}

// serversToStart lists the MCP servers that sessions in start may start. Those of a file
// that cannot be read, mcp-servers names.
func serversToStart(r host.Reader, start string) (list []serverToStart) {
	add := func(where, name string, clean bool, project string) {
		list = append(list, serverToStart{access.Allowance{Kind: access.Outside,
			Evidence: report.FileEvidence(where, "the MCP server "+name+" is outside the sandbox")}, clean, project})
	}
	own, err := Servers(r, start)
	if err != nil {
		own = nil
		list = append(list, serverToStart{access.Allowance{Kind: access.Outside,
			Evidence: report.FileEvidence(inforce.StateFile(r), "your MCP servers are unknown: "+opening.NoReading)}, true, ""})
	}
	for _, s := range own {
		add(s.Where, s.String(), s.For == "", "")
	}
	if l, err := iso.Consider(r, start); err == nil {
		for _, i := range l.Items {
			if i.Kind == iso.Server {
				add(i.Where, i.Name, i.Allowed, i.Name)
			}
		}
	}
	return list
}
