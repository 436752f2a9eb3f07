// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package scripts renders the small files that call this program from
// elsewhere: hook scripts, the claude-iso functions, git's hook, and the lines
// that a user adds to an rc file.
//
// Contract: pure. A file calls the program by its absolute path, quoted for
// the shell that reads it; a path that cannot be quoted and shown without
// harm is refused. What was rendered is recognised again.
package scripts

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shellrc"
	"github.com/steward-setup/steward-setup/templates"
)

// marker begins the comment that names a file of ours.
const marker = "# steward-setup script: "

const gitHook = "git-post-checkout.sh"

// Mode is that of a hook script; a wrapper is sourced and needs less.
const (
	Mode        fs.FileMode = 0o755
	WrapperMode fs.FileMode = 0o644
)

// Hooks are the file names of the hook scripts.
var Hooks = []string{"sandbox-bypass-warn.sh", "sandbox-error-hint.sh", "sandbox-status-line.sh",
	"sandbox-status-line-rich.sh", AddProjectRoot}

// AddProjectRoot is the one that calls a command and no hook of the program's.
const AddProjectRoot = "sandbox-add-project-root.sh"

// Wrappers are the file names of the claude-iso functions.
var Wrappers = []string{"claude-iso.sh", "claude-iso.fish"}

// FrameworkWrapper is the framework's file that defines claude-iso in bash and
// zsh since 2026-07; before, it had the name of ours.
const FrameworkWrapper = "agent-iso.sh"

// Wrapper is the file that defines claude-iso in a shell, "" if there is none:
// a POSIX shell and ksh have no function of that name, csh has no functions.
// There an alias defines it (IsoAliasLine).
func Wrapper(s shellrc.Shell) string {
	switch s {
	case shellrc.Bash, shellrc.Zsh:
		return Wrappers[0]
	case shellrc.Fish:
		return Wrappers[1]
	}
	return ""
}

// Render returns the file of that name (one of Hooks or Wrappers) calling the
// program at the absolute path binary. The error is a *report.Error.
func Render(name, binary string) ([]byte, error) {
	if err := printable(binary); err != nil {
		return nil, err
	}
	text, err := template(name)
	if err != nil {
		return nil, err
	}
	return fill(name, text, binary, Dispatcher{}), nil
}

const binaryField = "@BINARY@"

func template(name string) (string, error) {
	dir := "scripts"
	if strings.HasPrefix(name, "claude-iso.") {
		dir = "agent-isolation"
	}
	b, err := fs.ReadFile(templates.Files, path.Join(dir, name))
	if err != nil {
		return "", &report.Error{Code: report.ExitInternal, What: "there is no script " + name, Err: err}
	}
	return string(b), nil
}

// GitHook returns git's post-checkout hook.
func GitHook(binary string) ([]byte, error) { return Render(gitHook, binary) }

// GitHookLine returns the line that does the same in a post-checkout hook of
// the user's own.
func GitHookLine(binary string) (string, error) {
	if err := printable(binary); err != nil {
		return "", err
	}
	q := quote(binary)
	return "[ -x " + q + " ] && " + q + ` hook post-checkout "$@" || :`, nil
}

// Script is a file of ours as it was found.
type Script struct {
	// Name is the file's name as its marker says it.
	Name string
	// Binary is the program that it calls, "" if that cannot be told.
	Binary string
	// Current says that it is, byte for byte, what Render gives for
	// Binary today.
	Current bool
}

// NotUTF8 is said of a path that no file of ours can hold.
const NotUTF8 = "has a path that is not UTF-8"

// Foreign is said of a file that is not ours, NoMarker how that is seen.
const Foreign, NoMarker = "not written by steward-setup", "no marker of steward-setup in its first lines"

