// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the reports of the tests have every check of verify, in
// its order, and words as long as the real ones.

package tui

import (
	"context"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// checks are those of verify.
var checks = []engine.Check{
	{ID: "tools-pinned", Title: "Tools at their pinned versions", Layer: report.LayerTools},
	{ID: "runtime-advisories", Title: "No known weakness of the runtime touches this policy", Layer: report.LayerTools},
	{ID: "sandbox-support", Title: "The sandbox can start on this machine", Layer: report.LayerSandbox},
	{ID: "project-settings", Title: "The policy is there", Layer: report.LayerSandbox},
	{ID: "project-code", Title: "What the project runs outside the sandbox", Layer: report.LayerSandbox},
	{ID: "policy-invariants", Title: "Nothing weakens the policy", Layer: report.LayerSandbox},
	{ID: "effective-sandbox", Title: "The sandbox is in force", Layer: report.LayerSandbox},
	{ID: "user-wiring", Title: "Hooks and status line are wired", Layer: report.LayerVisibility},
	{ID: "hook-scripts", Title: "Hook scripts are in place", Layer: report.LayerVisibility},
	{ID: "hooks-fire", Title: "Each wired hook was seen firing", Layer: report.LayerVisibility},
	{ID: "clean-env", Title: "claude-iso is defined in your shell", Layer: report.LayerCleanEnv},
	{ID: "project-root", Title: "Each worktree's root is covered", Layer: report.LayerSandbox},
	{ID: "scope", Title: "Which repositories are covered", Layer: report.LayerSandbox},
	{ID: "denials", Title: "What must not be reached was not reached", Layer: report.LayerPermissions},
	{ID: "mcp-servers", Title: "MCP servers of the user", Layer: report.LayerSandbox},
}

// healthy are the findings of a machine on which everything holds, but for a
// tool that the distribution ships and for what plain claude inherits.
func healthy() []report.Finding {
	pass := map[report.ID]string{
		"runtime-advisories": "none of 9 known weaknesses touches this policy with 2.1.329",
		"sandbox-support":    "bwrap, socat, namespaces and seccomp work here",
		"project-settings":   "strict JSON, 61 entries in force",
		"project-code":       "nothing of this project runs outside the sandbox",
		"policy-invariants":  "58 rules looked at, none weakens the policy",
		"effective-sandbox":  "on, set by the project, and nobody overrides it",
		"user-wiring":        "3 hooks and the status line",
		"hook-scripts":       "5 scripts, as this version writes them",
		"hooks-fire":         "3 of 3 hooks seen firing",
		"clean-env":          "~/.zshrc:212 sources the wrapper",
		"project-root":       "2 of 2 worktrees",
		"denials":            "14 of 14 refused, each by its layer; 11 of 11 canaries hidden",
	}
	var fs []report.Finding
	for _, c := range checks {
		f := report.Finding{Check: c.ID, Layer: c.Layer, Status: report.Pass, Summary: pass[c.ID],
			Duration: 3 * time.Millisecond,
			Evidence: []report.Evidence{report.FileEvidence(project+"/.claude/settings.json:3", `"sandbox": {`)}}
		switch c.ID {
		case "tools-pinned":
			f.Status, f.Summary = report.Warn, "bubblewrap 0.8.0 is older than the pin, 0.11.2; socat 1.8.1.3; claude 2.1.329"
			f.Evidence = []report.Evidence{report.CommandEvidence("bwrap --version", "0.8.0"),
				report.CommandEvidence("socat -V", "1.8.1.3")}
			f.Remedies = []report.Remedy{report.Command{Line: "steward-setup install --plan", Optional: true,
				Why: "list the versions available here"}}
		case "scope", "mcp-servers":
			f.Status, f.Summary = report.Skip, "per-project"
			if c.ID == "mcp-servers" {
				f.Summary = "no server is configured"
			}
		case "denials": // a project's policy: a plain start below it has none
			for _, l := range []report.Launch{report.Plain, report.Iso} {
				for _, d := range report.StartDirs[:3] {
					c := report.Cover{Launch: l, Start: d, Status: report.Pass, Denied: 57, Rehearsed: true}
					if d == report.AtRoot {
						c.Dir = project
					} else if l == report.Plain {
						c.Status, c.Through, c.Why = report.Fail, 57, "57 of 57 forbidden actions succeeded"
					}
					f.Covers = append(f.Covers, c)
				}
			}
			f.Covers = append(f.Covers, report.Cover{Launch: report.Plain, Start: report.AtOther, Status: report.Fail,
				Why: "the sandbox is off"})
		case "clean-env":
			f.Status = report.Warn
			f.Launches = []report.LaunchStatus{
				{Launch: report.Plain, Status: report.Warn,
					Summary: "the environment is not cleaned: 3 of 3 planted variables arrived"},
				{Launch: report.Iso, Status: report.Pass, Summary: "0 of 3 planted variables arrived"}}
		}
		fs = append(fs, f)
	}
	return fs
}

// broken are the findings of a machine with a comment in its settings.
func broken() []report.Finding {
	fs := healthy()
	for i := range fs {
		f := &fs[i]
		switch f.Check {
		case "project-settings":
			f.Status, f.Voids = report.Fail, true
			f.Summary = "a comment: the runtime silently ignores the whole file"
			f.Evidence = []report.Evidence{report.FileEvidence(project+"/.claude/settings.json:14:3", "// keep this"),
				report.CommandEvidence("claude, started here on the stage", "a session printed the canary of ~/.aws/credentials")}
			f.Remedies = []report.Remedy{report.Change{Path: project + "/.claude/settings.json",
				Why: "remove the comment on line 14 of .claude/settings.json"},
				report.Command{Line: "steward-setup install --take=sandbox", Why: "writes the policy anew"}}
		case "policy-invariants", "effective-sandbox", "denials":
			f.Status, f.Summary = report.Unknown, "not judged: project-settings has to be settled first"
		}
	}
	return fs
}

// judged is what steps/verify says over findings.
func judged(fs []report.Finding, age time.Duration) engine.Judged {
	j := engine.Judged{Verdict: report.Judge(fs, false), Age: age, From: engine.FromRehearsal,
		Elapsed: 2412 * time.Millisecond, Covers: report.CoversOf(fs), Launches: make(map[report.Launch]report.Verdict)}
	for _, l := range []report.Launch{report.Plain, report.Iso} {
		if v, seen := report.JudgeLaunch(fs, l, false); seen {
			j.Launches[l] = v
		}
	}
	return j
}

// answers emits a whole run.
func answers(fs []report.Finding, emit engine.Sink) {
	for _, f := range fs {
		emit(engine.CheckStarted{ID: f.Check})
	}
	emit(engine.Progress{Text: "rehearsing claude-iso", Done: 1, Of: 8})
	for _, f := range fs {
		emit(engine.CheckDone{Finding: f})
	}
	emit(judged(fs, 0))
}

func verifying(findings func() []report.Finding) VerifyRun {
	return VerifyRun{Facts: facts, Checks: checks, Run: func(_ context.Context, emit engine.Sink) error {
		answers(findings(), emit)
		return nil
	}}
}

// actions are the keys of the tests' home screen.
var actions = []Action{{"v", "verify"}, {"d", "doctor"}, {"u", "update"}, {"i", "install"},
	{"s", "scope"}, {"t", "try"}, {"h", "history"}}

func homeOf(fs []report.Finding, age time.Duration) HomeData {
	j := judged(fs, age)
	if j.From = engine.FromStored; age == 0 {
		j.From = engine.FromNowhere
	}
	return HomeData{Facts: facts, Findings: fs, Judged: j, Hosts: 14, Bypasses: 2, Actions: actions}
}
