// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the user's rc files run outside the sandbox, in the next
// shell and at the start of a session in either launch: the runtime starts the
// user's shell with them before it makes the sandbox (measured with 2.1.329 and
// 2.1.324). What they run, or have run later, lies where no command may write.

// Package rcfiles says what the user's rc files run, have run later and ask, and what of it lies
// where commands may write.
//
// Contract: a line is understood as harmless, or it is named with its place. No shell is
// started.
package rcfiles

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// otherRC are files that shells and desktops read at other times (bash(1),
// zsh(1), Xsession(5), labwc(1), openbox-session(1), uwsm(1), river(1), bspwm(1),
// herbstluftwm(1); Visual Studio Code, "Developing in WSL": the server's environment).
// The files of desktops for variables are lines of sh.
var otherRC = []string{".profile", ".bash_logout", ".zlogout", ".xprofile", ".xsessionrc", ".xinitrc", ".xsession",
	".Xsession", ".gnomerc",
	".vnc/xstartup", ".config/openbox/environment", ".config/openbox/autostart", ".config/labwc/environment",
	".config/labwc/autostart",
	".config/uwsm/env", ".config/river/init", ".config/bspwm/bspwmrc", ".config/herbstluftwm/autostart",
	".vscode-server/server-env-setup", ".kshrc", ".mkshrc"}

// Files are the rc files of iso.Shells, and what they source below the home; own are
// those that no other file sources, started the files that a shell would read if they
// were there.
func Files(r host.Reader) (files []shellrc.File, own, started []string) {
	type found struct {
		files        []shellrc.File
		own, started []string
	}
	f := host.Found(r, filesKey{}, func() found {
		files, own, started := findFiles(r)
		return found{files, own, started}
	})
	return f.files, f.own, f.started
}

type filesKey struct{}

func findFiles(r host.Reader) (files []shellrc.File, own, started []string) {
	user := shellrc.Of(r, r.Places().Home, r.System().Get)
	add := func(f shellrc.File) {
		if !slices.ContainsFunc(files, func(have shellrc.File) bool { return have.Path == f.Path }) {
			files = append(files, f)
		}
	}
	for _, kind := range iso.Shells(r) {
		scan := user.Scan(r, kind)
		own = slices.Concat(own, scan.Interactive, scan.Login)
		started = append(started, user.Loads(r, kind)...)
		for _, f := range scan.Files() {
			add(f)
		}
	}
	for _, name := range otherRC {
		path := filepath.Join(user.Home, name)
		started = append(started, path)
		if b, err := r.Read(path); err == nil {
			own = append(own, path)
			add(user.Read(shellrc.Bash, path, b))
		}
	}
	for _, path := range started { // fish's functions, completions of both
		kind := shellrc.Bash
		switch {
		case strings.HasSuffix(path, ".fish"):
			kind = shellrc.Fish
		case filepath.Base(path) != ".bash_completion" && filepath.Base(path) != "bash_completion" &&
			!strings.HasSuffix(filepath.Dir(path), shellrc.CompletionsOfBash):
			continue
		}
		if b, err := r.Read(path); err == nil {
			add(user.Read(kind, path, b))
		}
	}
	return files, own, started
}

// Openings lists what commands can change of what the rc files run.
func Openings(r host.Reader, s session.Settings) []opening.Opening {
	j := rcJudge{Ground: grants.Of(r, s)}
	files, own, read := Files(r)
	for _, path := range read { // also of what is not there yet
		if j.Leads(path) {
			j.add(report.Fail, path, path, opening.CanMake+path+", which your shell reads outside the sandbox.")
		}
	}
	for _, f := range files {
		for _, set := range f.Sets {
			j.searches(set)
			j.sets = append(j.sets, set)
		}
	}
	for _, f := range files {
		if j.Leads(f.Path) {
			j.add(report.Fail, f.Path, f.Path, "Commands can change "+f.Path+", which your shell runs outside the sandbox at "+
				"each start.")
			continue // its lines are no better than itself
		}
		started := slices.Contains(own, f.Path)
		j.sources(byArgument(f, started))
		for _, c := range f.Calls {
			j.call(f, c, started)
		}
		for _, set := range f.Sets {
			j.set(set)
		}
		for _, d := range slices.Concat(f.Aliases, f.Functions) {
			j.word(d)
		}
	}
	j.unasked(files)
	j.completed(files)
	j.plugins(files)
	j.texts(files)
	return j.found
}

