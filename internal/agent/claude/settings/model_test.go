// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// model merges decoded documents; take answers every conflict.
type model struct{ take bool }

func (m model) merge(path string, have, want any) any {
	h, hObject := have.(map[string]any)
	w, wObject := want.(map[string]any)
	hList, hArray := have.([]any)
	wList, wArray := want.([]any)
	switch {
	case hArray && wArray:
		return m.unite(path, hList, wList)
	case hObject && wObject && !(oneDecision(path) && contradicts(h, w)):
		for key, v := range w {
			if old, ok := h[key]; ok {
				h[key] = m.merge(path+"/"+key, old, v)
			} else {
				h[key] = v
			}
		}
		return h
	case m.take && !same(have, want):
		return want
	}
	return have
}

func oneDecision(path string) bool {
	parts := strings.Split(path, "/")
	return path == "/statusLine" || strings.HasPrefix(path, "/sandbox/credentials/files/") && len(parts) == 5 ||
		strings.HasPrefix(path, "/sandbox/credentials/envVars/") && len(parts) == 5 ||
		strings.HasPrefix(path, "/hooks/") && len(parts) == 6 && parts[4] == "hooks"
}

func contradicts(h, w map[string]any) bool {
	for key, v := range w {
		if old, ok := h[key]; ok && !same(old, v) {
			return true
		}
	}
	return false
}

func (m model) unite(path string, have, want []any) []any {
	for _, item := range want {
		switch i := index(have, item, same); {
		case strings.HasPrefix(path, "/hooks/") && strings.Count(path, "/") == 2:
			have = m.block(path, have, item)
		case i >= 0:
		default:
			id := map[string]string{"/sandbox/credentials/files": "path", "/sandbox/credentials/envVars": "name"}[path]
			i = index(have, item, func(a, b any) bool {
				name, ok := field(a, id).(string)
				return ok && field(b, id) == name
			})
			if i >= 0 {
				have[i] = m.merge(path+"/"+strconv.Itoa(i), have[i], item)
			} else {
				have = append(have, item)
			}
		}
	}
	return have
}

// block wires the hooks of one wanted block.
func (m model) block(path string, have []any, block any) []any {
	var home []int // the blocks with the same matcher
	matcher, hooks, ok := blockOf(block)
	for i, b := range have {
		if other, _, fits := blockOf(b); ok && fits && other == matcher {
			home = append(home, i)
		}
	}
	if len(home) == 0 {
		if index(have, block, same) < 0 {
			have = append(have, block)
		}
		return have
	}
next:
	for _, hook := range hooks {
		for _, equal := range []func(a, b any) bool{same, runsSame} {
			for _, i := range home {
				_, list, _ := blockOf(have[i])
				if j := index(list, hook, equal); j >= 0 {
					list[j] = m.merge(path+"/"+strconv.Itoa(i)+"/hooks/"+strconv.Itoa(j), list[j], hook)
					continue next
				}
			}
		}
		b := have[home[0]].(map[string]any)
		b["hooks"] = append(b["hooks"].([]any), hook)
	}
	return have
}

func blockOf(v any) (matcher string, hooks []any, ok bool) {
	if field(v, "matcher") != nil {
		if matcher, ok = field(v, "matcher").(string); !ok {
			return "", nil, false
		}
	} else if b, object := v.(map[string]any); object {
		if _, null := b["matcher"]; null {
			return "", nil, false
		}
	}
	hooks, ok = field(v, "hooks").([]any)
	return matcher, hooks, ok
}

func runsSame(a, b any) bool {
	if field(a, "type") != "command" || field(b, "type") != "command" {
		return same(a, b)
	}
	return reflect.DeepEqual(present(a, "command"), present(b, "command")) &&
		reflect.DeepEqual(present(a, "args"), present(b, "args"))
}

// present is a list of the field's value, empty without the field.
func present(v any, key string) []any {
	if x, ok := v.(map[string]any)[key]; ok {
		return []any{normal(x)}
	}
	return nil
}

func field(v any, key string) any {
	m, _ := v.(map[string]any)
	return m[key]
}

func index(list []any, item any, equal func(a, b any) bool) int {
	for i, v := range list {
		if equal(v, item) {
			return i
		}
	}
	return -1
}

func same(a, b any) bool { return reflect.DeepEqual(normal(a), normal(b)) }

// normal makes numbers comparable as the runtime reads them.
func normal(v any) any {
	switch v := v.(type) {
	case json.Number:
		if f, err := strconv.ParseFloat(string(v), 64); err == nil {
			return f
		}
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = normal(item)
		}
		return list
	case map[string]any:
		m := map[string]any{}
		for key, item := range v {
			m[key] = normal(item)
		}
		return m
	}
	return v
}

// maker makes documents out of bytes: shaped like settings, now and then with
// something else where it does not belong.
type maker struct{ data []byte }

func (m *maker) pick(n int) int {
	if len(m.data) == 0 {
		return 0
	}
	b := int(m.data[0])
	m.data = m.data[1:]
	return b % n
}

// grammar says what stands below a key: members of an object, or the elements
// of an array after "*".
var grammar = map[string]string{
	"":            "sandbox permissions hooks statusLine a.b mcp__* # env",
	"sandbox":     "enabled credentials filesystem network",
	"credentials": "files envVars sigv4", "files": "* file", "file": "path mode injectHosts", "envVars": "* variable",
	"variable":   "name mode",
	"filesystem": "denyRead allowRead", "denyRead": "* text", "allowRead": "* text", "injectHosts": "* text",
	"permissions": "deny ask defaultMode", "deny": "* text", "ask": "* text",
	"hooks": "PreToolUse PostToolUse", "PreToolUse": "* block", "PostToolUse": "* block",
	"block": "matcher blockhooks", "blockhooks": "* hook", "hook": "type command args timeout", "args": "* text",
	"statusLine": "type command padding", "env": "A B.C", "mcp__*": "* text", "#": "* env",
}

var scalars = []string{`"a"`, `"b"`, `"command"`, `"Bash"`, `"deny"`, `"é & <"`, `true`, `false`, `1`, `1.0`, `null`,
	`""`, `{}`, `[]`}

func (m *maker) value(name string, depth int) string {
	rule, ok := grammar[name]
	odd := depth > 0 && m.pick(16) == 1
	switch {
	case !ok || odd || depth > 8:
		return scalars[m.pick(len(scalars))]
	case strings.HasPrefix(rule, "* "):
		var items []string
		for range m.pick(4) {
			items = append(items, m.value(rule[2:], depth+1))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	var members []string
	for key := range strings.FieldsSeq(rule) {
		if m.pick(3) > 0 {
			members = append(members, strconv.Quote(strings.TrimPrefix(key, "block"))+":"+m.value(key, depth+1))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func TestEveryJudgedKeyHasAClass(t *testing.T) {
	for name := range document().fields {
		if claude.Setting(name).Class == claude.Unknown {
			t.Errorf("%s has a shape and no class", name)
		}
	}
	for _, object := range []string{"sandbox", "permissions"} {
		for name := range document().fields[object].fields {
			if claude.Setting(object, name).Class == claude.Unknown {
				t.Errorf("%s.%s has a shape and no class", object, name)
			}
		}
	}
}
