// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of a call that got through it is said which setting lets
// it, where the settings say so by themselves; where they do not, who to ask.

package verify

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/settings"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// openers are the settings that could let a call through.
type openers struct {
	s             SessionSettings
	e             *settings.Effective
	reads, writes []entry
}

func openersAt(r host.Reader, s SessionSettings) *openers {
	return &openers{s: s, e: s.inForce(), reads: entriesIn(r, s, allowReadKey), writes: writesIn(r, s)}
}

// of lists what lets the call of p through in a launch; nil where the settings
// do not say.
func (o *openers) of(p trial.Probe, launch report.Launch) []report.Evidence {
	var found []report.Evidence
	say := func(where, key, value string) {
		found = append(found, report.FileEvidence(where, key+" is "+value+". It allows this."))
	}
	switch on := o.e.Scalar(claude.KeySandboxEnabled...); {
	case o.s.Lost != nil:
		return []report.Evidence{report.ErrorEvidence("settings", o.s.Lost)}
	case on.Value == nil:
		return []report.Evidence{report.EnvEvidence(claude.KeySandboxEnabled.String(), "is not set: no command is sandboxed")}
	case !on.Value.True():
		say(on.Where(), claude.KeySandboxEnabled.String(), text(on.Value))
		return found
	}
	command, _ := p.Call.Line()
	for _, c := range o.e.List(claude.KeyExcludedCommands...) {
		if start := strings.TrimRight(c.Value.Text, " :*"); c.Ignored == "" && command != "" &&
			strings.HasPrefix(command, start) {
			say(c.Where(), claude.KeyExcludedCommands.String(), c.Value.Text)
		}
	}
	switch p.Below {
	case trial.Filesystem:
		if off := o.e.Scalar(claude.KeyFilesystemDisabled...); off.Value.True() {
			say(off.Where(), claude.KeyFilesystemDisabled.String(), "true")
		}
		list := o.writes // what may be written can be read too
		if p.Through.File == "" {
			list = append(list[:len(list):len(list)], o.reads...)
		}
		for _, e := range list {
			if !o.covers(e, p.Subject) || launch == report.Iso && e.plain() {
				continue
			}
			say(e.where, e.key, e.text)
		}
	case trial.Network:
		for _, c := range o.e.List(claude.KeyAllowedDomains...) {
			if c.Ignored == "" && policy.HostNamed(c.Value.Text, p.Subject) {
				say(c.Where(), claude.KeyAllowedDomains.String(), c.Value.Text)
			}
		}
		for _, rule := range o.e.Rules() {
			tool, content, _, _ := claude.SplitRule(rule.Value.Text)
			host, ok := strings.CutPrefix(content, "domain:")
			if ok && tool == claude.ToolWebFetch && rule.List == claude.Allow && rule.Ignored == "" &&
				policy.HostNamed(host, p.Subject) {
				say(rule.Where(), claude.KeyAllow.String(), rule.Value.Text)
			}
		}
	}
	return found
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

// explainers are the questions that say what decides about the subject of a
// probe.
var explainers = map[trial.Decider]string{trial.Filesystem: "--explain-path", trial.Network: "--explain-host",
	trial.Environment: "--explain-env"}

// explained is the next step for a call that got through, and that no setting
// opens by itself.
func explained(p trial.Probe) (c report.Command, ok bool) {
	flag := explainers[p.Below]
	return report.Command{ID: "explain-open", Optional: true, Line: "steward-setup doctor " + flag + " " +
		scripts.Quote(p.Subject) + " --live",
		Why: "see what decides it, and test it"}, flag != "" && p.Subject != ""
}
