// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of a call that got through it is said which setting lets
// it and what ends that, where the settings say so by themselves; where they do
// not, who to ask.

package verify

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// openers are the settings that could let a call through.
type openers struct {
	s             SessionSettings
	e             *settings.Effective
	reads, writes []entry
}

// opener is a setting that lets a call through, and what ends that.
type opener struct {
	seen report.Evidence
	ends report.Remedy
}

func openersAt(r host.Reader, s SessionSettings) *openers {
	return &openers{s: s, e: s.inForce(), reads: entriesIn(r, s, allowReadKey), writes: writesIn(r, s)}
}

// allows is an opener: the value at path in a file and place.
func allows(where, text string, path ...string) opener {
	key := path
	if isIndex(path[len(path)-1]) {
		key = path[:len(path)-1]
	}
	return opener{report.FileEvidence(where, settings.KeyPath(key)+" is "+text+". It allows this."),
		RemoveKey(where, path...)}
}

// element is the opener that an element of an array is.
func (o *openers) element(c settings.Candidate, key claude.KeyPath) opener {
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

// of lists what lets the call of p through in a launch; nil where the settings
// do not say.
func (o *openers) of(p trial.Probe, launch report.Launch) []opener {
	switch {
	case o.s.Lost != nil:
		lost := Dropped("settings", o.s.Lost)
		return []opener{{report.ErrorEvidence("settings", o.s.Lost), lost.Remedies[0]}}
	case p.Below == trial.Rule:
		return o.approving(p, launch)
	case p.Below == trial.Mention: // no sandbox binds it
		return nil
	}
	switch on := o.e.Scalar(claude.KeySandboxEnabled...); {
	case on.Value == nil:
		return []opener{{report.EnvEvidence(claude.KeySandboxEnabled.String(), "is not set: no command is sandboxed"),
			Again()}}
	case !on.Value.True():
		return []opener{allows(on.Where(), text(on.Value), claude.KeySandboxEnabled...)}
	}
	var found []opener
	command, _ := p.Call.Line()
	for _, c := range o.e.List(claude.KeyExcludedCommands...) {
		if start := strings.TrimRight(c.Value.Text, " :*"); c.Ignored == "" && command != "" &&
			strings.HasPrefix(command, start) {
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
		for _, c := range o.e.List(claude.KeyAllowedDomains...) {
			if c.Ignored == "" && policy.HostNamed(c.Value.Text, p.Subject) {
				found = append(found, o.element(c, claude.KeyAllowedDomains))
			}
		}
		for _, rule := range o.e.Rules() {
			tool, content, _, _ := claude.SplitRule(rule.Value.Text)
			host, ok := strings.CutPrefix(content, "domain:")
			if ok && tool == claude.ToolWebFetch && rule.List == claude.Allow && rule.Ignored == "" &&
				policy.HostNamed(host, p.Subject) {
				found = append(found, o.element(rule.Candidate, claude.KeyAllow))
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
func (o *openers) entries(list []entry, p trial.Probe, launch report.Launch) (found []opener) {
	for _, e := range list {
		if o.covers(e, p.Subject) && !(launch == report.Iso && e.plain()) {
			found = append(found, allows(e.where, e.text, e.path...))
		}
	}
	return found
}

// approving lists what approves the call of one of the agent's own tools: an
// allow rule, or an additional directory. claude-iso loads none of the project's.
func (o *openers) approving(p trial.Probe, launch report.Launch) (found []opener) {
	for _, rule := range o.e.Rules() {
		if rule.List == claude.Allow && rule.Ignored == "" && !(launch == report.Iso && rule.Scope.OfProject()) &&
			o.approves(rule, p) {
			found = append(found, o.element(rule.Candidate, claude.KeyAllow))
		}
	}
	return append(found, o.entries(slices.DeleteFunc(slices.Clone(o.writes), func(e entry) bool {
		return e.key != directoriesKey
	}), p, launch)...)
}

// approves says whether a rule names the tool of p, and what p is about. Edit
// stands for Write, too.
func (o *openers) approves(rule settings.Rule, p trial.Probe) bool {
	tool, content, call, _ := claude.SplitRule(rule.Value.Text)
	host, isHost := strings.CutPrefix(content, "domain:")
	made, _ := play.Claude{}.Tool(p.Call)
	switch {
	case tool != made.Name && !(tool == claude.ToolEdit && made.Name == claude.ToolWrite):
		return false
	case !call || content == "*":
		return true
	case isHost:
		return tool == claude.ToolWebFetch && policy.HostNamed(host, p.Subject)
	}
	return access.RuleCovers(content, rule.Scope, o.s.dirs, p.Subject)
}

// mend adds a remedy, once.
func (t *tally) mend(r report.Remedy) {
	if !slices.Contains(t.remedies, r) {
		t.remedies = append(t.remedies, r)
	}
}

// next adds what is to be done about a call that no setting explains. Questions to
// the doctor have one answer for many calls: the first is enough.
func (t *tally) next(r report.Remedy) {
	if c, ok := r.(report.Command); t.remedies == nil || !ok || c.ID != explainOpen {
		t.mend(r)
	}
}

// mends adds what ends that a call gets through, by what lets it. A rule that the
// policy has and these settings lack is added besides, unless they allow the call
// on purpose.
func (t *tally) mends(found []opener, p trial.Probe) {
	for _, by := range found {
		t.mend(by.ends)
	}
	switch {
	case p.Below == trial.Rule && p.Ruled && p.Exposed == "":
		t.mend(Again())
	case found == nil:
		t.next(unexplained(p))
	}
}

// explain adds which settings let a call through, each once, and what ends that.
func (t *tally) explain(o *openers, p trial.Probe, launch report.Launch) {
	found := o.of(p, launch)
	for _, by := range found {
		if !slices.Contains(t.evidence, by.seen) {
			t.evidence = append(t.evidence, by.seen)
		}
	}
	if strings.HasPrefix(p.ID, trial.OutsidePrefix) && found == nil {
		t.evidence = append(t.evidence, report.EnvEvidence(claude.KeyDenyRead.String(), "no entry hides "+p.Subject))
	}
	t.mends(found, p)
}

// ownProxy is the setting that puts a proxy of the machine in the place of the
// runtime's in a launch; ok is false if none does. On a stage nothing listens at
// such a port, so that a host which does not answer there says nothing of it.
func (o *openers) ownProxy(launch report.Launch) (at report.Evidence, ok bool) {
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
func (o *openers) covers(e entry, path string) bool {
	for _, as := range []string{e.named, e.real} {
		if at := pathname.BeforeWildcard(as); path != "" && holdsPath(as, path) &&
			!(pathname.Within(path, o.s.dirs.Start) && pathname.Within(o.s.dirs.Start, at)) {
			return true
		}
	}
	return false
}

// explainOpen is the ID of the questions of explained.
const explainOpen report.ID = "explain-open"

// explained is the question that says what decides about the subject of a probe;
// ok is false where it has none.
func explained(p trial.Probe) (c report.Command, ok bool) {
	flag := "--explain-host"
	switch {
	case p.Below == trial.Environment:
		flag = "--explain-env"
	case filepath.IsAbs(p.Subject):
		flag = "--explain-path"
	}
	return report.Command{ID: explainOpen, Optional: true, Line: "steward-setup doctor " + flag + " " +
		scripts.Quote(p.Subject) + " --live",
		Why: "see what decides it, and test it"}, p.Subject != ""
}

// explainedReply is the question that says what a command got in place of its
// output.
func explainedReply(reply string) report.Command {
	return report.Command{ID: "explain-reply", Optional: true, Line: "steward-setup doctor --explain " +
		scripts.Quote(reply), Why: "see what this error means on this machine, and how to fix it"}
}

// unexplained is the next step for a call that no setting lets through by itself:
// what the policy has a rule or an entry for is missing in it, and what holds on
// no setting's account is held by other tools.
func unexplained(p trial.Probe) report.Remedy {
	if p.Below == trial.Nobody || p.Below == trial.Mention || strings.HasPrefix(p.ID, trial.OutsidePrefix) {
		return Again()
	}
	if c, ok := explained(p); ok {
		return c
	}
	return newerRuntime()
}

// withoutAutoMode is the remedy for what auto mode lets through.
var withoutAutoMode = report.Command{ID: "install", Line: "steward-setup install", Optional: true,
	Why: "set permissions.disableAutoMode"}

// inAutoMode adds why the session was in auto mode, once.
func (t *tally) inAutoMode(o *openers) {
	why := report.EnvEvidence("permission mode auto", "permissions.disableAutoMode is set nowhere. The runtime's check "+
		"approves calls in place of you.")
	if set := o.e.Scalar(claude.KeyDisableAutoMode...); set.Value != nil {
		why = report.FileEvidence(set.Where(), "permissions.disableAutoMode is "+text(set.Value)+
			", and the session was in auto mode")
	}
	if !slices.Contains(t.evidence, why) {
		t.evidence = append(t.evidence, why)
	}
	t.mend(withoutAutoMode)
}
