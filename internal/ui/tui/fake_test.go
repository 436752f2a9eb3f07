// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the tests' backend is a small honest installer: its
// proposals follow from the answers and from what was "run", its plans are
// real plans with real diffs, and it counts every write it was asked for.

package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

const (
	home    = "/home/ada"
	project = home + "/code/tracker"
)

var facts = report.Facts{Project: project, Branch: "main", Home: home, OS: "linux", Distro: "debian 12",
	Program: "claude", Runtime: "2.1.329"}

// fake is a machine without a setup.
type fake struct {
	mu sync.Mutex
	// toolsThere is set once the user has run the package command.
	toolsThere bool
	// done is a machine on which everything is set up already.
	done bool
	// wrapped has claude-iso already.
	wrapped bool
	// drift makes the policy differ from one proposal to the next.
	drift bool
	// questions asks the policy's questions.
	questions bool
	// proposeErr and applyErr fail the call; applyErr at change failAt.
	proposeErr, applyErr error
	failAt               int
	// report, if set, is what the checks find.
	report []report.Finding
	// hold, if set, is received from before every change.
	hold chan struct{}
	// last, if set, is received from before Apply returns.
	last chan struct{}

	proposed int
	applied  []report.PlanID
	written  []string
	returned atomic.Bool // Apply has
}

// fresh is another machine like f, before anything happened to it.
func (f *fake) fresh() *fake {
	return &fake{toolsThere: f.toolsThere, done: f.done, drift: f.drift, questions: f.questions,
		proposeErr: f.proposeErr, applyErr: f.applyErr, failAt: f.failAt, report: f.report}
}

func (f *fake) Propose(_ context.Context, a report.Answers, _ func(engine.Progress)) (report.Proposal, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.proposed++
	if f.proposeErr != nil {
		return report.Proposal{}, f.proposeErr
	}
	sections := []report.Section{f.tools(), f.policy(a), wrapper(), hooks(), wiring(), roots(), scope()}
	for i, s := range sections {
		if f.done || f.wrapped && s.ID == "wrapper" {
			sections[i].Items, sections[i].Findings = nil, nil
		}
		if slices.Contains(a["skip"], string(s.ID)) {
			sections[i] = report.Section{ID: s.ID, Title: s.Title, Why: s.Why, Skipped: true}
		}
	}
	p := report.Proposal{Plan: report.NewPlan(sections), Facts: facts}
	if f.questions {
		p.Questions = questions()
	}
	return p, nil
}

func (f *fake) Apply(ctx context.Context, p report.Plan, emit engine.Sink) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.applied = append(f.applied, p.ID)
	defer func() {
		if f.last != nil {
			<-f.last
		}
		f.returned.Store(true)
	}()
	changes := p.Changes()
	for i, c := range changes {
		if f.hold != nil {
			select {
			case <-f.hold:
			case <-ctx.Done():
			}
		}
		var err error
		if ctx.Err() != nil {
			err = &report.Error{Code: report.ExitInterrupted, What: "interrupted",
				Why: "the changes before this one are written", Next: "to go on:  steward-setup install; " +
					"or undo what was written: steward-setup undo 20261120-1"}
		} else if f.applyErr != nil && i == f.failAt {
			err = f.applyErr
		}
		emit(engine.ChangeDone{Change: c, Index: i + 1, File: c.Path, Nth: i + 1, Files: len(changes), Err: err})
		if err != nil {
			return err
		}
		f.written = append(f.written, c.Path)
	}
	emit(engine.Applied{Plan: p, Receipt: "20261120-1", TakeBack: "steward-setup undo 20261120-1"})
	return nil
}

func (f *fake) Recheck(_ context.Context, emit engine.Sink) {
	if f.report != nil {
		answers(f.report, emit)
		return
	}
	for _, x := range []report.Finding{
		{Check: "tools-pinned", Layer: report.LayerTools, Status: report.Warn,
			Summary:  "bubblewrap 0.8.0 is the distro's version, older than the pinned 0.11.2",
			Evidence: []report.Evidence{report.VersionEvidence("bubblewrap", "0.8.0")},
			Remedies: []report.Remedy{report.DocLink{Title: "build the pinned version", Target: "docs/tools.md"}}},
		{Check: "project-settings", Layer: report.LayerSandbox, Status: report.Pass,
			Summary:  "strict JSON, 61 entries in force",
			Evidence: []report.Evidence{report.FileEvidence(project+"/.claude/settings.json", "61 entries")}},
		{Check: "user-wiring", Layer: report.LayerVisibility, Status: report.Fail,
			Summary:  "your own status line is kept; it does not show the sandbox",
			Evidence: []report.Evidence{report.FileEvidence(home+"/.claude/settings.json:14:3", `"statusLine": "my-line.sh"`)},
			Remedies: []report.Remedy{report.Command{Why: "use the sandbox's status line",
				Line: "steward-setup install --status-line replace"}}},
		{Check: "clean-env", Layer: report.LayerCleanEnv, Status: report.Unknown,
			Summary:  "not judged: ~/.zshrc has a form that cannot be read",
			Evidence: []report.Evidence{report.FileEvidence(home+"/.zshrc:212", "if [[ -o login ]] { … }")}},
		{Check: "project-root", Layer: report.LayerSandbox, Status: report.Pass, Summary: "2 of 2 worktrees",
			Evidence: []report.Evidence{report.CommandEvidence("git worktree list", "2 worktrees")}},
		{Check: "scope", Layer: report.LayerSandbox, Status: report.Skip, Summary: "per-project",
			Evidence: []report.Evidence{report.EnvEvidence("scope", "per-project")}},
	} {
		emit(engine.CheckStarted{ID: x.Check, Title: "looking at " + string(x.Check)})
		emit(engine.CheckDone{Finding: x})
	}
}

