// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the login shell's rc files say how claude-iso is reached,
// and who has the last word; install and verify read them in one way.

package launchword

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// Shell is what the rc files of the user's login shell do about the
// agent.
type Shell struct {
	// Program is the login shell (host.LoginShell), "" if it is unknown, Kind
	// the shell, "" if its rc files are not understood. NoLogin says that it
	// lets nobody in (nologin(8), false(1)). Wrapper is the file that defines claude-iso there, "" if
	// there is none.
	Program string
	Kind    shellrc.Shell
	NoLogin bool
	Wrapper string
	// Iso is the alias that defines claude-iso where there is no Wrapper, in
	// interactive shells and, behind these, in login shells alone.
	Iso []shellrc.Def
	// IsoInteractive is how many of Iso interactive shells have.
	IsoInteractive int
	// RC is the file that a line for every interactive shell belongs in.
	RC string
	// Sourced says where interactive shells source a wrapper, by its file
	// name; SourcedByLogin the same of login shells.
	Sourced, SourcedByLogin shellrc.Answer
	// LoginFile is the login file of bash, "" if there is none or the
	// shell is another. LoginReadsRC says that login shells read RC too.
	LoginFile    string
	LoginReadsRC bool
	// Aliased are the aliases that send plain claude through claude-iso,
	// Own the aliases and functions called claude that do something else.
	Aliased, Own []shellrc.Def
	// Words are all of these that may have the last word: of each file the
	// last alias and the last function.
	Words []shellrc.Def
	// Others are the aliases and functions of other names.
	Others []shellrc.Def
	// Later are those that a function or a trap makes when it runs.
	Later []shellrc.Def
	// Instead are the aliases and functions called claude-iso that stand in
	// place of the wrapper's.
	Instead []shellrc.Def
	// Undone are what comes behind the line that sources the wrapper and
	// defines claude-iso anew or takes it away, or the command that ends
	// the reading before that line.
	Undone []shellrc.Def
}

// ReadShell reads the rc files of the login shell.
func ReadShell(r host.Reader) Shell {
	sh := Shell{Program: host.LoginShell(r)}
	sh.NoLogin = slices.Contains([]string{"nologin", "false"}, filepath.Base(sh.Program))
	kind, ok := shellrc.ShellAt(sh.Program, r.Resolve)
	if !ok {
		return sh
	}
	user := shellrc.Of(r, r.Places().Home, r.System().Get)
	sh.Kind, sh.Wrapper, sh.RC = kind, scripts.Wrapper(kind), user.RC(kind)
	scan := user.Scan(r, kind)
	if sh.Wrapper == "" && len(scan.Interactive) > 0 {
		sh.RC = scan.Interactive[0]
	}
	sh.Sourced = scan.Sources(scan.Interactive, wrapperFile)
	sh.SourcedByLogin = scan.Sources(scan.Login, wrapperFile)
	sh.LoginReadsRC = slices.Contains(scan.Login, sh.RC) ||
		len(scan.Sources(scan.Login, func(path string) bool { return path == sh.RC }).Found) > 0
	if kind == shellrc.Bash && len(scan.Login) > 0 {
		sh.LoginFile = scan.Login[0]
	}
	for _, d := range scan.Aliases(claude.Program) {
		if d.Value == "claude-iso" || StartsIso(d, user.Home) != "" {
			sh.Aliased = append(sh.Aliased, d)
		} else {
			sh.Own = append(sh.Own, d)
		}
	}
	functions := slices.Concat(exportedFunction(r, claude.Program), scan.Functions(claude.Program))
	sh.Own = append(sh.Own, functions...)
	sh.Words = append(lastOfFiles(scan.Aliases(claude.Program)), lastOfFiles(functions)...)
	sh.Others = slices.DeleteFunc(scan.Defined(), func(d shellrc.Def) bool {
		return d.Name == claude.Program || wrapperFile(d.File)
	})
	sh.Later = definedLater(user, scan.Files(), claude.Program)
	sh.Undone = scan.Undone(scan.Interactive, wrapperFile, "claude-iso")
	sh.Instead = scan.Aliases("claude-iso")
	if sh.Wrapper == "" {
		sh.Iso = scan.AliasesIn(scan.Interactive, "claude-iso")
		sh.IsoInteractive = len(sh.Iso)
		sh.Iso = append(sh.Iso, scan.AliasesIn(scan.Login, "claude-iso")...)
	}
	for _, d := range scan.Functions("claude-iso") {
		if !wrapperFile(d.File) {
			sh.Instead = append(sh.Instead, d)
		}
	}
	return sh
}

// exportedFunction is a function that bash hands on in the environment (bash(1)
// FUNCTIONS), if there is one of that name.
func exportedFunction(r host.Reader, name string) []shellrc.Def {
	variable := "BASH_FUNC_" + name + "%%"
	body, is := strings.CutPrefix(r.System().Get(variable), "()")
	if !is {
		return nil
	}
	return []shellrc.Def{{File: variable, Name: name, Body: strings.TrimSpace(body)}}
}

// lastOfFiles are of each file's definitions the last.
func lastOfFiles(defs []shellrc.Def) (last []shellrc.Def) {
	for i, d := range defs {
		if !slices.ContainsFunc(defs[i+1:], func(later shellrc.Def) bool { return later.File == d.File }) {
			last = append(last, d)
		}
	}
	return last
}

// isoWords is how many words in front of others start claude-iso: its own, or two as
// "PROGRAM iso" with a program that is called like this one; 0 if they do not.
func isoWords(words []string) int {
	switch {
	case len(words) > 0 && words[0] == "claude-iso":
		return 1
	case len(words) > 1 && filepath.Base(words[0]) == "steward-setup" && words[1] == "iso":
		return 2
	}
	return 0
}

// StartsIso is the program that an alias starts as "PROGRAM iso", else "".
func StartsIso(d shellrc.Def, home string) string {
	words := shell.Words(d.Value, home)
	if isoWords(words) < 2 {
		return ""
	}
	return words[0]
}

// wrapperFile says whether a file is, by its name, one that defines claude-iso.
func wrapperFile(path string) bool {
	name := filepath.Base(path)
	return name == scripts.FrameworkWrapper || slices.Contains(scripts.Wrappers, name)
}

// Overridden turns a finding that says claude-iso is defined, where the rc
// files take it away again, or define it as something else. An alias is in
// front of a function wherever it stands (bash(1), zshmisc(1)).
func Overridden(f *report.Finding, sh Shell, home string) {
	say := func(status report.Status, d shellrc.Def, summary string) {
		f.Worsen(status, false, summary)
		f.Evidence = append(f.Evidence, report.FileEvidence(d.Where(), summary))
		f.Remedies = append(f.Remedies, report.DocLink{Title: "remove the line, or put it where it does no harm",
			Target: d.Where()})
	}
	for _, d := range sh.Undone {
		switch {
		case d.Name != "claude-iso":
			say(report.Fail, d, opening.NotDefined+d.Value+" ends the rc file before the line that sources it")
		case d.Value != "":
			say(report.Fail, d, opening.NotDefined+d.Value+" removes it again")
		default:
			say(report.Warn, d, opening.OwnFunction)
		}
	}
	for _, d := range sh.Instead {
		if d.Value == "" || StartsIso(d, home) != "" {
			continue
		}
		words := shell.Words(d.Value, home)
		if len(words) > 0 && filepath.Base(words[0]) == claude.Program {
			say(report.Fail, d, "claude-iso is an alias that starts plain claude")
			continue
		}
		say(report.Warn, d, opening.OwnAlias)
	}
}
