// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook that may answer a prompt is a decision: it is judged by
// what a rule of permissions.allow for the same calls would open. Measured with
// 2.1.330: "allow" of a PreToolUse hook approves what the agent's tools read and
// write, and no unsandboxed run; that of a PermissionRequest hook approves both. A
// changed input is judged again, and neither a hook of another event nor one with a
// prompt (type prompt or agent) approves anything.

package checks

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/frontmatter"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// answering is a hook on an event whose answers decide.
type answering struct {
	frontmatter.Hook
	what, where string
}

// answerOpenings judges the hooks of the user's own settings that may answer
// prompts; the project's are another check's.
func answerOpenings(r host.Reader, s SessionSettings) (found []opening) {
	g := groundOf(r, s)
	for _, l := range s.Layers {
		if l.Scope.OfProject() {
			continue
		}
		for _, h := range l.Doc.Hooks() {
			found = append(found, g.answered(hookIn(l.Doc, h.Event, h.Block, h.Entry, ""))...)
		}
	}
	return found
}

// hookIn is a hook of a document; of says whose it is.
func hookIn(d *settings.Doc, event string, block, entry *settings.Value, of string) answering {
	command, args := entry.Command()
	at := entry
	if url := entry.Get("url"); url != nil {
		at = url
	} else if command != nil {
		at = command
	}
	h := answering{Hook: frontmatter.Hook{Event: event, Matcher: word(block.Get("matcher")), If: word(entry.Get("if")),
		Type: word(entry.Get("type")), Command: word(command), Exec: args != nil,
		Async: entry.Get("async").True() || entry.Get("asyncRewake").True()},
		what: aHook(event) + of, where: d.Where(at)}
	if args != nil {
		for _, a := range args.Items {
			h.Args = append(h.Args, a.Text)
		}
	}
	return h
}

// aHook names a hook by its event.
func aHook(event string) string { return "a " + event + " hook" }

// answered judges one hook.
func (g ground) answered(h answering) []opening {
	if !decides(h.Event) || h.Async || g.hooksOff() {
		return nil
	}
	status, opens := g.approving(h)
	if status == report.Pass {
		return nil
	}
	where, said := g.says(h)
	if said == saysNothing {
		return nil
	}
	what := strings.ToUpper(h.what[:1]) + h.what[1:]
	o := opening{status: report.Warn, group: openAnswers, where: where, what: h.Event,
		remedy: report.DocLink{Title: answerLess, Target: h.where},
		opens:  fmt.Sprintf("%s may answer prompts in your place. If it answers allow: %s", what, lowerFirst(opens))}
	if said == saysAllow {
		o.status, o.opens = status, fmt.Sprintf("%s answers allow in your place: %s", what, lowerFirst(opens))
	}
	return []opening{o}
}

// answerLess is the remedy for a hook that answers prompts.
const answerLess = `answer ask or deny only, or limit its matcher to what the sandbox holds ("Bash" on PreToolUse)`

// decides says whether the answer of a hook on an event may approve a call.
func decides(event string) bool {
	return event == claude.PreToolUse || event == claude.PermissionRequest
}

// hooksOff says whether the user's own settings switch off the hooks.
func (g ground) hooksOff() bool {
	off := g.s.inForce().Scalar(claude.KeyDisableAllHooks...)
	return off.Value.True() && !off.Scope.OfProject()
}

