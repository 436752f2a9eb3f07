// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a text is no answer that approves if what it decides is known,
// or if what it prints is; what it takes from elsewhere nobody knows. Measured with
// 2.1.324 and 2.1.330: an answer is the whole output, one object of JSON without
// anything before or behind it, whatever the exit code is but 2; letters may be
// escaped in it, and of a key twice the last counts.

package prompts

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/shell"
)

var (
	// answerKey finds what a key of an answer is set to: key, what ends it, operator, value.
	answerKey     = lazy.Regexp(`\b(permissionDecision|behavior|decision)\b(["'\\\s\])]*)((?:\?\?|\|\||&&|//|\*\*|[-+*/%&|^.])=|[:=,>]+)\s*([^,{}\n;]*)`)
	literal       = lazy.Regexp(`\\?["']\s*([\w-]+)\s*\\?["']`)
	approvingWord = lazy.Regexp(`(^|[^\w-])(allow|approve)([^\w-]|$)`)
	escapedLetter = lazy.Regexp(`\\+(?:u00|x)([0-9A-Fa-f]{2})`)
	choice        = lazy.Regexp(`^(?:\s*if\b.*\belse\s*|.*\?\s*:\s*)?$`)
)

// refusing are the values that approve nothing, approving those that do.
var (
	refusing  = []string{claude.Ask, claude.Deny, "block", "defer"}
	approving = []string{claude.Allow, "approve"}
)

// AnswersIn says whether a text is an answer that approves.
func AnswersIn(event, text string) Saying { return answersIn(event, text, nil) }

// answersIn is AnswersIn for a text whose names have the values that given knows; nil knows none.
func answersIn(event, text string, given func(name string) (values []string, known bool)) (said Saying) {
	key, yes := "permissionDecision", map[string]string{"permissionDecision": claude.Allow, "decision": "approve"}
	if event == claude.PermissionRequest {
		key, yes = "behavior", map[string]string{"behavior": claude.Allow}
	}
	text = escapedLetter().ReplaceAllStringFunc(text, func(s string) string {
		n, _ := strconv.ParseUint(s[len(s)-2:], 16, 8)
		return string(rune(n))
	})
	named, approves := false, approvingWord().MatchString(text)
	for _, m := range answerKey().FindAllStringSubmatch(text, -1) {
		name, value := m[1], m[4]
		if strings.HasPrefix(m[3], "==") || yes[name] == "" ||
			m[3] == "," && !strings.ContainsAny(m[2], `"'`) {
			continue // compared, or a word in a list of names
		}
		named = named || name == key
		values, known := valuesOf(value, given)
		known = known && strings.IndexByte(":=,>", m[3][0]) >= 0 // not changed by what it was
		switch {
		case slices.Contains(values, yes[name]):
			return SaysAllow
		case known && !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(refusing, v) }):
		case known && !approves:
		case name == key && !(known && slices.Contains(values, "approve")), value != "" && !known && approves:
			said = SaysPerhaps
		}
	}
	if !named && strings.Contains(text, key) && approves {
		said = SaysPerhaps
	}
	return said
}

// valuesOf are the words that an expression may be: literals, a choice between some, or a name that given knows.
func valuesOf(expression string, given func(name string) (values []string, known bool)) (values []string, known bool) {
	rest := strings.Trim(literal().ReplaceAllStringFunc(expression, func(s string) string {
		values = append(values, literal().FindStringSubmatch(s)[1])
		return ""
	}), " \t\\\"'()[]{")
	switch {
	case len(values) > 0:
		return values, choice().MatchString(rest)
	case given != nil && simpleName().MatchString(rest):
		return given(rest)
	case slices.Contains(refusing, rest), slices.Contains(approving, rest): // without quotes
		return []string{rest}, true
	}
	return nil, false
}

// modules finds what code loads from beside it: by a path, by names of Python's, by a computed one.
var modules = lazy.Regexp(`(?:\b(?:require|import)\s*\(|\bfrom|\bimport|\brequire_relative)\s*["'](\.[^"'\n]*)["']|` +
	`(?m:^\s*(?:from\s+([\w.]+)\s+import|import\s+(\w[\w., ]*)))|\b(?:require|import)\s*(\()\s*[^"'\s]`)

// scriptSays looks in a script of another language, or in a module that other code loads.
func scriptSays(g grants.Ground, h Answering, text, path string, module bool, depth int) (where string, said Saying) {
	by := map[string]string{".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "node", ".rb": "ruby",
		".pl": "perl"}[filepath.Ext(path)]
	for _, word := range shell.Interpreter([]byte(text)) {
		if name := filepath.Base(word); by == "" && shell.LanguageOf(name) != "" {
			by = name
		}
	}
	code := readCode(text, by)
	code.module = module
	return codeSays(g, h, code, text, path, path, depth)
}

// codeSays looks in code for an interpreter, in a file or, without a path, in a line.
func codeSays(g grants.Ground, h Answering, code *codeText, text, where, path string, depth int) (at string,
	said Saying) {
	line := linesOf(text, where, path)
	at, said = where, answersIn(h.Event, code.said, code.words)
	worse := worseThan(&at, &said)
	if said != SaysNothing {
		for i, words := range strings.Split(code.said, "\n") {
			if path != "" && answersIn(h.Event, words, code.words) == said {
				at = fmt.Sprintf("%s:%d", path, i+1)
				break
			}
		}
	}
	from, lines := code.judged()
	if from >= 0 {
		worse(line(from), SaysPerhaps)
	}
	for _, l := range lines {
		worse(textSays(g, h, l.Text, line(l.From), "", depth+1))
	}
	for _, m := range modules().FindAllStringSubmatchIndex(code.calls, -1) {
		for _, name := range moduleNames(code.calls, m) {
			if name == "" || path == "" && strings.HasPrefix(name, ".") {
				worse(line(m[0]), SaysPerhaps)
				continue
			}
			worse(moduleSays(g, h, name, path, line(m[0]), depth))
		}
	}
	return at, said
}

// moduleNames are the modules of one statement; "" is one that nobody knows.
func moduleNames(text string, m []int) []string {
	part := func(i int) string { return text[max(0, m[2*i]):max(0, m[2*i+1])] }
	switch {
	case m[2] >= 0:
		if strings.HasPrefix(text[m[0]:], "import type") {
			return nil
		}
		return []string{part(1)}
	case strings.HasPrefix(part(2), "."), m[8] >= 0:
		return []string{""}
	}
	return strings.FieldsFunc(part(2)+part(3), func(r rune) bool { return r == ',' || r == ' ' })
}

// moduleSays looks in a module beside a script; others are no part of it.
func moduleSays(g grants.Ground, h Answering, name, path, where string, depth int) (at string, said Saying) {
	stem := filepath.Join(filepath.Dir(path), name)
	if path == "" {
		return where, SaysNothing
	}
	for _, ending := range []string{"", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", "/index.js", "/index.ts"} {
		info, err := g.Host.Stat(stem + ending)
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(stem+ending) == "" {
			continue
		}
		real := grants.RealPath(g.Host, stem+ending)
		if h.loaded[real] {
			return where, SaysNothing // said already
		}
		h.loaded[real] = true
		if b, err := g.Host.Read(real); err == nil && len(b) <= maxAnswer && depth < commandline.MaxScripts {
			noteSeen(g, real, string(b))
			if filepath.Ext(real) == ".json" {
				return real, SaysNothing
			}
			return scriptSays(g, h, string(b), real, true, depth+1)
		}
		return where, SaysPerhaps
	}
	if g.Exists(stem) {
		return where, SaysPerhaps
	}
	return where, SaysNothing
}
