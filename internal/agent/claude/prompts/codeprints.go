// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: code prints by calls that are known, and what they are given is
// made by the code itself, or nobody knows it; any other use of the output is
// unknown, too.

package prompts

import (
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// tongue is how a language prints, and what it starts.
type tongue struct {
	// prints are calls that print their arguments, mentions are all names of the output, and handled those
	// uses of them that print nothing, or are calls that are looked at.
	prints, mentions, handled func() *regexp.Regexp
	// runs are calls that start code, or a program whose output may be that of the code.
	runs func() *regexp.Regexp
}

var tongues = map[string]tongue{
	"python": {
		prints: lazy.Regexp(`(?:\b(?:print|pprint|pp)|\b(?:click|typer)\.echo|\b(?:sys\s*\.\s*__|sys\s*\.\s*)?stdout(?:__)?` +
			`(?:\.buffer)?\.write(?:lines)?|\bjson\.dump|\bos\.write)\s*\(`),
		mentions: lazy.Regexp(`\b(?:print|__stdout__|stdout)\b|\bfdopen\s*\(\s*1\b|\bopen\s*\(\s*1\b|` +
			`\bimport\s+(?:os|sys|builtins)\s+as\b|\bfrom\s+sys\s+import\b[^\n]*\bstdout\s+as\b|` +
			`\bfrom\s+os\s+import\b[^\n]*\b(?:system|exec\w+|spawn\w+|write|fdopen|sendfile)\b|` +
			`\bgetattr\s*\(\s*(?:os|sys|builtins)\b`),
		handled: lazy.Regexp(`^(?:print|stdout|__stdout__)\s*(?:\(|=[^=]|\.(?:buffer\.)?(?:write|writelines)\s*\(|` +
			`\.(?:buffer\.)?(?:flush|isatty|reconfigure|close)\b|\.encoding)`),
		runs: lazy.Regexp(`\b(os\.(?:system|exec\w*|spawn\w*|posix_spawn\w*)|pty\.spawn|subprocess\.(?:run|call|check_call|Popen)|` +
			`run|call|check_call|Popen|create_subprocess_\w+|exec|eval|__import__|import_module|run_path|run_module)\s*\(`),
	},
	"node": {
		prints: lazy.Regexp(`\b(?:console\s*\.\s*(?:log|info|debug|table|dir|dirxml|group|groupCollapsed|count|timeLog)|` +
			`(?:process|Bun|Deno)\.stdout\.(?:writeSync|write|end)|writeSync|writeFileSync|Bun\.write)\s*\(`),
		mentions: lazy.Regexp(`\bconsole\b|\b(?:process|Bun|Deno)\s*\??\.\s*stdout\b|` +
			`\bstdout\b[^;\n]*(?:=\s*process\b|\bfrom\s*["'](?:node:)?process)|\bprocess\s*\[|\bfd\s*:\s*1\b|\b(?:stdio|stdout)\s*:|` +
			`\b(?:write|writev|writevSync|writeFile|appendFile|appendFileSync)\s*\(\s*1\s*,|` +
			`\brequire\s*\(\s*["'](?:node:)?process["']`),
		handled: lazy.Regexp(`^(?:console\s*\.\s*(?:log|info|debug|table|dir|dirxml|group|groupCollapsed|count|timeLog)\s*(?:\(|=[^=])|` +
			`console\s*\.\s*(?:error|warn|trace|assert|clear|groupEnd|time|timeEnd|countReset)\b|stdout\s*:\s*[^"'1\s]|` +
			`stdout\s*:\s*["'](?:ignore|pipe|piped|null)["']|stdio\s*:\s*(?:["'](?:ignore|pipe|overlapped)["']|` +
			`\[[^\],]*,\s*["'](?:ignore|pipe)["'])|\w+\.stdout\.(?:writeSync|write|end)\s*\(|` +
			`\w+\.stdout\.(?:isTTY|columns|rows|on|once|writable[A-Z]\w*)\b)`),
		runs: lazy.Regexp(`\b(exec|execSync|execFile|execFileSync|spawn|spawnSync|execa|eval|Function|Worker|fork|runIn\w+)\s*\(|` +
			"\\$`"),
	},
	"ruby": {
		prints:   lazy.Regexp(`\b(?:print|puts|pp?|putc|printf)\b(?:\s*\(|\s)|(?:\$stdout|\bSTDOUT)\.(?:puts|write|print)\b(?:\s*\(|\s)`),
		mentions: lazy.Regexp(`(?:\$stdout|\bSTDOUT)\b|\$>|(?m:\bprint[ \t]*(?:;|$))`),
		handled:  lazy.Regexp(`^(?:\$stdout|STDOUT)(?:\.(?:puts|write|print|sync|flush|tty)\b|\s*=[^=])`),
		runs:     lazy.Regexp(`\b(system|exec|eval|spawn|instance_eval|load)\b\s*\(?|\b(require_relative)\b`),
	},
	"perl": {
		prints:   lazy.Regexp(`\b(?:print|say|printf)\b(?:\s*\(|\s)`),
		mentions: lazy.Regexp(`\bSTDOUT\b|(?m:\b(?:print|say)[ \t]*(?:[;}]|$))`),
		handled:  lazy.Regexp(`^STDOUT\s*,\s*["':]|^STDOUT\s*->\s*(?:flush|autoflush)`),
		runs:     lazy.Regexp(`\b(system|exec|eval|do|require)\b\s*\(?\s*["'$]`),
	},
}

var (
	toStderr = lazy.Regexp(`^\{?\s*\*?STDERR\b\s*\}?(?:\s*["'$@]|\s+\w)`)
	outputs  = lazy.Regexp(`stdout|\bNone\b`)
	toDevice = lazy.Regexp(`/dev/(?:stdout|fd/1\b)|/proc/self/fd/1\b`)
	captures = lazy.Regexp(`\bcapture_output\s*=\s*True|\bstdout\s*=\s*[^N\s]`)
	taken    = lazy.Regexp(`^[^;\n]*\.(?:quiet|text|json|lines|arrayBuffer)\(`)
	inherits = lazy.Regexp(`\binherit\b`)
	fromRun  = lazy.Regexp(`\bfrom\s+subprocess\s+import\b|\bimport\s+subprocess\s+as\b`)
)

// judged is what code says besides its words: where others may decide what it prints,
// -1 if nowhere, and the lines that it gives a shell, by their places.
func (c *codeText) judged() (at int, lines []shell.Said) {
	l, is := tongues[c.by]
	if !is {
		return 0, nil
	}
	at, c.starts, c.renames = c.open, fromRun().MatchString(c.calls), strings.Contains(c.calls, "import subprocess as")
	ownStderr := strings.Contains(c.calls, "stderr=True")
	doubt := func(i int) {
		if at < 0 || i < at {
			at = i
		}
	}
	for _, m := range toDevice().FindAllStringIndex(c.said, -1) {
		doubt(m[0])
	}
	var seen []span
	for _, m := range l.prints().FindAllStringIndex(c.calls, -1) {
		if at >= 0 && at < m[0] || c.left <= 0 {
			break // only the first place is named
		}
		if c.defined(m[0]) || c.before(m[0]) == '.' && ownStderr {
			continue
		}
		args, end := c.arguments(m[1])
		seen = append(seen, span{m[0], end})
		if n := len(args) - 1; n >= 0 && c.calls[m[1]-1] != '(' {
			args[n] = c.unconditional(args[n])
		}
		if !c.prints(strings.TrimRight(c.calls[m[0]:m[1]], "( \t\n"), args) {
			doubt(m[0])
		}
	}
	for _, m := range l.runs().FindAllStringIndex(c.calls, -1) {
		if at >= 0 && at < m[0] || c.left <= 0 {
			break
		}
		switch line, quiet := c.started(m); {
		case quiet:
		case line == "":
			doubt(m[0])
		default:
			_, end := c.arguments(m[1])
			seen, lines = append(seen, span{m[0], end}), append(lines, shell.Said{Text: line, From: m[0]})
		}
	}
	for _, m := range l.mentions().FindAllStringIndex(c.calls, -1) {
		if c.left -= len(seen); at >= 0 && at < m[0] || c.left <= 0 {
			break
		}
		before := strings.TrimRight(c.calls[:m[0]], " \t")
		anothers := c.by == "python" && strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "sys.") &&
			!strings.HasSuffix(c.calls[m[0]:m[1]], "1")
		if !anothers && !c.defined(m[0]) && !l.handled().MatchString(c.said[m[0]:]) &&
			!slices.ContainsFunc(seen, func(s span) bool { return s.from < m[0] && m[0] < s.to }) {
			doubt(m[0])
		}
	}
	if c.left <= 0 {
		doubt(0)
	}
	return at, lines
}

