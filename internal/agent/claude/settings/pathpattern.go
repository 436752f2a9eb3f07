// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path in a rule, and one in a sandbox setting, means what
// the runtime takes it for; the two differ, and where they do, both were tried
// with Claude Code 2.1.329 (explain/runtime_test.go).

package settings

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// Pattern is a path with wildcards below a directory. A match covers what lies
// below it too.
type Pattern struct {
	root string
	segs []string
	// deep: it matches at every depth below root.
	deep bool
	// fold: case does not matter.
	fold bool
}

// RulePattern is the pattern of a rule of Read or Edit for the agent's own tools,
// which has the meaning of a line of .gitignore; ok is false where it matches
// nothing. Case does not matter to it.
func RulePattern(content string, scope Scope, d Dirs) (p Pattern, ok bool) {
	p = Pattern{root: d.Start, fold: true}
	anchored := true
	switch {
	case content == "" || content == "*": // the tool by its bare name
		p.root, content = "/", ""
	case strings.HasPrefix(content, "//"):
		p.root, content = "/", content[2:]
	case content == "~" || strings.HasPrefix(content, "~/"):
		p.root, content = d.Home, strings.TrimPrefix(content[1:], "/")
	case strings.HasPrefix(content, "/"):
		content = content[1:]
		if scope == User {
			p.root = d.Agent
		}
	default:
		content = strings.TrimPrefix(content, "./")
		anchored = false
	}
	if strings.HasPrefix(content, "../") || strings.HasPrefix(content, "!") {
		return p, false
	}
	content = strings.TrimSuffix(strings.TrimSuffix(content, "/**"), "/")
	p.deep = !anchored && !strings.Contains(content, "/")
	return p.split(content), true
}

// RuleCovers says whether a rule of Read or Edit with this content is about an
// absolute path, for the agent's own tools.
func RuleCovers(content string, scope Scope, d Dirs, abs string) bool {
	p, ok := RulePattern(content, scope, d)
	if ok {
		_, ok = p.Covers(abs)
	}
	return ok
}

// SealPattern is what the same rule closes for sandboxed commands: a bare name is
// that of one file there, and a pattern at the root of the file system closes
// nothing.
func SealPattern(content string, scope Scope, d Dirs) (p Pattern, ok bool) {
	p, ok = RulePattern(content, scope, d)
	p.deep, p.fold = false, false
	return p, ok && !(p.root == "/" && len(p.segs) > 0 && p.segs[0] == "**")
}

// PatternAt is the pattern of an absolute path, as a sandbox setting has it.
func PatternAt(abs string) Pattern {
	abs = strings.TrimSuffix(abs, "/**")
	if !strings.ContainsAny(abs, "*?[") {
		return Pattern{root: path.Clean(abs)}
	}
	root := pathname.BeforeWildcard(abs)
	return Pattern{root: root}.split(strings.Trim(strings.TrimPrefix(abs, root), "/"))
}

func (p Pattern) split(content string) Pattern {
	if content != "" {
		p.segs = strings.Split(content, "/")
	}
	return p
}

// Text spells a pattern in one way, whatever form it had in the
func (p Pattern) Text() string {
	segs := p.segs
	if p.deep {
		segs = append([]string{"**"}, segs...)
	}
	return path.Join(append([]string{p.root}, segs...)...)
}

// Literal says that there is no wildcard in it.
func (p Pattern) Literal() bool {
	return !p.deep && !strings.ContainsAny(strings.Join(p.segs, "/"), "*?[")
}

// Covers says whether the pattern matches abs or a directory above it, and how
// much of abs the shortest match takes, in path elements.
func (p Pattern) Covers(abs string) (depth int, ok bool) {
	rest, below := pathname.Below(abs, p.root)
	if abs != p.root && !below {
		return 0, false
	}
	base := elements(p.root)
	var names []string
	if rest != "" {
		names = strings.Split(rest, "/")
	}
	for n := range len(names) + 1 {
		from := 0
		if p.deep {
			from = n - len(p.segs)
		}
		if from >= 0 && p.match(p.segs, names[from:n]) {
			return base + n, true
		}
	}
	return 0, false
}

func elements(abs string) int {
	if abs == "/" {
		return 0
	}
	return strings.Count(abs, "/")
}

// maxStars bounds the work of one match: each "**" can begin anywhere.
const maxStars = 6

// match says whether pattern elements match all of names.
func (p Pattern) match(segs, names []string) bool {
	if strings.Count(strings.Join(segs, "/"), "**") > maxStars {
		return false
	}
	for i, s := range segs {
		if s == "**" {
			for from := range len(names) - i + 1 {
				if p.match(segs[i+1:], names[i+from:]) {
					return true
				}
			}
			return false
		}
		if i >= len(names) || !p.element(s, names[i]) {
			return false
		}
	}
	return len(segs) == len(names)
}

func (p Pattern) element(pat, name string) bool {
	if p.fold {
		pat, name = strings.ToLower(pat), strings.ToLower(name)
	}
	return pathname.Like(name, pat)
}

// patternSigns mean something in a pattern or a rule.
const patternSigns = `*?[]{}()\!`

// Unnamable says why a path cannot be named in the settings, "" if it can.
func Unnamable(path string) string {
	switch {
	case strings.ContainsAny(path, patternSigns):
		return "its path holds one of " + patternSigns + ", and as a pattern it would match neighbouring paths too"
	case !utf8.ValidString(path):
		return "its path is not UTF-8, and JSON cannot hold it"
	}
	return ""
}
