// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where start files let a shell look for programs is judged
// entry by entry: an empty or a relative one is wherever the shell is. A shell
// takes what lies in the directory that it is in not by source alone: the name
// of a program begins with a path, a variable names a file, a setting lets a
// plugin do it without asking.

package rcfiles

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/dotfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// searchPaths are the variables that say where programs are looked for.
var searchPaths = []string{"PATH", "path", "fish_user_paths"}

// searchPath judges a line that sets one.
func (j *rcJudge) searchPath(d shellrc.Def) {
	value := pathValue(d)
	before, _, _ := strings.Cut(strings.NewReplacer("${PATH}", "$PATH", "$path", "$PATH").Replace(value), "$PATH")
	first := searched(strings.TrimSuffix(before, ":"), j.Session.Dirs)
	for _, path := range searched(value, j.Session.Dirs) {
		switch {
		case !j.Leads(path):
		case slices.Contains(first, path):
			j.add(report.Warn, d.Where(), path, "Your shell looks for programs in "+path+
				" first, and commands can put one there.")
		default:
			j.add(report.Warn, d.Where(), path, "Your shell looks in "+path+
				" for programs that are not installed, and commands can put one there.")
		}
	}
}

// searches notes the directories that a file adds to PATH and that commands may
// write: programs that are called by their names are looked for there too.
func (j *rcJudge) searches(d shellrc.Def) {
	if !slices.Contains(searchPaths, d.Name) {
		return
	}
	for _, path := range searched(pathValue(d), j.Session.Dirs) {
		if j.Leads(path) && !slices.Contains(j.Search, path) {
			j.Search = append(j.Search, path)
		}
	}
}

// pathValue is what a line makes of PATH, with "$PATH" for what was there where
// it appends. zsh's path is a list, and a word is an entry more.
func pathValue(d shellrc.Def) string {
	list, isList := strings.CutPrefix(d.Value, "(")
	switch {
	case !d.Append:
		return d.Value
	case isList:
		return "($PATH " + list
	case d.Name == "path":
		return "$PATH " + d.Value
	}
	return "$PATH" + d.Value
}

// unexpanded is a value with by for each part that only the running shell
// knows: a command substitution, an expansion in braces.
func unexpanded(value, by string) string {
	var b strings.Builder
	for i := 0; i < len(value); {
		if n := expansion(value[i:]); n > 0 {
			b.WriteString(by)
			i += n
			continue
		}
		b.WriteByte(value[i])
		i++
	}
	return b.String()
}

// expansion is the length of the one that a text begins with, 0 if it does not.
// One without an end reaches to the end of the text.
func expansion(text string) int {
	switch {
	case strings.HasPrefix(text, "$("):
		return 2 + closing(text[2:], ')')
	case strings.HasPrefix(text, "${"):
		return 2 + closing(text[2:], '}')
	case strings.HasPrefix(text, "`"):
		if i := strings.IndexByte(text[1:], '`'); i >= 0 {
			return i + 2
		}
		return len(text)
	}
	return 0
}

// closing is where what text begins within is over, behind its last character:
// quotes and what is nested in it do not end it.
func closing(text string, last byte) int {
	quoted := false
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\\':
			i += 2
		case c == '"':
			quoted = !quoted
			i++
		case c == '\'' && !quoted && last == ')':
			_, rest, _ := strings.Cut(text[i+1:], "'")
			i = len(text) - len(rest)
		case expansion(text[i:]) > 0:
			i += expansion(text[i:])
		case c == '(' && !quoted && last == ')':
			i += 1 + closing(text[i+1:], ')')
		case c == last && !quoted:
			return i + 1
		default:
			i++
		}
	}
	return len(text)
}

// searched are the directories in a value of PATH, or of a shell's list of them:
// an empty entry is the working directory, as a relative one is below it.
func searched(value string, dirs settings.Dirs) (list []string) {
	value = strings.NewReplacer("${HOME}", dirs.Home, "$HOME", dirs.Home, `"`, "", "'", "",
		"${PWD}", ".", "$PWD", ".", "$(pwd)", ".", "`pwd`", ".").Replace(value)
	value = unexpanded(value, "$x")
	separators := ":"
	if strings.HasPrefix(value, "(") || !strings.Contains(value, ":") { // of zsh, of fish
		separators = " \t\n"
	}
	entries := strings.FieldsFunc(strings.Trim(value, "()"), func(r rune) bool {
		return strings.ContainsRune(separators, r)
	})
	if separators == ":" {
		entries = strings.Split(value, ":")
	}
	for _, e := range entries {
		switch at, home := pathname.Expand(e, dirs.Home); {
		case home:
			list = append(list, filepath.Clean(at))
		case filepath.IsAbs(e):
			list = append(list, filepath.Clean(e))
		case !strings.ContainsAny(e, "$`*?(){}~"):
			list = append(list, filepath.Join(dirs.Start, e))
		}
	}
	return list
}