// defines ends with a word that defines a name, or takes it from a module.
var defines = lazy.Regexp(`(?:\b(?:def|function|sub)\s+|\bimport\s+(?:[\w, ]*,\s*)?)$`)

// defined says whether a name is defined at a place, or imported by this name.
func (c *codeText) defined(at int) bool { return defines().MatchString(c.calls[max(0, at-80):at]) }

func (c *codeText) before(at int) byte {
	if at == 0 {
		return ' '
	}
	return c.calls[at-1]
}

// span is a part of the text.
type span struct{ from, to int }

func (c *codeText) trim(s span) span {
	for s.from < s.to && strings.IndexByte(" \t\r\n", c.calls[s.from]) >= 0 {
		s.from++
	}
	for s.from < s.to && strings.IndexByte(" \t\r\n", c.calls[s.to-1]) >= 0 {
		s.to--
	}
	return s
}

// arguments are those of a call or the members of an object whose bracket is open before a place, and
// where they end: at the bracket, or at the end of the statement.
func (c *codeText) arguments(from int) (list []span, end int) {
	bracket, start := from > 0 && strings.IndexByte("([{", c.calls[from-1]) >= 0, from
	end = c.walk(from, func(i int, b byte) bool {
		if b == ',' {
			list, start = append(list, c.trim(span{start, i})), i+1
		}
		return !bracket && (b == '\n' || b == ';')
	})
	if last := c.trim(span{start, end}); last.from < last.to {
		list = append(list, last)
	}
	return list, end
}

