// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package shellrc is what a shell's rc files source, define and alias.
//
// Contract: rc files are read, never run and never written. What cannot be
// understood is said to be unknown and never to be missing: a file that does
// not parse, and a source whose path is only known to the running shell, are
// kept as doubts. bash, POSIX sh, ksh and zsh are parsed by mvdan.cc/sh; fish and
// csh, which that library does not know, by small readers of our own.
package shellrc

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/shell"
)

// maxFile bounds an rc file, in bytes.
const maxFile = 1 << 20

// Shell is a shell whose rc files are understood.
type Shell string

// The shells.
const (
	Bash  Shell = "bash"
	Zsh   Shell = "zsh"
	Fish  Shell = "fish"
	POSIX Shell = "sh"
	Ksh   Shell = "ksh"
	Mksh  Shell = "mksh"
	Tcsh  Shell = "tcsh"
)

// shellOf names the shell of a login shell's path ($SHELL); false if its rc
// files are not understood.
func shellOf(path string) (Shell, bool) {
	switch base := filepath.Base(path); base {
	case "bash", "zsh", "fish":
		return Shell(base), true
	case "sh", "dash", "ash":
		return POSIX, true
	case "ksh", "ksh93":
		return Ksh, true
	case "mksh", "lksh":
		return Mksh, true
	case "tcsh", "csh":
		return Tcsh, true
	}
	return "", false
}

// ShellAt names the shell of a login shell's path on a machine, as shellOf does: several
// shells are installed as ksh, and a link says which (resolve).
func ShellAt(path string, resolve func(string) (string, error)) (Shell, bool) {
	s, ok := shellOf(path)
	if real, err := resolve(path); s == Ksh && err == nil {
		if of, known := shellOf(real); known {
			return of, true
		}
	}
	return s, ok
}

// HasENV says whether s reads the file that ENV names when it is interactive
// (sh(1), ksh(1), mksh(1)).
func (s Shell) HasENV() bool { return s == POSIX || s == Ksh || s == Mksh }

// User is the one whose rc files are read: an absolute home, and the
// environment, of which only HOME, ZDOTDIR, ENV and XDG_* are looked at.
type User struct {
	Home   string
	Getenv func(string) string
	// zsh is the directory of zsh's files, "" if nothing but the environment says so.
	zsh string
	// vars are the variables that are set already.
	vars map[string][]shell.Value
}

// Of is the user with a home. Without ZDOTDIR in the environment, the ~/.zshenv that is read first may set it, and
// then the other files of zsh lie there (zsh(1) "STARTUP/SHUTDOWN FILES").
func Of(d Disk, home string, getenv func(string) string) User {
	u := User{Home: home, Getenv: getenv}
	if getenv("ZDOTDIR") == "" {
		sc := Scan{files: make(map[string]File)}
		first := filepath.Join(home, ".zshenv")
		sc.read(u, d, Zsh, first)
		u.zsh = sc.sets("ZDOTDIR", home, first)
	}
	return u
}

// RC is the file of s that a line for every interactive shell belongs in. A POSIX
// shell has none until ENV names one.
func (u User) RC(s Shell) string {
	switch s {
	case Zsh:
		return filepath.Join(cmp.Or(u.zsh, u.dir("ZDOTDIR", "")), ".zshrc")
	case Fish:
		return filepath.Join(u.fishDir(), "config.fish")
	case Bash:
		return filepath.Join(u.Home, ".bashrc")
	case Tcsh:
		return filepath.Join(u.Home, ".tcshrc")
	}
	if env := u.Getenv("ENV"); filepath.IsAbs(env) {
		return filepath.Clean(env)
	}
	switch s {
	case Ksh:
		return filepath.Join(u.Home, ".kshrc")
	case Mksh:
		return filepath.Join(u.Home, ".mkshrc")
	}
	return filepath.Join(u.Home, ".profile")
}

