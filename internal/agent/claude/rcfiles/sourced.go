// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a shell starts in projects, too: what its start files source by a
// relative path, a pattern or the directory that it is in, is a file of the project.

package rcfiles

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// sources judges what a file sources, also what is not there yet; sets are the
// variables that are set there.
func (j *rcJudge) sources(f shellrc.File, sets []shellrc.Def) {
	for _, ref := range slices.Concat(f.Sources, f.Maybe) {
		path := ref.Path
		if ref.Glob {
			path = pathname.BeforeWildcard(path) + "/*"
		}
		j.runs(shellrc.Def{File: ref.File, Line: ref.Line}, path, "sources")
	}
	for _, ref := range f.Dynamic { // relative: shells start in projects too
		if m := indirect().FindStringSubmatch(ref.Text); m != nil {
			for _, path := range j.namedBy(slices.Concat(sets, j.sets), m[1]) {
				j.runs(shellrc.Def{File: ref.File, Line: ref.Line}, path, "sources")
			}
		}
		path := literalPath(fromHere(ref.Text, slices.Concat(sets, j.sets)))
		if m := globHere().FindStringSubmatch(ref.Text); m != nil {
			path = m[1] + "*"
		}
		if path != "" {
			j.runs(shellrc.Def{File: ref.File, Line: ref.Line}, filepath.Join(j.Session.Dirs.Start, path), "sources")
		}
	}
}

// indirect is the value of the variable that another one names (bash(1), Parameter Expansion).
var indirect = lazy.Regexp(`^"?\$\{!([A-Za-z_][A-Za-z0-9_]*)\}"?$`)

// namedBy are the paths in the values of the variables that one names.
func (j *rcJudge) namedBy(sets []shellrc.Def, name string) (paths []string) {
	for _, outer := range sets {
		for _, set := range sets {
			if outer.Name == name && set.Name == strings.Trim(outer.Value, `"'`) {
				paths = append(paths, shell.Paths(set.Value, j.Session.Dirs.Home)...)
			}
		}
	}
	return paths
}

// argument is the directory of $0, which is the shell's own name in a start file: the directory that the shell is in
// (measured with zsh 5.9 and bash 5.2). Where zsh sources another file, it is that file's.
var argument = lazy.Regexp(`\$\(dirname (?:-- )?"?\$\{?0\}?"?\)|\$\{0:(?:[aA]:)?h\}`)

// byArgument is a file with $PWD in the place of that directory, and what it sets.
func byArgument(f shellrc.File, started bool) (shellrc.File, []shellrc.Def) {
	if !started && f.Shell != shellrc.Bash {
		return f, f.Sets
	}
	f.Dynamic, f.Sets = slices.Clone(f.Dynamic), slices.Clone(f.Sets)
	for i, ref := range f.Dynamic {
		f.Dynamic[i].Text = argument().ReplaceAllString(ref.Text, "$$PWD")
	}
	for i, set := range f.Sets {
		f.Sets[i].Value = argument().ReplaceAllString(set.Value, "$$PWD")
	}
	return f, f.Sets
}

// sourcedHere says whether the file is known to source what this line does: names that a loop goes through.
func sourcedHere(f shellrc.File, c shellrc.Def) bool {
	word, operand, _ := strings.Cut(c.Value, " ")
	at := func(ref shellrc.Ref) bool { return ref.Line == c.Line && ref.Text == strings.TrimSpace(operand) }
	return slices.Contains([]string{"source", "."}, word) && slices.ContainsFunc(f.Sources, at) &&
		!slices.ContainsFunc(f.Dynamic, at)
}

// byBrew are variables that "brew shellenv" sets (brew(1)).
var byBrew = []string{"HOMEBREW_PREFIX", "HOMEBREW_CELLAR", "HOMEBREW_REPOSITORY"}

// elsewhere is the value of a variable that the file itself does not set: another one does, or the environment, where
// it does not lead to what commands may write. "" if nobody knows.
func (j *rcJudge) elsewhere(name string) string {
	for _, set := range j.sets {
		if set.Name == name {
			return set.Value
		}
	}
	if value := j.Host.System().Get(name); filepath.IsAbs(value) && !j.Leads(value) || slices.Contains(byBrew, name) {
		return cmp.Or(value, name)
	}
	return ""
}

