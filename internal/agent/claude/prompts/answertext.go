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
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/writable"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

var (
	// answerKey finds what a key of an answer is set to: key, what ends it, operator, value.
	answerKey     = lazy.Regexp(`\b(permissionDecision|behavior|decision)\b(["'\\\s\])]*)([:=,>]+)\s*([^,{}\n;]*)`)
	literal       = lazy.Regexp(`\\?["']\s*([\w-]+)\s*\\?["']`)
	bareWord      = lazy.Regexp(`^[\w-]+$`)
	approvingWord = lazy.Regexp(`(^|[^\w-])(allow|approve)([^\w-]|$)`)
	escapedLetter = lazy.Regexp(`\\+(?:u00|x)([0-9A-Fa-f]{2})`)
	choice        = lazy.Regexp(`^(?:\s*if\b.*\belse\s*|.*\?\s*:\s*)?$`)
)

// refusing are the values that approve nothing.
var refusing = []string{claude.Ask, claude.Deny, "block", "defer"}

// AnswersIn says whether a text is an answer that approves.
func AnswersIn(event, text string) (said Saying) {
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
		values, known := valuesOf(text, value)
		switch {
		case slices.Contains(values, yes[name]):
			return SaysAllow
		case known && !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(refusing, v) }):
		case known && !approves:
		case name == key && !(known && slices.Contains(values, "approve")), value != "" && !known && approves:
			said = saysPerhaps
		}
	}
	if !named && strings.Contains(text, key) && approves {
		said = saysPerhaps
	}
	return said
}

// valuesOf are the words that an expression may be: literals, a choice between
// some, or a name that a text gives them.
func valuesOf(text, expression string) (values []string, known bool) {
	rest := strings.Trim(literal().ReplaceAllStringFunc(expression, func(s string) string {
		values = append(values, literal().FindStringSubmatch(s)[1])
		return ""
	}), " \t\\\"'()[]{")
	switch {
	case len(values) > 0:
		return values, choice().MatchString(rest)
	case !bareWord().MatchString(rest):
		return nil, false
	}
	given := regexp.MustCompile(`\b`+rest+`\b\s*(?::\s*\w+\s*)?(:=|=)\s*([^=,}\n;)][^,}\n;)]*)`).FindAllStringSubmatch(text, -1)
	for _, m := range given {
		found := literal().FindAllStringSubmatch(m[2], -1)
		if len(found) == 0 || !choice().MatchString(strings.Trim(literal().ReplaceAllString(m[2], ""), " \t\\\"'()")) {
			return nil, false
		}
		for _, f := range found {
			values = append(values, f[1])
		}
	}
	functions := regexp.MustCompile(`\b(?:def|function|sub)\s+(\w+)\s*\(\s*`+rest+`\b`).FindAllStringSubmatch(text, -1)
	for _, f := range functions {
		calls := regexp.MustCompile(`\b((?:def|function|sub)\s+)?` + f[1] + `[ \t]*\((?:\s*["'](\w+)["']\s*[,)])?`)
		for _, c := range calls.FindAllStringSubmatch(text, -1) {
			switch {
			case c[1] != "": // where it is defined
			case c[2] == "":
				return nil, false
			default:
				values = append(values, c[2])
			}
		}
	}
	if len(values) == 0 && slices.Contains(append(refusing, claude.Allow, "approve"), rest) {
		values = []string{rest} // without quotes
	}
	return values, len(values) > 0
}

