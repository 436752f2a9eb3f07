// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a weakness of the runtime is named where it touches these
// settings, and only there; a version that nobody knows is no version without
// weaknesses.

package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/startfailure"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// checkAdvisories asks whether a known weakness of the installed runtime
// touches the settings in force for the project around dir.
func checkAdvisories(ctx context.Context, r host.Reader, dir string) report.Finding {
	version, res := access.Version(ctx, r)
	if version == "" {
		what := "the runtime does not report its version: its weaknesses are unknown"
		if lacks := res.Lacks(claude.Program); lacks != "" {
			what = "not verified: " + lacks
		}
		if why := startfailure.NotStarting(r, res); why != "" {
			what = "not verified: claude does not start: " + why
		}
		f := report.Finding{Status: report.Unknown, Summary: what,
			Evidence: []report.Evidence{report.CommandEvidence(res.Line, res.Text())},
			Remedies: []report.Remedy{verify.NewerRuntime()}}
		if c, ok := startfailure.Mends(ctx, r, ""); ok {
			f.Remedies = []report.Remedy{c}
		}
		return f
	}
	all := policy.Advisories()
	on, err := touchedAt(ctx, r, dir)
	if err != nil {
		return session.NotOpened(dir, err)
	}
	f := report.Finding{Status: report.Pass, Evidence: []report.Evidence{report.CommandEvidence(res.Line, version)}}
	var titles []string
	mended := false
	for _, a := range all {
		standing, err := a.Of(version)
		if err != nil {
			return report.Finding{Status: report.Unknown, Summary: "the version of the runtime is not understood",
				Evidence: []report.Evidence{report.CommandEvidence(res.Line, err.Error())}}
		}
		places := touches[a.Touches](on)
		if standing == policy.Clear || len(places) == 0 {
			continue
		}
		status, voids := weight(standing, a.Loss)
		f.Status, f.Voids = report.Worse(f.Status, status), f.Voids || voids
		titles = append(titles, a.Title)
		mended = mended || a.FixedIn != ""
		for _, place := range places {
			f.Evidence = append(f.Evidence, report.FileEvidence(place.Where, place.Text+". "+explain(a, standing, version)))
		}
	}
	if titles == nil {
		f.Summary = fmt.Sprintf("none of %d known weaknesses of the runtime affects this policy with %s", len(all), version)
		f.Evidence = append(f.Evidence,
			report.FileEvidence("manifests/advisories.toml (built in)", fmt.Sprintf("%d entries checked", len(all))))
		return f
	}
	f.Summary = fmt.Sprintf("Claude Code %s: %s", version, strings.Join(first(titles, 2), "; "))
	f.Remedies = []report.Remedy{verify.Again()}
	if mended {
		f.Remedies = []report.Remedy{verify.NewerRuntime()}
	}
	return f
}

// touchedAt are the settings in force for the project around dir.
func touchedAt(ctx context.Context, r host.Reader, dir string) (touched, error) {
	s, err := session.In(ctx, r, dir)
	if err != nil {
		return touched{}, err
	}
	on := touched{Effective: s.InForce(), layers: s.Layers}
	if _, worktrees, err := gitrepo.Around(ctx, r, dir); err == nil {
		on.worktrees = worktrees
	}
	return on, nil
}

// Weaknesses lists the advisories that touch the settings in force for the
// project of o with this version of the runtime, those that perhaps do too.
func (Claude) Weaknesses(ctx context.Context, r host.Reader, o verify.Options,
	version string) ([]regress.Weakness, error) {
	on, err := touchedAt(ctx, r, o.Project)
	if err != nil {
		return nil, err
	}
	var list []regress.Weakness
	for _, a := range policy.Advisories() {
		standing, err := a.Of(version)
		if err != nil {
			return nil, err
		}
		if standing != policy.Clear && len(touches[a.Touches](on)) > 0 {
			list = append(list, regress.Weakness{ID: a.ID, Title: a.Title, Effect: a.ID + ", " + a.Range() + ": " + a.Effect})
		}
	}
	return list, nil
}