// globHere is a relative path with a wildcard in its last part.
var globHere = lazy.Regexp(`^["']?((?:[\w.@+-]+/)*)[\w.@+-]*[*?\[][^/]*$`)

// literalPath is a relative path that is written without anything to expand, ""
// otherwise.
func literalPath(text string) string {
	text = strings.Trim(text, `"'`)
	if text == "" || filepath.IsAbs(text) || strings.ContainsAny(text, "$`~*?[{(<") {
		return ""
	}
	return text
}

// here are ways to write the directory that a shell is in, or the root of the
// project there.
var here = lazy.Regexp("^\"?(?:\\$PWD|\\$\\{PWD\\}|(?:\\$?\\((?:realpath|readlink -f) \"?)?(?:\\$?\\(|`)" +
	"(?:command |builtin )?(?:pwd|git rev-parse --show-toplevel)[^)`]*[)`](?:\"?\\))?)(\"?/|\"?$)")

// fromHere is a word as a path from there, if it is one: it may begin with a
// variable that sets name.
func fromHere(text string, sets []shellrc.Def) string {
	if m := evaluated().FindStringSubmatchIndex(text); m != nil && m[0] <= 1 {
		for _, set := range sets {
			rest := strings.TrimPrefix(text[m[1]:], "}")
			switch {
			case set.Name != text[m[2]:m[3]]:
				continue
			case here().MatchString(set.Value):
				text = "$PWD" + rest
			case literalPath(set.Value) != "" && strings.Trim(rest, `"`) == "":
				text = set.Value
			}
			break
		}
	}
	return here().ReplaceAllString(text, "./")
}

var (
	// loops are what may take a file line by line: bash(1) and zsh(1), and the for of fish.
	loops = lazy.Regexp(`(?s)(?:[^\n;|&{]*\|\s*)?\bwhile\b.{0,500}?\bdone\b[^\n;]*|\bfor\b.{0,500}?\b(?:done|end)\b|` +
		`\b(?:mapfile|readarray)\b[^\n;]*.{0,200}`)
	// taken is the file, and handed where a line of it becomes a variable or a command.
	taken  = lazy.Regexp(`(?:<\s*|\bcat\s+)"?([^\s;"'|)(<]+)`)
	handed = lazy.Regexp(`\b(?:(?:export|(?:declare|typeset|set)\s+-\w*x\w*)\s+["(]*(?:string\s[^;\n]*)?\$|` +
		`eval\s[^;\n]*\$)`)
)

// maxLoop is how far from such a place its loop is looked for, in bytes.
const maxLoop = 600

// lineByLine judges a text that runs by itself, at a start or a prompt: whether it exports
// or evaluates the lines of a file of the directory.
func (j *rcJudge) lineByLine(d shellrc.Def, text string) {
	var around [][2]int // few: loops are searched there
	for _, hand := range handed().FindAllStringIndex(text, -1) {
		from, to := max(0, hand[0]-maxLoop), min(len(text), hand[1]+maxLoop)
		if n := len(around) - 1; n >= 0 && from <= around[n][1] {
			around[n][1] = to
			continue
		}
		around = append(around, [2]int{from, to})
	}
	for _, part := range around {
		for _, at := range loops().FindAllStringIndex(text[part[0]:part[1]], -1) {
			loop := text[part[0]+at[0] : part[0]+at[1]]
			if m := taken().FindStringSubmatch(loop); m != nil && besides(m[1]) && handed().MatchString(loop) {
				where := shellrc.Def{File: d.File, Line: d.Line + strings.Count(text[:part[0]+at[0]], "\n")}
				j.runs(where, filepath.Join(j.Session.Dirs.Start, strings.TrimPrefix(m[1], "$PWD/")),
					"exports or evaluates the lines of")
			}
		}
	}
}

// atStart is the text of a start file that runs when it is read: without comments, aliases
// and functions, in as many lines.
func (j *rcJudge) atStart(f shellrc.File) string {
	b, err := j.Host.Read(f.Path)
	if err != nil {
		return ""
	}
	text := string(b)
	for _, d := range f.Functions {
		if d.Body != "" {
			text = strings.Replace(text, d.Body, strings.Repeat("\n", strings.Count(d.Body, "\n")), 1)
		}
	}
	lines := strings.Split(text, "\n")
	for n, line := range lines {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") || strings.HasPrefix(line, "alias ") {
			lines[n] = ""
		}
	}
	return strings.Join(lines, "\n")
}
