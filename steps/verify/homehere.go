// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a relative path in the configuration of a program counts
// from where the program is started, and a user starts programs in the project.

package verify

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/report"
)

// hereText are patterns of relative paths: one that is written as such, and a
// file behind a word that reads it.
var hereText = sync.OnceValue(func() (p struct{ dotted, read *regexp.Regexp }) {
	p.dotted = regexp.MustCompile(`(?:^|[\s"'=(!;|&,{])(\.\.?/(?:\.\./)*\.?[\w@%+][^\s"'|;&)]*)`)
	p.read = regexp.MustCompile(`(?:^|[\s"'|{;])(?:so|source|source-file|luafile|pyfile|py3file|command script import|\\i|\.read)!?(?:\s+-\w+)*\s+["']?([\w.][\w./-]*)`)
	return p
})

// paneHere are tmux's names for directories that a user is in (tmux(1) FORMATS).
var paneHere = strings.NewReplacer("#{pane_current_path}", ".", "#{q:pane_current_path}", ".", "#{session_path}", ".",
	"#{pane_start_path}", ".")

// relative judges a line that runs what it names by a relative path.
func (j *homeJudge) relative(c rowText, path, where, text string) bool {
	if c.command != nil { // of which commandLine knows more, and ssh(1) includes from its own directory
		return false
	}
	text = paneHere.Replace(text)
	m, status := hereText().dotted.FindStringSubmatch(text), report.Fail
	if m == nil {
		m, status = hereText().read.FindStringSubmatch(text), report.Warn
	}
	if m == nil {
		return false
	}
	j.add(status, where, path, c.program+" runs "+m[1]+" of the directory in which it is started, outside the sandbox. "+
		"In the project, commands can put that there.")
	return true
}

// startDirs are the directories in which the commands of a file may start.
func (j *homeJudge) startDirs(c rowText, lines []configLine) []string {
	dirs := []string{j.s.dirs.Home}
	if c.here {
		dirs = append(dirs, j.s.dirs.Start)
	}
	if c.startsIn == nil {
		return dirs
	}
	for _, l := range lines {
		if m := c.startsIn.FindStringSubmatch(l.text); m != nil {
			set := strings.Trim(homeNamed().ReplaceAllString(strings.TrimSpace(m[1])+"/",
				strings.ReplaceAll(j.s.dirs.Home, "$", "$$")+"/"), `"'`)
			if rest, tilde := strings.CutPrefix(set, "~"); tilde {
				set = j.s.dirs.Home + rest
			}
			if dir := filepath.Clean(set); filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}