// InForce lists the settings keys that the project of o has in any scope,
// dotted, in byte order: the first of the path, and below sandbox and
// permissions every one.
func (Claude) InForce(ctx context.Context, r host.Reader, o verify.Options) ([]string, error) {
	s, err := session.In(ctx, r, o.Project)
	if err != nil {
		return nil, err
	}
	var keys []string
	var walk func(prefix string, v *settings.Value)
	walk = func(prefix string, v *settings.Value) {
		for _, m := range v.Members {
			key := prefix + m.Key
			if m.Value.Kind == settings.Object && (key == claude.KeyPermissions.String() || key == claude.KeySandbox.String() ||
				strings.HasPrefix(key, claude.KeySandbox.String()+".")) {
				walk(key+".", m.Value)
				continue
			}
			keys = append(keys, key)
		}
	}
	for _, l := range s.Layers {
		walk("", l.Doc.Root)
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// weight is what a weakness does to the report.
func weight(s policy.Standing, l policy.Loss) (status report.Status, voids bool) {
	switch {
	case s == policy.Perhaps, l == policy.LossNarrower:
		return report.Warn, false
	case l == policy.LossVoid:
		return report.Fail, true
	}
	return report.Fail, false
}

// explain says what a weakness does, in which versions, and how that is known.
func explain(a policy.Advisory, s policy.Standing, version string) string {
	perhaps := ""
	if s == policy.Perhaps {
		perhaps = "; " + version + " was not measured"
	}
	return fmt.Sprintf("%s (%s, %s%s; %s)", a.Effect, a.ID, a.Range(), perhaps, strings.Join(a.Sources, "; "))
}

// first is the beginning of a list, and how much more there is.
func first(list []string, n int) []string {
	if len(list) <= n+1 {
		return list
	}
	return append(slices.Clone(list[:n]), fmt.Sprintf("and %d more", len(list)-n))
}

// touched is what weaknesses are held against.
type touched struct {
	*settings.Effective
	layers    []settings.ScopedDoc
	worktrees []gitrepo.Worktree
}

// touches says for each policy.Touch where it applies; nowhere is none.
var touches = map[policy.Touch]func(touched) []report.Evidence{
	policy.TouchTrailingSlash: func(t touched) []report.Evidence {
		return t.elements(func(v *settings.Value) bool { return len(v.Text) > 1 && strings.HasSuffix(v.Text, "/") },
			claude.KeyDenyRead...)
	},
	policy.TouchWorktree: func(t touched) []report.Evidence {
		var places []report.Evidence
		for i, wt := range t.worktrees {
			if i > 0 && wt.State == gitrepo.Usable {
				places = append(places, report.FileEvidence(wt.Path, "a linked worktree"))
			}
		}
		return places
	},
	policy.TouchCredentials: func(t touched) []report.Evidence {
		any := func(*settings.Value) bool { return true }
		return slices.Concat(limit(t.elements(any, claude.KeyCredentialFiles...), 1),
			limit(t.elements(any, claude.KeyCredentialVariables...), 1))
	},
	policy.TouchSandbox: func(t touched) []report.Evidence { return t.isTrue(claude.KeySandboxEnabled...) },
	policy.TouchStrict:  func(t touched) []report.Evidence { return t.isTrue(claude.KeyStrictAllowlist...) },
	policy.TouchFailIf:  func(t touched) []report.Evidence { return t.isTrue(claude.KeyFailIfUnavailable...) },
	policy.TouchBareBash: func(t touched) []report.Evidence {
		if t.Scalar(claude.KeyAllowUnsandboxedCommands...).Value.False() {
			return nil
		}
		var places []report.Evidence
		for _, rule := range t.RulesIn(claude.Allow) {
			if rule.Value.Text == claude.ToolBash || rule.Value.Text == "Bash(*)" {
				places = append(places, report.FileEvidence(rule.Where(), "permissions.allow has "+rule.Value.Text))
			}
		}
		return places
	},
	policy.TouchMayRunWithout: func(t touched) []report.Evidence { return t.lacksTrue(claude.KeyFailIfUnavailable...) },
	policy.TouchBypass: func(t touched) []report.Evidence {
		if session.BypassClosed(t.Effective) {
			return nil
		}
		return t.lacksTrue(claude.KeyStrictAllowlist...)
	},
	policy.TouchCommaMatcher: commaMatchers,
	policy.TouchAutoAllowUnset: func(t touched) []report.Evidence {
		if t.Scalar(claude.KeyAutoAllowBashIfSandboxed...).Value != nil {
			return nil
		}
		return t.lacksTrue(claude.KeyAutoAllowBashIfSandboxed...)
	},
	policy.TouchBashDeny: func(t touched) []report.Evidence { return t.denies(claude.ToolBash) },
	policy.TouchEditDeny: func(t touched) []report.Evidence { return t.denies(claude.ToolEdit) },
}

// limit is the beginning of a list of places: one is enough to say where.
func limit(list []report.Evidence, n int) []report.Evidence { return list[:min(n, len(list))] }

// elements lists the elements in force of an array that hold.
func (t touched) elements(hold func(*settings.Value) bool, path ...string) (places []report.Evidence) {
	for _, c := range t.Taken(path...) {
		if hold(c.Value) {
			text := settings.KeyPath(path) + " has an entry"
			if c.Value.Kind == settings.Str {
				text = fmt.Sprintf("%s has %q", settings.KeyPath(path), c.Value.Text)
			}
			places = append(places, report.FileEvidence(c.Where(), text))
		}
	}
	return places
}

// denies is the place of the first deny rule that begins so.
func (t touched) denies(tool string) []report.Evidence {
	for _, rule := range t.RulesIn(claude.Deny) {
		of, _, call, _ := claude.SplitRule(rule.Value.Text)
		if of == tool && call {
			return []report.Evidence{report.FileEvidence(rule.Where(), "permissions.deny has "+rule.Value.Text)}
		}
	}
	return nil
}

// isTrue is the place of a setting that is true.
func (t touched) isTrue(path ...string) []report.Evidence {
	if s := t.Scalar(path...); s.Value.True() {
		return []report.Evidence{report.FileEvidence(s.Where(), settings.KeyPath(path)+" is true")}
	}
	return nil
}

// lacksTrue is the place of a setting that should be true and is not, or of the
// sandbox that goes without it. Without a sandbox it does not matter.
func (t touched) lacksTrue(path ...string) []report.Evidence {
	enabled := t.Scalar(claude.KeySandboxEnabled...)
	switch s := t.Scalar(path...); {
	case !enabled.Value.True(), s.Value.True():
		return nil
	case s.Value != nil:
		return []report.Evidence{report.FileEvidence(s.Where(), settings.KeyPath(path)+" is not true")}
	}
	return []report.Evidence{report.FileEvidence(enabled.Where(), settings.KeyPath(path)+" is set in no scope")}
}

// commaMatchers lists the hooks whose matcher has a comma.
func commaMatchers(t touched) (places []report.Evidence) {
	for _, l := range t.layers {
		for _, h := range l.Doc.Hooks() {
			if m := h.Matcher(); m != nil && m.Kind == settings.Str && strings.Contains(m.Text, ",") {
				places = append(places, report.FileEvidence(l.Doc.Where(m),
					fmt.Sprintf("a %s hook has the matcher %q", h.Event, m.Text)))
			}
		}
	}
	return places
}