func (f *fake) ApplyLine(a report.Answers) string {
	line := "steward-setup install --apply"
	if skip := a["skip"]; len(skip) > 0 {
		line += " --skip " + strings.Join(skip, ",")
	}
	return line
}

func (f *fake) writes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.written)
}

func (f *fake) applies() []report.PlanID {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.applied)
}

func questions() []report.Question {
	return []report.Question{
		{ID: "project-name", Section: "policy", Kind: report.Text, Title: "What is the project's config directory called?",
			Help: "The agent may read ~/.config/<name>. Nothing else below ~/.config is opened.", Default: []string{"tracker"},
			DefaultFrom: "the repository's name"},
		{ID: "domains", Section: "policy", Kind: report.Multi, Ask: true,
			Title: "Which hosts may the agent's commands reach?",
			Help:  "Everything else is refused by the sandbox's proxy.", Price: "a host that serves what anyone uploads can " +
				"carry data out",
			Options: []report.Option{
				{Value: "github", Label: "GitHub", Note: "github.com, api.github.com, raw.githubusercontent.com"},
				{Value: "apache", Label: "Apache", Note: "*.apache.org"},
				{Value: "python", Label: "Python", Note: "pypi.org, files.pythonhosted.org"},
				{Value: "node", Label: "Node", Note: "registry.npmjs.org"},
				{Value: "go", Label: "Go", Note: "proxy.golang.org, sum.golang.org"}},
			Default: []string{"github", "go"}, DefaultFrom: "go.mod and the remote origin"},
		{ID: "unsandboxed", Section: "policy", Kind: report.Confirm, Title: "May the agent ask to run a command outside " +
			"the sandbox?",
			Help: "No means that such a command fails instead of asking you.", Price: "tools that cannot live in the sandbox " +
				"stop working", Default: []string{"no"}, Reason: "the policy's own rules ask"},
		{ID: "alias", Section: "wrapper", Kind: report.Confirm, Title: "Alias claude to claude-iso?", Ask: true,
			Default: []string{"no"}},
		{ID: "allow-write", Section: "roots", Kind: report.Confirm, Title: "Add each root to allowWrite, too?",
			Default: []string{"no"}, Decided: "not needed on Linux"},
		{ID: "status-line", Section: "wiring", Kind: report.Choice, Title: "You have a status line of your own. What " +
			"should happen to it?",
			Options: []report.Option{{Value: "keep", Label: "keep mine", Note: "the sandbox's state is not shown"},
				{Value: "replace", Label: "use the sandbox's", Note: "yours is in the receipt, undo brings it back"}},
			Default: []string{"keep"}},
		{ID: "extra-ask", Section: "wiring", Kind: report.List, Title: "What else should ask before it runs?",
			Help: "One rule a line."},
		{ID: "skip", Section: "", Kind: report.Multi, Title: "Sections left out"},
		{ID: "omit", Section: "policy", Kind: report.List, Title: "Entries left out"},
	}
}

func (f *fake) tools() report.Section {
	s := report.Section{ID: "tools", Title: "Pinned tools",
		Why: "The sandbox is built from bubblewrap and socat. They are pinned to versions that were released long enough " +
			"ago to have been looked at."}
	if f.toolsThere {
		s.Findings = []report.Finding{{Check: "tools-pinned", Layer: report.LayerTools, Status: report.Pass,
			Summary: "bubblewrap 0.11.2, socat 1.8.1.3, claude 2.1.329"}}
		return s
	}
	s.Items = []report.Item{
		report.Command{ID: "tools/apt", Why: "bubblewrap 0.11.2 and socat 1.8.1.3 are what the sandbox is started with",
			Line:       "sudo apt-get install --no-install-recommends bubblewrap=0.11.2-1~bpo12+1 socat=1.8.1.3-1~bpo12+1",
			Privileged: true},
		report.Command{ID: "tools/claude", Why: "the installed runtime is older than the floor 2.1.224",
			Line: "npm install -g @anthropic-ai/claude-code@2.1.329", Optional: true},
	}
	s.Findings = []report.Finding{{Check: "tools-pinned", Layer: report.LayerTools, Status: report.Warn,
		Summary: "socat is not installed; bubblewrap is 0.8.0, the pin is 0.11.2"}}
	return s
}

