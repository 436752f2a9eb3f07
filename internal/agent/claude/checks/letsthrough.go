// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of a call that got through it is said which setting lets
// it and what ends that, where the settings say so by themselves; where they do
// not, who to ask.

package checks

import (
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// openers are the settings that could let a call through.
type openers struct {
	s             session.Settings
	e             *settings.Effective
	reads, writes []grants.Entry
	commands      grants.Ground
}

func openersAt(r host.Reader, s session.Settings) *openers {
	return &openers{s: s, e: s.InForce(), reads: grants.Entries(r, s, grants.AllowReadKey), writes: grants.Writes(r, s),
		commands: grants.Of(r, s)}
}

// allows is an opener: the value at path in a file and place.
func allows(where, text string, path ...string) verify.Opener {
	key := path
	if opening.IsIndex(path[len(path)-1]) {
		key = path[:len(path)-1]
	}
	return verify.Opener{Seen: report.FileEvidence(where, settings.KeyPath(key)+" is "+text+". It allows this."),
		Ends: opening.RemoveKey(where, path...)}
}

// element is the opener that an element of an array is.
func (o *openers) element(c settings.Candidate, key claude.KeyPath) verify.Opener {
	for _, l := range o.s.Layers {
		array := l.Doc.Get(key...)
		if array == nil || l.Scope != c.Scope || l.Doc.Path != c.Path {
			continue
		}
		if i := slices.IndexFunc(array.Items, func(v *settings.Value) bool {
			return v.Line == c.Line && v.Col == c.Col
		}); i >= 0 {
			return allows(c.Where(), c.Value.Text, key.Below(strconv.Itoa(i))...)
		}
	}
	return allows(c.Where(), c.Value.Text, key...)
}

// Opens implements verify.InForce.
func (o *openers) Opens(p trial.Probe, launch report.Launch) []verify.Opener {
	found := o.of(p, launch)
	if found == nil && strings.HasPrefix(p.ID, trial.OutsidePrefix) {
		return []verify.Opener{{Seen: report.EnvEvidence(claude.KeyDenyRead.String(), "no entry hides "+p.Subject),
			Ends: verify.Again()}}
	}
	return found
}

// of lists what lets the call of p through in a launch.
func (o *openers) of(p trial.Probe, launch report.Launch) []verify.Opener {
	switch {
	case o.s.Lost != nil:
		lost := session.Dropped("settings", o.s.Lost)
		return []verify.Opener{{Seen: report.ErrorEvidence("settings", o.s.Lost), Ends: lost.Remedies[0]}}
	case p.Below == trial.Rule:
		return o.approving(p, launch)
	case p.Below == trial.Mention: // no sandbox binds it
		return nil
	}
	switch on := o.e.Scalar(claude.KeySandboxEnabled...); {
	case on.Value == nil:
		seen := report.EnvEvidence(claude.KeySandboxEnabled.String(), "is not set: no command is sandboxed")
		return []verify.Opener{{Seen: seen, Ends: verify.Again()}}
	case !on.Value.True():
		return []verify.Opener{allows(on.Where(), settings.Shown(on.Value), claude.KeySandboxEnabled...)}
	}
	var found []verify.Opener
	command, _ := p.Call.Line()
	for _, c := range o.e.Taken(claude.KeyExcludedCommands...) {
		if start := strings.TrimRight(c.Value.Text, " :*"); command != "" && strings.HasPrefix(command, start) {
			found = append(found, o.element(c, claude.KeyExcludedCommands))
		}
	}
	switch p.Below {
	case trial.Filesystem:
		if off := o.e.Scalar(claude.KeyFilesystemDisabled...); off.Value.True() {
			found = append(found, allows(off.Where(), "true", claude.KeyFilesystemDisabled...))
		}
		list := o.writes // what may be written can be read too
		if p.Through.File == "" {
			list = append(list[:len(list):len(list)], o.reads...)
		}
		found = append(found, o.entries(list, p, launch)...)
	case trial.Network:
		for _, d := range o.e.Domains(claude.Allow) {
			if policy.HostNamed(d.Host, p.Subject) {
				found = append(found, o.element(d.Candidate, d.Key))
			}
		}
	case trial.Seccomp:
		if open := o.e.Scalar(claude.KeyAllowAllUnixSockets...); open.Value.True() {
			found = append(found, allows(open.Where(), "true", claude.KeyAllowAllUnixSockets...))
		}
	}
	return found
}

// entries are those of a list that open the path of p in a launch.
func (o *openers) entries(list []grants.Entry, p trial.Probe, launch report.Launch) (found []verify.Opener) {
	for _, e := range list {
		if o.covers(e, p.Subject) && !(launch == report.Iso && e.Plain()) {
			found = append(found, allows(e.Where, e.Text, e.Path...))
		}
	}
	return found
}

// approving lists what approves the call of one of the agent's own tools: an
// allow rule, or an additional directory. claude-iso loads none of the project's.
func (o *openers) approving(p trial.Probe, launch report.Launch) (found []verify.Opener) {
	for _, rule := range o.e.RulesIn(claude.Allow) {
		if !(launch == report.Iso && rule.Scope.OfProject()) && o.approves(rule, p) {
			found = append(found, o.element(rule.Candidate, claude.KeyAllow))
		}
	}
	return append(found, o.entries(slices.DeleteFunc(slices.Clone(o.writes), func(e grants.Entry) bool {
		return e.Key != grants.DirectoriesKey
	}), p, launch)...)
}

// approves says whether a rule names the tool of p, and what p is about. Edit
// stands for Write, too.
func (o *openers) approves(rule settings.Rule, p trial.Probe) bool {
	tool, content, call, _ := claude.SplitRule(rule.Value.Text)
	made, _ := play.Claude{}.Tool(p.Call)
	switch {
	case tool != made.Name && !(tool == claude.ToolEdit && made.Name == claude.ToolWrite):
		return false
	case !call || content == "*":
		return true
	case tool == claude.ToolWebFetch:
		return claude.FetchRuleNames(content, p.Subject)
	}
	return settings.RuleCovers(content, rule.Scope, o.s.Dirs, p.Subject)
}

// Proxied implements verify.InForce.
func (o *openers) Proxied(launch report.Launch) (at report.Evidence, ok bool) {
	for _, key := range claude.ProxyPorts {
		set := o.e.Scalar(claude.KeyNetwork.Below(key)...)
		for _, c := range append([]settings.Candidate{set.Candidate}, set.Others...) {
			if c.Value != nil && c.Ignored == "" && !(launch == report.Iso && c.Scope.OfProject()) {
				return report.FileEvidence(c.Where(), "sandbox.network."+key+" is set: the proxy at this port decides which "+
					"hosts are allowed; it was not tested"), true
			}
		}
	}
	return at, false
}

// covers says whether an entry opens a path. In the project everything is
// open: what is open there besides is open for want of a denial.
func (o *openers) covers(e grants.Entry, path string) bool {
	for _, as := range []string{e.Named, e.Real} {
		if at := pathname.BeforeWildcard(as); path != "" && grants.HoldsPath(as, path) &&
			!(pathname.Within(path, o.s.Dirs.Start) && pathname.Within(o.s.Dirs.Start, at)) {
			return true
		}
	}
	return false
}

// withoutAutoMode is the remedy for what auto mode lets through.
var withoutAutoMode = report.Own("install", report.Command{ID: "install", Optional: true,
	Why: "set permissions.disableAutoMode"})

// ByMode implements verify.InForce.
func (o *openers) ByMode(mode string) (by verify.Opener, ok bool) {
	why := report.EnvEvidence("permission mode auto", "permissions.disableAutoMode is set nowhere. The runtime's check "+
		"approves calls in place of you.")
	if set := o.e.Scalar(claude.KeyDisableAutoMode...); set.Value != nil {
		why = report.FileEvidence(set.Where(), "permissions.disableAutoMode is "+settings.Shown(set.Value)+
			", and the session was in auto mode")
	}
	return verify.Opener{Seen: why, Ends: withoutAutoMode}, mode == claude.ModeAuto
}
