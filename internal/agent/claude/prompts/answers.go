// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook that may answer a prompt is a decision: it is judged by
// what a rule of permissions.allow for the same calls would open. Measured with
// 2.1.330: "allow" of a PreToolUse hook approves what the agent's tools read and
// write, and no unsandboxed run; that of a PermissionRequest hook approves both. A
// changed input is judged again, and neither a hook of another event nor one with a
// prompt (type prompt or agent) approves anything.

// Package prompts says which calls are a prompt, by rules of the policy, and which hooks answer one
// in the place of the user.
//
// Contract: an answer is judged by what a rule for the same calls would open; what it takes from
// elsewhere nobody knows.
package prompts

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// Answering is a hook on an event whose answers decide.
type Answering struct {
	Event, Matcher, If, Type string
	Command                  string
	Args                     []string
	// Exec says that there is no shell, Async that its answer is not waited for.
	Exec, Async bool
	What, Where string
	// loaded are the modules of its code that are read.
	loaded map[string]bool
}

// Openings judges the hooks of the user's own settings that may answer
// prompts; the project's are another check's.
func Openings(r host.Reader, s session.Settings) (found []opening.Opening) {
	g := grants.Of(r, s)
	for _, l := range s.Layers {
		if l.Scope.OfProject() {
			continue
		}
		for _, h := range l.Doc.Hooks() {
			found = append(found, Answered(g, HookIn(l.Doc, h.Event, h.Block, h.Entry, ""))...)
		}
	}
	return found
}

// HookIn is a hook of a document; of says whose it is.
func HookIn(d *settings.Doc, event string, block, entry *settings.Value, of string) Answering {
	command, args := entry.Command()
	at := entry
	if url := entry.Get("url"); url != nil {
		at = url
	} else if command != nil {
		at = command
	}
	return Answering{Event: event, Matcher: settings.TextOf(block.Get("matcher")), If: settings.TextOf(entry.Get("if")),
		Type: settings.TextOf(entry.Get("type")), Command: settings.TextOf(command), Exec: args != nil,
		Args: settings.TextsOf(args), Async: entry.Get("async").True() || entry.Get("asyncRewake").True(),
		What: AHook(event) + of, Where: d.Where(at)}
}

// AHook names a hook by its event.
func AHook(event string) string { return "a " + event + " hook" }

// Answered judges one hook.
func Answered(g grants.Ground, h Answering) []opening.Opening {
	var texts strings.Builder
	inner := g.OnRead
	g.OnRead = func(where, text string) {
		texts.WriteString(text + "\n")
		if inner != nil {
			inner(where, text)
		}
	}
	where, said := Says(g, h)
	if said == SaysNothing || !Decides(h.Event) || h.Async || hooksOff(g) {
		return nil
	}
	status, opens := Approving(g, h)
	if changed := rewriting(h.Event, texts.String()); changed.WorseThan(status) {
		status, opens = changed, rewritten
	}
	if status == report.Pass {
		return nil
	}
	what := strings.ToUpper(h.What[:1]) + h.What[1:]
	o := opening.Opening{Status: report.Warn, Group: opening.Answers, Where: where, What: h.Event,
		Remedy: report.DocLink{Title: AnswerLess, Target: h.Where},
		Opens:  fmt.Sprintf("%s may answer prompts in your place. If it answers allow: %s", what, opening.LowerFirst(opens))}
	if said == SaysAllow {
		o.Status, o.Opens = status, fmt.Sprintf("%s answers allow in your place: %s", what, opening.LowerFirst(opens))
	}
	return []opening.Opening{o}
}

// AnswerLess is the remedy for a hook that answers prompts.
const AnswerLess = `let it print ask or deny only, in words of its own, and send the output of other programs to /dev/null`

// Decides says whether the answer of a hook on an event may approve a call.
func Decides(event string) bool {
	return event == claude.PreToolUse || event == claude.PermissionRequest
}

// hooksOff says whether the user's own settings switch off the hooks.
func hooksOff(g grants.Ground) bool {
	off := g.Session.InForce().Scalar(claude.KeyDisableAllHooks...)
	return off.Value.True() && !off.Scope.OfProject()
}

// Saying is what is known of a hook's answers.
type Saying int

const (
	SaysNothing Saying = iota // it approves nothing
	SaysPerhaps               // nobody knows here
	SaysAllow                 // it approves some call
)

// Says looks for the answer in the words of a hook's line and in the scripts that
// it starts; where is its place.
func Says(g grants.Ground, h Answering) (where string, said Saying) {
	h.loaded = map[string]bool{}
	switch h.Type {
	case "http", "mcp_tool": // what a server answers
		return h.Where, SaysPerhaps
	case "", "command":
	default:
		return h.Where, SaysNothing
	}
	noteSeen(g, h.Where, h.Command+"\n"+strings.Join(h.Args, "\n"))
	if h.Exec {
		line := scripts.Literal(h.Command)
		for _, arg := range h.Args {
			line += " " + scripts.Literal(arg)
		}
		return textSays(g, h, line, h.Where, "", 0)
	}
	return textSays(g, h, h.Command, h.Where, "", 0)
}

// linesOf names the places of a text in a file by their lines, those of a line (path "") by
// where that stands.
func linesOf(text, where, path string) func(from int) string {
	return func(from int) string {
		if path == "" {
			return where
		}
		return commandline.LineAt(path, text, from)
	}
}

