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
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/frontmatter"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
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

// eachHookFile hands on the words of each hook of a session, and the scripts,
// programs and files that say what it does: those of its own settings, and those of
// the user's own texts and plugins.
func eachHookFile(r host.Reader, s SessionSettings, read func(where, text string)) {
	g := groundOf(r, s)
	g.read = read
	for _, l := range s.Layers {
		for _, h := range l.Doc.Hooks() {
			g.says(hookIn(l.Doc, h.Event, h.Block, h.Entry, ""))
		}
	}
	w := &ownWalk{g: g}
	w.starting(s)
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
	var texts strings.Builder
	inner := g.read
	g.read = func(where, text string) {
		texts.WriteString(text + "\n")
		if inner != nil {
			inner(where, text)
		}
	}
	where, said := g.says(h)
	if said == saysNothing || !decides(h.Event) || h.Async || g.hooksOff() {
		return nil
	}
	status, opens := g.approving(h)
	if changed := rewriting(h.Event, texts.String()); report.Worse(status, changed) != status {
		status, opens = changed, rewritten
	}
	if status == report.Pass {
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
const answerLess = `let it print ask or deny only, in words of its own, and send the output of other programs to /dev/null`

// decides says whether the answer of a hook on an event may approve a call.
func decides(event string) bool {
	return event == claude.PreToolUse || event == claude.PermissionRequest
}

// hooksOff says whether the user's own settings switch off the hooks.
func (g ground) hooksOff() bool {
	off := g.s.inForce().Scalar(claude.KeyDisableAllHooks...)
	return off.Value.True() && !off.Scope.OfProject()
}

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
	g.loaded = map[string]bool{}
	switch h.Type {
	case "http", "mcp_tool": // what a server answers
		return h.where, saysPerhaps
	case "", "command":
	default:
		return h.where, saysNothing
	}
	g.seen(h.where, h.Command+"\n"+strings.Join(h.Args, "\n"))
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
		return fmt.Sprintf("%s:%d", path, 1+strings.Count(text[:min(from, len(text))], "\n"))
	}
	printed, ok := shell.Prints(text, path)
	if !ok {
		return where, max(saysPerhaps, answersIn(h.Event, text))
	}
	worse := func(w string, s saying) {
		if s > said {
			at, said = w, s
		}
	}
	at = where
	var words strings.Builder
	for _, w := range printed.Words {
		words.WriteString(w.Text + "\n")
		worse(line(w.From), answersIn(h.Event, w.Text))
	}
	worse(at, answersIn(h.Event, words.String()))
	for _, l := range printed.Loose {
		worse(line(l.From), saysPerhaps)
	}
	for _, f := range printed.Files {
		worse(g.fileSays(h, f.Text, line(f.From), printed.Moves))
	}
	for _, c := range printed.Codes {
		worse(g.codeSays(h, readCode(c.Text, c.By), c.Text, line(c.From), "", depth))
	}
	for _, other := range printed.Others {
		worse(g.otherSays(h, other.Text, line(other.From), printed.Moves, depth))
	}
	return at, said
}

// maxAnswer bounds the text of a script.
const maxAnswer = 256 << 10

// fileSays looks in a file that is printed. It is nobody's answer if commands of the
// agent may write it, and it may come to be there.
func (g ground) fileSays(h answering, name, where string, moves bool) (at string, said saying) {
	if name == "/dev/null" {
		return where, saysNothing
	}
	path := g.fileOf(name)
	if path == "" || moves && !filepath.IsAbs(name) {
		return where, saysPerhaps
	}
	b, err := g.r.Read(path)
	g.seen(path, string(b))
	if _, writable := g.writable(path); writable || err != nil || len(b) > maxAnswer {
		return where, saysPerhaps
	}
	return path, answersIn(h.Event, string(b))
}

// otherSays looks in the program or the script that a word of a line names. One that
// is not there answers nothing.
func (g ground) otherSays(h answering, name, where string, moves bool, depth int) (at string, said saying) {
	path := g.fileOf(name)
	elsewhere := moves && !filepath.IsAbs(name) && !strings.HasPrefix(name, "~") && !strings.HasPrefix(name, "$")
	if path == "" || elsewhere {
		if strings.ContainsAny(name, "$`*") || elsewhere {
			return where, saysPerhaps
		}
		return where, saysNothing
	}
	b, err := g.r.Read(path)
	g.seen(path, string(b))
	switch {
	case g.own(path, b):
		return where, saysNothing // ask at most
	case err != nil, len(b) > maxAnswer, bytes.IndexByte(b, 0) >= 0, depth >= maxScripts:
		return where, saysPerhaps
	case shell.IsScript(b) || filepath.Ext(path) == ".sh":
		return g.textSays(h, string(b), path, path, depth+1)
	}
	return g.scriptSays(h, string(b), path, false, depth)
}

// own says whether a file is this program, the small one beside it, or a script as
// this program or an earlier version of it writes it: by where it is, or by what it
// holds. A name or a marker is nobody's word.
func (g ground) own(path string, b []byte) bool {
	script, marked := scripts.Recognize(b)
	if _, earlier := scripts.Written(b); !marked || !script.Current && !earlier {
		return g.ownProgram(path)
	}
	return script.Binary == "" || g.ownProgram(realPath(g.r, script.Binary))
}

// ownProgram says whether a path is that of this program, or of its copy.
func (g ground) ownProgram(path string) bool {
	for _, program := range []string{g.r.System().Executable, filepath.Join(g.r.Places().UserBin, "steward-setup")} {
		for _, at := range []string{program, filepath.Join(filepath.Dir(program), "steward-hook")} {
			if program != "" && path == realPath(g.r, at) {
				return true
			}
		}
	}
	return false
}

// seen hands on a file, or a line, that says what a hook answers.
func (g ground) seen(where, text string) {
	if g.read != nil {
		g.read(where, text)
	}
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