// keyword finds an argument with a name in front.
var keyword = lazy.Regexp(`^(\w+)\s*=[^=>~]`)

// prints says whether a call prints nothing that others decide.
func (c *codeText) prints(call string, args []span) bool {
	var given []span
	for _, a := range args {
		m := keyword().FindStringSubmatchIndex(c.calls[a.from:a.to])
		name := ""
		if m != nil {
			name = c.calls[a.from : a.from+m[3]]
		}
		switch {
		case c.by == "perl" && toStderr().MatchString(c.calls[a.from:a.to]):
			return true
		case m == nil || c.by != "python":
			given = append(given, a)
		case name == "end" && strings.Contains(c.said[a.from:a.to], "}"):
			return false
		case name == "err" && strings.TrimLeft(c.calls[a.from+m[3]:a.to], "= ") == "True":
			return true
		case (name == "file" || name == "stream") && !outputs().MatchString(c.calls[a.from:a.to]):
			return true // a file, unless it is another name of the output, which is not handled
		}
	}
	text := func(i int) string { return c.calls[given[i].from:given[i].to] }
	switch {
	case call == "json.dump":
		return len(args) > 0 && (!strings.Contains(c.calls[args[0].to:args[len(args)-1].to], "stdout") ||
			c.object(args[0], 0))
	case slices.Contains([]string{"os.write", "writeSync", "writeFileSync", "Bun.write"}, call):
		if len(given) < 2 || text(0) != "1" && !strings.Contains(text(0), "stdout") {
			return true
		}
		given = given[1:]
	}
	return len(given) == 0 || c.begins(given[0]) || c.ends(given[len(given)-1]) ||
		!slices.ContainsFunc(given, func(a span) bool { return !c.made(a, 0) })
}

