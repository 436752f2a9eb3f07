// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path that a text names is found in whatever spelling: by
// the home, by variables, with wildcards, in braces, in lists.

package grants

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// MaxNamed bounds the paths of a word or a variable.
const MaxNamed = 16

// NamedBy are the paths that variables of a text may hold.
type NamedBy map[string][]string

// namedText are the patterns of what a text names.
var (
	namedPath     = lazy.Regexp(`/[^\s;|&<>()]*`)
	namedVariable = lazy.Regexp(`\$\{([A-Za-z_][A-Za-z0-9_]*)[-=?+:%#^,/@][^{}]*\}` + // whatever is done with the value
		`|\$\{?(?:\([^)]*\))?([A-Za-z_][A-Za-z0-9_]*)(?:\[[^]]*\]|:[A-Za-z]+)*\}?` +
		`|~([A-Za-z_][A-Za-z0-9_]*)(/)`) // zsh's hash -d is a word after ~
)

// Unquoted is a text without what quotes: a word of which parts are quoted is
// one word.
func Unquoted(text string) string {
	return strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(text)
}

// Named lists the absolute paths that a text names, with their wildcards.
func (g Ground) Named(names NamedBy, text string) (paths []string) {
	home := g.Session.Dirs.Home
	text = Unquoted(text)
	texts := []string{g.Tilde.ReplaceAllString(strings.NewReplacer("${HOME}", home, "$HOME", home).Replace(text), "${1}"+
		strings.ReplaceAll(home, "$", "$$")+"$3")}
	for i := 0; i < len(texts) && len(texts) < MaxNamed; i++ {
		for _, m := range namedVariable().FindAllStringSubmatch(texts[i], -1) {
			values := names[m[1]+m[2]+m[3]]
			for _, value := range values {
				texts = append(texts, strings.Replace(texts[i], m[0], value+m[4], 1))
			}
			if values != nil {
				break // the next one in the texts that this gives
			}
		}
	}
	for _, text := range texts {
		for _, at := range namedPath().FindAllStringIndex(text, -1) {
			if at[0] > 0 && (strings.ContainsRune("~}*].", rune(text[at[0]-1])) || IsWord(text[at[0]-1])) {
				continue // within a word
			}
			for _, path := range braces(text[at[0]:at[1]], MaxNamed) {
				for path := range strings.SplitSeq(path, ":") {
					if filepath.IsAbs(path) && len(paths) < MaxNamed*MaxNamed {
						paths = append(paths, filepath.Clean(path))
					}
				}
			}
		}
		for _, place := range g.Places() { // with a space in its name
			if strings.Contains(place, " ") && strings.Contains(text, place) {
				paths = append(paths, place)
			}
		}
	}
	return paths
}

// IsWord says whether c may stand in a name.
func IsWord(c byte) bool {
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

// MayLead says whether a path, or one that its wildcards match, leads to where
// commands may write.
func (g Ground) MayLead(path string) bool {
	base := pathname.BeforeWildcard(path)
	return g.Leads(base) || base != path && slices.ContainsFunc(g.Places(), func(place string) bool {
		return HoldsPath(place, path)
	})
}
