// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook that the runtime cannot load is passed over, but
// one of claude.GuardEvents may be what guards the permissions beside it, so that the
// runtime silently ignores the whole file with it: also where such a hook seems to
// stand in a place that nobody reads. Measured with Claude Code 2.1.330.

package settings

import (
	"math"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

func isEvent(key string) bool { return slices.Contains(claude.HookEvents, key) }

// elsewhere are keys in which the runtime does not look for lost guards.
var elsewhere = []string{"mcpServers", "managedMcpServers", "lspServers", "pluginConfigs", "enabledPlugins",
	"extraKnownMarketplaces", "env", "skillOverrides", "modelSettings"}

func judgeHooks(root *Value, found finding) {
	for _, m := range root.Members {
		outside := lostGuards{skip: elsewhere, blocks: !isEvent(m.Key)}
		if m.Key != "hooks" && !slices.Contains(elsewhere, m.Key) && (isGuard(m) || outside.in(m.Value, 3, false)) {
			found([]string{m.Key}, m.Value, WholeFile, `hooks stand outside "hooks", where they guard nothing`)
		}
	}
	hooks := root.Get("hooks")
	switch {
	case hooks == nil:
	case hooks.Kind == Object && !isBlock(hooks):
		for _, m := range hooks.Members {
			judgeEvent(m, found)
		}
	default:
		loss := ThisValue
		if hooks.Kind == Object || hasBlocks(hooks) {
			loss = WholeFile
		}
		found([]string{"hooks"}, hooks, loss, "an object of events is expected, each with an array of matchers")
	}
}

func judgeEvent(m Member, found finding) {
	path := []string{"hooks", m.Key}
	guard := slices.Contains(claude.GuardEvents, m.Key)
	loss := ThisValue
	switch v := m.Value; {
	case !isEvent(m.Key):
		if (lostGuards{blocks: v.Kind != Array}).in(v, 3, false) {
			loss = WholeFile
		}
		found(path, v, loss, "no event of the runtime has this name")
	case v.Kind != Array:
		if guard && v.Kind != Null || (lostGuards{}).in(v, 3, false) {
			loss = WholeFile
		}
		found(path, v, loss, "an array of matchers is expected, not "+v.Kind.String())
	default:
		if guard {
			loss = WholeFile
		}
		v.each(func(i string, block *Value) { judgeBlock(below(path, i), block, loss, found) })
	}
}

func judgeBlock(path []string, block *Value, loss Loss, found finding) {
	hooks, matcher := block.Get("hooks"), block.Get("matcher")
	switch {
	case (lostGuards{}).in(block, 3, false):
		found(path, block, WholeFile, "events are where a matcher is expected")
	case block.Kind != Object:
		found(path, block, loss, "an object with matcher and hooks is expected, not "+block.Kind.String())
	case hooks == nil || hooks.Kind != Array:
		found(path, block, loss, "an array of hooks is expected")
	case matcher != nil && matcher.Kind != Str:
		found(path, block, loss, "a matcher is a string, not "+matcher.Kind.String())
	default:
		hooks.each(func(j string, hook *Value) {
			at, done := append(below(path, "hooks"), j), false
			hookShape.judge(nil, hook, func(key []string, v *Value, _ Loss, message string) {
				if !done {
					found(append(at, key...), v, loss, message)
				}
				done = true // the first one loses the hook
			})
		})
	}
}

// lostGuards looks for hooks of guard events in places where the runtime does
// not load hooks.
type lostGuards struct {
	skip   []string
	blocks bool // a matcher with hooks counts, too
}

// in looks depth levels deep; list says that v is an element of hooks.
func (g lostGuards) in(v *Value, depth int, list bool) bool {
	if slices.ContainsFunc(v.Members, isGuard) || g.blocks && isBlock(v) {
		return true
	}
	if depth == 0 || list && v.Kind == Object && kindOf(v.Get("type")) == Str {
		return false
	}
	return slices.ContainsFunc(v.Items, func(item *Value) bool { return g.in(item, depth-1, list) }) ||
		slices.ContainsFunc(v.Members, func(m Member) bool {
			deeper := lostGuards{g.skip, g.blocks && !isEvent(m.Key)}
			return !slices.Contains(g.skip, m.Key) && deeper.in(m.Value, depth-1, m.Key == "hooks" && m.Value.Kind == Array)
		})
}

// isGuard says whether a member declares hooks of a guard event.
func isGuard(m Member) bool {
	empty := m.Value.Kind == Null || m.Value.Kind == Array && len(m.Value.Items) == 0
	return slices.Contains(claude.GuardEvents, m.Key) && !empty
}

// isBlock says whether v looks like a matcher with hooks.
func isBlock(v *Value) bool {
	hooks, matcher := v.Get("hooks"), v.Get("matcher")
	if v.Kind != Object || matcher == nil && slices.ContainsFunc(v.Members, func(m Member) bool {
		return isEvent(m.Key)
	}) {
		return false
	}
	switch kindOf(hooks) {
	case Array:
		return len(hooks.Items) > 0
	case Object:
		return matcher != nil || kindOf(hooks.Get("type")) == Str
	}
	return false
}

// hasBlocks says whether an array of hooks holds objects, or in arrays within
// it what looks like matchers or events.
func hasBlocks(v *Value) bool {
	return slices.ContainsFunc(v.Items, func(item *Value) bool {
		return item.Kind == Object || item.Kind == Array && slices.ContainsFunc(item.Items, seemsHooks)
	})
}

func seemsHooks(v *Value) bool {
	return isBlock(v) || slices.ContainsFunc(v.Members, isGuard) || slices.ContainsFunc(v.Items, seemsHooks)
}

// kindOf is the kind of v, 0 for nil.
func kindOf(v *Value) Kind {
	if v == nil {
		return 0
	}
	return v.Kind
}

// hookShape is one hook; its type says which keys it has.
var hookShape = &shape{as: func(v *Value) *shape {
	s := &shape{kinds: Object, fields: fields{"type": enum("command", "prompt", "agent", "http", "mcp_tool"),
		"if": text, "timeout": between(0, math.Inf(1), true, false), "statusMessage": text, "once": boolean},
		needs: []string{"type"}}
	var needs string
	switch t := v.Get("type"); {
	case t.isText("command"):
		needs = "command"
		s.fields["args"], s.fields["shell"] = texts, enum("bash", "powershell")
		s.fields["async"], s.fields["asyncRewake"], s.fields["holdsTools"] = boolean, boolean, boolean
		s.fields["rewakeMessage"], s.fields["rewakeSummary"] = filled, filled
		s.fields["onFailure"] = enum("continue", "block")
	case t.isText("prompt"):
		needs = "prompt"
		s.fields["model"], s.fields["continueOnBlock"] = text, boolean
	case t.isText("agent"):
		needs = "prompt"
		s.fields["model"] = text
	case t.isText("http"):
		needs = "url"
		s.fields["headers"], s.fields["allowedEnvVars"] = mapOf(text), texts
		s.fields["onFailure"] = enum("continue", "block")
	case t.isText("mcp_tool"):
		needs = "server tool"
		s.fields["input"] = &shape{kinds: Object}
	}
	for key := range strings.FieldsSeq(needs) {
		s.fields[key] = text
		s.needs = append(s.needs, key)
	}
	if s.fields["url"] != nil {
		s.fields["url"] = matching(`^[A-Za-z][A-Za-z0-9+.-]*:.`, "an address is expected")
	}
	return s
}}