// Of a script of another language: comments, what starts more, and what prints.
var (
	lineComment = lazy.Regexp(`(?m)^[ \t]*(#|//).*$`)
	startsMore  = lazy.Regexp(`\b(subprocess|os\.system|os\.exec|exec[A-Za-z]*\(|spawn|popen|child_process|eval\()|require\(["']\.|\bfrom\s+\.|\bimport\s+\.|fetch\(|urllib|requests\.|http\.client`)
	printCall   = lazy.Regexp(`\b(print|puts|pp|say|putc|write_stdout|printf|console\.(?:log|info|debug)|(?:process|sys|Deno|Bun)\.stdout\.write\w*|\$?(?i:stdout)\.(?:puts|write|print))\b(\s*\(|\s)\s*`)
	toStderr    = lazy.Regexp(`(?i)stderr`)
	asJSON      = lazy.Regexp(`^(?:json\.dumps?\(|JSON\.(?:stringify|generate)\(|encode_json\(?|to_json|json_encode\()\s*`)
	fixedText   = lazy.Regexp(`^[fFbBrR]?("""|'''|"|'|` + "`" + `)\s*[^\s{"'` + "`" + `%$#\\]`)
	spreads     = lazy.Regexp(`\*\*|\.\.\.`)
	fills       = lazy.Regexp(`[%+$]|\.format|#\{`)
	imported    = lazy.Regexp(`(?m)^\s*(?:import|from)\s+(\w+)`)
)

// scripting are the interpreters whose scripts are read.
var scripting = lazy.Regexp(`^(python[0-9.]*|node|nodejs|deno|bun|tsx|ts-node|ruby|perl)$`)

// scriptSays looks in a script of another language.
func scriptSays(g writable.Ground, h Answering, text, path string) (where string, said Saying) {
	first, _, _ := strings.Cut(text, "\n")
	by := map[string]string{".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "node", ".rb": "ruby",
		".pl": "perl"}[filepath.Ext(path)]
	for _, word := range strings.Fields(strings.TrimPrefix(first, "#!")) {
		if name := filepath.Base(word); strings.HasPrefix(first, "#!") && by == "" && scripting().MatchString(name) {
			by = name
		}
	}
	said = codeSays(h.Event, text, by)
	for _, m := range imported().FindAllStringSubmatch(text, -1) { // a module beside it prints, too
		for _, name := range []string{m[1] + ".py", m[1]} {
			if g.Exists(filepath.Join(filepath.Dir(path), name)) {
				said = max(said, saysPerhaps)
			}
		}
	}
	if said == SaysAllow {
		for i, line := range strings.Split(lineComment().ReplaceAllString(text, ""), "\n") {
			if AnswersIn(h.Event, line) == SaysAllow {
				return fmt.Sprintf("%s:%d", path, i+1), said
			}
		}
	}
	return path, said
}

// codeSays looks in code for an interpreter.
func codeSays(event, text, by string) (said Saying) {
	text = lineComment().ReplaceAllString(text, "")
	said = AnswersIn(event, text)
	if said != SaysAllow && (!scripting().MatchString(by) || startsMore().MatchString(text) || printsMore(text, by)) {
		said = saysPerhaps
	}
	return said
}

// printsMore says whether code prints something else than fixed text, and objects
// that it makes. Python and JavaScript print with parentheses only.
func printsMore(text, by string) bool {
	for _, at := range printCall().FindAllStringIndex(text, -1) {
		if by != "ruby" && by != "perl" && !strings.Contains(text[at[0]:at[1]], "(") {
			continue
		}
		call := text[at[1]:]
		if end := closes(call); end >= 0 {
			call = call[:end]
		}
		object := asJSON().FindString(call)
		switch call = strings.TrimSpace(call); {
		case call == "", toStderr().MatchString(call), fixedText().MatchString(call):
		case object != "" && (strings.HasPrefix(call[len(object):], "{") && !spreads().MatchString(call) ||
			strings.Contains(text, "hookSpecificOutput") || strings.Contains(text, "decision")):
		case (strings.HasPrefix(call, "'{") || strings.HasPrefix(call, `"{`)) && !fills().MatchString(call):
		default:
			return true
		}
	}
	return false
}

// closes is where a call ends: the parenthesis that closes it, or the line.
func closes(call string) int {
	depth, quote := 0, rune(0)
	for i, r := range call {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'' || r == '`':
			quote = r
		case r == '(' || r == '[' || r == '{':
			depth++
		case r == ')' || r == ']' || r == '}':
			if depth--; depth < 0 {
				return i
			}
		case (r == '\n' || r == ';') && depth == 0:
			return i
		}
	}
	return -1
}
