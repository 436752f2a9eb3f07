// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is judged is what the user's word claude starts in a
// terminal, and what claude-iso finds under that name on PATH. Whatever stands
// between the word and the runtime either changes nothing, or is named.

package checks

import (
	"bytes"
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// between is something that stands between the word claude and the runtime.
type between struct {
	status  report.Status // Pass where it changes nothing
	voids   bool
	where   string
	summary string
	// iso says that it leads to claude-iso.
	iso bool
	// by is the command that showed it, "" if where is a file.
	by string
}

// evidence says where it was seen.
func (b between) evidence() report.Evidence {
	if b.by != "" {
		return report.CommandEvidence(b.by, "after its start files: "+b.summary)
	}
	return report.FileEvidence(b.where, b.summary)
}

// worseOf is the worse of two; of equals the first.
func worseOf(a, b between) between {
	if a.status == "" || b.status != "" && report.Worse(a.status, b.status) != a.status {
		return b
	}
	return a
}

// wordJudge judges what the word starts in a directory.
type wordJudge struct {
	r     host.Reader
	start string
	// runtime is the file that was tested: the first claude on PATH, "" if
	// there is none.
	runtime iso.Found
}

func newWordJudge(r host.Reader, start string) wordJudge {
	w := wordJudge{r: r, start: start}
	if found := iso.FindRuntime(r, r.System().Get("PATH"), start); len(found) > 0 && found[0].From == "PATH" {
		w.runtime = found[0]
	}
	return w
}

// judge says what stands in front of the runtime for plain claude and for
// claude-iso; the zero value is nothing.
func (w wordJudge) judge(words []shellrc.Def) (plain, hard between) {
	if w.runtime.Path != "" {
		b := w.file(w.runtime.Path, 0)
		if plain, hard = b, b; b.status == report.Fail {
			args := w.argsOf(w.runtime.Real)
			plain.voids, hard.voids = w.voidsPlain(args), w.voidsIso(args)
			plain, hard = plain.off(), hard.off()
		}
	}
	for _, d := range words {
		b := w.def(d, kindOf(d))
		if plain = worseOf(plain, b); b.iso {
			hard = worseOf(hard, b)
		}
	}
	return plain, hard
}

// kindOf is what a definition in a start file is.
func kindOf(d shellrc.Def) string {
	if d.Value == "" {
		return "a function"
	}
	return "an alias"
}

// def judges an alias or a function called claude; what says which it is.
func (w wordJudge) def(d shellrc.Def, what string) between {
	text := cmp.Or(d.Value, d.Body)
	b := between{status: report.Pass, where: d.Where()}
	l, flags, ok := shell.StartOf(text, w.r.Places().Home)
	if !ok {
		return b.notFollowed("`claude` is "+what, flags)
	}
	program, args := l.Words[0], l.Words[1:]
	switch {
	case program == "claude-iso":
		b.iso = true
	case filepath.Base(program) == "steward-setup" && len(args) > 0 && args[0] == "iso":
		b.iso, args = true, args[1:]
	case program == "claude":
	case !filepath.IsAbs(program):
		return b.unknown("`claude` is " + what + " that starts " + program)
	default:
		if real, err := w.r.Resolve(program); err != nil || real != w.runtime.Real {
			return b.unknown("`claude` is " + what + " that starts " + program + otherRuntime)
		}
	}
	if b.iso { // what is not kept does not arrive
		l.Env = slices.DeleteFunc(l.Env, func(name string) bool {
			return !slices.Contains([]string{"HOME", "PATH", "SHELL", claude.ConfigDirVariable}, name) &&
				!strings.HasPrefix(name, "XDG_")
		})
	}
	b = b.changes("`claude` is "+what, l.Env, args)
	if b.status == report.Fail {
		b.voids = !b.iso && w.voidsPlain(args) || b.iso && w.voidsIso(args)
	}
	return b.off()
}

// changes judges the variables and arguments that something adds.
func (b between) changes(what string, variables, args []string) between {
	effect, unknown := firstEffect(args)
	if effect == "" {
		if e, sure := variableEffect(variables); sure {
			effect = e
		} else {
			unknown = cmp.Or(unknown, e)
		}
	}
	switch {
	case effect != "":
		b.status, b.summary = report.Fail, what+": "+effect
	case unknown != "":
		return b.unknown(what + " with " + unknown + unknownHarm)
	case len(args) > 0 && !strings.HasPrefix(args[0], "-"):
		return b.unknown(what + " that runs " + redact.Command("claude "+args[0]))
	}
	return b
}

// notFollowed judges text that is no straight line: flags are the options in
// it.
func (b between) notFollowed(what string, flags []string) between {
	if effect, _ := firstEffect(flags); effect != "" {
		b.status, b.summary = report.Fail, what+" with branches: "+effect+" in one of them"
		return b
	}
	return b.unknown(what + " that cannot be resolved")
}

func (b between) unknown(why string) between {
	b.status, b.summary = report.Unknown, why+": what it starts was not tested"
	return b
}

// off says what is off.
func (b between) off() between {
	if b.voids {
		b.summary += ". The sandbox is off"
	}
	return b
}

// voidsPlain says whether arguments switch the sandbox of a plain start off.
func (w wordJudge) voidsPlain(args []string) bool {
	with := outlookOf(inforce.Gather(w.r, inforce.Invocation{Start: w.start, Args: args}))
	return with.voids && !outlookOf(inforce.Gather(w.r, inforce.Invocation{Start: w.start})).voids
}

// voidsIso says whether arguments behind those of claude-iso switch its
// sandbox off.
func (w wordJudge) voidsIso(args []string) bool {
	l, in, err := iso.Outlook(w.r, w.start)
	if err != nil || outlookOf(in).voids {
		return false
	}
	own := l.Argv[1:]
	return outlookOf(inforce.Gather(w.r, inforce.Invocation{Start: w.start,
		Args: append(own[:len(own):len(own)], args...)})).voids
}

// maxLaunchers bounds how many scripts may start one another.
const maxLaunchers = 4

// file judges the file called claude on PATH: the runtime, a launcher whose
// shape is known, or a script of the user's own.
func (w wordJudge) file(path string, depth int) between {
	b := between{status: report.Pass, where: path}
	what := "`claude` on PATH is a script"
	if path != w.runtime.Path {
		what = "`claude` on PATH is a script that starts " + path
	}
	real, err := w.r.Resolve(path)
	if err != nil || depth > maxLaunchers {
		return b.unknown(what)
	}
	if w.packaged(real) {
		return b
	}
	text, err := w.r.Read(real)
	switch {
	case err != nil:
		return b.unknown("`claude` on PATH cannot be read")
	case !bytes.HasPrefix(text, []byte("#!")):
		return b.unknown("`claude` on PATH is a program that is too small to be the runtime")
	case !shell.IsScript(text):
		return b.notFollowed(what, shell.LooseFlags(string(text)))
	case packageShim(string(text)):
		return b
	}
	l, flags, ok := shell.StartOf(string(text), w.r.Places().Home)
	if !ok {
		return b.notFollowed(what, flags)
	}
	if !filepath.IsAbs(l.Words[0]) {
		return b.unknown(what + " that starts " + l.Words[0])
	}
	if b = b.changes(what, l.Env, l.Words[1:]); b.status == report.Fail {
		return b
	}
	if next := w.file(l.Words[0], depth+1); next.status != report.Pass {
		next.where = path
		return worseOf(b, next)
	}
	return b
}

// argsOf are the arguments that a script adds.
func (w wordJudge) argsOf(real string) []string {
	text, err := w.r.Read(real)
	if err != nil {
		return nil
	}
	l, _, ok := shell.StartOf(string(text), w.r.Places().Home)
	if !ok {
		return nil
	}
	return l.Words[1:]
}

// stands adds what stands in front of the runtime in a plain start and in one
// of claude-iso to a finding with its launches.
func stands(f report.Finding, plain, hard between) report.Finding {
	for i, b := range []between{plain, hard} { // in the order of launches
		if b.status != report.Fail && b.status != report.Unknown && b.status != report.Warn {
			continue
		}
		if l := &f.Launches[i]; report.Worse(l.Status, b.status) != l.Status || b.voids && !l.Voids {
			l.Status, l.Summary, l.Voids = b.status, b.summary, l.Voids || b.voids
		}
		if report.Worse(f.Status, b.status) != f.Status || b.voids && !f.Voids {
			f.Status, f.Summary, f.Voids = b.status, b.summary, f.Voids || b.voids
		}
		if e := b.evidence(); !slices.Contains(f.Evidence, e) {
			f.Evidence = append(f.Evidence, e)
			next := "remove it, or let it start claude-iso"
			if b.status == report.Unknown {
				next = "run `type claude` in a new shell to see what it starts; " + next
			}
			f.Remedies = append(f.Remedies, report.DocLink{Title: next, Target: cmp.Or(b.where, b.by)})
		}
	}
	return f
}
