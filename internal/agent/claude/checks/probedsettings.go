// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is probed is what the settings in force name, and
// what they allow on purpose is known before anything is tried.

package checks

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/prompts"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// Inputs implements verify.InForce.
func (o *openers) Inputs() (f trial.Inputs) {
	e, dirs := o.e, o.s.Dirs
	for _, c := range e.Credentials(claude.KeyCredentialVariables) {
		if c.Ignored == "" && c.Name != "" && !slices.Contains(access.OwnVariables, c.Name) &&
			!slices.Contains(f.Withheld, c.Name) {
			f.Withheld = append(f.Withheld, c.Name)
		}
	}
	f.Exposed = func(p string) string {
		if base := path.Base(p); sensitive.Dotenv(base) && !policy.Dotenv(base) {
			return "not covered by the policy, which covers .env, .env.local and .env.*.local but not " + base
		}
		return o.exposed(p)
	}
	f.Ruled = func(p string) (ruled, required bool) { return policy.Embedded().Ruled(p, dirs.Home, dirs.Start) }
	if v := e.Scalar(claude.KeyAllowAllUnixSockets...); v.Value.True() {
		f.Sockets = "allowed on purpose: allowAllUnixSockets in " + v.Where()
	}
	for _, rule := range e.RulesIn(claude.Ask) {
		tool, content, _, _ := claude.SplitRule(rule.Value.Text)
		f.Pushes = f.Pushes || tool == claude.ToolBash && strings.HasPrefix(content, "git push")
	}
	f.Messages, f.Fetches = prompts.MessageRule.Unasked(e, dirs), prompts.FetchRule.Unasked(e, dirs)
	f.Delegates, f.Modes = prompts.IsolationRule.Unasked(e, dirs), prompts.DirMode.Unasked(e, dirs)
	f.Floored = prompts.Floored(o.s)
	domains := e.Strings(claude.KeyAllowedDomains...)
	f.Allowed, f.Named = allowedHost(domains, e.Domains(claude.Deny)), allowedHost(domains, nil)
	return f
}

// allowedHost is a host that a list of domains allows and no other one denies: the
// first that is named, or else a name below the first wildcard; "" if there is
// neither. A number is none: on a stage only names are hosts.
func allowedHost(allowed []string, denied []settings.Domain) (below string) {
	for _, entry := range allowed {
		host, wild := strings.CutPrefix(entry, "*.")
		dot := strings.Contains(host, ".")
		if wild {
			host = "steward-allowed." + host
		}
		h, _ := policy.ParseHost(host)
		switch {
		case !dot || h.Addr.IsValid() || !policy.HostNamed(entry, host) ||
			slices.ContainsFunc(denied, func(d settings.Domain) bool { return policy.HostNamed(d.Host, host) }):
		case !wild:
			return host
		case below == "":
			below = host
		}
	}
	return below
}

// exposed says where the policy lets commands read p on purpose: an allowRead
// that names it, or a directory of it that is not everything of the user's,
// and no entry that withholds it.
func (o *openers) exposed(p string) string {
	e, dirs := o.e, o.s.Dirs
	if !o.commands.Reads(p) {
		return ""
	}
	for _, c := range e.Credentials(claude.KeyCredentialFiles) {
		if c.Ignored == "" && pathname.Within(p, dirs.Resolve(c.Name, c.Scope)) {
			return ""
		}
	}
	for _, c := range e.Taken(claude.KeyAllowRead...) {
		dir := dirs.Resolve(c.Value.Text, c.Scope)
		if !pathname.Within(p, dir) || dir == dirs.Agent || pathname.Within(dirs.Home, dir) ||
			pathname.Within(dirs.Start, dir) {
			continue
		}
		return "allowed on purpose: allowRead of " + c.Value.Text + " in " + c.Where()
	}
	return ""
}

// Named implements verify.InForce.
func (o *openers) Named() (list []string) {
	e, dirs := o.e, o.s.Dirs
	add := func(p string, scope settings.Scope) {
		slash := strings.HasSuffix(p, "/") || strings.HasSuffix(p, "/**")
		p = strings.TrimSuffix(p, "**")
		if !strings.HasPrefix(p, "~/") || strings.ContainsAny(p, "*?[{") {
			return
		}
		abs := dirs.Resolve(path.Clean(p), scope)
		if slash {
			abs += "/"
		}
		list = report.Union(list, abs)
	}
	for _, c := range e.Credentials(claude.KeyCredentialFiles) {
		add(c.Name, c.Scope)
	}
	for _, c := range e.List(claude.KeyDenyRead...) {
		add(c.Value.Text, c.Scope)
	}
	for _, rule := range e.Rules() {
		if tool, content, _, _ := claude.SplitRule(rule.Value.Text); tool == claude.ToolRead && rule.List == claude.Deny {
			add(content, rule.Scope)
		}
	}
	return list
}

// Hosts counts the hosts that the settings of a session at the project's root
// let a command reach; -1 if that is unknown.
func Hosts(ctx context.Context, r host.Reader, project string) int {
	s, err := session.In(ctx, r, project)
	if err != nil || s.Lost != nil {
		return -1
	}
	seen := map[string]bool{}
	for _, c := range s.InForce().Taken(claude.KeyAllowedDomains...) {
		seen[c.Value.Text] = true
	}
	return len(seen)
}
