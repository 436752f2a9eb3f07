// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a command line runs is either found or said to be
// unknown. Nothing is passed over in silence.

// Package shell says which files a command line runs, or reads as code: a
// hook, a status line, a helper, an MCP server.
//
// Contract: nothing is started and no file is opened. A Use names a file as
// the shell would see it, without resolving symlinks. What only the running
// shell knows is a Gap. A directory whose files decide what runs (npm run,
// make) is a Use of that directory.
package shell

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Kind says what a command does with a file.
type Kind string

// The kinds.
const (
	// Runs: the file is started, or read as code.
	Runs Kind = "runs"
	// Found: as Runs, and the file was found on PATH.
	Found Kind = "found"
	// Decides: the files of the directory decide what runs.
	Decides Kind = "decides"
	// Configures: the program runs configuration of the directory as code,
	// if there is any.
	Configures Kind = "configures"
	// Repository: what the repository at the directory configures is run. It
	// may be known that no command can write there.
	Repository Kind = "repository"
	// Unclear: a program of which nothing is known runs in the directory, and
	// may take code from there.
	Unclear Kind = "unclear"
	// Chosen: By is the shim of a version manager, and files of the directory say
	// which program it starts.
	Chosen Kind = "chosen"
	// Names: an argument of a program of which nothing is known.
	Names Kind = "names"
	// Writes: the file is written. By is the file that it is a copy of, ""
	// where only the running shell knows what is written. Path is "" where it
	// alone knows where a copy goes. A name that it alone knows, in a directory
	// of the project, is "*".
	Writes Kind = "writes"
	// Reads: an argument that is data. By is the program, if it prints what it
	// reads.
	Reads Kind = "reads"
)

// Use is one file or directory, and what a command does with it.
type Use struct {
	Kind Kind
	// Path is absolute and clean, By the program that it is an argument of,
	// or the word itself.
	Path, By string
	// From and To enclose the word in the line, if the word is this path and
	// nothing else; otherwise both are 0. In exec form From is -1-i for
	// argument i, the command being argument 0.
	From, To int
	// Moves says that the path is relative to the working directory, and that
	// this may be another (see Place.Moves). A Repository with an empty path is
	// in a directory that only the running shell knows.
	Moves bool
	// Fixed says that what is written is what the line says, or nothing.
	Fixed bool
	// Shell says that a shell reads the file, unless its first line names another program.
	Shell bool
}

// Gap is a part of a command of which nobody knows beforehand what it runs.
type Gap struct {
	Text, Why string
	// Program says that it is the name of the program which is not known.
	Program bool
}

// Reach is what a command line runs.
type Reach struct {
	Uses []Use
	Gaps []Gap
}

// Place is where a command line runs.
type Place struct {
	// Home is $HOME, Dir the working directory, Project what
	// Agent.Project says, Root the root of the work tree, "" if there
	// is none.
	Home, Dir, Project, Root string
	// Agent is what started the line.
	Agent Agent
	// Moves says that Dir is only where the working directory begins, and that
	// sandboxed commands choose another below it.
	Moves bool
	// Look finds a program on PATH.
	Look func(name string) (string, error)
	// Shim is the shim of a version manager that a program is, or that its first
	// line starts; "" if there is none. Both are absolute. nil knows none.
	Shim func(path string) string
	// Getenv is asked for variables that name directories of the user's.
	// nil knows none.
	Getenv func(string) string
	// Stays says that a directory is there, and that no sandboxed command can
	// take it away: cd into it succeeds. nil says that of none.
	Stays func(dir string) bool
}

// Agent is what an agent's runtime is called, and what lines of its own are told.
type Agent struct {
	// Program is its name. It starts a session, which takes hooks and settings from its
	// working directory, unless one of Plain is its first argument.
	Program string
	Plain   []string
	// Project is the variable for the directory of the project, Own that for the
	// runtime's own.
	Project, Own string
	// Loads says whether a variable has programs load code.
	Loads func(name string) bool
}

// told replaces the variable for the project's directory in a text, where it needs no
// shell.
func (p Place) told(text string) string {
	if p.Agent.Project == "" {
		return text
	}
	return strings.NewReplacer("${"+p.Agent.Project+"}", p.Project, "$"+p.Agent.Project, p.Project).Replace(text)
}

// Shells are the programs that run a line of the language that is read here.
var Shells = []string{"sh", "bash", "dash", "zsh", "ksh", "ash"}

// MaxLine bounds a command line that is taken apart, in bytes.
const MaxLine = 16 << 10

// Line says what a command line runs that is given to a shell.
func (p Place) Line(line string) Reach {
	r := reader{place: p}
	r.line(line, r.start(), true)
	return r.reach
}

// Exec says what a program runs that is started without a shell. The runtime
// replaces the variable for the project's directory in it (see Place.Project).
func (p Place) Exec(command string, args []string) Reach {
	r := reader{place: p}
	words := make([]word, 0, len(args)+1)
	for i, text := range append([]string{command}, args...) {
		text = p.told(text)
		w := word{src: text, from: -1 - i}
		if w.texts, w.ok = Expand(text, p.Getenv); !w.ok {
			w.texts = nil
		}
		words = append(words, w)
	}
	r.call(words, r.start())
	return r.reach
}

