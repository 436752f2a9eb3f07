// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is judged is what the user's word claude starts in a
// terminal, and what claude-iso finds under that name on PATH. Whatever stands
// between the word and the runtime either changes nothing, or is named.

// Package launchword says what the words claude and claude-iso start in the user's shell.
//
// Contract: what stands between a word and the runtime changes nothing, or is named.
package launchword

import (
	"bytes"
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/starts"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// Between is something that stands between the word claude and the runtime.
type Between struct {
	Status  report.Status // Pass where it changes nothing
	Voids   bool
	Where   string
	Summary string
	// Iso says that it leads to claude-iso.
	Iso bool
	// By is the command that showed it, "" if where is a file.
	By string
}

// WorseOf is the worse of two; of equals the first.
func WorseOf(a, b Between) Between {
	if a.Status == "" || b.Status != "" && b.Status.WorseThan(a.Status) {
		return b
	}
	return a
}

// Judge judges what the word starts in a directory.
type Judge struct {
	R     host.Reader
	start string
	// Runtime is the file that was tested: the first claude on PATH, "" if
	// there is none.
	Runtime iso.Found
}

// NewJudge finds the runtime that the word claude is held against in start.
func NewJudge(r host.Reader, start string) Judge {
	w := Judge{R: r, start: start}
	if found := iso.FindRuntime(r, r.System().Get("PATH"), start); len(found) > 0 && found[0].From == "PATH" {
		w.Runtime = found[0]
	}
	return w
}

// Judge says what stands in front of the runtime for plain claude and for
// claude-iso; the zero value is nothing.
func (w Judge) Judge(words []shellrc.Def) (plain, hard Between) {
	if w.Runtime.Path != "" {
		b := w.file(w.Runtime.Path, 0)
		if plain, hard = b, b; b.Status == report.Fail {
			var args []string
			text, _ := w.R.Read(w.Runtime.Real) // what cannot be read starts nothing
			if l, _, ok := shell.StartOf(string(text), w.R.Places().Home); ok {
				args = l.Words[1:]
			}
			plain.Voids, hard.Voids = w.voids(false, args), w.voids(true, args)
			plain, hard = plain.off(), hard.off()
		}
	}
	for _, d := range words {
		b := w.Def(d, kindOf(d))
		if plain = WorseOf(plain, b); b.Iso {
			hard = WorseOf(hard, b)
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

// Def judges an alias or a function called claude; what says which it is.
func (w Judge) Def(d shellrc.Def, what string) Between {
	text := cmp.Or(d.Value, d.Body)
	b := Between{Status: report.Pass, Where: d.Where()}
	l, flags, ok := shell.StartOf(text, w.R.Places().Home)
	if !ok {
		return w.notFollowed(b, "`claude` is "+what, flags)
	}
	program, n := l.Words[0], isoWords(l.Words)
	args := l.Words[max(n, 1):]
	switch {
	case n > 0:
		b.Iso = true
	case w.isRuntime(program):
	case filepath.IsAbs(program):
		return b.Unknown("`claude` is " + what + " that starts " + program + opening.OtherRuntime)
	default:
		return b.Unknown("`claude` is " + what + " that starts " + program)
	}
	if b.Iso { // what is not kept does not arrive
		l.Env = slices.DeleteFunc(l.Env, func(name string) bool {
			return !slices.Contains([]string{"HOME", "PATH", "SHELL", claude.ConfigDirVariable}, name) &&
				!strings.HasPrefix(name, "XDG_")
		})
	}
	b = w.changes(b, "`claude` is "+what, l.Env, args)
	if b.Status == report.Fail {
		b.Voids = w.voids(b.Iso, args)
	}
	return b.off()
}

// changes judges the variables and arguments that something adds.
func (w Judge) changes(b Between, what string, variables, args []string) Between {
	effect, unknown := w.firstEffect(args)
	if effect == "" {
		if e, sure := variableEffect(variables); sure {
			effect = e
		} else {
			unknown = cmp.Or(unknown, e)
		}
	}
	switch {
	case effect != "":
		b.Status, b.Summary = report.Fail, what+": "+effect
	case unknown != "":
		return b.Unknown(what + " with " + unknown + opening.UnknownHarm)
	case len(args) > 0 && !strings.HasPrefix(args[0], "-"):
		return b.Unknown(what + " that runs " + redact.Command("claude "+args[0]))
	}
	return b
}

// notFollowed judges text that is no straight line: flags are the options in
// it.
func (w Judge) notFollowed(b Between, what string, flags []string) Between {
	if effect, _ := w.firstEffect(flags); effect != "" {
		b.Status, b.Summary = report.Fail, what+" with branches: "+effect+" in one of them"
		return b
	}
	return b.Unknown(what + " that cannot be resolved")
}

// Unknown is b where nobody knows what the word starts, and why.
func (b Between) Unknown(why string) Between {
	b.Status, b.Summary = report.Unknown, why+": what it starts was not tested"
	return b
}

func (b Between) off() Between {
	if b.Voids {
		b.Summary += ". The sandbox is off"
	}
	return b
}

// voids says whether arguments switch the sandbox of a plain start off, or, behind those
// of claude-iso, its sandbox.
func (w Judge) voids(hard bool, args []string) bool {
	without, own := inforce.Gather(w.R, inforce.Invocation{Start: w.start}), []string(nil)
	if hard {
		l, in, err := iso.Outlook(w.R, w.start)
		if err != nil {
			return false
		}
		without, own = in, l.Argv[1:]
	}
	with := inforce.Gather(w.R, inforce.Invocation{Start: w.start, Args: slices.Concat(own, args)})
	return starts.Of(with).Voids && !starts.Of(without).Voids
}

// maxLaunchers bounds how many scripts may start one another.
const maxLaunchers = 4

// file judges the file called claude on PATH: the runtime, a launcher whose
// shape is known, or a script of the user's own.
func (w Judge) file(path string, depth int) Between {
	b := Between{Status: report.Pass, Where: path}
	what := "`claude` on PATH is a script"
	if path != w.Runtime.Path {
		what = "`claude` on PATH is a script that starts " + path
	}
	real, err := w.R.Resolve(path)
	if err != nil || depth > maxLaunchers {
		return b.Unknown(what)
	}
	if w.packaged(real) {
		return b
	}
	text, err := w.R.Read(real)
	switch {
	case err != nil:
		return b.Unknown("`claude` on PATH cannot be read")
	case !bytes.HasPrefix(text, []byte("#!")):
		return b.Unknown("`claude` on PATH is a program that is too small to be the runtime")
	case !shell.IsScript(text):
		return w.notFollowed(b, what, shell.LooseFlags(string(text)))
	case packageShim(string(text)):
		return b
	}
	l, flags, ok := shell.StartOf(string(text), w.R.Places().Home)
	if !ok {
		return w.notFollowed(b, what, flags)
	}
	if !filepath.IsAbs(l.Words[0]) {
		return b.Unknown(what + " that starts " + l.Words[0])
	}
	if b = w.changes(b, what, l.Env, l.Words[1:]); b.Status == report.Fail {
		return b
	}
	if next := w.file(l.Words[0], depth+1); next.Status != report.Pass {
		next.Where = path
		return WorseOf(b, next)
	}
	return b
}

// Stands adds what stands in front of the runtime in a plain start and in one
// of claude-iso to a finding with its launches.
func Stands(f report.Finding, plain, hard Between) report.Finding {
	for i, b := range []Between{plain, hard} { // in the order of launches
		if b.Status != report.Fail && b.Status != report.Unknown && b.Status != report.Warn {
			continue
		}
		f.Launches[i].Worsen(b.Status, b.Voids, b.Summary)
		f.Worsen(b.Status, b.Voids, b.Summary)
		e := report.FileEvidence(b.Where, b.Summary)
		if b.By != "" {
			e = report.CommandEvidence(b.By, "after its start files: "+b.Summary)
		}
		if !slices.Contains(f.Evidence, e) {
			f.Evidence = append(f.Evidence, e)
			next := "remove it, or let it start claude-iso"
			if b.Status == report.Unknown {
				next = "run `type claude` in a new shell to see what it starts; " + next
			}
			f.Remedies = append(f.Remedies, report.DocLink{Title: next, Target: cmp.Or(b.Where, b.By)})
		}
	}
	return f
}

// packaged says whether a file, links resolved, is the runtime or a launcher of
// a package: npm's (also under nvm, bun, pnpm), nixpkgs', or the shim of a
// version manager, which is one executable for all its tools.
func (w Judge) packaged(real string) bool {
	if strings.Contains(real, "/node_modules/@anthropic-ai/claude-code") {
		return true
	}
	if strings.HasPrefix(real, "/nix/store/") && strings.Contains(real, "claude-code") {
		return true
	}
	if slices.Contains([]string{"volta-shim", "mise"}, filepath.Base(real)) {
		return true
	}
	info, err := w.R.Stat(real)
	return err == nil && info.Mode().IsRegular() && info.Size() >= commandline.Smallest
}

// packageShim says whether a shell script is one that a package manager wrote
// for the runtime, and nothing else.
func packageShim(text string) bool {
	starts := 0
	for line := range strings.SplitSeq(text, "\n") {
		m := commandline.AsdfLine().FindStringSubmatch(line)
		switch {
		case m != nil && m[2] == claude.Program:
			starts++
		case !commandline.ShimLine().MatchString(line):
			return false
		case strings.Contains(line, "exec "):
			starts++
		}
	}
	return starts > 0
}
