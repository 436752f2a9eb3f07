// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path of an rc file that commands may write is understood
// as harmless, or it is named. Whatever way a shell has to run it, the text
// says where it is.

package verify

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// maxNamed bounds the paths of a word or a variable.
const maxNamed = 16

// rcText are the patterns of what a line of an rc file names.
var rcText = sync.OnceValue(func() (p struct{ path, variable, assigned, set, between, before, one *regexp.Regexp }) {
	p.path = regexp.MustCompile(`/[^\s;|&<>()]*`)
	p.variable = regexp.MustCompile(`\$\{?(?:\([^)]*\))?([A-Za-z_][A-Za-z0-9_]*)(?:\[[^]]*\]|:[A-Za-z]+)*\}?|~([A-Za-z_][A-Za-z0-9_]*)(/)`) // zsh's hash -d is a word after ~
	p.assigned = regexp.MustCompile(`(~?[A-Za-z_][A-Za-z0-9_]*)\+?=(\([^)]*\)|[^\s;|&]*)`)
	p.set = regexp.MustCompile(`\bset\s+(?:-\S+\s+)*([A-Za-z_][A-Za-z0-9_]*)\s+([^;|&]*)`)
	p.between = regexp.MustCompile(`&&|\|\||[;&|]`)
	p.before = regexp.MustCompile("^(?:(?:if|then|else|elif|do|while|until|not|and|or|begin|time|!|builtin|command|export|declare|typeset|local|readonly)(?:\\s+-[A-Za-z]+)*\\s+|[{(]\\s*|" +
		"alias\\s+(?:-\\S+\\s+)*[\\w.:+-]+(?:=\\s*['\"]?|\\s+['\"])|(?:function\\s+)?[\\w.:+-]+\\s*\\(\\)\\s*|function\\s+\\S+\\s*|case\\s+\\S+\\s+in\\s*|[^\\s()$`'\"=]+\\)\\s*)")
	p.one = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)\+?=(?:\([^)]*\)?|"[^"]*"?|'[^']*'?|[^\s'"(])*\s*`)
	return p
})

// settled begin a command that runs nothing of the paths that it is given;
// running begin one that may, although no program is started.
var (
	settled = strings.Fields("cd pushd z j test [ [[ mkdir rmdir ls echo")
	running = strings.Fields("source . eval exec complete bind enable trap zle bindkey autoload zcompile compdef sched zmodload emulate repeat coproc mapfile readarray read noglob nocorrect - printf print")
)

// rcNames are the paths that rc files give to variables, for all of them: what
// one sets, those that it sources see.
type rcNames map[string][]string

// note notes what a line gives to variables.
func (j *rcJudge) note(names rcNames, text string) {
	text = unquoted(text)
	for _, m := range slices.Concat(rcText().assigned.FindAllStringSubmatch(text, -1), rcText().set.FindAllStringSubmatch(text, -1)) {
		for _, path := range j.named(names, m[2]) {
			if !slices.Contains(names[m[1]], path) && len(names[m[1]]) < maxNamed {
				names[m[1]] = append(names[m[1]], path)
			}
		}
	}
}

// unquoted is a text without what quotes: a word of which parts are quoted is
// one word.
func unquoted(text string) string {
	return strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(text)
}

// named lists the absolute paths that a text names, with their wildcards.
func (j *rcJudge) named(names rcNames, text string) (paths []string) {
	home := j.s.dirs.Home
	text = unquoted(text)
	if j.tilde == nil {
		j.tilde = regexp.MustCompile(`(^|[\s=:,(<>{-])~(` + regexp.QuoteMeta(filepath.Base(home)) + `)?(/|[\s;:)]|$)`)
	}
	texts := []string{j.tilde.ReplaceAllString(strings.NewReplacer("${HOME}", home, "$HOME", home).Replace(text), "${1}"+strings.ReplaceAll(home, "$", "$$")+"$3")}
	for i := 0; i < len(texts) && len(texts) < maxNamed; i++ {
		for _, m := range rcText().variable.FindAllStringSubmatch(texts[i], -1) {
			values := names[m[1]+m[2]]
			for _, value := range values {
				texts = append(texts, strings.Replace(texts[i], m[0], value+m[3], 1))
			}
			if values != nil {
				break // the next one in the texts that this gives
			}
		}
	}
	for _, text := range texts {
		for _, at := range rcText().path.FindAllStringIndex(text, -1) {
			if at[0] > 0 && (strings.ContainsRune("~}*].", rune(text[at[0]-1])) || isWord(text[at[0]-1])) {
				continue // within a word
			}
			for _, path := range braces(text[at[0]:at[1]], maxNamed) {
				for path := range strings.SplitSeq(path, ":") {
					if filepath.IsAbs(path) && len(paths) < maxNamed*maxNamed {
						paths = append(paths, filepath.Clean(path))
					}
				}
			}
		}
		for _, place := range j.places() { // with a space in its name
			if strings.Contains(place, " ") && strings.Contains(text, place) {
				paths = append(paths, place)
			}
		}
	}
	return paths
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// braces expands {a,b} in a word; a brace that nothing opened ends it.
func braces(word string, most int) []string {
	open := strings.IndexByte(word, '{')
	if end := strings.IndexByte(word, '}'); end >= 0 && (open < 0 || end < open) {
		return []string{word[:end]}
	}
	if open < 0 || most <= 0 {
		return []string{word}
	}
	inner, rest, closed := strings.Cut(word[open+1:], "}")
	if !closed {
		return []string{word[:open]}
	}
	var list []string
	for part := range strings.SplitSeq(inner, ",") {
		for _, one := range braces(word[:open]+part+rest, most/2) {
			if len(list) < most {
				list = append(list, one)
			}
		}
	}
	return list
}

// mayLead says whether a path, or one that its wildcards match, leads to where
// commands may write.
func (j *rcJudge) mayLead(path string) bool {
	base := beforeWildcard(path)
	if j.leads(base) {
		return true
	}
	if base == path {
		return false
	}
	parts := strings.Split(path, "/")
	return slices.ContainsFunc(j.places(), func(place string) bool {
		for i, name := range strings.Split(place, "/") {
			if i >= len(parts) {
				return false
			}
			if strings.Contains(parts[i], "**") {
				return true
			}
			if is, err := filepath.Match(parts[i], name); err == nil && !is {
				return false
			}
		}
		return true
	})
}

// texts warns of each path of the files' text that commands may write, that no
// other finding names, and that is not understood as harmless.
func (j *rcJudge) texts(files []shellrc.File) {
	names, lines := rcNames{}, map[string][]shellrc.Text{}
	for range 2 { // a file may be sourced before the one that sets its variables is known
		for _, f := range files {
			if lines[f.Path] == nil && !j.leads(f.Path) {
				if b, err := j.r.Read(f.Path); err == nil {
					lines[f.Path] = shellrc.Lines(f.Shell, b)
				}
			}
			for _, l := range lines[f.Path] {
				if strings.ContainsAny(l.Text, "/~$") {
					j.note(names, l.Text)
				}
			}
		}
	}
	for _, f := range files {
		for _, l := range lines[f.Path] {
			where := fmt.Sprintf("%s:%d", f.Path, l.Line)
			if !strings.ContainsAny(l.Text, "/~$") || slices.ContainsFunc(j.found, func(o opening) bool { return o.where == where }) {
				continue
			}
			piped := strings.Contains(strings.ReplaceAll(l.Text, "||", ""), "|")
			for _, part := range rcText().between.Split(l.Text, -1) {
				paths := j.named(names, part)
				i := slices.IndexFunc(paths, j.mayLead)
				if i < 0 || j.harmless(part, paths[i], f.Shell, piped) {
					continue
				}
				before := len(j.found)
				j.add(report.Warn, where, paths[i], "An rc file names "+paths[i]+", which commands may write. Whether your shell runs it outside the sandbox is not known.")
				if len(j.found) > before {
					j.found[before].group = openUnresolved
				}
			}
		}
	}
}

// harmless says whether a command of an rc file surely runs nothing of a path
// that it names.
func (j *rcJudge) harmless(part, path string, kind shellrc.Shell, piped bool) bool {
	for _, sign := range []string{"$(", "`", "<(", ">(", " =("} {
		if strings.Contains(part, sign) {
			return false
		}
	}
	if kind == shellrc.Fish && strings.Contains(part, "(") {
		return false
	}
	part = strings.TrimSpace(part)
	for {
		if m := rcText().before.FindString(part); m != "" {
			part = part[len(m):]
			continue
		}
		m := rcText().one.FindStringSubmatch(part)
		if m == nil {
			break
		}
		if claude.VariableOf(m[1]).Named {
			return false
		}
		part = part[len(m[0]):]
	}
	words := strings.Fields(strings.Trim(part, `'"`))
	switch {
	case len(words) == 0:
		return true
	case words[0] == "echo" && piped:
		return false
	case slices.Contains(settled, words[0]), words[0] == "hash" && len(words) > 1 && words[1] == "-d":
		return true
	case words[0] == "set", words[0] == "fish_add_path":
		words = slices.DeleteFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-") })
		return len(words) == 0 || !claude.VariableOf(words[0]).Named
	case slices.Contains(running, words[0]), piped:
		return false
	}
	reach := j.place().Line(strings.Trim(part, `'"`))
	return len(reach.Gaps) == 0 && !slices.ContainsFunc(reach.Uses, func(u shell.Use) bool {
		return u.Kind != shell.Reads && u.Kind != shell.Found && u.Kind != shell.Repository && (u.Path == path || below(u.Path, path) || below(path, u.Path))
	}) && slices.ContainsFunc(reach.Uses, func(u shell.Use) bool { return u.Kind == shell.Reads || u.Kind == shell.Repository })
}
