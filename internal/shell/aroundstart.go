// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what only talks around a start changes nothing of it: it prints, names
// a window or takes the time, writes no file but a log, sets no variable that a program
// gets, and starts nothing else.

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// talkers are commands that only print, wait or ask.
var talkers = strings.Fields("echo print printf date clear stty tput true : [ test sleep notify-send say tty pwd " +
	"hostname whoami uname basename dirname logger")

// talksAll says whether statements only talk.
func talksAll(stmts []*syntax.Stmt, home string) bool {
	return !slices.ContainsFunc(stmts, func(s *syntax.Stmt) bool { return !talks(s, home) })
}

// talks says whether a statement only does.
func talks(s *syntax.Stmt, home string) bool {
	if s.Coprocess || slices.ContainsFunc(s.Redirs, func(rd *syntax.Redirect) bool { return !toLog(rd, home) }) ||
		!quietWords(s.Cmd, home) {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return ownNames(c.Assigns)
		}
		return len(c.Assigns) == 0 && talker(c.Args, home)
	case *syntax.TestClause:
		return true
	case *syntax.DeclClause:
		return c.Variant.Value == "local" && ownNames(c.Args)
	case *syntax.BinaryCmd:
		return (c.Op == syntax.AndStmt || c.Op == syntax.OrStmt) && talks(c.X, home) && talks(c.Y, home)
	case *syntax.IfClause:
		return talksIf(c, home)
	case *syntax.Block:
		return talksAll(c.Stmts, home)
	}
	return false
}

func talksIf(c *syntax.IfClause, home string) bool {
	return c == nil || talksAll(c.Cond, home) && talksAll(c.Then, home) && talksIf(c.Else, home)
}

// writers are talkers with the options by which they write or read a file, or reach
// another machine (logger(1), say(1)).
var writers = map[string]string{
	"logger": "-f --file -n --server -u --socket", "say": "-o --output-file -f --input-file -n --network-send",
}

// talker says whether the words of a command are those of one that talks. printf -v and
// print's -v set a variable, print -z and -s write the next line for the shell.
func talker(args []*syntax.Word, home string) bool {
	name := args[0].Lit()
	var words []string
	for _, arg := range args {
		text, ok := wordOf(arg, home)
		if !ok {
			text = "$"
		}
		words = append(words, text)
	}
	switch {
	case name == "printf" || name == "print":
		return len(words) > 1 && !strings.HasPrefix(words[1], "-") && words[1] != "$"
	case messages[name] != "":
		return !slices.Contains(words, "$") && Message(words)
	case name == "git":
		return slices.Equal(words[1:], []string{"branch", "--show-current"}) ||
			len(words) == 3 && words[1] == "rev-parse" && strings.HasPrefix(words[2], "--")
	}
	return slices.Contains(talkers, name) && !slices.ContainsFunc(words, func(text string) bool {
		return isOption(name, text, writers[name])
	})
}

// quietWords says whether the commands in a statement's substitutions only talk, no
// expansion sets a variable, and no text is expanded later.
func quietWords(c syntax.Command, home string) bool {
	ok := c != nil
	syntax.Walk(c, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			ok = ok && talksAll(n.Stmts, home)
			return false
		case *syntax.ProcSubst, *syntax.UnaryArithm, *syntax.FuncDecl,
			*syntax.ExtGlob: // *(e:…:) of zsh runs a command
			ok = false
		case *syntax.BinaryArithm:
			ok = ok && !strings.HasSuffix(n.Op.String(), "=")
		case *syntax.ParamExp:
			ok = ok && (n.Exp == nil || n.Exp.Op != syntax.AssignUnset && n.Exp.Op != syntax.AssignUnsetOrNull)
		}
		ok = ok && !expandsLate(n)
		return ok
	})
	return ok
}

// toLog says whether a redirection leads to the terminal, to nothing, or to a log. >&word
// is a file unless the word is a number or a hyphen, {name}> sets a variable, and bash
// makes a connection of some names in /dev.
func toLog(rd *syntax.Redirect, home string) bool {
	if rd.N != nil && strings.HasPrefix(rd.N.Value, "{") {
		return false
	}
	switch rd.Op {
	case syntax.DplOut:
		to := rd.Word.Lit()
		return to != "" && strings.Trim(to, "0123456789-") == ""
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll:
		to, ok := wordOf(rd.Word, home)
		return ok && (slices.Contains([]string{"/dev/null", "/dev/tty", "/dev/stderr"}, to) ||
			strings.HasSuffix(to, ".log") && !strings.HasPrefix(to, "/dev/"))
	}
	return false
}

// zshNames are variables by which zsh starts something, or hands on other arguments
// (zshparam(1), zshmodules(1)). Those of functions end in _functions.
var zshNames = strings.Fields("argv prompt functions aliases galiases saliases commands builtins options " +
	"nameddirs userdirs")

// ownNames says whether variables are the function's own, and no program's: programs read
// proxies in small letters too, and zsh its lists of directories. An index is computed.
func ownNames(list []*syntax.Assign) bool {
	return !slices.ContainsFunc(list, func(a *syntax.Assign) bool {
		if a.Name == nil || a.Index != nil {
			return true
		}
		name := a.Name.Value
		return name != strings.ToLower(name) || strings.Contains(name, "path") || strings.Contains(name, "proxy") ||
			slices.Contains(zshNames, name) || strings.HasSuffix(name, "_functions")
	})
}

// afterwards says whether statements behind a start only talk, or hand its status on.
func afterwards(stmts []*syntax.Stmt, home string) bool {
	return !slices.ContainsFunc(stmts, func(s *syntax.Stmt) bool {
		c, is := s.Cmd.(*syntax.CallExpr)
		if is && plainStmt(s) && len(c.Assigns) == 0 && len(c.Args) > 0 && c.Args[0].Lit() == "return" {
			return !quietWords(c, home)
		}
		return !talks(s, home)
	})
}