// Files lists the user's rc files that s reads, in its order: when it is
// interactive and not a login shell, and when it is an interactive login
// shell. Of bash's three login files, and of csh's first two files, it reads only
// the first that exists. For
// fish these are followed by the files from which it loads functions that are
// called as the Words; conf.d/*.fish comes before all of
// them. (bash(1) "INVOCATION"; zsh(1) "STARTUP/SHUTDOWN FILES"; fish
// "Configuration files"; sh(1), ksh(1), mksh(1) "ENV"; tcsh(1) "Startup and shutdown".)
func (u User) Files(s Shell) (interactive, login []string) {
	zsh := func(names ...string) (files []string) {
		for _, name := range names {
			dir := u.dir("ZDOTDIR", "")
			if name != ".zshenv" {
				dir = cmp.Or(u.zsh, dir)
			}
			files = append(files, filepath.Join(dir, name))
		}
		return files
	}
	switch s {
	case Bash:
		return []string{u.RC(Bash)}, []string{filepath.Join(u.Home, ".bash_profile"),
			filepath.Join(u.Home, ".bash_login"), filepath.Join(u.Home, ".profile")}
	case Zsh:
		return zsh(".zshenv", ".zshrc"), zsh(".zshenv", ".zprofile", ".zshrc", ".zlogin")
	case Fish:
		files := []string{u.RC(Fish)}
		for _, word := range Words() {
			files = append(files, filepath.Join(u.fishDir(), "functions", word+".fish"))
		}
		return files, files
	case Tcsh:
		interactive = []string{u.RC(Tcsh), filepath.Join(u.Home, ".cshrc")}
		return interactive, append(slices.Clone(interactive), filepath.Join(u.Home, ".login"))
	case Ksh, Mksh:
		return []string{u.RC(s)}, []string{filepath.Join(u.Home, ".profile"), u.RC(s)}
	}
	if env := u.Getenv("ENV"); filepath.IsAbs(env) {
		interactive = []string{filepath.Clean(env)}
	}
	return interactive, append([]string{filepath.Join(u.Home, ".profile")}, interactive...)
}

func (u User) fishDir() string { return filepath.Join(u.dir("XDG_CONFIG_HOME", ".config"), "fish") }

// dir is the value of an environment variable, or a directory of the home.
func (u User) dir(variable, fallback string) string {
	if v := u.Getenv(variable); filepath.IsAbs(v) {
		return filepath.Clean(v)
	}
	return filepath.Join(u.Home, fallback)
}

// File is what one rc file does, as far as can be read.
type File struct {
	Path  string
	Shell Shell
	// Sources are the files that it sources when it is read, guarded or
	// not; those inside functions, subshells and pipelines are not among
	// them, nor is the output of a command (source <(...)).
	Sources []Ref
	// Dynamic are sources whose path only the running shell knows.
	Dynamic []Ref
	// Maybe are sources on lines after the place where the parser gave up,
	// each read alone: they may stand in a function or in a text.
	Maybe []Ref
	// Aliases and Functions are what it defines.
	Aliases, Functions []Def
	// Undone are the functions that it takes away again, Ends the commands
	// that end its reading whatever happens; Value is the command.
	Undone, Ends []Def
	// Calls are the commands that run when it is read, each Value a line for
	// a shell in which what is known of its words is filled in. Sets are the
	// variables that it sets, Value the text as far as it is known.
	Calls, Sets []Def
	// Numbers is what bash and zsh evaluate as arithmetic: (( )), $(( )), let, and
	// the operands of -gt and its like in [[ ]].
	Numbers []Def
	// Unread says why the file is not, or not wholly, understood.
	Unread error
	// vars are the variables as they are when it was read.
	vars map[string][]shell.Value
}

// Ref is one place that sources something.
type Ref struct {
	File string
	Line int
	// Text is the operand as it is written.
	Text string
	// Path is absolute and clean. With Glob it is a pattern in the syntax
	// of path/filepath.Match.
	Path string
	Glob bool
}

