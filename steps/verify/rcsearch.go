// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where start files let a shell look for programs is judged
// entry by entry: an empty or a relative one is wherever the shell is.

package verify

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// searchPaths are the variables that say where programs are looked for.
var searchPaths = []string{"PATH", "path", "fish_user_paths"}

// searchPath judges a line that sets one.
func (j *rcJudge) searchPath(d shellrc.Def) {
	before, _, _ := strings.Cut(strings.NewReplacer("${PATH}", "$PATH", "$path", "$PATH").Replace(d.Value), "$PATH")
	first := searched(strings.TrimSuffix(before, ":"), j.s.dirs)
	for _, path := range searched(d.Value, j.s.dirs) {
		switch {
		case !j.leads(path):
		case slices.Contains(first, path):
			j.add(report.Warn, d.Where(), path, "Your shell looks for programs in "+path+" first, and commands can put one there.")
		default:
			j.add(report.Warn, d.Where(), path, "Your shell looks in "+path+" for programs that are not installed, and commands can put one there.")
		}
	}
}

// searches notes the directories that a file adds to PATH and that commands may
// write: programs that are called by their names are looked for there too.
func (j *rcJudge) searches(d shellrc.Def) {
	if !slices.Contains(searchPaths, d.Name) {
		return
	}
	for _, path := range searched(d.Value, j.s.dirs) {
		if j.leads(path) && !slices.Contains(j.search, path) {
			j.search = append(j.search, path)
		}
	}
}

// expansion is a part of a word that only the running shell knows.
var expansion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\\$\\{[^}]*\\}|\\$\\([^)]*\\)|`[^`]*`") })

// searched are the directories in a value of PATH, or of a shell's list of them:
// an empty entry is the working directory, as a relative one is below it.
func searched(value string, dirs settings.Dirs) (list []string) {
	value = strings.NewReplacer("${HOME}", dirs.Home, "$HOME", dirs.Home, `"`, "", "'", "").Replace(value)
	value = expansion().ReplaceAllString(value, "$$x")
	separators := ":"
	if strings.HasPrefix(value, "(") || !strings.Contains(value, ":") { // of zsh, of fish
		separators = " \t\n"
	}
	entries := strings.FieldsFunc(strings.Trim(value, "()"), func(r rune) bool { return strings.ContainsRune(separators, r) })
	if separators == ":" {
		entries = strings.Split(value, ":")
	}
	for _, e := range entries {
		switch rest, home := strings.CutPrefix(e, "~/"); {
		case home:
			list = append(list, filepath.Join(dirs.Home, rest))
		case filepath.IsAbs(e):
			list = append(list, filepath.Clean(e))
		case !strings.ContainsAny(e, "$`*?(){}~"):
			list = append(list, filepath.Join(dirs.Start, e))
		}
	}
	return list
}