// emptyEntry notes a list of directories that has an empty entry where the variable was not set before, as
// "/opt/lib:$LD_LIBRARY_PATH" has one: whoever wrote it meant no directory of the project.
func (j *rcJudge) emptyEntry(d shellrc.Def, status report.Status, path string) {
	n := len(j.found)
	j.add(status, d.Where(), path, d.Name+" gets an empty entry here, which means the working directory: it "+
		dotfiles.KnownEffect(d.Name)+", and commands can write there.")
	if len(j.found) > n {
		j.found[n].Step = `append the old value only where there is one: "…${` + d.Name + ":+:$" + d.Name + `}"`
	}
}

// begun is a program whose path begins with a relative directory: only the
// running shell knows the rest.
var begun = lazy.Regexp("^[\"']?([\\w.@+%-]+(?:/[\\w.@+%-]+)*)/[\"']?[\"'$`*?{]")

// inShell is a variable in a value.
var inShell = lazy.Regexp(`^\$\w+`)

// withoutUnknown is the value of a variable that names files, and the paths of the commands in it: what the
// running shell puts in the place of a variable begins a whole path, as in "$XDG_CONFIG_HOME/x", unless it is
// the directory.
func withoutUnknown(value string) (text string, inside []string) {
	var b strings.Builder
	for i := 0; i < len(value); {
		n := expansion(value[i:])
		if n == 0 {
			n = len(inShell().FindString(value[i:]))
		}
		switch part := value[i : i+n]; {
		case n == 0:
			n = 1
			b.WriteByte(value[i])
		case here().MatchString(part):
			b.WriteByte('.')
		default:
			b.WriteString("/-")
			if !strings.HasPrefix(part, "$") || strings.HasPrefix(part, "$(") {
				inside = append(inside, named(part)...)
			}
		}
		i += n
	}
	return b.String(), inside
}

// named are the words of a command that are written as paths.
func named(command string) []string {
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`()=", r) })
	return slices.DeleteFunc(words, func(word string) bool {
		return strings.Contains(word, "$") || !strings.Contains(word, "/") && !strings.HasPrefix(word, ".")
	})
}

// setHere judges a variable that leads to a file of the directory.
func (j *rcJudge) setHere(d shellrc.Def, value string) {
	path := literalPath(value)
	if !claude.VariableOf(d.Name).Named && claude.HoldsOf(d.Name) != claude.HoldsPath ||
		strings.ContainsAny(path, " \t:") || !strings.HasPrefix(path, ".") && !strings.Contains(path, "/") {
		return
	}
	if full := filepath.Join(j.Session.Dirs.Start, path); path != "" && j.Leads(full) {
		j.add(report.Warn, d.Where(), full, dotfiles.LeadsHere(d.Name, path))
	}
}

// completed judges the functions that the Tab key calls: nobody who types half a word
// asks for what they run.
func (j *rcJudge) completed(files []shellrc.File) {
	user := shellrc.User{Home: j.Session.Dirs.Home, Getenv: j.Host.System().Get}
	words := map[string]bool{}
	for _, f := range files {
		for _, c := range f.Calls {
			if word, rest, _ := strings.Cut(c.Value, " "); slices.Contains([]string{"complete", "compdef", "compctl"}, word) {
				for _, name := range allNames().FindAllString(rest, -1) {
					words[name] = true
				}
			}
		}
	}
	for _, f := range files {
		for _, d := range f.Functions {
			if !words[d.Name] || d.Body == "" || j.Leads(f.Path) {
				continue
			}
			for _, c := range f.Inside(user, d).Calls {
				j.line(c, c.Alone(), "runs, for the Tab key,")
				for _, u := range commandline.Place(j.Ground).Line(c.Alone()).Uses {
					if u.Kind == shell.Decides && j.Leads(filepath.Join(u.Path, commandline.AnyFile)) {
						j.add(report.Warn, c.Where(), u.Path, "For the Tab key in the project, "+redact.Command(u.By)+runsItsFiles)
					}
				}
			}
		}
	}
}
