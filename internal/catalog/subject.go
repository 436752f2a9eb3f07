// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of the paths in an error only the one it is about counts:
// the name of the script that reports it always exists.

package catalog

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/redact"
)

// Subjects returns what an error may be about: what stands right before the
// phrase ("cat: PATH: No such file", "cannot open 'PATH' for reading: …"), or
// quoted or alone right behind it ("…: 'PATH'", "…, open 'PATH'"). text is one
// line or a few; of a few, those that name a path in full are looked at last:
// some errors name it on a line of its own. The phrase is in lower case.
func Subjects(text, phrase string) []string {
	var list []string
	for line := range strings.Lines(text) {
		line = strings.NewReplacer("‘", "'", "’", "'", "`", "'").Replace(strings.TrimRight(line, "\r\n"))
		at := indexFold(line, phrase)
		if at < 0 {
			continue
		}
		list = append(list, before(line[:at])...)
		list = append(list, behind(line[at+len(phrase):])...)
	}
	if strings.Contains(text, "\n") && !slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, "/") }) {
		for _, word := range strings.Fields(text) {
			if word = strings.Trim(word, "`'\"(),;:"); len(word) > 1 && word[0] == '/' && indexFold(text, phrase) >= 0 {
				list = append(list, word)
			}
		}
	}
	return list
}

// indexFold is strings.Index without regard to the case of ASCII letters.
func indexFold(s, phrase string) int {
	for i := 0; i+len(phrase) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(phrase)], phrase) {
			return i
		}
	}
	return -1
}

func before(s string) []string {
	s = strings.TrimRight(s, " :(,")
	for _, suffix := range []string{" for reading", " for writing", ": Cannot open", ", error"} {
		s = strings.TrimSuffix(s, suffix)
	}
	if n := len(s); n > 0 && (s[n-1] == '\'' || s[n-1] == '"') {
		if open := strings.LastIndexByte(s[:n-1], s[n-1]); open >= 0 {
			return []string{s[open+1 : n-1]}
		}
	}
	// "cat: a file: ", or the last word of "open FILE: ".
	if i := strings.LastIndex(s, ": "); i >= 0 {
		s = s[i+2:]
	}
	return []string{s, s[strings.LastIndexByte(s, ' ')+1:]}
}

func behind(s string) []string {
	if open := strings.IndexAny(s[:min(len(s), 64)], `'"`); open >= 0 {
		if end := strings.IndexByte(s[open+1:], s[open]); end >= 0 {
			return []string{s[open+1 : open+1+end]}
		}
	}
	rest, ok := strings.CutPrefix(s, ": ")
	if ok || strings.HasPrefix(s, " /") {
		if words := strings.Fields(rest); len(words) > 0 {
			return words[:1]
		}
	}
	return nil
}

// ownerPhrase stands before the file whose owner ssh refuses.
const ownerPhrase = "bad owner or permissions on"

// OwnedIn returns the file whose owner an error refuses, "" if it names none.
func OwnedIn(text string) string {
	for _, s := range Subjects(text, ownerPhrase) {
		if strings.HasPrefix(s, "/") {
			return s
		}
	}
	return ""
}

// ProgramIn returns the program that was not found, without a directory: before
// ": command not found" (bash) or ": not found" (dash), behind "command not
// found: " (zsh) or "Unknown command: " (fish), or as env, Go and Node say it;
// "" if the text names none.
func ProgramIn(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	name := ""
	if _, rest, ok := strings.Cut(line, "command not found: "); ok {
		name = rest
	} else if _, rest, ok := strings.Cut(line, "fish: Unknown command: "); ok {
		name = rest
	} else if _, rest, ok := strings.Cut(line, "Error: spawn "); ok {
		name, _, _ = strings.Cut(rest, " ENOENT")
	} else if before, _, ok := strings.Cut(line, ": executable file not found in $PATH"); ok {
		name = strings.Trim(before[strings.LastIndexByte(before, ' ')+1:], `"`)
	} else if rest, ok := strings.CutPrefix(strings.TrimPrefix(line, "/usr/bin/"), "env: "); ok {
		if rest, ok = strings.CutSuffix(rest, ": No such file or directory"); ok {
			name = strings.Trim(rest, "‘’'`\"")
		}
	} else if rest, ok := strings.CutSuffix(line, ": command not found"); ok {
		name = rest[strings.LastIndexByte(rest, ' ')+1:]
	} else if rest, ok := strings.CutSuffix(line, ": not found"); ok && strings.Contains(rest, "sh: ") {
		name = rest[strings.LastIndexByte(rest, ' ')+1:]
	}
	if strings.ContainsAny(name, "/: \t") {
		return ""
	}
	return name
}

// SocketPath returns the path of a unix socket in an error: behind "unix://"
// or "dial unix "; "" if there is none.
func SocketPath(text string) string {
	for _, mark := range []string{"unix://", "dial unix "} {
		if _, rest, ok := strings.Cut(text, mark); ok {
			path := "/" + strings.TrimLeft(rest, "/")
			if end := strings.IndexAny(path, " :\"'\n"); end >= 0 {
				path = path[:end]
			}
			return strings.TrimRight(path, ".,)")
		}
	}
	return ""
}

// Pathlike says whether a word is more than a word: a bare one is more often a
// word than the name of a file of interest.
func Pathlike(s string) bool {
	return strings.Contains(s, "/") || strings.HasPrefix(s, ".") || CredentialFile(s)
}

// CredentialFile says whether a file's name speaks of keys or credentials.
func CredentialFile(base string) bool {
	ext := filepath.Ext(base)
	return slices.Contains([]string{".pem", ".key", ".p12", ".pfx", ".jks"}, ext) ||
		strings.HasPrefix(base, "id_") || redact.CredentialName(strings.TrimSuffix(base, ext))
}
