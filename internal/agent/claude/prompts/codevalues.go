// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a value is the code's own if all that decides an answer in it
// stands in the code; a name is, if all that it is given is.

package prompts

import (
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/writable"
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
	modifies   = lazy.Regexp(`^(?:if|unless|while|until|for|foreach|and|or)\b`)
)

// named says whether a span is a name alone.
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
		return c.ends(s) ||
			!slices.ContainsFunc(parts, func(part span) bool { return !c.made(part, depth+1) })
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
		if i < s.to && (!writable.IsWord(b) || !writable.IsWord(c.before(i))) && what.MatchString(c.calls[i:s.to]) {
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
		if end := c.textEnd(i); end >= 0 {
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
	_, known := valuesOf(c.said, c.said[s.from:s.to])
	return known || c.object(s, depth+1)
}

// all says whether all that a name, or a call of a function of the code, may be is the
// code's own.
func (c *codeText) all(kind string, s span, depth int, own func(span, int) bool) bool {
	text := c.calls[s.from:s.to]
	var values []span
	if c.named(s) {
		values = c.given(text)
	} else if m := called().FindStringSubmatch(text); m != nil {
		if _, is := c.whole(s, s.from+len(m[0])); is {
			values = c.returned(m[1])
		}
		text = m[1] + "()"
	}
	if len(values) == 0 {
		return false
	}
	key := kind + " " + text
	if yes, seen := c.known[key]; seen {
		return yes
	}
	c.known[key] = false
	c.known[key] = !slices.ContainsFunc(values, func(v span) bool { return !own(v, depth+1) })
	return c.known[key]
}

// given are the values of a name: what is assigned to it, and what functions are called
// with; none if any may be another.
func (c *codeText) given(name string) (list []span) {
	if c.left -= 5 * len(c.calls); c.left <= 0 {
		return nil
	}
	bare := strings.TrimLeft(name, "$@%")
	quoted := regexp.QuoteMeta(bare)
	// Where it is bound otherwise, or changed.
	other := regexp.MustCompile(strings.ReplaceAll(`\bfor\b[^\n]*\bNAME\b[^\n]*\b(?:in|of)\b|\bas\s+NAME\b|`+
		`\bimport\b[^\n]*\bNAME\b|\blambda\b[^:\n]*\bNAME\b|\bcatch\s*\(\s*NAME\b|=\s*NAME\s*=[^=>]|`+
		`(?:^|[^\w\s])\s*\(?[{\[]?\s*NAME\b[^()\n;]*[}\]]\)\s*=>|\bNAME\s*=>|\|\s*NAME\b|`+
		`[\[{,]\s*NAME\s*(?:,[^\]}\n]*)?[\]}]\s*=[^=>]|(?m:^[^\n=(]*,\s*NAME\b[^\n=(]*=[^=])|`+
		`(?m:^\s*NAME\s*,[^\n=(]*=[^=])|\bNAME\s*(?::=|[-|&*/]=|\|\|=|\?\?=)|\bassign\s*\(\s*NAME\b|`+
		`\bNAME(?:\[[^\]\n]*\]|\.\w+)*\.(?:update|setdefault|merge!?|write)\s*\(|\bNAME\s*<<`, "NAME", quoted))
	if c.by == "node" && regexp.MustCompile(`,\s*`+quoted+`\s*=[^=>]`).MatchString(c.calls) {
		return nil
	}
	if other.MatchString(c.calls) {
		return nil
	}
	set := regexp.MustCompile(`(?m)(?:^|[;{}:)]|\b(?:const|let|var|my|our|export))[ \t]*[$@%]?` + quoted +
		`[ \t]*(?::[ \t]*[\w\[\]., |<>]+)?[ \t]*(?:\+|\|\|)?=([^=>~])`)
	for _, m := range set.FindAllStringSubmatchIndex(c.calls, -1) {
		if m[1]-1 > m[0] {
			list = append(list, c.statement(m[2]))
		}
	}
	inner := regexp.MustCompile(`\b` + quoted + `(?:\.\w+)*[.\[]`)
	for _, m := range inner.FindAllStringIndex(c.calls, -1) {
		if !c.keeps(m[1] - 1) {
			return nil
		}
	}
	functions := regexp.MustCompile(`\b(?:(?:def|function|sub)\s+(\w+)\s*|(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?)` +
		`\(([^()]*\b` + quoted + `\b[^()]*)\)`)
	for _, m := range functions.FindAllStringSubmatchIndex(c.calls, -1) {
		params, _ := c.arguments(m[6])
		i := slices.IndexFunc(params, func(p span) bool { return firstName().FindString(c.calls[p.from:p.to]) == bare })
		method := len(params) > 0 && slices.Contains([]string{"self", "cls"}, c.calls[params[0].from:params[0].to])
		if method {
			i--
		}
		name := c.calls[max(m[2], m[4]):max(m[3], m[5])]
		calls := regexp.MustCompile(`\b`+name+`\b(\s*\()?`).FindAllStringSubmatchIndex(c.calls, -1)
		if c.module || len(calls) < 2 || i < 0 || strings.HasSuffix(strings.TrimRight(c.calls[:m[0]], " "), "export") {
			return nil // whoever calls it
		}
		for _, at := range calls {
			if at[0] >= m[0] && at[0] < m[1] || c.before(at[0]) == '.' && !method {
				continue // where it is defined, or another's
			}
			if at[2] < 0 {
				return nil // by another name
			}
			args, _ := c.arguments(at[1])
			if i >= len(args) {
				return nil
			}
			list = append(list, args[i])
		}
	}
	return list
}

// firstName is the name of a parameter.
var firstName = lazy.Regexp(`^[$@%]?[A-Za-z_]\w*`)

// keeps says whether what is assigned to a member of a name, if anything is, decides nothing or is the
// code's own.
func (c *codeText) keeps(at int) bool {
	known, key := true, ""
	for at < len(c.calls) && (c.calls[at] == '.' || c.calls[at] == '[') {
		end := at + 1
		if c.calls[at] == '[' {
			end = c.walk(at+1, func(int, byte) bool { return false })
			text, holes, is := c.literal(c.trim(span{at + 1, end}))
			key, known, end = text, known && is && !holes, end+1
		} else {
			for end < len(c.calls) && writable.IsWord(c.calls[end]) {
				end++
			}
			key = c.calls[at+1 : end]
		}
		at = end
	}
	rest := strings.TrimLeft(c.calls[min(at, len(c.calls)):], " \t")
	if len(rest) < 2 || rest[0] != '=' || rest[1] == '=' || rest[1] == '>' {
		return true
	}
	return known && (!slices.Contains(deciding, key) || c.decides(c.statement(len(c.calls)-len(rest)+1), 0))
}

// statement is the rest of a statement.
func (c *codeText) statement(from int) span {
	end := c.walk(from, func(_ int, b byte) bool { return b == '\n' || b == ';' })
	return c.trim(span{from, end})
}

// returned are the values that a function of the code returns, none if it is not found.
func (c *codeText) returned(name string) (list []span) {
	head := regexp.MustCompile(`(?m)^([ \t]*)(?:export\s+)?(?:async\s+)?(?:def|function)\s+` + name + `\s*\([^()]*\)[^\n]*\n`)
	c.left -= len(c.calls)
	found := head.FindAllStringSubmatchIndex(c.calls, -1)
	if len(found) != 1 {
		return nil
	}
	for at := found[0][1]; at < len(c.calls); {
		end := at + strings.IndexByte(c.calls[at:]+"\n", '\n')
		line := c.calls[at:min(end, len(c.calls))]
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		if strings.TrimSpace(line) != "" && indent <= found[0][3]-found[0][2] {
			break
		}
		if i := strings.Index(line, "return"); i >= 0 && strings.TrimSpace(line[:i]) == "" {
			list = append(list, c.statement(at+i+len("return")))
		} else if i >= 0 {
			return nil // behind a condition on the same line
		}
		at = end + 1
	}
	return list
}
