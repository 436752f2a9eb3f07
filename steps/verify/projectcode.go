// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a project's own files would run, or change, outside
// the sandbox is named with its place, one by one. What the user has looked
// at is known by its digest; nothing else counts as looked at.

package verify

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// projectCode asks what the project around dir runs outside the sandbox.
func projectCode(dir string) engine.Check {
	return engine.Check{ID: "project-code", Title: "What the project runs outside the sandbox", Layer: report.LayerSandbox,
		Run: func(_ context.Context, r host.Reader) report.Finding { return checkProjectCode(r, dir) }}
}

// loaded are the settings of a project that run a program, or give a yes to
// one, when a plain session starts in it, and what each does. They cannot be
// approved: claude-iso never loads them.
var loaded = []struct {
	path   string
	effect string
	when   func(*settings.Value) bool // nil: whatever the value
}{
	{"apiKeyHelper", "is run for a key", nil},
	{"awsAuthRefresh", "is run to log in to AWS", nil},
	{"awsCredentialExport", "is run for AWS credentials", nil},
	{"gcpAuthRefresh", "is run to log in to Google Cloud", nil},
	{"otelHeadersHelper", "is run for the headers of telemetry", nil},
	{"proxyAuthHelper", "is run for the proxy's password", nil},
	{"processWrapper", "is put in front of what the agent starts", nil},
	{"policyHelpers", "are run for settings", nil},
	{"statusLine", "is run for the footer, and takes the place of yours", nil},
	{"fileSuggestion", "is run when a file name is completed", nil},
	{"sandbox.ripgrep", "is run in place of the agent's own search", nil},
	{"enableAllProjectMcpServers", "starts every server of .mcp.json without a question", (*settings.Value).True},
	{"enabledMcpjsonServers", "starts these servers of .mcp.json without a question", holdsItems},
	{"enabledPlugins", "loads plugins, whose hooks and servers run outside the sandbox", holdsItems},
	{"extraKnownMarketplaces", "adds places from which plugins come", holdsItems},
}

func holdsItems(v *settings.Value) bool { return len(v.Items)+len(v.Members) > 0 }

// brought is what a project brings.
type brought struct {
	variables, settings []string // never approved
	texts               []string // with hooks of their own
	links               []string // that lead to credentials
	outside             []string // links of instructions that lead out of the project
	hooks, servers      int      // not approved
	approved            int
	evidence, harmless  []report.Evidence
	remedies            []report.Remedy
}

func checkProjectCode(r host.Reader, dir string) report.Finding {
	starts := startsIn(r, dir)
	var b brought
	var unread []report.Evidence
	for _, start := range starts {
		s := SessionAt(r, start)
		for _, l := range s.Layers {
			if (l.Scope == settings.Project || l.Scope == settings.Local) && startAt(r, filepath.Dir(l.Doc.Path)) != startAt(r, r.Places().AgentDir) {
				b.ofSettings(l)
			}
		}
		unread = append(unread, b.ofTexts(r, start)...)
		b.ofInstructions(r, start)
		launch, err := iso.Survey(r, start)
		if linked := (*inforce.LinkError)(nil); errors.As(err, &linked) {
			b.ofLink(linked.Path, linked.Error())
		} else if err != nil {
			unread = append(unread, errorEvidence(start, err))
		}
		for _, item := range launch.Items {
			if b.ofItem(item) {
				unread = append(unread, report.FileEvidence(item.Where, "cannot be understood"))
			}
		}
	}
	return b.finding(starts, unread)
}

// startsIn lists where a session for the project around dir would start: at
// the root of its worktree, and in dir itself.
func startsIn(r host.Reader, dir string) []string {
	start := startAt(r, dir)
	if root := inforce.FindTree(r, start).Root; root != "" && root != start {
		return []string{root, start}
	}
	return []string{start}
}

// startAt is dir, or the working directory, as a session would know it:
// absolute, links resolved.
func startAt(r host.Reader, dir string) string {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.System().Cwd, dir)
	}
	if real, err := r.Resolve(dir); err == nil {
		return real
	}
	return dir
}

// add keeps evidence once.
func (b *brought) add(e report.Evidence) (fresh bool) {
	if slices.Contains(b.evidence, e) {
		return false
	}
	b.evidence = append(b.evidence, e)
	return true
}

// ofSettings takes what cannot be approved from a settings file.
func (b *brought) ofSettings(l settings.Layer) {
	if env := l.Doc.Get("env"); env != nil {
		for _, m := range env.Members {
			at := settings.Source{Path: l.Doc.Path, Line: m.Line, Col: m.Col}.Where()
			effect := envEffect(m.Key)
			switch {
			case effect == "":
				b.harmless = append(b.harmless, report.FileEvidence(at, "sets "+m.Key+", which decides nothing outside the sandbox"))
			case b.add(report.FileEvidence(at, "env."+m.Key+" "+effect)):
				b.variables = append(b.variables, m.Key)
				b.remedies = append(b.remedies, RemoveKey(at, "env", m.Key))
			}
		}
	}
	for _, k := range loaded {
		path := strings.Split(k.path, ".")
		v := l.Doc.Get(path...)
		if v == nil || v.Kind == settings.Null || k.when != nil && !k.when(v) {
			continue
		}
		at := l.Doc.Where(v)
		if b.add(report.FileEvidence(at, k.path+" "+k.effect+commandOf(v))) {
			b.settings = append(b.settings, k.path)
			b.remedies = append(b.remedies, RemoveKey(at, path...))
		}
	}
}

