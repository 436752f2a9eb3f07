// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the user's own policy costs a project follows from
// that project's settings and from the commands of its recent sessions; of a
// command only the rule that would stop it is shown, and what cannot be known
// is said.

package setup

import (
	"bufio"
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/starts"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// floorCosts says for each project what changes for plain claude in its root
// once after is the user's settings.
func (p *proposer) floorCosts(projects []string, after *settings.Doc) (findings []report.Finding) {
	for i, root := range projects {
		if i == maxSurveyed {
			findings = append(findings, report.Finding{Check: "floor", Layer: report.LayerSandbox, Status: report.Unknown,
				Summary:  report.Counted(len(projects)-i, "1 more project was not checked", "%d more projects were not checked"),
				Evidence: []report.Evidence{report.FileEvidence(root, "and those behind it in the list")}})
			break
		}
		findings = append(findings, p.floorCost(root, after))
	}
	return findings
}

func (p *proposer) floorCost(root string, after *settings.Doc) report.Finding {
	s := session.At(p.r, root)
	if p.Repo != nil && root == p.Repo.Root && p.policyAfter != nil {
		s = s.With(policyPlaces[p.policyTo].scope, p.policyAfter)
	}
	before, later := s.InForceWith(), s.InForceWith(settings.ScopedDoc{Scope: settings.User, Doc: after})
	name := p.tilde(root)
	f := report.Finding{Check: "floor", Layer: report.LayerSandbox, Status: report.Pass,
		Summary: name + ": nothing changes for plain claude there"}
	var costs []string
	cost := func(evidence []report.Evidence, words string) {
		if evidence != nil {
			f.Status, costs, f.Evidence = report.Warn, append(costs, words), append(f.Evidence, evidence...)
		}
	}
	on, was := later.Scalar(claude.KeySandboxEnabled...), before.Scalar(claude.KeySandboxEnabled...)
	switch {
	case !on.Value.True():
		cost([]report.Evidence{report.FileEvidence(on.Where(), "sandbox.enabled is not true in "+on.Scope.String()+
			" scope, which is stronger than yours")}, "stays unprotected: its own settings switch the sandbox off")
	case !was.Value.True():
		cost([]report.Evidence{report.FileEvidence(root, "no settings switched the sandbox on")},
			"its commands become sandboxed")
	}
	voided := slices.DeleteFunc(starts.IgnoredHosts(later), func(c settings.Candidate) bool {
		return slices.ContainsFunc(starts.IgnoredHosts(before), func(o settings.Candidate) bool {
			return o.Where() == c.Where()
		})
	})
	var hosts []report.Evidence
	for _, c := range voided {
		hosts = append(hosts,
			report.FileEvidence(c.Where(), c.Value.Text+" no longer counts: only hosts of your user settings do"))
	}
	if flags := hostFlags(voided); flags != "" {
		f.Remedies = append(f.Remedies, report.DocLink{Title: "allow in every project those that you need, by making " +
			"this plan with", Target: flags})
	}
	cost(hosts, report.Counted(len(voided), "1 host of its list is blocked", "%d hosts of its list are blocked"))
	rules := added(before, later)
	stopped, n := overruledRules(before, rules)
	cost(stopped, report.Counted(n, "1 allow rule of it is overridden", "%d allow rules of it are overridden"))
	asked, n, seen := p.recentCommands(root, rules)
	cost(asked, report.OfAll(n, seen, "recent command would ask or be denied", "recent commands would ask or be denied"))
	if f.Status == report.Warn {
		f.Summary = name + ": " + strings.Join(costs, "; ")
	}
	unknown := "no session of it is recorded: which commands would ask or fail is unknown"
	if seen > 0 {
		unknown = report.Counted(seen, "1 command of recent sessions checked; which files and hosts it needs is unknown",
			"%d commands of recent sessions checked; which files and hosts they need is unknown")
	}
	f.Evidence = append(f.Evidence, report.FileEvidence(p.records(root), unknown))
	return f
}

// hostFlags are the flags that have hosts of a project count.
func hostFlags(hosts []settings.Candidate) string {
	var flags []string
	for _, c := range hosts {
		if flag := "--" + string(floorHosts.ID) + "=" + scripts.Quote(c.Value.Text); !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	return strings.Join(flags, " ")
}

func (p *proposer) tilde(path string) string { return pathname.Tilde(path, p.r.Places().Home) }

// added are the deny and ask rules for commands that are in force only later.
func added(before, later *settings.Effective) (rules []settings.Rule) {
	had := map[string]bool{}
	for _, r := range before.RulesIn(claude.Deny, claude.Ask) {
		had[r.List+" "+r.Value.Text] = true
	}
	for _, r := range later.RulesIn(claude.Deny, claude.Ask) {
		if _, _, command := policy.CommandRule(r.Value.Text); command && !had[r.List+" "+r.Value.Text] {
			rules = append(rules, r)
		}
	}
	return rules
}

// stops is the rule that stops a command, a denial before a prompt.
func stops(rules []settings.Rule, command string) (rule settings.Rule, ok bool) {
	for _, list := range []string{claude.Deny, claude.Ask} {
		for _, r := range rules {
			content, bare, _ := policy.CommandRule(r.Value.Text)
			if r.List == list && (bare || policy.CommandMatches(content, command)) {
				return r, true
			}
		}
	}
	return settings.Rule{}, false
}

// overruledRules are the allow rules for commands which such a rule overrules,
// for the command that the rule begins with.
func overruledRules(before *settings.Effective, rules []settings.Rule) (evidence []report.Evidence, n int) {
	for _, r := range before.RulesIn(claude.Allow) {
		content, bare, command := policy.CommandRule(r.Value.Text)
		if !command || bare {
			continue
		}
		if by, ok := stops(rules, strings.TrimRight(content, ":* ")); ok {
			evidence, n = append(evidence,
				report.FileEvidence(r.Where(), r.Value.Text+" is overridden by "+by.List+" "+by.Value.Text)), n+1
		}
	}
	return evidence, n
}

// The bounds of what is read of a project's recent sessions.
const (
	maxRecords  = 5
	maxCommands = 2000
)

// records is where the runtime keeps the sessions that started in root.
func (p *proposer) records(root string) string {
	return filepath.Join(p.r.Places().AgentDir, claude.Records, pathname.Dashed(root))
}

// recentCommands counts the commands of the newest sessions that such a rule
// would stop. They may hold secrets: none of their words is kept.
func (p *proposer) recentCommands(root string, rules []settings.Rule) (evidence []report.Evidence, n, seen int) {
	dir := p.records(root)
	entries, err := p.r.ReadDir(dir)
	if err != nil {
		return nil, 0, 0
	}
	type record struct {
		path string
		when int64
	}
	var list []record
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".jsonl") {
			list = append(list, record{filepath.Join(dir, e.Name()), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(list, func(a, b record) int { return int(min(1, max(-1, b.when-a.when))) })
	by := map[string]int{}
	var order []string
	for _, rec := range list[:min(len(list), maxRecords)] {
		b, err := p.r.Read(rec.path)
		if err != nil {
			continue
		}
		for _, line := range commandsIn(b) {
			if seen++; seen > maxCommands {
				break
			}
			for _, command := range shell.Commands(line, p.r.Places().Home) {
				r, ok := stops(rules, command.Text())
				if !ok {
					continue
				}
				key := map[string]string{claude.Deny: "denied", claude.Ask: "asked about"}[r.List] + " by " + r.Value.Text
				if by[key]++; by[key] == 1 {
					order = append(order, key)
				}
				n++
				break
			}
		}
	}
	for _, key := range order {
		evidence = append(evidence, report.FileEvidence(dir, report.Counted(by[key], "1 command of recent sessions would be ",
			"%d commands of recent sessions would be ")+key))
	}
	return evidence, n, min(seen, maxCommands)
}

// commandsIn are the command lines of a session's record.
func commandsIn(record []byte) (lines []string) {
	scan := bufio.NewScanner(bytes.NewReader(record))
	scan.Buffer(nil, 4<<20)
	for scan.Scan() {
		if !bytes.Contains(scan.Bytes(), []byte(`"Bash"`)) {
			continue
		}
		var l struct {
			Message struct {
				Content []struct {
					Type, Name string
					Input      struct{ Command string }
				}
			}
		}
		if json.Unmarshal(scan.Bytes(), &l) != nil {
			continue
		}
		for _, c := range l.Message.Content {
			if c.Type == "tool_use" && c.Name == claude.ToolBash {
				lines = append(lines, c.Input.Command)
			}
		}
	}
	return lines
}