// rcJudge judges rc files.
type rcJudge struct {
	grants.Ground
	found []opening.Opening
	// sets are the variables that the files set, of all of them.
	sets []shellrc.Def
	// later says that the line runs at a prompt, substitutes that zsh expands one.
	later, substitutes bool
}

// add notes an opening of both launches, one for each place and path.
func (j *rcJudge) add(status report.Status, where, path, opens string) {
	same := func(o opening.Opening) bool {
		return o.Where == where && (o.What == path || o.Status == status && path == "")
	}
	if slices.ContainsFunc(j.found, same) {
		return
	}
	o := opening.Opening{Status: status, Voids: status == report.Fail, Where: where, What: path, Opens: opens,
		Step: "let your shell run only what lies outside of projects: move the file to your home, or remove the line"}
	if path == "" {
		o.What, o.Group = where, opening.Unresolved
	}
	j.found = append(j.found, o)
}

// runs notes a path that is run from a line, if commands can change it.
func (j *rcJudge) runs(d shellrc.Def, path, how string) {
	if !j.Leads(path) {
		return
	}
	named := path
	if real := grants.RealPath(j.Host, path); real != path {
		named += " (" + real + ")"
	}
	j.add(report.Fail, d.Where(), path, "Your shell "+how+" "+named+opening.ChangedOutside)
}

// readers are programs that print files or what they are given: their output is
// no word of their own.
var readers = lazy.Regexp(`(^|[\s(|;&/` + "`" + `])(cat|head|tail|envsubst|base64|gpg|age|sops|curl|wget)\s`)

// asked are commands that a key runs, or the Tab key: a program that is written
// with its path, as `terraform -install-autocomplete` writes it, is not started
// for the files of the directory.
var asked = lazy.Regexp(`^(builtin |command )?(complete|bind) `)

// promptUser is the user's name in zsh, as a prompt shows it: powerlevel10k sources a
// file of that name in the first line that it writes into .zshrc.
const promptUser = "${(%):-%n}"

// call judges a line that runs when the file is read. That nobody knows what it
// evaluates is said of the user's own files alone: a shell framework is full of
// such lines.
func (j *rcJudge) call(f shellrc.File, c shellrc.Def, own bool) {
	c.Value = strings.ReplaceAll(c.Value, promptUser, "$USER")
	for _, m := range rcAssigned().FindAllStringSubmatch(c.Value, -1) { // for this command alone
		j.setHere(shellrc.Def{File: c.File, Line: c.Line, Name: m[1], Value: m[2]}, m[2])
	}
	code, known := commandline.Evaluates().MatchString(c.Value), false
	reach := commandline.Place(j.Ground).Line(c.Alone())
	for _, u := range reach.Uses {
		if j.later && (u.Kind == shell.Repository || strings.HasPrefix(u.By, "git ")) {
			continue // a prompt that shows the branch: gitConfigured
		}
		switch u.Kind {
		case shell.Unclear, shell.Chosen: // a program that is unknown says where it looks
		case shell.Writes:
			if o, yes := commandline.Copied(j.Ground, u, reach, c.Where()); yes {
				j.found = append(j.found, o)
			}
		case shell.Found:
			j.runs(c, u.Path, "runs")
		case shell.Reads, shell.Names, shell.Configures:
			if code && j.isFile(u, c.Value) {
				known = true
				j.runs(c, u.Path, "evaluates")
			}
		case shell.Decides:
			if strings.HasPrefix(u.By, "/") && asked().MatchString(c.Value) {
				continue
			}
			if u.Path == j.Session.Dirs.Start {
				j.add(report.Warn, c.Where(), u.Path, "Where your shell starts in the project, "+redact.Command(u.By)+
					runsItsFiles)
				continue
			}
			j.runs(c, filepath.Join(u.Path, "*"), "runs files of")
		default:
			j.runs(c, u.Path, "runs")
		}
	}
	for _, gap := range reach.Gaps {
		if m := begun().FindStringSubmatch(gap.Text); m != nil && gap.Program {
			j.runs(c, filepath.Join(j.Session.Dirs.Start, m[1], "*"), "runs programs of")
		}
	}
	if own && code && !known && len(reach.Gaps) > 0 && j.unresolved(f, c) && !sourcedHere(f, c) {
		j.add(report.Warn, c.Where(), "", "What your shell evaluates here is unknown: "+redact.Command(c.Value)+".")
	}
}