// commandOf is the program that a setting names, for evidence, without
// arguments that may be secrets.
func commandOf(v *settings.Value) string {
	if command := v.Get("command"); command != nil {
		v = command
	}
	if v.Kind != settings.Str {
		return ""
	}
	return ": " + redact.Command(v.Text)
}

// ofLink takes a file of the project that leads to credentials.
func (b *brought) ofLink(path, why string) {
	if b.add(report.FileEvidence(path, why)) {
		b.links = append(b.links, filepath.Base(path))
		b.remedies = append(b.remedies, report.DocLink{Title: "remove the link", Target: path})
	}
}

// ofItem takes what can be approved, and says whether it could not be
// understood.
func (b *brought) ofItem(i iso.Item) (unread bool) {
	switch {
	case i.Name == iso.MCPLink:
		b.ofLink(i.Where, "is a link to a credential file: not opened")
	case i.Kind == iso.Other:
		return strings.HasPrefix(i.Name, ".mcp.json")
	case i.Kind != iso.Hook && i.Kind != iso.Server:
	case i.Allowed:
		e := report.FileEvidence(i.Where, fmt.Sprintf("the %s %q is approved as it is now", i.Kind, i.Name))
		if !slices.Contains(b.harmless, e) {
			b.harmless = append(b.harmless, e)
			b.approved++
		}
	case !b.add(report.FileEvidence(i.Where, fmt.Sprintf("the %s %q runs outside the sandbox; it is not approved", i.Kind, i.Name))):
	case i.Kind == iso.Hook:
		b.hooks++
	default:
		b.servers++
	}
	return false
}

func (b *brought) finding(starts []string, unread []report.Evidence) report.Finding {
	f := report.Finding{Status: report.Pass, Summary: "the project runs nothing outside the sandbox", Remedies: b.remedies,
		Evidence: slices.Concat(b.evidence, unread, b.harmless)}
	var does []string
	if b.variables != nil {
		does = append(does, "sets "+strings.Join(short(b.variables), ", ")+" for what runs outside the sandbox")
	}
	if b.settings != nil {
		does = append(does, "has "+strings.Join(short(b.settings), ", "))
	}
	if b.links != nil {
		does = append(does, "leads "+strings.Join(short(b.links), ", ")+" to a credential file")
	}
	if b.texts != nil {
		does = append(does, "has hooks in "+strings.Join(short(b.texts), ", "))
	}
	if items := numbers(b.hooks, "hook", b.servers, "MCP server"); items != "" {
		does = append(does, "has "+items+" that you have not approved")
		f.Remedies = append(f.Remedies, report.Command{ID: "approve", Line: "steward-setup iso --approve",
			Why: "look at each of them, and approve it for claude-iso as it is; what is not approved it does not load"})
	}
	plain := "a plain claude loads all of it"
	switch {
	case does != nil:
		f.Status, f.Summary = report.Fail, "the project "+strings.Join(does, ", and ")
	case unread != nil:
		f.Status, f.Summary = report.Unknown, "what the project runs could not be read"
		plain = f.Summary
	case b.outside != nil:
		f.Status, f.Summary = report.Warn, "the project leads "+strings.Join(short(b.outside), ", ")+" out of itself"
		plain = "a plain claude reads what is there to the model"
	case b.approved > 0:
		f.Summary = fmt.Sprintf("what the project runs outside the sandbox is approved, %d in all", b.approved)
	}
	if f.Evidence == nil {
		f.Evidence = []report.Evidence{report.FileEvidence(filepath.Join(starts[0], ".claude"), "neither settings nor .mcp.json name a program")}
	}
	if f.Status != report.Pass {
		f.Launches = []report.LaunchStatus{{Launch: report.Plain, Status: f.Status, Summary: plain},
			{Launch: report.Iso, Status: report.Pass, Summary: "claude-iso loads only what is approved"}}
	}
	return f
}

// short cuts a list for a summary.
func short(list []string) []string {
	if len(list) > 3 {
		return append(slices.Clone(list[:3]), fmt.Sprintf("%d more", len(list)-3))
	}
	return list
}

// numbers says how many there are of two things, "" of neither.
func numbers(n int, one string, m int, other string) string {
	var words []string
	for _, c := range []struct {
		n    int
		name string
	}{{n, one}, {m, other}} {
		switch c.n {
		case 0:
		case 1:
			words = append(words, "1 "+c.name)
		default:
			words = append(words, fmt.Sprintf("%d %ss", c.n, c.name))
		}
	}
	return strings.Join(words, " and ")
}

// errorEvidence is an error as evidence, at its own place if it has one.
func errorEvidence(where string, err error) report.Evidence {
	var e *report.Error
	if errors.As(err, &e) && e.Where != "" {
		return report.FileEvidence(e.Where, e.What)
	}
	return report.FileEvidence(where, err.Error())
}