// Recognize reads a file that may be ours; false if it has no marker in its
// first lines.
func Recognize(b []byte) (Script, bool) {
	lines := strings.SplitN(string(b), "\n", 3)
	var s Script
	for _, line := range lines[:min(2, len(lines))] {
		if name, ok := strings.CutPrefix(line, marker); ok {
			s.Name = strings.TrimSpace(name)
		}
	}
	if s.Name == "" {
		return s, false
	}
	if s.Name == gitDispatcher {
		d, current := ReadDispatcher(b)
		s.Binary, s.Current = d.Binary, current
		return s, true
	}
	text, err := template(s.Name)
	if err != nil {
		return s, true
	}
	before, _, _ := strings.Cut(text, binaryField)
	rest, ok := strings.CutPrefix(string(b), before)
	if !ok {
		return s, true
	}
	if s.Binary, ok = unquote(rest, strings.HasSuffix(s.Name, ".fish")); ok {
		again, err := Render(s.Name, s.Binary)
		s.Current = err == nil && string(again) == string(b)
	}
	return s, true
}

// Ours says whether a file has our marker.
func Ours(b []byte) bool { _, ok := Recognize(b); return ok }

// SourceLine is the line for an rc file of s that sources the file at path,
// and does nothing while there is none. A path below home is written with
// $HOME where that needs no further quoting, so that the line can be carried
// to another machine. The error is a *report.Error.
func SourceLine(s shellrc.Shell, home, path string) (string, error) {
	if err := printable(path); err != nil {
		return "", err
	}
	q := quote(path)
	if s == shellrc.Fish {
		q = quoteFish(path)
	}
	if rest, ok := pathname.Below(path, home); ok && strings.Trim(rest, plain) == "" {
		q = `"$HOME/` + rest + `"`
	}
	if s == shellrc.Fish {
		return "test -f " + q + "; and source " + q, nil
	}
	return "[ -f " + q + " ] && . " + q, nil
}

// plain are characters that mean nothing between double quotes.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+@:,= -"

// AliasLine is the line that makes every plain start of a program in an
// interactive shell go through the wrapper.
func AliasLine(s shellrc.Shell, program string) string {
	switch s {
	case shellrc.Fish:
		return "alias " + program + "=claude-iso"
	case shellrc.Tcsh:
		return "alias " + program + " 'claude-iso'"
	}
	return "alias " + program + "='claude-iso'"
}

// IsoAliasLine is the line that defines claude-iso in a shell without a Wrapper:
// it starts the program at the absolute path binary. A path that cannot be
// written into such a line is refused with a *report.Error.
func IsoAliasLine(s shellrc.Shell, binary string) (string, error) {
	if err := printable(binary); err != nil {
		return "", err
	}
	word := Quote(binary)
	if s != shellrc.Tcsh {
		return "alias claude-iso=" + quote(word+" iso"), nil
	}
	if word != binary {
		word = quoteCsh(binary) // read twice: as the alias is set, and as it is used
	}
	return "alias claude-iso " + quoteCsh(word+" iso"), nil
}

// printable refuses a path that would not survive a line of shell, a diff or
// a JSON string.
func printable(path string) error {
	e := &report.Error{Code: report.ExitUsage, Where: path, Why: "the path is written into files that shells read",
		Next: "move it to another place, then run this again"}
	switch {
	case !filepath.IsAbs(path):
		e.What = "is not an absolute path"
	case !utf8.ValidString(path):
		e.What = NotUTF8
	case strings.ContainsFunc(path, unicode.IsControl):
		e.What = "has a control character in its path"
	default:
		return nil
	}
	return e
}

// OfFramework says whether a file is, by its heading, the framework's script
// of that name: its licence, then the name and what it is
// (tools/agent-isolation of the framework).
func OfFramework(b []byte, name string) bool {
	head := string(b[:min(len(b), 2<<10)])
	return strings.HasPrefix(head, "#!") && strings.Contains(head, "# Licensed to the Apache Software Foundation (ASF)") &&
		strings.Contains(head, "\n# "+name+" ")
}
