// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a name has the values that are assigned to it and that functions are called with, and none
// that is known if it is bound or changed in any other way.

package prompts

import (
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// given are the values of a name: what is assigned to it, and what functions are called
// with; none if any may be another. They are looked for once, and none while they are.
func (c *codeText) given(name string) []span {
	list, seen := c.values[name]
	if !seen {
		c.values[name] = nil
		list = c.look(name)
		c.values[name] = list
	}
	return list
}

// look looks for them in all of the code.
func (c *codeText) look(name string) (list []span) {
	if c.left -= 5 * len(c.calls); c.left <= 0 {
		return nil
	}
	bare := strings.TrimLeft(name, "$@%")
	quoted := regexp.QuoteMeta(bare)
	word := regexp.MustCompile(`\b` + quoted + `\b`)
	// Where it is bound otherwise, or changed.
	other := regexp.MustCompile(strings.ReplaceAll(`\bfor\b[^\n]*\bNAME\b[^\n]*\b(?:in|of)\b|\bas\s+NAME\b|`+
		`\bimport\b[^\n]*\bNAME\b|\blambda\b[^:\n]*\bNAME\b|\bcatch\s*\(\s*NAME\b|=\s*NAME\s*=[^=>]|`+
		`(?:^|[^\w\s])\s*\(?[{\[]?\s*NAME\b[^()\n;]*[}\]]\)\s*=>|\bNAME\s*=>|\|\s*NAME\b|`+
		`[\[{(,:]\s*[*$@%]*NAME\s*(?:[,=][^\]});]*)?[\]})]+\s*=[^=>~]|(?m:(?:^|;|\):)[^\n=(]*,\s*\*?NAME\b[^\n=(]*=[^=])|`+
		`(?m:(?:^|;|\):)\s*\*?NAME\s*,[^\n=(]*=[^=])|\bNAME\s*(?:[-:*/%&|^.@]|&&|\|\||\?\?|//|\*\*|<<|>>)=|\bassign\s*\(\s*NAME\b|`+
		`\bNAME(?:\[[^\]\n]*\]|\.\w+)*\.(?:update|setdefault|merge!?|write)\s*\(|\bNAME\s*<<|`+
		`\bNAME\s*=~\s*(?:s|tr|y)\b|\bNAME\.(?:\w+!|replace\b)`, "NAME", quoted))
	if other.MatchString(c.calls) {
		return nil
	}
	if c.by == "node" {
		for _, m := range regexp.MustCompile(`,\s*`+quoted+`\s*=[^=>]`).FindAllStringIndex(c.calls, -1) {
			if !c.commas()[m[0]] {
				return nil
			}
			list = append(list, c.assigned(m[1]-1))
		}
	}
	set := regexp.MustCompile(`(?m)(?:^|[;{}:)]|\b(?:const|let|var|my|our|export))[ \t]*[$@%]?` + quoted +
		`[ \t]*(?::[ \t]*[\w\[\]., |<>]+)?[ \t]*\+?=([^=>~])`)
	for _, m := range set.FindAllStringSubmatchIndex(c.calls, -1) {
		if m[1]-1 > m[0] {
			list = append(list, c.assigned(m[2]))
		}
	}
	inner := regexp.MustCompile(`\b` + quoted + `(?:\.\w+)*[.\[]`)
	for _, m := range inner.FindAllStringIndex(c.calls, -1) {
		if !c.keeps(m[1] - 1) {
			return nil
		}
	}
	for _, p := range c.parameters() {
		if !word.MatchString(c.calls[p.from:p.to]) {
			continue
		}
		params, _ := c.arguments(p.from)
		i := slices.IndexFunc(params, func(p span) bool { return firstName().FindString(c.calls[p.from:p.to]) == bare })
		method := len(params) > 0 && slices.Contains([]string{"self", "cls"}, c.calls[params[0].from:params[0].to])
		if method {
			i--
		}
		if c.left -= len(c.calls); c.left <= 0 || p.of == "" || c.module || p.exported || i < 0 {
			return nil // whoever calls it
		}
		calls := regexp.MustCompile(`\b`+p.of+`\b(\s*\()?`).FindAllStringSubmatchIndex(c.calls, -1)
		if len(calls) < 2 {
			return nil // whoever calls it
		}
		for _, at := range calls {
			if at[0] == p.at || c.before(at[0]) == '.' && !method {
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

// words are those that a name may be, if it is given nothing else; one that stands in texts alone is itself.
func (c *codeText) words(name string) (values []string, known bool) {
	if !regexp.MustCompile(`\b` + regexp.QuoteMeta(strings.TrimLeft(name, "$@%")) + `\b`).MatchString(c.calls) {
		return valuesOf(name, nil)
	}
	unknown := func(string) ([]string, bool) { return nil, false }
	for _, s := range c.given(name) {
		some, known := valuesOf(c.said[s.from:s.to], unknown)
		if !known {
			return nil, false
		}
		values = append(values, some...)
	}
	return values, len(values) > 0
}

// parameters are those of a function between its brackets: of is its name, "" if it has none or is a method, at the
// place of the name, exported that others may call it.
type parameters struct {
	span
	of       string
	at       int
	exported bool
}

var (
	ofFunction = lazy.Regexp(`(\bexport\s+(?:default\s+)?)?(?:\basync\s+)?(?:\b(?:def|function|sub)\s+(\w+)\s*|` +
		`\b(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?)\($`)
	// arrow is behind the parameters of a function, body behind those of a method, statements have brackets, too.
	arrow      = lazy.Regexp(`^\)\s*(?::[^=;(){}]*)?=>`)
	body       = lazy.Regexp(`^\)\s*(?::\s*\w[^=;(){}]*)?\{`)
	beforeList = lazy.Regexp(`(\w+)\s*\*?\s*\($`)
	statements = []string{"if", "while", "for", "await", "switch", "with", "catch"}
)

func (c *codeText) parameters() []parameters {
	if c.lists != nil {
		return c.lists
	}
	c.lists = []parameters{}
	var open []int
	for i := 0; i < len(c.calls); i++ {
		if end, is := c.texts[i]; is {
			i = end - 1
			continue
		}
		switch b := c.calls[i]; {
		case b == '(':
			open = append(open, i)
		case b == ')' && len(open) > 0:
			from := open[len(open)-1]
			open = open[:len(open)-1]
			p := parameters{span: span{from + 1, i}}
			start := max(0, from-80)
			head, rest := c.calls[start:from+1], c.calls[i:]
			m := ofFunction().FindStringSubmatchIndex(head)
			if m != nil && (m[6] < 0 || arrow().MatchString(rest)) {
				name := max(m[4], m[6])
				p.of, p.at, p.exported = head[name:max(m[5], m[7])], start+name, m[2] >= 0
				c.lists = append(c.lists, p)
				continue
			}
			before := beforeList().FindStringSubmatch(head)
			if c.by == "node" && (arrow().MatchString(rest) || body().MatchString(rest) && before != nil &&
				!slices.Contains(statements, before[1])) {
				c.lists = append(c.lists, p)
			}
		}
	}
	return c.lists
}

// firstName is the name of a parameter.
var firstName = lazy.Regexp(`^[$@%]?[A-Za-z_]\w*`)

// changes is behind a member that is changed by what it was, or unpacked.
var changes = lazy.Regexp(`^(?:(?:[-+*/%&|^.@~]|\*\*|\|\||&&|\?\?|//|<<|>>)=|,[^\n=()]*=[^=>])`)

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
			for end < len(c.calls) && grants.IsWord(c.calls[end]) {
				end++
			}
			key = c.calls[at+1 : end]
		}
		at = end
	}
	rest := strings.TrimLeft(c.calls[min(at, len(c.calls)):], " \t")
	if changes().MatchString(rest) {
		return known && !slices.Contains(deciding, key)
	}
	if len(rest) < 2 || rest[0] != '=' || rest[1] == '=' || rest[1] == '>' {
		return true
	}
	return known && (!slices.Contains(deciding, key) || c.decides(c.statement(len(c.calls)-len(rest)+1), 0))
}

// assigned is the value behind a place: up to the end of the statement, or to the next name that it declares.
func (c *codeText) assigned(from int) span {
	s := c.statement(from)
	for i := s.from; i < s.to; i++ {
		if c.commas()[i] {
			return c.trim(span{s.from, i})
		}
	}
	return s
}

var declares = lazy.Regexp(`\b(?:const|let|var)\s`)

// commas are where code of node declares another name: const a = 1, b = 2.
func (c *codeText) commas() map[int]bool {
	if c.names != nil {
		return c.names
	}
	c.names = map[int]bool{}
	for _, m := range declares().FindAllStringIndex(c.calls, -1) {
		if c.by != "node" || c.left <= 0 {
			break
		}
		c.walk(m[1], func(i int, b byte) (ends bool) {
			if b == ',' {
				c.names[i] = true
			}
			return b == ';' || b == '\n' && !strings.HasSuffix(strings.TrimRight(c.calls[m[1]:i], " \t\r\n"), ",")
		})
	}
	return c.names
}

func (c *codeText) statement(from int) span {
	end := c.walk(from, func(_ int, b byte) bool { return b == '\n' || b == ';' })
	return c.trim(span{from, end})
}

// returns is the word that gives a value back.
var returns = lazy.Regexp(`\breturn\b`)

// returned are the values that a function of the code returns, none if it is not found.
func (c *codeText) returned(name string) (list []span) {
	head := regexp.MustCompile(`(?m)^([ \t]*)(?:export\s+)?(?:async\s+)?(?:def|function)\s+` + name + `\s*\([^()]*\)[^\n]*\n`)
	c.left -= len(c.calls)
	found := head.FindAllStringSubmatchIndex(c.calls, -1)
	if len(found) != 1 {
		return nil
	}
	for at := found[0][1]; at < len(c.calls); {
		line, _, _ := strings.Cut(c.calls[at:], "\n")
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		if strings.TrimSpace(line) != "" && indent <= found[0][3]-found[0][2] {
			break
		}
		if m := returns().FindStringIndex(line); m != nil && strings.TrimSpace(line[:m[0]]) == "" {
			list = append(list, c.statement(at+m[1]))
		} else if m != nil {
			return nil // behind a condition on the same line
		}
		at += len(line) + 1
	}
	return list
}