// Words takes a command of one program apart as a shell would; a shell in
// front of a script is left out. What only the running shell knows gives no
// words.
func Words(command, home string) []string {
	if len(command) > MaxLine {
		return nil
	}
	tree, err := Parsed(command, syntax.LangPOSIX)
	if err != nil || len(tree.Stmts) != 1 {
		return nil
	}
	call, ok := tree.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || tree.Stmts[0].Background || tree.Stmts[0].Negated {
		return nil
	}
	var words []string
	for _, arg := range call.Args {
		text, ok := wordOf(arg, home)
		if !ok {
			return nil
		}
		words = append(words, text)
	}
	if len(words) > 1 && slices.Contains(Shells, filepath.Base(words[0])) {
		words = words[1:]
	}
	return words
}

// wordOf is a word after the expansions that need nothing but the home.
func wordOf(arg *syntax.Word, home string) (text string, ok bool) {
	r := reader{place: Place{Home: home}}
	w := r.expand(arg, &state{lost: true, vars: map[string][]Value{"PWD": nil}})
	if !w.ok || w.glob || len(w.texts) != 1 {
		return "", false
	}
	return w.texts[0], true
}

// Paths lists the absolute paths among the words of a line, whatever they are
// for.
func Paths(line, home string) []string {
	if len(line) > MaxLine {
		return nil
	}
	tree, err := parsed(line)
	if err != nil {
		return nil
	}
	r := reader{place: Place{Home: home}, within: maxWithin}
	st := &state{lost: true, vars: map[string][]Value{"PWD": nil, "PATH": nil}}
	var list []string
	syntax.Walk(tree, func(n syntax.Node) bool {
		if w, is := n.(*syntax.Word); is {
			for _, text := range r.expand(w, st).texts {
				if filepath.IsAbs(text) {
					list = append(list, filepath.Clean(text))
				}
			}
		}
		return true
	})
	return list
}

// reader takes one command line apart.
type reader struct {
	place Place
	reach Reach
	// within counts lines within lines, and functions within functions;
	// steps counts commands.
	within, steps int
	// inner says that places in the line mean nothing.
	inner bool
}

// Bounds: lines within lines, commands of a line.
const (
	maxWithin = 8
	maxSteps  = 2000
)

// start is how a line begins.
func (r *reader) start() *state {
	st := &state{cwd: []string{r.place.Dir}, vars: map[string][]Value{}, funcs: map[string]*syntax.Stmt{}}
	st.lost = !filepath.IsAbs(r.place.Dir)
	if r.place.Moves {
		st.cwd = append(st.cwd, elsewhere)
	}
	return st
}

// elsewhere stands for a directory that sandboxed commands choose. No path
// holds this character.
const elsewhere = "/\x00"

const (
	tooLong       = "it is too long to be resolved"
	lostDirectory = "it is relative to a directory that only the running shell knows"
)

// line reads a line. outer says that it is the whole.
func (r *reader) line(text string, st *state, outer bool) (ok, fail *state) {
	if len(text) > MaxLine || r.within >= maxWithin {
		r.gap(text, tooLong)
		return st, st
	}
	tree, err := parsed(text)
	if err != nil {
		r.gap(text, "it is no shell command that can be parsed")
		return st, st
	}
	inner := r.inner
	r.inner = inner || !outer
	r.within++
	r.later(tree, text)
	ok, fail = r.stmts(tree.Stmts, st)
	r.within--
	r.inner = inner
	return ok, fail
}

func (r *reader) gap(text, why string) {
	text = strings.TrimSpace(text)
	if g := (Gap{text, why, why == whichProgram}); !slices.Contains(r.reach.Gaps, g) {
		r.reach.Gaps = append(r.reach.Gaps, g)
	}
}

func (r *reader) use(u Use) {
	if rest, is := strings.CutPrefix(u.Path, elsewhere); is {
		u.Path, u.Moves = filepath.Join(r.place.Dir, rest), true
	}
	if r.inner && u.From >= 0 {
		u.From, u.To = 0, 0
	}
	if !slices.ContainsFunc(r.reach.Uses, func(have Use) bool { have.Shell = u.Shell; return have == u }) {
		r.reach.Uses = append(r.reach.Uses, u)
	}
}

// maxBrackets bounds "(", "[" and "{" but for "${" each. The parser recurses on
// them without a bound of its own: 2^20 bytes of one overflow the stack, which
// nothing can recover from (mvdan.cc/sh 3.14.1, measured); 20,000 need some 40 MiB.
const maxBrackets = 20_000

var errNested = errors.New("more brackets than a script holds")

// Parsed is a text in the language of a shell, as the parser reads it. The tree of one with an error ends there.
func Parsed(text string, in syntax.LangVariant, options ...syntax.ParserOption) (tree *syntax.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the parser failed: %v", p)
		}
	}()
	if max(strings.Count(text, "("), strings.Count(text, "["),
		strings.Count(text, "{")-strings.Count(text, "${")) > maxBrackets {
		return nil, errNested
	}
	return syntax.NewParser(append(options, syntax.Variant(in))...).Parse(strings.NewReader(text), "")
}

// parsed is a text in the language of most shells.
func parsed(text string) (*syntax.File, error) { return Parsed(text, syntax.LangBash) }

// Substitute returns a line in which words are replaced by paths; to holds the
// path for the word that begins at an offset, and the uses say where each
// ends.
func Substitute(line string, uses []Use, to map[int]string) (string, error) {
	uses = slices.Clone(uses)
	slices.SortFunc(uses, func(a, b Use) int { return b.From - a.From })
	end := len(line) + 1
	for _, u := range uses {
		path, is := to[u.From]
		if !is || u.To == 0 || u.From >= end {
			continue
		}
		quoted, err := syntax.Quote(path, syntax.LangPOSIX)
		if err != nil {
			return "", err
		}
		line, end = line[:u.From]+quoted+line[u.To:], u.From
	}
	return line, nil
}
