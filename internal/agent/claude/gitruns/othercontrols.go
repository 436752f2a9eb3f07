// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which lines of a repository's configuration start something, of
// each version control that is not git, from its manual.

package gitruns

import (
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// otherControl is a version control: what lies in a work tree of it, the files there that
// configure it, how they are read, and which settings start something.
type otherControl struct {
	program, dir string
	files        []string
	read         func(text string) (sets []otherSetting, understood bool)
	starts       func(key, value string) bool
}

// otherSetting is one setting, by the names of its sections and its own, and its line if that is
// known.
type otherSetting struct {
	line       int
	key, value string
}

// includes is the key of a line that includes a file.
const includes = "%include"

// otherControls are those whose configuration of a repository is text. fossil takes nothing
// that starts a program from .fossil-settings (2.21: editor, diff-command and pgp-command
// there were not run).
func otherControls() []otherControl {
	return []otherControl{
		{"hg", ".hg", []string{"hgrc", "hgrc-not-shared", "sharedpath/hgrc"}, iniSettings, hgStarts},
		{"sl", ".sl", []string{"config", "sharedpath/config"}, iniSettings, hgStarts},
		{"sl", ".git", []string{"sl/config"}, iniSettings, hgStarts},
		{"jj", ".jj", []string{"repo/config.toml", "workspace-config.toml"}, tomlSettings, jjStarts},
		{"darcs", "_darcs", []string{"prefs/defaults"}, darcsSettings, darcsStarts},
		{"bzr", ".bzr", []string{"branch/branch.conf"}, iniSettings, bzrStarts},
		{"pijul", ".pijul", []string{"config"}, tomlSettings, pijulStarts},
	}
}

// Lines of Mercurial's configuration (hg help config); those of Breezy are alike.
var (
	iniSection = lazy.Regexp(`^\s*\[+([^\[\]]+)\]`)
	iniItem    = lazy.Regexp(`^([^=\s][^=]*?)\s*=\s*(.*)$`)
	iniInclude = lazy.Regexp(`^%include\s+(.+?)\s*$`)
)

// iniSettings are the lines of sections and items, of which one that is indented goes on.
func iniSettings(text string) (sets []otherSetting, _ bool) {
	section, goesOn := "", false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t\r\v\f")
		indented := strings.TrimLeft(line, " \t") != line
		switch m := iniSection().FindStringSubmatch(line); {
		case line == "", strings.ContainsAny(line[:1], ";#"):
			continue
		case indented && goesOn:
			sets[len(sets)-1].value += "\n" + strings.TrimSpace(line)
			continue
		case m != nil:
			section, goesOn = strings.TrimSpace(m[1]), false
			continue
		}
		line, goesOn = strings.TrimSpace(line), false
		if m := iniInclude().FindStringSubmatch(line); m != nil {
			sets = append(sets, otherSetting{i + 1, includes, m[1]})
		} else if m := iniItem().FindStringSubmatch(line); m != nil {
			sets, goesOn = append(sets, otherSetting{i + 1, section + "." + m[1], m[2]}), true
		}
	}
	return sets, true
}

// hgNames are sections in which a name is no program.
var hgNames = lazy.Regexp(`^(paths|auth|color|templates?|templatealias|committemplate|revsetalias|filesetalias|` +
	`subpaths|hostsecurity|hostfingerprints|schemes|keyword\w*|commands)\.`)

var (
	hgRuns = lazy.Regexp(`^(hooks\.|extdiff\.|(merge|diff)-tools\.|encode\.|decode\.|pager\.pager$|email\.method$|` +
		`ui\.(editor|ssh|patch|debugger)$|hgk\.path$|fsmonitor\.watchman_exe$|remotefilelog\.cacheprocess$|` +
		`transplant\.filter$|profiling\.(type|output)$)`)
	hgMerges = lazy.Regexp(`^(ui\.merge|merge-patterns\..*)$`)
	hgWords  = lazy.Regexp(`!|\bdebug\w+|(^|\s)(-e|-t|-p|--(ssh|tool|config|program|daemon\S*|remotecmd|editor|command))`)
	programs = lazy.Regexp(`(^|[._:-])(\w*cmd|command|exec|exe|executable|executable-path|program|tool|editor|pager|` +
		`helper|script|filter|binary|ssh|askpass)$`)
)

