// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is probed is what the settings in force name, and
// what they allow on purpose is known before anything is tried.

package verify

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// inputsOf reads from the settings in force what the probes need to know.
func inputsOf(r host.Reader, e *settings.Effective, dirs settings.Dirs, run string) trial.Inputs {
	places := r.Places()
	f := trial.Inputs{Runtime: play.Claude{}, Layout: play.Claude{}.Layout(places), Home: places.Home, Run: run,
		Other: "STEWARD_PLANTED_TOKEN"}
	for _, c := range e.CredentialVariables() {
		if c.Ignored == "" && c.Name != "" && !slices.Contains(access.OwnVariables, c.Name) &&
			!slices.Contains(f.Withheld, c.Name) {
			f.Withheld = append(f.Withheld, c.Name)
		}
	}
	f.Exposed = func(p string) string {
		if base := path.Base(p); strings.HasPrefix(base, ".env.") && !policy.Dotenv(base) {
			return "not covered by the policy, which covers .env, .env.local and .env.*.local but not " + base
		}
		return exposed(e, dirs, p)
	}
	f.Ruled = func(p string) (ruled, required bool) { return policy.Embedded().Ruled(p, places.Home, dirs.Start) }
	if v := e.Scalar(claude.KeyAllowAllUnixSockets...); v.Value.True() {
		f.Sockets = "allowed on purpose: allowAllUnixSockets in " + v.Where()
	}
	for _, rule := range e.Rules() {
		tool, content, _, _ := claude.SplitRule(rule.Value.Text)
		f.Pushes = f.Pushes || rule.List == claude.Ask && rule.Ignored == "" && tool == claude.ToolBash &&
			strings.HasPrefix(content, "git push")
	}
	f.Messages, f.Fetches = messageRule.unasked(e, dirs), fetchRule.unasked(e, dirs)
	f.Allowed = allowedHost(e.Strings(claude.KeyAllowedDomains...))
	return f
}

// allowedHost is a host that a list of domains allows: the first that is named,
// or else a name below the first wildcard; "" if there is neither.
func allowedHost(domains []string) string {
	below := ""
	for _, host := range domains {
		rest, wild := strings.CutPrefix(host, "*.")
		switch {
		case strings.ContainsAny(rest, "*:/") || !strings.Contains(rest, "."):
		case !wild:
			return host
		case below == "":
			below = "steward-allowed." + rest
		}
	}
	return below
}

// visible is the real file of the first program of that name on PATH that is
// to be seen on the stage; "" if there is none. What a version manager puts
// into the home needs more of it than itself.
func visible(r host.Reader, st *stage.Stage, name string) string {
	for _, dir := range filepath.SplitList(r.System().Get("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := r.Stat(path); err != nil || !filepath.IsAbs(dir) || !info.Mode().IsRegular() {
			continue
		}
		if real, err := r.Resolve(path); err == nil && st.Sees(r, real) {
			return real
		}
	}
	return ""
}

// exposed says where the policy lets commands read p on purpose: an allowRead
// that names it, or a directory of it that is not everything of the user's,
// and no entry that withholds it.
func exposed(e *settings.Effective, dirs settings.Dirs, p string) string {
	for _, c := range e.CredentialFiles() {
		if c.Ignored == "" && pathname.Within(p, dirs.Resolve(c.Name, c.Scope)) {
			return ""
		}
	}
	for _, c := range e.List(claude.KeyAllowRead...) {
		dir := dirs.Resolve(c.Value.Text, c.Scope)
		if c.Ignored != "" || !pathname.Within(p, dir) || dir == dirs.Agent || pathname.Within(dirs.Home, dir) ||
			pathname.Within(dirs.Start, dir) {
			continue
		}
		return "allowed on purpose: allowRead of " + c.Value.Text + " in " + c.Where()
	}
	return ""
}

// named lists the credentials that the settings in force name, as the stage
// wants them.
func named(e *settings.Effective, dirs settings.Dirs) []string {
	var list []string
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
		if !slices.Contains(list, abs) {
			list = append(list, abs)
		}
	}
	for _, c := range e.CredentialFiles() {
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

// Theatre is the theatre that a rehearsal of the project of o would play in,
// and the inputs of which its probes are made. The error says why there is
// none.
func Theatre(ctx context.Context, r host.Reader, o Options) (*rehearsal.Theatre, trial.Inputs, error) {
	p, err := plan(ctx, r, o)
	if err != nil {
		return nil, p.inputs, err
	}
	t, ok := p.player.(*rehearsal.Theatre)
	if !ok {
		return nil, p.inputs, errors.New("no rehearsal on this platform")
	}
	return t, p.inputs, nil
}

// Namespaces asks whether bwrap starts on this machine, and the runtime's
// helper in it: the part of the check sandbox-support that is about
// namespaces.
func Namespaces(ctx context.Context, r host.Reader) report.Finding {
	t := trials{nested: r.Run(ctx, proc.NestedTrial())}
	if t.sandbox = t.nested; !t.nested.OK() {
		t.sandbox = r.Run(ctx, proc.SandboxTrial())
	}
	s := support{Finding: report.Finding{Status: report.Pass, Summary: "the sandbox starts, and a namespace in it"}}
	s.namespaces(r, t)
	if s.wrong != nil {
		s.Summary = s.wrong[0]
	}
	return s.Finding
}