// runsItsFiles is what a program does where it is started in the project.
const runsItsFiles = " runs its files outside the sandbox."

// isFile says whether an argument is a file for sure: one that is there, or
// one that is written with a slash.
func (j *rcJudge) isFile(u shell.Use, line string) bool {
	_, behind, slashed := strings.Cut(line, "/"+filepath.Base(u.Path))
	if slashed && strings.IndexAny(behind+" ", " \t\n\"'`;&|<>()/") == 0 {
		return true
	}
	info, err := j.Host.Stat(u.Path)
	dotted := strings.HasPrefix(filepath.Base(u.Path), ".") && u.Kind == shell.Reads
	return u.By == "cat" || dotted || strings.Contains(line, "$(<") ||
		err == nil && info.Mode().IsRegular() && u.Kind == shell.Reads
}

// evaluated is a variable in a line.
var evaluated = lazy.Regexp(`\$\{?([A-Za-z_][A-Za-z0-9_]*)`)

// unresolved says whether nobody knows whose words a line evaluates. What an
// installed program prints (brew shellenv, direnv hook, starship init) is that
// program's own; what a file holds, or a variable of another origin, is not.
func (j *rcJudge) unresolved(f shellrc.File, c shellrc.Def) bool {
	text := c.Value
	if !strings.Contains(text, "$(") && !strings.Contains(text, "`") && !strings.Contains(text, "<(") {
		if f.Shell == shellrc.Fish { // as conda writes it: a start file has no arguments
			text = strings.ReplaceAll(text, "$argv", "")
		}
		m := evaluated().FindStringSubmatch(text)
		if m == nil {
			return false
		}
		text = ""
		for _, set := range f.Sets {
			if set.Name == m[1] && set.Line <= c.Line {
				text = set.Value
			}
		}
		if text = cmp.Or(text, j.elsewhere(m[1])); text == "" {
			return true
		}
	}
	return readers().MatchString(text)
}

// line judges a line that runs later.
func (j *rcJudge) line(d shellrc.Def, text, how string) {
	for _, u := range commandline.Place(j.Ground).Line(text).Uses {
		if u.Kind == shell.Runs || u.Kind == shell.Found {
			j.runs(d, u.Path, how)
		}
	}
}

// word judges an alias or a function. One in the place of a program, or that the
// shell runs by itself, is run unasked; another is the user's own word, and what
// it means in each directory is the user's wish.
func (j *rcJudge) word(d shellrc.Def) {
	text, place, status := cmp.Or(d.Value, d.Body), commandline.Place(j.Ground), report.Fail
	unasked := byItself(d.Name)
	if _, err := j.Host.Look(d.Name); err != nil && !unasked { // its own program
		status, place.Dir = report.Warn, place.Home
	}
	reach, word := place.Line(text), "The word "+d.Name+" of your shell runs "
	for _, u := range reach.Uses {
		if (u.Kind == shell.Runs || u.Kind == shell.Found) && j.Leads(u.Path) {
			j.add(status, d.Where(), u.Path, word+u.Path+opening.ChangedOutside)
		}
	}
	for _, gap := range reach.Gaps {
		if path := literalPath(gap.Text); unasked && path != "" && strings.Contains(gap.Why, "relative") {
			j.add(report.Fail, d.Where(), path, word+path+
				" of the directory that it is in, outside the sandbox, and commands can change it.")
		}
	}
}
