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
func Subjects(text, phrase string) (list []string) {
	for line := range strings.Lines(text) {
		line = strings.NewReplacer("‘", "'", "’", "'", "`", "'").Replace(strings.TrimRight(line, "\r\n"))
		at := indexFold(line, phrase)
		if at < 0 {
			continue
		}
		list = append(list, before(line[:at])...)
		list = append(list, behind(line[at+len(phrase):])...)
	}
	if strings.Contains(text, "\n") && !slices.ContainsFunc(list, func(s string) bool {
		return strings.HasPrefix(s, "/")
	}) {
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

// said stands between a path and the phrase.
var said = []string{" for reading", " for writing", ": Cannot open", " not accessible", ": Failed to open stream",
	": failed to open stream", ", error",
	" - open (30", " - open (13", ": (error: 30)", ": (error: 13)", " failed", ` (Errcode: 30 "`, ` (Errcode: 13 "`}

func before(s string) []string {
	s = strings.TrimRight(s, " :(,")
	for _, suffix := range said {
		s = strings.TrimSuffix(s, suffix)
	}
	if open := strings.LastIndexByte(s, '('); open >= 0 && strings.HasSuffix(s, ")") { // mkdir('PATH'), fopen(PATH)
		if inner := strings.Trim(s[open+1:len(s)-1], `'"`); strings.HasPrefix(inner, "/") || strings.HasPrefix(inner, "~/") {
			return []string{inner}
		}
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
	if rest, ok := strings.CutPrefix(s, " @ "); ok { // Ruby: " @ rb_sysopen - PATH (Errno::ENOENT)"
		_, path, _ := strings.Cut(rest, " - ")
		path, _, _ = strings.Cut(path, " (Errno::")
		return []string{path}
	}
	if open := strings.IndexAny(s[:min(len(s), 64)], `'"`); open >= 0 {
		if end := strings.IndexByte(s[open+1:], s[open]); end >= 0 {
			return []string{s[open+1 : open+1+end]}
		}
	}
	rest, ok := strings.CutPrefix(s, ": ")
	if ok || strings.HasPrefix(s, " /") {
		if words := strings.Fields(rest); len(words) > 0 {
			return []string{strings.TrimRight(words[0], ").,;")}
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

// absent is what stands before and behind the name of a program that is not
// there. Either may be empty; "|" is the start of the line, "#" a number between
// colons.
var absent = []struct{ before, behind string }{
	{"command not found: ", ""},              // zsh
	{"fish: Unknown command: ", ""},          // fish
	{"Error: spawn ", " ENOENT"},             // Node
	{"", ": executable file not found in $"}, // Go
	{"|/usr/bin/env: ", ": No such file or directory"},
	{"|env: ", ": No such file or directory"},
	{"|make: ", ": No such file or directory"},
	{"|make[1]: ", ": No such file or directory"},
	{"|xargs: ", ": No such file or directory"},
	{"|Command ", " not found, but can be installed with"},           // Ubuntu's command-not-found
	{"failed to run command ", ": No such file or directory"},        // timeout, nohup, nice, stdbuf
	{"FileNotFoundError: [Errno 2] No such file or directory: ", ""}, // Python's subprocess
	{"could not execute process ", " (never executed)"},              // cargo
	{"Could not find ", "."},                                         // build scripts
	{"which: no ", " in ("},
	{"|error: no such command: ", ""},          // cargo, of cargo-NAME
	{"|git: ", " is not a git command"},        // git, of git-NAME
	{"", " not found.  Did you forget to act"}, // pre-commit's hook
	{"", ": command not found"},                // bash
	{"sh: ", ": not found"},                    // dash
	{"#", ": not found"},                       // dash, of a script: behind its name and a line number
}

// ProgramIn returns the program that was not found, without a directory, as
// shells, env, make, xargs, Go, Node, Python and cargo say it; "" if the text
// names none. It is sure if the text speaks of no other file.
func ProgramIn(text string) (name string, sure bool) {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	for _, a := range absent {
		name, found := line, true
		if mark, start := strings.CutPrefix(a.before, "|"); start {
			name, found = strings.CutPrefix(line, mark)
		} else if mark == "#" {
			name, found = numbered(line)
		} else if mark != "" {
			_, name, found = strings.Cut(line, mark)
		}
		if !found {
			continue
		}
		if a.behind != "" {
			if name, _, found = strings.Cut(name, a.behind); !found {
				continue
			}
		}
		if name = strings.Trim(name, "‘’'`\" "); a.before == "" || a.before == "sh: " {
			name = strings.Trim(name[strings.LastIndexByte(name, ' ')+1:], "‘’'`\"")
		} else if a.before == "could not execute process " {
			name, _, _ = strings.Cut(name, " ")
		} else if prefix := subcommands[a.before]; prefix != "" {
			name = prefix + name
		}
		if name == "" || strings.ContainsAny(name, "/: \t") {
			return "", false
		}
		return name, !slices.Contains(unsure, a.before)
	}
	return "", false
}

// numbered is what stands behind "FILE: LINE: ".
func numbered(line string) (rest string, ok bool) {
	_, rest, _ = strings.Cut(line, ": ")
	number, rest, ok := strings.Cut(rest, ": ")
	return rest, ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// subcommands are programs that begin with the name of another.
var subcommands = map[string]string{"|error: no such command: ": "cargo-", "|git: ": "git-"}

// unsure are the marks that stand before the names of other files too.
var unsure = []string{"FileNotFoundError: [Errno 2] No such file or directory: ", "Could not find ", "|git: ",
	"|error: no such command: ", "#"}

// SocketPath returns the path of a unix socket in an error: behind "unix://",
// "dial unix " or "server on socket "; "" if there is none.
func SocketPath(text string) string {
	for _, mark := range []string{"unix://", "dial unix ", `server on socket "`} {
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

// Elided says whether a path was shortened by whoever wrote it down.
func Elided(path string) bool { return slices.Contains(strings.Split(path, "/"), "...") }

// modes are the acts to which the kernel answers EACCES for owner and mode alone
// (path_resolution(7)): a read-only mount answers EROFS to them.
var modes = strings.Split("mkdir|rmdir|unlink|rename|symlink|cannot create directory|cannot remove|cannot move|"+
	"failed to create directory|could not create directory|unable to create directory|failed to remove|"+
	"creating directory", "|")

// ByMode says whether an error that ends in "Permission denied" is about making,
// moving or removing a file, or about running one.
func ByMode(line string) bool {
	line = toLower(line)
	if slices.ContainsFunc(modes, func(act string) bool { return strings.Contains(line, act) }) {
		return true
	}
	_, rest, found := strings.Cut(line, "permission denied: ")
	return strings.Contains(line, ": ./") && strings.Contains(line, "sh: ") || strings.Contains(line, "\"./") ||
		found && strings.HasPrefix(rest, "./")
}