// hgStarts says whether Mercurial, or Sapling, starts what a setting names. An extension with
// a name and no path is one that is installed; "!" switches one off.
func hgStarts(key, value string) bool {
	section, item, _ := strings.Cut(key, ".")
	name, _, _ := strings.Cut(item, ":")
	key = section + "." + name
	switch {
	case value == "", strings.HasPrefix(item, "priority."):
		return false
	case section == "extensions":
		return !strings.HasPrefix(value, "!") && !strings.Contains(item, ":")
	case section == "alias", section == "defaults":
		return hgWords().MatchString(value)
	case section == "subrepos":
		return strings.HasSuffix(item, ":allowed") && !strings.HasPrefix(item, "hg:")
	case hgMerges().MatchString(key):
		return !strings.HasPrefix(value, ":") && !strings.HasPrefix(value, "internal:")
	case hgRuns().MatchString(key):
		return true
	}
	return !hgNames().MatchString(key) && (programs().MatchString(item) || programs().MatchString(name))
}

var (
	jjRuns = lazy.Regexp(`(^|\.)(ui\.(pager|editor|diff-editor|merge-editor|diff-formatter|diff\.tool)|` +
		`merge-tools\.[^.]+\.(program|\w+-args)|fix\.tool)(\.|-|$)`)
	// jjNames are tables whose names the user gives.
	jjNames = lazy.Regexp(`(^|\.)(template-aliases|templates|revset-aliases|revsets|colors|hints|env)\.`)
	jjWords = lazy.Regexp(`(^|\.)(aliases\..*|ui\.default-command)$`)
	// jjSpawns are words of a command line of jj that start a program, or set what does.
	jjSpawns = lazy.Regexp(`(^|\s)(util\s+exec|--config\S*|--tool\S*)(\s|$)`)
)

// jjStarts says whether jj starts what a setting names; a name that begins with a colon is
// one of its own (jj help -k config).
func jjStarts(key, value string) bool {
	if jjWords().MatchString(key) {
		return jjSpawns().MatchString(value)
	}
	if strings.HasPrefix(value, ":") || jjNames().MatchString(key) {
		return false
	}
	return jjRuns().MatchString(key) || programs().MatchString(key) && value != ""
}

// maxTables bounds how deep tables of TOML are looked through: no setting lies that deep.
const maxTables = 16

// tomlSettings are the values of a document of TOML by their names; where they stand, lineIn says.
func tomlSettings(text string) (sets []otherSetting, understood bool) {
	var doc map[string]any
	if err := toml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, false
	}
	var walk func(key string, v any, deep int)
	walk = func(key string, v any, deep int) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if deep < maxTables {
					walk(strings.TrimPrefix(key+"."+name, "."), v[name], deep+1)
				}
			}
		case []any:
			var words []string
			for _, of := range v {
				if word, is := of.(string); is {
					words = append(words, word)
				} else if deep < maxTables {
					walk(key, of, deep+1)
				}
			}
			if words != nil {
				walk(key, strings.Join(words, " "), deep)
			}
		case string:
			sets = append(sets, otherSetting{0, key, v})
		}
	}
	walk("", doc, 0)
	return sets, true
}

// lineIn is the line of a key in TOML: of each of its names the next one that sets it, or else
// has it; the first where none can be told.
func lineIn(text, key string) int {
	lines, names, at := strings.Split(text, "\n"), strings.Split(key, "."), 0
	for _, name := range names[max(0, len(names)-maxTables):] {
		has := func(line string) bool { return strings.Contains(line, name) }
		if has(lines[at]) && strings.Contains(lines[at], "{") {
			continue // a table in this line
		}
		next := slices.IndexFunc(lines[at:], func(line string) bool {
			set, _, _ := strings.Cut(line, "=")
			return has(set)
		})
		if next < 0 {
			next = slices.IndexFunc(lines[at:], has)
		}
		at += max(0, next)
	}
	return at + 1
}

// darcsSettings are the lines COMMAND FLAG VALUE (darcs help environment).
func darcsSettings(text string) (sets []otherSetting, _ bool) {
	for i, line := range strings.Split(text, "\n") {
		if words := strings.Fields(line); len(words) > 2 && !strings.HasPrefix(words[0], "#") {
			flag := strings.TrimLeft(words[1], "-")
			sets = append(sets, otherSetting{i + 1, words[0] + " " + flag, strings.Join(words[2:], " ")})
		}
	}
	return sets, true
}

var darcsRuns = lazy.Regexp(` (prehook|posthook|diff-command|external-merge|sendmail-command|test|apply-as)$`)

func darcsStarts(key, _ string) bool { return darcsRuns().MatchString(key) }

// bzrRuns are settings of Bazaar and Breezy (bzr help configuration): a hook is the name of
// a function of Python.
var bzrRuns = lazy.Regexp(`(^|\.)(\w*_commit|\w*_command|\w*editor|post_commit_\w+|bzr\.mergetool\..*|external_merge|` +
	`mail_client|ssh)$`)

func bzrStarts(key, value string) bool { return value != "" && bzrRuns().MatchString(key) }

func pijulStarts(key, value string) bool {
	return strings.HasPrefix(key, "hooks.") || programs().MatchString(key) && value != ""
}
