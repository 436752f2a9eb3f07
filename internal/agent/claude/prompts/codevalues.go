// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a value is the code's own if all that decides an answer in it
// stands in the code; a name is, if all that it is given is.

package prompts

import (
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// maxDeep bounds values within values.
const maxDeep = 12

var (
	simpleName = lazy.Regexp(`^[$@%]?[A-Za-z_]\w*$`)
	plainValue = lazy.Regexp(`^(?:-?[0-9.]+|True|False|None|true|false|null|nil|undef|undefined|__doc__|[\w.]+\.length)$`)
	asNumber   = lazy.Regexp(`^(?:len|int|float|round|sum|bool|abs)\(`)
	asJSON     = lazy.Regexp(`^(?:json\.dumps|JSON\.(?:stringify|generate|dump|pretty_generate)|encode_json|to_json|` +
		`json_encode)(?:\s*\(|\s+)`)
	asText = lazy.Regexp(`^(?:str|String|Buffer\.from|dedent|textwrap\.dedent)\(`)
	same   = lazy.Regexp(`\.(?:encode|strip|rstrip|trim|trimEnd|toString|to_json)(?:\([^()]*\))?$`)
	called = lazy.Regexp(`^([A-Za-z_]\w*)\(`)
	// member is a member of an object: quoted, bare or named by a colon in front, what ends it.
	member = lazy.Regexp(`^\s*(?:["']([^"'\\{]*)["']|(\w+)|:["']?(\w+)["']?)\s*(=>|:|=)`)
	// multiplied is behind a text that stands more than once; choosing begins what chooses between values.
	multiplied = lazy.Regexp(`^(?:[*x]\s*|\.repeat\()[1-9][0-9]*\)?$`)
	choosing   = lazy.Regexp(`^(?:(?:if|else|and|or)\b|\?[^.]|&&|\|\|)`)
	ifs, elses = lazy.Regexp(`^if\b`), lazy.Regexp(`^else\b`)
	modifies   = lazy.Regexp(`^(?:if|unless|while|until|for|foreach|and|or)\b`)
)

func (c *codeText) named(s span) bool { return simpleName().MatchString(c.calls[s.from:s.to]) }

// whole says whether the bracket before a place closes at the end of a span.
func (c *codeText) whole(s span, from int) (args []span, is bool) {
	args, end := c.arguments(from)
	return args, end == s.to-1
}

// split are the parts of a span between signs outside of brackets.
func (c *codeText) split(s span, sign byte) (list []span) {
	from := s.from
	c.walk(s.from, func(i int, b byte) bool {
		if b == sign && i < s.to {
			list, from = append(list, c.trim(span{from, i})), i+1
		}
		return i >= s.to
	})
	return append(list, c.trim(span{from, s.to}))
}

// made says whether a text that is printed is no answer, or the code's own.
func (c *codeText) made(s span, depth int) bool {
	s = c.trim(s)
	text := c.calls[s.from:s.to]
	switch {
	case depth > maxDeep:
		return false
	case text == "", c.plain(s):
		return true
	case text[0] == '(':
		if args, is := c.whole(s, s.from+1); is && len(args) == 1 {
			return c.made(args[0], depth+1)
		}
	}
	if c.begins(s) {
		return true
	}
	if fixed, holes, is := c.literal(s); is && !holes {
		fixed = strings.TrimSpace(fixed)
		return fixed == "" || fixed[0] == '{' && strings.Count(fixed, "{") == strings.Count(fixed, "}") &&
			(c.by != "perl" || !strings.ContainsAny(fixed, "$@"))
	}
	if parts := c.split(s, '+'); len(parts) > 1 {
		return c.ends(s) || !slices.ContainsFunc(parts, func(part span) bool { return !c.made(part, depth+1) })
	}
	if parts := c.split(s, '.'); c.by == "perl" && len(parts) > 1 {
		return !slices.ContainsFunc(parts, func(part span) bool { return !c.made(part, depth+1) })
	}
	if m := asJSON().FindString(text); m != "" {
		args, end := c.arguments(s.from + len(m))
		if len(args) > 0 && (end == s.to-1 || m[len(m)-1] != '(' && args[0].to == s.to) {
			return c.object(args[0], depth+1)
		}
	}
	if m := asText().FindString(text); m != "" {
		if args, is := c.whole(s, s.from+len(m)); is && len(args) > 0 {
			return c.made(args[0], depth+1)
		}
	}
	if m := same().FindStringIndex(text); m != nil {
		inner := span{s.from, s.from + m[0]}
		if strings.HasPrefix(text[m[0]:], ".to_json") {
			return c.object(inner, depth+1)
		}
		return c.made(inner, depth+1)
	}
	return c.ends(s) || c.all("text", s, depth, c.made)
}

// plain says whether a value is a number, or a word of the language.
func (c *codeText) plain(s span) bool {
	text := c.calls[s.from:s.to]
	if m := asNumber().FindString(text); m != "" {
		_, is := c.whole(s, s.from+len(m))
		return is
	}
	return plainValue().MatchString(text)
}

// begins says whether a text begins in words with which no object does.
func (c *codeText) begins(s span) bool {
	if i := c.find(s, ifs()); c.by == "python" && i > s.from { // a choice of two
		k := c.find(span{i, s.to}, elses())
		return k > i && c.begins(c.trim(span{s.from, i})) && c.begins(c.trim(span{k + len("else"), s.to}))
	}
	first := c.first(s)
	text, _, is := c.literal(first)
	text = strings.TrimLeft(text, " \t\r\n")
	if !is || text == "" || strings.IndexByte("{%$#@\\", text[0]) >= 0 {
		return false
	}
	for first.to < s.to { // what is behind it leaves it in front
		behind := c.trim(span{first.to, s.to})
		rest := c.calls[behind.from:behind.to]
		switch {
		case rest == "", multiplied().MatchString(rest):
			return true
		case rest[0] == '+', rest[0] == '%', rest[0] == '.' && c.by == "perl":
			return c.find(behind, choosing()) < 0
		case strings.HasPrefix(rest, ".format("):
			_, end := c.arguments(behind.from + len(".format("))
			first = span{first.from, end + 1}
		default:
			if first = c.first(behind); first.from == first.to {
				return false
			}
		}
	}
	return true
}

// find is the first place in a span, outside of brackets and texts and at no word's middle, where an expression
// matches; -1 if none does.
func (c *codeText) find(s span, what *regexp.Regexp) int {
	found := -1
	c.walk(s.from, func(i int, b byte) bool {
		if i < s.to && (!grants.IsWord(b) || !grants.IsWord(c.before(i))) && what.MatchString(c.calls[i:s.to]) {
			found = i
		}
		return found >= 0 || i >= s.to
	})
	return found
}

// unconditional is an argument without the condition that Ruby and Perl let follow a statement.
func (c *codeText) unconditional(s span) span {
	if c.by == "ruby" || c.by == "perl" {
		if i := c.find(s, modifies()); i > s.from {
			return c.trim(span{s.from, i})
		}
	}
	return s
}

// first is the text with which a span begins, or nothing.
func (c *codeText) first(s span) span {
	for i := s.from; i < min(s.to, s.from+3); i++ {
		if end, is := c.texts[i]; is {
			return span{s.from, min(end, s.to)}
		}
		if c.by != "python" || strings.IndexByte("rRbBuUfF", c.calls[i]) < 0 {
			break
		}
	}
	return span{s.from, s.from}
}

// ends says whether a text ends in words behind which no object ends.
func (c *codeText) ends(s span) bool {
	parts := c.split(s, '+')
	text, _, _ := c.literal(parts[len(parts)-1])
	text = strings.TrimRight(text, " \t\r\n")
	return text != "" && !strings.HasSuffix(text, "$unknown") && !strings.HasSuffix(text, "}") &&
		!strings.Contains(text, `\`) && c.find(s, choosing()) < 0
}

// object says whether what decides in a value that is printed as JSON is the code's own.
func (c *codeText) object(s span, depth int) bool {
	s = c.trim(s)
	text := c.calls[s.from:s.to]
	_, holes, literal := c.literal(s)
	switch {
	case depth > maxDeep:
		return false
	case c.plain(s), literal && !holes:
		return true
	case strings.HasPrefix(text, "["):
		_, is := c.whole(s, s.from+1)
		return is
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "dict("):
		from := s.from + 1 + strings.IndexAny(text, "({")
		members, is := c.whole(s, from)
		return is && !slices.ContainsFunc(members, func(m span) bool { return !c.member(m, depth) })
	case strings.HasPrefix(text, "("):
		args, is := c.whole(s, s.from+1)
		return is && len(args) == 1 && c.object(args[0], depth+1)
	}
	return c.all("object", s, depth, c.object)
}

// deciding are the keys whose values decide in an answer.
var deciding = []string{"hookSpecificOutput", "permissionDecision", "decision", "behavior"}

// member says whether a member of an object decides nothing, or by words of the code.
func (c *codeText) member(s span, depth int) bool {
	said := c.said[s.from:s.to]
	m := member().FindStringSubmatchIndex(said)
	if m == nil { // of a name alone
		return c.by == "node" && c.named(s) && (!slices.Contains(deciding, said) || c.decides(s, depth))
	}
	sign := said[m[8]:m[9]]
	if m[4] >= 0 && (c.by == "python" && sign == ":" || c.by == "ruby" && sign == "=>") {
		return false // a name as the key
	}
	name := said[max(m[2], m[4], m[6]):max(m[3], m[5], m[7])]
	return !slices.Contains(deciding, name) || c.decides(c.trim(span{s.from + m[1], s.to}), depth)
}

// decides says whether a value that decides is a word of the code, or an object of its.
func (c *codeText) decides(s span, depth int) bool {
	_, known := valuesOf(c.said[s.from:s.to], c.words)
	return known || c.object(s, depth+1)
}

// all says whether all that a name, or a call of a function of the code, may be is the
// code's own.
func (c *codeText) all(kind string, s span, depth int, own func(span, int) bool) bool {
	text := c.calls[s.from:s.to]
	values := c.given
	if m := called().FindStringSubmatch(text); m != nil {
		if _, is := c.whole(s, s.from+len(m[0])); !is {
			return false
		}
		text, values = m[1], c.returned
		kind += " of call"
	} else if !c.named(s) {
		return false
	}
	key := kind + " " + text
	if yes, seen := c.known[key]; seen {
		return yes
	}
	c.known[key] = false
	list := values(text)
	c.known[key] = len(list) > 0 && !slices.ContainsFunc(list, func(v span) bool { return !own(v, depth+1) })
	return c.known[key]
}