// started says of a call that starts a program or code which line of a shell does the
// same, "" if nobody knows; quiet says that it prints nothing itself.
func (c *codeText) started(m []int) (line string, quiet bool) {
	name := strings.Trim(c.calls[m[0]:m[1]], "( \t\n\"'$")
	after := c.before(m[0]) == '.'
	if name == "`" { // a template of a shell: bun's, zx
		inside, rest, ends := strings.Cut(c.said[m[1]:], "`")
		end := m[1] + len(inside)
		if ends {
			end++
		}
		return c.lineOf(span{m[1] - 1, end}), taken().MatchString(rest)
	}
	args, end := c.arguments(m[1])
	text := c.said[m[0]:end]
	if c.defined(m[0]) || len(args) == 0 {
		return "", true
	}
	switch c.by {
	case "python":
		simple := slices.Contains([]string{"run", "call", "check_call", "Popen"}, name)
		method := after && !strings.Contains(name, "_") && !c.renames
		if method || simple && !c.starts || captures().MatchString(c.calls[m[0]:end]) {
			return "", true
		}
		if simple || strings.HasPrefix(name, "subprocess.") || name == "os.system" {
			return c.lineOf(args[0]), false
		}
	case "node":
		switch {
		case name == "fork", name == "Worker", strings.HasPrefix(name, "runIn"),
			!after && (name == "eval" || name == "Function"):
			return "", false
		case !inherits().MatchString(text):
			return "", true // into a pipe, unless stdio or stdout is set, which is looked at
		case len(args) > 1 && c.calls[args[1].from] == '[':
			program := c.lineOf(args[0])
			words := c.lineOf(args[1])
			if program == "" || words == "" {
				return "", false
			}
			return program + " " + words, false
		}
		return c.lineOf(args[0]), false
	default:
		if name == "system" && len(args) == 1 {
			return c.lineOf(args[0]), false
		}
	}
	return "", false
}

// lineOf is a command as a line of a shell: from a text, or from a list of words; what
// nobody knows in it is a variable.
func (c *codeText) lineOf(s span) string {
	switch text := c.said[s.from:s.to]; {
	case text == "":
		return ""
	case text[0] == '[':
		words, _ := c.arguments(s.from + 1)
		line := ""
		for _, w := range words {
			if fixed, holes, is := c.literal(w); is && !holes {
				line += " " + scripts.Literal(fixed)
			} else {
				line += ` "$unknown"`
			}
		}
		return strings.TrimSpace(line)
	case c.named(s):
		line := ""
		for _, v := range c.given(text) {
			next := c.lineOf(v)
			if next == "" || c.named(v) {
				return ""
			}
			line += next + "\n"
		}
		return line
	}
	line, _, _ := c.literal(s)
	return line
}

// literal is what stands in a text alone, with a variable in place of each hole.
func (c *codeText) literal(s span) (text string, holes, is bool) {
	from := s.from
	for c.by == "python" && from < s.to && strings.IndexByte("rRbBuUfF", c.calls[from]) >= 0 {
		from++
	}
	if from >= s.to || c.texts[from] != s.to || c.calls[s.to-1] != c.calls[from] {
		return "", false, false
	}
	size := 1
	if c.by == "python" && s.to-from >= 6 && c.calls[from+1] == c.calls[from] && c.calls[from+2] == c.calls[from] {
		size = 3
	}
	depth, last, end := 0, from+size, max(from+size, s.to-size)
	for i := from + size; i < end; i++ {
		switch c.calls[i] {
		case '{':
			if depth++; depth == 1 {
				text, holes = strings.TrimRight(text+c.said[last:i], "$#")+"$unknown", true
			}
		case '}':
			depth, last = depth-1, i+1
		}
	}
	text += c.said[min(last, end):end]
	return strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\n`, "\n", `{{`, `{`).Replace(text), holes, true
}