// worseThan keeps what says more than what is known so far, with its place.
func worseThan(at *string, said *Saying) func(string, Saying) {
	return func(w string, s Saying) {
		if s > *said {
			*at, *said = w, s
		}
	}
}

// textSays looks in a line, or in a shell script at path.
func textSays(g grants.Ground, h Answering, text, where, path string, depth int) (at string, said Saying) {
	line := linesOf(text, where, path)
	printed, ok := shell.Prints(text, path, claude.ProjectDirVariable, claude.PluginRootVariable)
	if !ok {
		return where, max(SaysPerhaps, AnswersIn(h.Event, text))
	}
	at = where
	worse := worseThan(&at, &said)
	var words strings.Builder
	for _, w := range printed.Words {
		words.WriteString(w.Text + "\n")
		worse(line(w.From), AnswersIn(h.Event, w.Text))
	}
	worse(at, AnswersIn(h.Event, words.String()))
	for _, l := range printed.Loose {
		worse(line(l.From), SaysPerhaps)
	}
	for _, f := range printed.Files {
		worse(fileSays(g, h, f.Text, line(f.From), printed.Moves))
	}
	for _, c := range printed.Codes {
		worse(codeSays(g, h, readCode(c.Text, c.By), c.Text, line(c.From), "", depth))
	}
	for _, other := range printed.Others {
		worse(otherSays(g, h, other.Text, line(other.From), printed.Moves, depth))
	}
	return at, said
}

// maxAnswer bounds the text of a script.
const maxAnswer = 256 << 10

// fileSays looks in a file that is printed. It is nobody's answer if commands of the
// agent may write it, and it may come to be there.
func fileSays(g grants.Ground, h Answering, name, where string, moves bool) (at string, said Saying) {
	if name == "/dev/null" {
		return where, SaysNothing
	}
	path := fileOf(g, name)
	if path == "" || moves && !filepath.IsAbs(name) {
		return where, SaysPerhaps
	}
	b, err := g.Host.Read(path)
	noteSeen(g, path, string(b))
	if _, writable := g.Writable(path); writable || err != nil || len(b) > maxAnswer {
		return where, SaysPerhaps
	}
	return path, AnswersIn(h.Event, string(b))
}

// otherSays looks in the program or the script that a word of a line names. One that
// is not there answers nothing.
func otherSays(g grants.Ground, h Answering, name, where string, moves bool, depth int) (at string, said Saying) {
	path := fileOf(g, name)
	elsewhere := moves && !filepath.IsAbs(name) && !strings.HasPrefix(name, "~") && !strings.HasPrefix(name, "$")
	if path == "" || elsewhere {
		if strings.ContainsAny(name, "$`*") || elsewhere {
			return where, SaysPerhaps
		}
		return where, SaysNothing
	}
	b, err := g.Host.Read(path)
	noteSeen(g, path, string(b))
	switch {
	case ownScript(g, path, b):
		return where, SaysNothing // ask at most
	case err != nil, len(b) > maxAnswer, bytes.IndexByte(b, 0) >= 0, depth >= commandline.MaxScripts:
		return where, SaysPerhaps
	case shell.IsScript(b) || filepath.Ext(path) == ".sh":
		return textSays(g, h, string(b), path, path, depth+1)
	}
	return scriptSays(g, h, string(b), path, false, depth)
}

// ownScript says whether a file is this program, the small one beside it, or a script as
// this program or an earlier version of it writes it: by where it is, or by what it
// holds. A name or a marker is nobody's word.
func ownScript(g grants.Ground, path string, b []byte) bool {
	script, marked := scripts.Recognize(b)
	if _, earlier := scripts.Written(b); !marked || !script.Current && !earlier {
		return ownProgram(g, path)
	}
	return script.Binary == "" || ownProgram(g, grants.RealPath(g.Host, script.Binary))
}

// ownProgram says whether a path is that of this program, or of its copy.
func ownProgram(g grants.Ground, path string) bool {
	for _, program := range []string{g.Host.System().Executable, filepath.Join(g.Host.Places().UserBin, "steward-setup")} {
		for _, at := range []string{program, filepath.Join(filepath.Dir(program), "steward-hook")} {
			if program != "" && path == grants.RealPath(g.Host, at) {
				return true
			}
		}
	}
	return false
}

// noteSeen hands on a file, or a line, that says what a hook answers.
func noteSeen(g grants.Ground, where, text string) {
	if g.OnRead != nil {
		g.OnRead(where, text)
	}
}

// fileOf is the file that a word names, "" if there is none.
func fileOf(g grants.Ground, text string) string {
	values, known := shell.Expand(g.Tilde.ReplaceAllString(text, "${1}"+g.Session.Dirs.Home+"$3"),
		func(name string) string {
			switch name {
			case "HOME":
				return g.Session.Dirs.Home
			case claude.ProjectDirVariable, "PWD":
				return g.Session.Dirs.Start
			}
			return g.Host.System().Get(name)
		})
	if !known || len(values) != 1 {
		return ""
	}
	path := values[0]
	if !strings.Contains(path, "/") {
		found, err := g.Look(path)
		if err != nil {
			return ""
		}
		path = found
	}
	path = pathname.From(g.Session.Dirs.Start, path)
	if info, err := g.Host.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return grants.RealPath(g.Host, path)
}
