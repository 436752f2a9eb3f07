// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a framework's policy is a proposal of somebody else. What
// install never writes is left out of it, what is not enforced is put into the
// form that is, and each such step is reported with its line.

package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// malformedRule is said of a rule that the runtime would skip.
const malformedRule = "Left out: it is not a rule, and the runtime would skip it."

var (
	ruleForm = lazy.Regexp(`^[A-Za-z_][\w-]*(\([^\x00-\x1f]+\))?$`)
	variable = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// FromFramework returns the base that the sandbox and permissions blocks of a
// framework's settings make, with what protects here and is missing there, and
// a finding for each value that was left out or corrected and for each layer to
// which something was added. where is the path of the document, for evidence, home the
// home directory. The error is a *report.Error with exit code 65: the document is not understood.
func (p *Policy) FromFramework(doc []byte, where, home string) (Base, []report.Finding, error) {
	theirs, err := leaves(doc, where)
	if err != nil {
		return Base{}, nil, withoutFramework(err)
	}
	b := Base{policy: p}
	var findings []report.Finding
	for _, e := range theirs {
		kept, why := correct(e, home)
		if why != "" {
			findings = append(findings, report.Finding{Check: "framework-policy", Layer: layerOf(e.Key), Status: report.Warn,
				Summary:  why,
				Evidence: []report.Evidence{report.FileEvidence(fmt.Sprintf("%s:%d", where, e.Value.Line), e.ID())}})
		}
		for _, e := range kept {
			e.Layer, e.Why = layerOf(e.Key), "From the framework's policy."
			if known, ok := p.entry(e.ID()); ok {
				e.Why, e.Layer, e.Exposes, e.Unless = known.Why, known.Layer, known.Exposes, known.Unless
			}
			b.entries = append(b.entries, e)
		}
	}
	b.entries = unique(b.entries)
	missing := p.lacking(Written(b.entries), home, Entry.protects)
	b.entries = append(b.entries, missing...)
	return b, append(findings, supplied(missing, where)...), nil
}

// protects says whether an entry is added to a framework's policy that lacks
// it: what is required of every policy, and what keeps credentials, the policy
// itself, and what runs outside the sandbox from the agent. The rest is the
// framework's choice.
func (e Entry) protects() bool {
	rule := e.Value.Text
	switch {
	case e.Required, strings.HasPrefix(e.Key, "sandbox.credentials."):
		return true
	case e.Key == claude.KeyAutoAllowBashIfSandboxed.String(), e.Key == claude.KeyDisableBypassPermissionsMode.String():
		return true
	}
	tool, arg := split(rule)
	return e.Key == claude.KeyDeny.String() && tool == claude.ToolEdit && arg != "" ||
		slices.Contains(claude.PromptRules, rule)
}

// supplied says what was added, one finding a layer.
func supplied(missing []Entry, where string) (findings []report.Finding) {
	for _, layer := range []report.Layer{report.LayerSandbox, report.LayerPermissions, report.LayerConfirmation} {
		f := report.Finding{Check: "framework-policy", Layer: layer, Status: report.Warn}
		n := 0
		var keys []string
		values := map[string][]string{}
		for _, e := range missing {
			if layerOf(e.Key) != layer {
				continue
			}
			n++
			if values[e.Key] == nil {
				keys = append(keys, e.Key)
			}
			values[e.Key] = append(values[e.Key], strings.TrimPrefix(e.ID(), e.Key+":"))
		}
		for _, key := range keys {
			text := key
			if list := strings.Join(values[key], ", "); list != key {
				text += ": " + list
			}
			f.Evidence = append(f.Evidence, report.FileEvidence(where, "does not have "+text))
		}
		switch n {
		case 0:
			continue
		case 1:
			f.Summary = "The framework's policy lacks an entry that protects; it is added."
		default:
			f.Summary = fmt.Sprintf("The framework's policy lacks %d entries that protect; they are added.", n)
		}
		findings = append(findings, f)
	}
	return findings
}

// correct judges one value of a framework: what stays of it, and why that is
// not the value itself.
func correct(e Entry, home string) (kept []Entry, why string) {
	if e.known() && e.empty() {
		return nil, ""
	}
	s := e.Value.Text
	forms := func(texts []string, why string) ([]Entry, string) {
		for _, text := range texts {
			kept = append(kept, Entry{Key: e.Key, Value: settings.String(text)})
		}
		return kept, why
	}
	switch e.Key {
	case claude.KeyDisableBypassPermissionsMode.String(), claude.KeyDisableAutoMode.String():
		if s != "disable" {
			return nil, "Left out: the runtime knows only the value disable here."
		}
	case claude.KeyAsk.String():
		return forms(correctAsk(s))
	case claude.KeyAllow.String():
		return nil, "Left out: a rule that allows is yours to make; one with a pattern also approves runs outside the " +
			"sandbox."
	case claude.KeyDeny.String():
		return forms(correctDeny(s))
	case claude.KeyAllowRead.String(), claude.KeyAllowWrite.String():
		return forms(correctPath(s, home, strings.HasSuffix(e.Key, claude.KeyAllowWrite.Leaf())))
	case claude.KeyAllowedDomains.String():
		if reason := wrongHost(s); reason != "" {
			return nil, "Left out: " + reason + "."
		}
	case claude.KeyCredentialFiles.String(), claude.KeyCredentialVariables.String():
		if !denies(e.Value) {
			return nil, "Left out: only entries with the mode deny hold in a project's settings."
		}
	}
	if !e.known() {
		return nil, "Left out: install writes only what it knows, and it does not know this key."
	}
	for _, sw := range switches {
		if sw.key == e.Key && is(e.Value, sw.bad) {
			return nil, "Left out: " + sw.opens
		}
	}
	return []Entry{e}, ""
}

// slipped are rules of the source document that other spellings of the same
// call slip past, with what takes their place.
var slipped = map[string][]string{
	"Bash(gh api * -X *)": {"Bash(gh api *-X*)"},
	"Bash(gh api * -f *)": {"Bash(gh api -f*)", "Bash(gh api * -f*)"},
	"Bash(gh api * -F *)": {"Bash(gh api *-F*)"},
}

// correctAsk puts an ask rule into a form that is not slipped past.
func correctAsk(s string) (kept []string, why string) {
	if !ruleForm().MatchString(s) {
		return nil, malformedRule
	}
	if kept = slipped[s]; kept != nil {
		return kept, "Corrected to " + strings.Join(kept, " and ") +
			": it misses the option in another place, or with its value in the same word."
	}
	return []string{s}, ""
}

// correctDeny puts a deny rule into the form that is enforced.
func correctDeny(s string) (kept []string, why string) {
	if !ruleForm().MatchString(s) {
		return nil, malformedRule
	}
	tool, arg := split(s)
	rest, rooted := strings.CutPrefix(arg, "//**/")
	switch {
	case tool == claude.ToolRead && rooted:
		return []string{"Read(**/" + rest + ")"}, "Corrected to Read(**/" + rest +
			"): a pattern that begins at the root is not enforced by the OS layer on Linux."
	case (tool == claude.ToolWrite || tool == claude.ToolMultiEdit) && arg != "":
		return []string{"Edit(" + arg + ")"}, "Corrected to Edit(" + arg + "): the runtime matches no path rule of " + tool +
			", and Edit holds for every tool that writes files."
	}
	return []string{s}, ""
}

// correctPath judges an entry of allowRead or allowWrite.
func correctPath(p, home string, write bool) (kept []string, why string) {
	if unfit(p) != "" {
		return nil, "Left out: it is not a path that a person can read."
	}
	n := sensitive.Normal(p, home)
	if !write && n == "~/.config/git" {
		return []string{"~/.config/git/config", "~/.config/git/ignore", "~/.config/git/attributes"},
			"Corrected to the files config, ignore and attributes: git's credential store keeps passwords in the same directory."
	}
	if n == "~/.cache" {
		return nil, "Left out: the whole cache directory is more than any tool needs. Choose single caches instead."
	}
	if which, ok := sensitive.CredentialPath(p, home); ok {
		return nil, "Left out: it opens " + which + " to every command. Where install has a question about it, its answer " +
			"decides."
	}
	if name, ok := strings.CutPrefix(n, "~/.config/"); ok && wrongName(name) == "" {
		return nil, "Left out: it opens a directory in which tools keep tokens. Answer project-name and project-config if " +
			"commands need it."
	}
	if which, ok := sensitive.RunsOutside(p, home); ok && write {
		return nil, "Left out: commands could change " + which + ", outside the sandbox."
	}
	return []string{p}, ""
}

// denies says whether a credential entry is one that the runtime accepts and
// enforces in project scope. A name that is no variable's makes it drop the
// whole file.
func denies(v *settings.Value) bool {
	return textOf(v.Get("mode")) == claude.Deny && len(v.Members) == 2 &&
		(textOf(v.Get("path")) != "" || variable().MatchString(textOf(v.Get("name"))))
}

func layerOf(key string) report.Layer {
	switch {
	case key == claude.KeyAsk.String():
		return report.LayerConfirmation
	case strings.HasPrefix(key, "permissions."):
		return report.LayerPermissions
	}
	return report.LayerSandbox
}

// Written is the document that entries make.
func Written(entries []Entry) *settings.Value {
	doc, err := settings.Parse(claude.SettingsFile, render(entries))
	if err != nil { // too large to be one
		return nil
	}
	return doc.Root
}

// Allowing is a document whose allow rules are these.
func Allowing(rules []string) *settings.Value {
	var entries []Entry
	for _, rule := range rules {
		entries = append(entries, Entry{Key: claude.KeyAllow.String(), Value: settings.String(rule)})
	}
	return Written(entries)
}

// withoutFramework names the way on that does not need the document.
func withoutFramework(err error) error {
	const way = "or leave out --framework"
	wrong, ok := errors.AsType[*report.Error](err)
	if !ok || strings.Contains(wrong.Next, way) {
		return err
	}
	named := *wrong
	named.Next = strings.TrimPrefix(named.Next+", "+way, ", or ")
	return &named
}
