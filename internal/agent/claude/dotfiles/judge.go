// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program of the user's runs outside the sandbox, and so
// does what its configuration names. Neither the configuration nor what it
// starts lies where commands may write; a path that is only named is told apart.

package dotfiles

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// How far configuration is looked through: files of one row, how deep they
// include and lie, bytes of one, and characters of a line.
const (
	maxConfigs     = 1000
	maxConfigDepth = 4
	maxConfigSize  = 1 << 20
	maxConfigLine  = 8 << 10
)

// homeJudge judges the configuration of other programs.
type homeJudge struct {
	grants.Ground
	seen []string
	// missing is a file of the row that is not there, and that commands can create.
	missing string
	// dirs are where the commands of a file are started.
	dirs  []string
	found []opening.Opening
}

// Openings lists what of the configuration of the user's own programs
// commands can change, and what of it leads to where they may write. It matters
// outside of any session, so it counts for both launches.
func Openings(r host.Reader, s session.Settings) []opening.Opening {
	j := &homeJudge{Ground: grants.Of(r, s)}
	for _, row := range configurations() {
		var files []string
		j.missing = ""
		for _, pattern := range row.files {
			files = j.expand(files, pattern)
		}
		switch {
		case len(files) > 0:
		case j.missing == "":
			continue
		default:
			files = []string{j.missing}
		}
		for _, path := range files {
			j.file(row, path, 0)
		}
	}
	j.stored()
	j.direnv()
	j.others()
	return j.found
}

// file judges one file: where it lies, then its lines.
func (j *homeJudge) file(c configured, path string, depth int) {
	real := grants.RealPath(j.Host, path)
	if depth > maxConfigDepth || slices.Contains(j.seen, real) {
		return
	}
	j.seen = append(j.seen, real)
	if j.Leads(path) {
		named := path
		if real != path {
			named += " (" + real + ")"
		}
		j.add(report.Fail, path, path, opening.CanMake+named+", which "+c.program+" reads or runs outside the sandbox.")
		return
	}
	if c.closed {
		return
	}
	info, err := j.Host.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxConfigSize {
		return
	}
	b, err := j.Host.Read(path)
	if err != nil || bytes.ContainsRune(b, 0) {
		return
	}
	text := string(b)
	if c.universal {
		text = universal(text)
	}
	lines := configLines(c, text)
	j.dirs = j.startDirs(c, lines)
	for _, l := range lines {
		where := fmt.Sprintf("%s:%d", path, l.number)
		if n := len(j.found); is(c.anywhere, l.text) {
			j.add(report.Warn, where, path, "This line lets "+c.program+" run configuration of the directory that it starts "+
				"in, outside the sandbox. Commands can put one into the project.")
			if len(j.found) > n { // it names no path
				j.found[n].Step = "remove the line, so that only your own configuration is run"
			}
		}
		if !slices.ContainsFunc(j.found, func(o opening.Opening) bool { return o.Where == where }) {
			j.line(c, path, where, l, depth)
		}
	}
	if !c.remote {
		j.sets(c, path, text)
	}
}

// line judges one line by the paths that it names.
func (j *homeJudge) line(c configured, path, where string, l configLine, depth int) {
	text, whole := l.text, strings.TrimSpace(l.of+" "+l.text)
	if c.data != "" {
		if l.of != "" && lazy.Compiled(c.data).MatchString(l.of) {
			return
		}
		text = lazy.Compiled(c.data).ReplaceAllString(text, " ")
	}
	if is(c.spliced, l.text) {
		j.add(report.Warn, where, path, c.program+" puts the name of a file into the words of a shell here: a command may "+
			"call a file $(x), which then runs x outside the sandbox.")
		return
	}
	runs := is(c.runs, whole) && !is(c.later, l.text) && !is(c.later, l.of)
	if c.here && runs && j.relative(c, path, where, text) {
		return
	}
	if !strings.ContainsAny(text, "/~") && c.command == "" {
		return
	}
	paths := j.paths(text, filepath.Dir(path))
	if is(c.trusts, whole) {
		i := slices.IndexFunc(paths, func(p string) bool {
			return j.Leads(p) || pathname.Within(j.Session.Dirs.Start, grants.RealPath(j.Host, pathname.BeforeWildcard(p)))
		})
		if i >= 0 {
			j.add(report.Fail, where, paths[i], "This line lets "+c.program+" run what lies below "+paths[i]+
				" without asking, outside the sandbox, and commands can write there.")
			return
		}
	}
	if is(c.includes, whole) {
		for _, p := range paths {
			for _, file := range j.glob(nil, "/", strings.TrimPrefix(p, "/")) {
				if !j.Leads(file) {
					j.file(c, file, depth+1)
				}
			}
		}
	}
	if c.variables {
		j.variable(c, where, text)
		return
	}
	if c.command != "" {
		if at := lazy.Compiled(c.command).FindStringIndex(text); at != nil {
			for _, dir := range j.dirs {
				j.commandLine(c, where, text[at[1]:], dir)
			}
			return
		}
	}
	i := slices.IndexFunc(paths, j.MayLead)
	switch {
	case i < 0:
	case runs:
		j.add(report.Fail, where, paths[i], c.program+" runs "+paths[i]+
			", or reads it as configuration, outside the sandbox, and commands can change it.")
	default:
		j.names(c, where, paths[i])
	}
}