// approving says what the answer "allow" of a hook would open, as a rule for the
// same calls would.
func (g ground) approving(h answering) (worst report.Status, opens string) {
	worst = report.Pass
	add := func(status report.Status, text string) {
		if report.Worse(worst, status) != worst || opens == "" {
			worst, opens = report.Worse(worst, status), text
		}
	}
	var rules []string
	outside := false
	for tool, rule := range map[string]string{claude.ToolRead: claude.ToolRead, "Grep": claude.ToolRead,
		"Glob": claude.ToolRead, "LSP": claude.ToolRead, claude.ToolEdit: claude.ToolEdit, claude.ToolWrite: claude.ToolWrite,
		claude.ToolMultiEdit: claude.ToolEdit, claude.ToolNotebookEdit: claude.ToolNotebookEdit,
		claude.ToolWebFetch: claude.ToolWebFetch, claude.ToolBash: claude.ToolBash, "Monitor": claude.ToolBash,
		"PowerShell": claude.ToolBash} {
		if _, err := regexp.Compile(h.Matcher); err == nil && !matchesTool(h.Matcher, tool) {
			continue // of what is no pattern here, such as (?!Bash), nobody knows what it matches
		}
		if h.If != "" {
			if named, _, _, _ := claude.SplitRule(h.If); named != tool {
				continue
			}
			rule = h.If
		}
		outside = outside || rule == claude.ToolBash || tool == claude.ToolBash
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	if server := mcpServer().FindString(h.Matcher); server != "" && h.If == "" {
		rules = append(rules, server)
	}
	slices.Sort(rules)
	e := g.s.inForce()
	if h.Event == claude.PermissionRequest && outside && !e.Scalar(claude.KeyAllowUnsandboxedCommands...).Value.False() {
		add(report.Fail, "Commands run unsandboxed without a prompt when the agent asks for it.")
	}
	list := make([]any, len(rules))
	for i, rule := range rules {
		list[i] = rule
	}
	for _, w := range policy.Weakenings(policy.Document{Scope: settings.User, Home: g.s.dirs.Home, Start: g.s.dirs.Start,
		Content: map[string]any{claude.KeyPermissions.Leaf(): map[string]any{claude.KeyAllow.Leaf(): list}}, Sealed: true,
		ReadsHeld: e.AnyTrue(claude.KeyBlockReads...), WritesHeld: e.AnyTrue(claude.KeyBlockWrites...)}) {
		status := report.Warn
		if w.Fails() {
			status = report.Fail
		}
		add(status, w.Opens)
	}
	return worst, opens
}

// mcpServer finds the server in a matcher for its tools.
var mcpServer = lazy.Regexp(`mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*`)

// saying is what is known of a hook's answers.
type saying int

const (
	saysNothing saying = iota // it approves nothing
	saysPerhaps               // nobody knows here
	saysAllow
)

// says looks for the answer in the words of a hook's line and in the scripts that
// it starts; where is its place.
func (g ground) says(h answering) (where string, said saying) {
	switch h.Type {
	case "http", "mcp_tool": // what a server answers
		return h.where, saysPerhaps
	case "", "command":
	default:
		return h.where, saysNothing
	}
	if h.Exec {
		line := scripts.Quote(h.Command)
		for _, arg := range h.Args {
			line += " " + scripts.Quote(arg)
		}
		return g.textSays(h, line, h.where, "", 0)
	}
	return g.textSays(h, h.Command, h.where, "", 0)
}

// textSays looks in a line, or in a shell script at path.
func (g ground) textSays(h answering, text, where, path string, depth int) (at string, said saying) {
	line := func(from int) string {
		if path == "" {
			return where
		}
		return fmt.Sprintf("%s:%d", path, 1+strings.Count(text[:from], "\n"))
	}
	printed, ok := shell.Prints(text)
	if !ok {
		return where, answersIn(h.Event, text)
	}
	var words strings.Builder
	at, said = where, saysNothing
	for _, w := range printed.Words {
		words.WriteString(w.Text + "\n")
		if s := answersIn(h.Event, w.Text); s > said {
			at, said = line(w.From), s
		}
	}
	if s := answersIn(h.Event, words.String()); s > said {
		said = s
	}
	if said == saysAllow {
		return at, said
	}
	if len(printed.Given) > 0 {
		at, said = line(printed.Given[0].From), saysPerhaps
	}
	for _, other := range printed.Others {
		if w, s := g.otherSays(h, other.Text, line(other.From), depth); s > said {
			at, said = w, s
		}
	}
	return at, said
}

// maxAnswer bounds the text of a script.
const maxAnswer = 256 << 10

// otherSays looks in the program, the script or the file that a word of a line
// names. One that is not there answers nothing.
func (g ground) otherSays(h answering, name, where string, depth int) (at string, said saying) {
	path := g.fileOf(name)
	if path == "" {
		if strings.ContainsAny(name, "$`*") {
			return where, saysPerhaps
		}
		return where, saysNothing
	}
	b, err := g.r.Read(path)
	_, ours := scripts.Recognize(b)
	switch {
	case ours, slices.Contains([]string{"steward-setup", "steward-hook"}, filepath.Base(path)):
		return where, saysNothing // ask at most
	case err != nil, len(b) > maxAnswer, bytes.IndexByte(b, 0) >= 0, depth >= maxScripts:
		return where, saysPerhaps
	case shell.IsScript(b) || filepath.Ext(path) == ".sh":
		return g.textSays(h, string(b), path, path, depth+1)
	}
	return scriptSays(h.Event, string(b), path)
}

// fileOf is the file that a word names, "" if there is none.
func (g ground) fileOf(text string) string {
	values, known := shell.Expand(g.tilde.ReplaceAllString(text, "${1}"+g.s.dirs.Home+"$3"), func(name string) string {
		switch name {
		case "HOME":
			return g.s.dirs.Home
		case claude.ProjectDirVariable, "PWD":
			return g.s.dirs.Start
		}
		return g.r.System().Get(name)
	})
	if !known || len(values) != 1 {
		return ""
	}
	path := values[0]
	if !strings.Contains(path, "/") {
		found, err := g.look(path)
		if err != nil {
			return ""
		}
		path = found
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(g.s.dirs.Start, path)
	}
	if info, err := g.r.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return realPath(g.r, path)
}

// The words of an answer, once quotes and spaces are taken away: the keys with
// another value than ask, deny or block, and the values that approve.
var (
	answerKey     = lazy.Regexp(`(permissionDecision|behavior|decision)[:=,]+(\w*)`)
	approvingWord = lazy.Regexp(`(^|[^\w-])(allow|approve)([^\w-]|$)`)
	startsMore    = lazy.Regexp(`\b(subprocess|os\.system|os\.exec|exec[A-Za-z]*\(|spawn|popen|child_process|eval\()|require\(["']\.|\bfrom\s+\.|\bimport\s+\.|fetch\(|urllib|requests\.|http\.client`)
	lineComment   = lazy.Regexp(`(?m)^[ \t]*(#|//).*$`)
	unspaced      = strings.NewReplacer(`"`, "", "'", "", `\`, "", " ", "", "\t", "", "\n", " ")
)

// answersIn says whether a text is an answer that approves.
func answersIn(event, text string) (said saying) {
	key, yes := "permissionDecision", map[string]string{"permissionDecision": claude.Allow, "decision": "approve"}
	if event == claude.PermissionRequest {
		key, yes = "behavior", map[string]string{"behavior": claude.Allow}
	}
	named := false
	for _, m := range answerKey().FindAllStringSubmatch(unspaced.Replace(text), -1) {
		named = named || m[1] == key
		switch value := m[2]; {
		case yes[m[1]] == "", slices.Contains([]string{claude.Ask, claude.Deny, "block"}, value):
		case value == yes[m[1]]:
			return saysAllow
		case m[1] == key && value != "approve", value != "" && value != claude.Allow && approvingWord().MatchString(text):
			said = saysPerhaps
		}
	}
	if !named && strings.Contains(text, key) && approvingWord().MatchString(text) {
		said = saysPerhaps
	}
	return said
}

// scriptSays looks in a script of another language.
func scriptSays(event, text, path string) (where string, said saying) {
	text = lineComment().ReplaceAllString(text, "")
	said = answersIn(event, text)
	if said == saysAllow {
		for i, line := range strings.Split(text, "\n") {
			if answersIn(event, line) == saysAllow {
				return fmt.Sprintf("%s:%d", path, i+1), said
			}
		}
	}
	if said == saysNothing && startsMore().MatchString(text) {
		said = saysPerhaps
	}
	return path, said
}