// Where is the place, "path:line".
func (r Ref) Where() string { return fmt.Sprintf("%s:%d", r.File, r.Line) }

// Def is one alias or function. Value is the alias's text, with what is not
// literal left as it is written; a function has none. Body is the function's
// text as it is written, "" where that could not be told.
type Def struct {
	File              string
	Line              int
	Name, Value, Body string
	// Event says that the shell calls the function by itself, as fish does at
	// an event (function(1), --on-event and its like).
	Event bool
	// Append says that the value is added to what is there (NAME+=VALUE).
	Append bool
	// Before is, of a call, a line that makes of a shell in another place what the file makes of it before:
	// the variables that Value asks for, and the directory.
	Before string
	// Printed are the commands whose output the value of a variable, or what is
	// evaluated, holds, a NUL behind each, and Of the names of the variables in it,
	// a space before each; not what quotes keep as text.
	Printed, Of string
}

// def is a definition on a line of the file.
func (f *File) def(line int, name, value string) Def {
	return Def{File: f.Path, Line: line, Name: name, Value: value}
}

// at is a file whose text is the body of a function: its lines are that of the
// function.
func (f File) at(d Def) File {
	for _, list := range [][]Ref{f.Sources, f.Dynamic, f.Maybe} {
		for i := range list {
			list[i].Line = d.Line
		}
	}
	for _, list := range [][]Def{f.Aliases, f.Functions, f.Undone, f.Ends, f.Calls, f.Sets, f.Numbers} {
		for i := range list {
			list[i].Line = d.Line
		}
	}
	return f
}

// Alone is a call as a line for a shell that has read nothing of the file.
func (d Def) Alone() string { return d.Before + d.Value }

// Inside is the text of a function of the file, or one that runs as late, read as a file: it has the variables that
// the file leaves.
func (f File) Inside(u User, d Def) File {
	u.vars = f.vars
	return u.Read(f.Shell, d.File, []byte(d.Body)).at(d)
}

// Where is the place, "path:line".
func (d Def) Where() string { return fmt.Sprintf("%s:%d", d.File, d.Line) }

// Read understands the text b of the rc file path.
func (u User) Read(s Shell, path string, b []byte) File {
	f := File{Path: path, Shell: s}
	switch {
	case len(b) > maxFile:
		f.Unread = fmt.Errorf("larger than %d bytes", maxFile)
	case s == Fish:
		u.readFish(&f, b)
	case s == Tcsh:
		u.readCsh(&f, b)
	default:
		u.readPOSIX(&f, s, b)
	}
	return f
}

// CompletionsOfBash is where they lie below the directory for data.
const CompletionsOfBash = "bash-completion/completions"

// bashCompletions are what the package bash-completion sources, which most start files
// load: at the start one file, and of a directory the file of a program whose words are
// completed (bash_completion(1), "FILES").
func (u User) bashCompletions(d Disk) []string {
	dir := filepath.Join(u.dir("XDG_DATA_HOME", ".local/share"), CompletionsOfBash)
	return append(FilesIn(d, dir, "*"), dir, filepath.Join(u.Home, ".bash_completion"),
		filepath.Join(u.dir("XDG_CONFIG_HOME", ".config"), "bash_completion"))
}

// Loads lists the files and directories that s reads by their names or places
// alone, whether they are there or not: the rc files, and of fish the files of
// conf.d, functions and completions (fish "Configuration files", "Autoloading
// functions", "Where to put completions").
func (u User) Loads(d Disk, s Shell) []string {
	interactive, login := u.Files(s)
	list := slices.Concat(interactive, login)
	if s == Fish {
		for _, name := range []string{"conf.d", "functions", "completions"} {
			dir := filepath.Join(u.fishDir(), name)
			list = append(append(list, dir), FilesIn(d, dir, "*.fish")...)
		}
	}
	if s == Bash {
		list = append(list, u.bashCompletions(d)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
