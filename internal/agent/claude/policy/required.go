// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a required entry is there when the document holds it in
// any form that the runtime enforces, and only then.

package policy

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// Missing lists the required entries that a document does not hold in an
// enforced form. doc is what is in force: the merge of all scopes, or one file
// that has to stand alone.
func (p *Policy) Missing(doc *settings.Value, home string) []Entry {
	return p.lacking(doc, home, func(e Entry) bool { return e.Required })
}

// lacking lists the entries of the base that are wanted and not held.
func (p *Policy) lacking(doc *settings.Value, home string, wanted func(Entry) bool) []Entry {
	return slices.DeleteFunc(slices.Clone(p.entries), func(e Entry) bool { return !wanted(e) || held(doc, home, e) })
}

func held(doc *settings.Value, home string, e Entry) bool {
	want := e.Value.Text
	switch e.Key {
	case claude.KeyDenyRead.String():
		return slices.ContainsFunc(texts(doc, e.Key), func(d string) bool {
			n, place := sensitive.Normal(d, home), sensitive.Normal(want, home)
			// A pattern names what is hidden although the directory above it is:
			// $TMPDIR, which the runtime puts back into a hidden /tmp.
			above := strings.HasPrefix(n, "/") && home != "" && !strings.Contains(place, "*")
			return n == place || above && pathname.Within(strings.Replace(place, "~", home, 1), n)
		})
	case claude.KeyCredentialFiles.String():
		path := sensitive.Normal(textOf(e.Value.Get("path")), home)
		return slices.ContainsFunc(elements(doc, e.Key), func(v *settings.Value) bool {
			return denies(v) && sensitive.Normal(textOf(v.Get("path")), home) == path
		})
	case claude.KeyAsk.String(), claude.KeyDeny.String():
		rules := texts(doc, claude.KeyDeny.String())
		if e.Key == claude.KeyAsk.String() {
			rules = append(rules, texts(doc, e.Key)...)
		}
		// Most stand there as they are wanted, and need not be taken apart.
		return slices.Contains(rules, want) ||
			slices.ContainsFunc(rules, func(r string) bool { return covers(r, want, home) })
	}
	return has(doc, e)
}

// covers says whether a rule holds at least what the wanted one holds.
func covers(rule, want, home string) bool {
	tool, arg := split(rule)
	wantTool, wantArg := split(want)
	if tool != wantTool {
		return false
	}
	if arg == "" || arg == "*" || rule == want {
		return true // the whole tool, or the rule itself
	}
	if claude.RuleHolds(want, rule) {
		return true
	}
	if tool == claude.ToolBash {
		have := strings.TrimSuffix(strings.Replace(arg, ":*", " *", 1), " *")
		return arg != have && pathname.Within(strings.ReplaceAll(strings.TrimSuffix(wantArg, " *"), " ", "/"),
			strings.ReplaceAll(have, " ", "/"))
	}
	have, need := rulePath(arg, home), rulePath(wantArg, home)
	return have == need || have == "**/"+need ||
		strings.HasPrefix(need, "~/") && strings.HasPrefix(have, "~") && !strings.Contains(have, "*") &&
			pathname.Within(need, have)
}

// Ruled says whether a deny rule of the policy speaks of reading path, so that
// the agent's own tools are refused it and not only asked about, in a session that
// begins in start. The paths are absolute. required says that such a rule is one
// without which a policy does not protect.
func (p *Policy) Ruled(path, home, start string) (ruled, required bool) {
	for _, e := range p.entries {
		tool, arg := split(e.Value.Text)
		if e.Key != claude.KeyDeny.String() || tool != claude.ToolRead {
			continue
		}
		if settings.RuleCovers(arg, settings.Project, settings.Dirs{Home: home, Start: start}, path) {
			ruled, required = true, required || e.Required
		}
	}
	return ruled, required
}

func split(rule string) (tool, arg string) {
	tool, arg, _, _ = claude.SplitRule(rule)
	return tool, arg
}

// rulePath spells the path of a Read or Edit rule in one way. There, other
// than in sandbox paths, one leading slash means the directory of the settings
// and only two mean the root. A pattern that begins at the root keeps its
// slashes, since the OS layer does not enforce it on Linux.
func rulePath(arg, home string) string {
	arg = strings.TrimSuffix(strings.TrimSuffix(arg, "/**"), "/")
	switch {
	case strings.HasPrefix(arg, "//**"):
		return arg
	case strings.HasPrefix(arg, "//"), strings.HasPrefix(arg, "~"):
		return sensitive.Normal(arg, home)
	}
	return strings.TrimPrefix(strings.TrimPrefix(arg, "./"), "/")
}

// approvesOutside says whether a rule of permissions.allow makes the runtime
// run a command outside the sandbox without a prompt. Measured: a pattern
// does, Bash and Bash(*) alone do not (2.1.329; they do in 2.1.141).
func approvesOutside(rule string) bool {
	tool, arg := split(rule)
	return tool == claude.ToolBash && arg != "" && arg != "*"
}