// rules are the policy's entries: path, value, layer, why.
var rules = []struct {
	path, value string
	layer       report.Layer
	why         string
}{
	{"sandbox.filesystem.denyRead", "~/", report.LayerSandbox, "the home directory is hidden from every command the " +
		"agent runs"},
	{"sandbox.filesystem.allowRead", ".", report.LayerSandbox, "the project itself must be readable"},
	{"sandbox.network.allowedDomains", "github.com", report.LayerSandbox, "the remote of this repository"},
	{"sandbox.network.allowedDomains", "raw.githubusercontent.com", report.LayerSandbox,
		"release files; it serves what anyone uploads"},
	{"permissions.deny", "Read(~/.ssh/**)", report.LayerPermissions, "keys are of no use to a coding agent"},
	{"permissions.deny", "Read(~/.aws/**)", report.LayerPermissions, "credentials of the cloud"},
	{"permissions.deny", "Bash(curl *)", report.LayerPermissions, "downloads go through the proxy or not at all"},
	{"permissions.ask", "Bash(git push *)", report.LayerConfirmation, "what others can see is asked for first"},
	{"permissions.ask", "Bash(gh pr create *)", report.LayerConfirmation, "what others can see is asked for first"},
}

func (f *fake) policy(a report.Answers) report.Section {
	omit := a["omit"]
	before := "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"deny\": [\n      \"Bash(rm -rf *)\"\n    ]\n  }\n}\n"
	s := report.Section{ID: "policy", Title: "Project policy",
		Why: "Hides the home directory from every command the agent runs, names the hosts it may reach, denies " +
			"credential reads, asks before anything others can see.",
		Exposes: []string{"raw.githubusercontent.com serves what anyone uploads"},
		Entries: []report.Entry{{Key: "permissions.deny:Bash(rm -rf *)", Layer: report.LayerPermissions,
			Why: "yours: it stays", State: "present"}}}
	if slices.Equal(a["unsandboxed"], []string{"yes"}) {
		s.Exposes = append(s.Exposes, "a command may ask to run outside the sandbox")
	}
	lists := make(map[string][]string)
	for _, r := range rules {
		key := r.path + ":" + r.value
		e := report.Entry{Key: key, Layer: r.layer, Why: r.why, State: "new"}
		if slices.Contains(omit, key) {
			e.State = "omitted"
		} else {
			lists[r.path] = append(lists[r.path], r.value)
		}
		s.Entries = append(s.Entries, e)
	}
	if f.drift {
		lists["permissions.deny"] = append(lists["permissions.deny"], fmt.Sprintf("Read(drift-%d)", f.proposed))
	}
	after := policyDocument(lists)
	s.Items = []report.Item{report.Change{ID: "policy/settings", Why: "the policy of everyone who works on this project",
		Path: project + "/.claude/settings.json", Target: project + "/.claude/settings.json", Before: []byte(before),
		After: []byte(after), Mode: 0o644, ModeBefore: 0o644}}
	return s
}

func policyDocument(lists map[string][]string) string {
	list := func(indent, name string, values []string) string {
		b := indent + `"` + name + "\": [\n"
		for i, v := range values {
			b += indent + "  \"" + v + "\""
			if i < len(values)-1 {
				b += ","
			}
			b += "\n"
		}
		return b + indent + "]"
	}
	deny := append([]string{"Bash(rm -rf *)"}, lists["permissions.deny"]...)
	for i := range 24 {
		deny = append(deny, fmt.Sprintf("Read(~/.config/tool-%02d/**)", i+1))
	}
	deny = append(deny, "Read(~/.config/a-tool-with-a-very-long-name/and/a/directory/below/it/that/goes/on/and/on/"+
		"credentials.json)")
	return "{\n  \"model\": \"opus\",\n  \"sandbox\": {\n    \"enabled\": true,\n    \"failIfUnavailable\": true,\n" +
		"    \"filesystem\": {\n" +
		list("      ", "denyRead", lists["sandbox.filesystem.denyRead"]) + ",\n" +
		list("      ", "allowRead", lists["sandbox.filesystem.allowRead"]) + "\n    },\n    \"network\": {\n" +
		list("      ", "allowedDomains", lists["sandbox.network.allowedDomains"]) + "\n    }\n  },\n  \"permissions\": {\n" +
		list("    ", "deny", deny) + ",\n" + list("    ", "ask", lists["permissions.ask"]) + "\n  }\n}\n"
}

// errStale and errDisk are failures as the engine words them.
var (
	errStale = &report.Error{Code: report.ExitStale, Where: home + "/.claude/settings.json",
		What: "has changed since it was shown",
		Why:  "only what was shown may be written; nothing was changed", Next: "look at the new plan"}
	errDisk = &report.Error{Code: report.ExitLeft, Where: home + "/.claude/scripts/sandbox-error-hint.sh",
		What: "could not be written",
		Why:  "the changes before this one are written", Next: "free some space, then steward-setup install again",
		Err: errors.New("no space left on device")}
)