// names warns of a path of which it is unknown what it is for.
func (j *homeJudge) names(c configured, where, path string) {
	before := len(j.found)
	j.add(report.Warn, where, path, "The configuration of "+c.program+" names "+path+
		", which commands can write. Whether "+c.program+" runs it outside the sandbox is unknown.")
	if len(j.found) > before {
		j.found[before].Group = opening.Unresolved
	}
}

// startedIn is where a command line is that a program starts in a directory.
func (j *homeJudge) startedIn(dir string) shell.Place {
	return shell.Place{Home: j.Session.Dirs.Home, Dir: dir, Agent: iso.InShell, Look: j.Look, Getenv: j.Host.System().Get}
}

// commandLine judges a command that a program starts in a directory.
func (j *homeJudge) commandLine(c configured, where, text, dir string) {
	text = strings.TrimSpace(j.atHome(text))
	for _, quote := range []string{`"`, "'"} {
		if strings.Count(text, quote)%2 == 1 {
			text = strings.TrimSuffix(text, quote)
		}
	}
	known := map[string]bool{}
	for _, u := range j.startedIn(dir).Line(text).Uses {
		path, status := u.Path, report.Fail
		switch u.Kind {
		case shell.Runs, shell.Found:
		case shell.Decides, shell.Configures, shell.Repository:
			if c.here && (u.Kind == shell.Repository || strings.HasPrefix(u.By, "git ")) {
				continue // a prompt that shows the branch
			}
			if c.here {
				status = report.Warn
			}
			path = filepath.Join(path, commandline.AnyFile)
		case shell.Reads:
			known[u.Path] = true
			continue
		default:
			continue
		}
		if j.Leads(path) {
			j.add(status, where, u.Path, c.program+" runs "+redact.Command(u.Path)+opening.ChangedOutside)
			return
		}
	}
	for _, path := range j.paths(text, j.Session.Dirs.Home) {
		if j.MayLead(path) && !known[path] {
			j.names(c, where, path)
			return
		}
	}
}

// variable judges a line that sets one for every program of the login.
func (j *homeJudge) variable(c configured, where, text string) {
	name := strings.TrimLeft(text, " \t")
	if i := strings.IndexFunc(name, func(r rune) bool { return r == '=' || r == ' ' || r == '\t' || r == '+' }); i > 0 {
		name, text = name[:i], name[i+1:]
	}
	paths := j.paths(text, j.Session.Dirs.Home)
	i := slices.IndexFunc(paths, j.MayLead)
	switch {
	case i < 0:
	case name == "PATH":
		j.add(report.Warn, where, paths[i], "PATH includes "+paths[i]+", and commands can put a program there.")
	case commandline.LoadsInto(name) != "" && !commandline.NoCode(name):
		j.add(report.Fail, where, paths[i], commandline.WritableAnd(name, paths[i], commandline.LoadsInto(name)))
	case claude.VariableOf(name).Named:
		j.names(c, where, paths[i])
	}
}

// add notes an opening of both launches, one for each place.
func (j *homeJudge) add(status report.Status, where, path, opens string) {
	if slices.ContainsFunc(j.found, func(o opening.Opening) bool { return o.Where == where }) {
		return
	}
	j.found = append(j.found, opening.Opening{Status: status, Voids: status == report.Fail, Where: where, What: path,
		Opens: opens, Step: "let it name only paths outside projects, or add the path to " + claude.KeyDenyWrite.String()})
}
