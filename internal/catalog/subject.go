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
		at := strings.Index(toLower(line), phrase)
		if at < 0 {
			continue
		}
		list = append(list, before(line[:at])...)
		list = append(list, behind(line[at+len(phrase):])...)
	}
	if strings.Contains(text, "\n") && strings.Contains(toLower(text), phrase) && !slices.ContainsFunc(list,
		func(s string) bool { return strings.HasPrefix(s, "/") }) {
		for _, word := range strings.Fields(text) {
			if word = strings.Trim(word, "`'\"(),;:"); len(word) > 1 && word[0] == '/' {
				list = append(list, word)
			}
		}
	}
	return list
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
// colons. In front of a name stands the program of which it is a subcommand; unsure
// says that the names of other files stand there too.
var absent = []struct {
	before, behind, of string
	unsure             bool
}{
	{before: "command not found: "},              // zsh
	{before: "fish: Unknown command: "},          // fish
	{before: "Error: spawn ", behind: " ENOENT"}, // Node
	{behind: ": executable file not found in $"}, // Go
	{before: "|/usr/bin/env: ", behind: noSuchFile},
	{before: "|env: ", behind: noSuchFile},
	{before: "|make: ", behind: noSuchFile},
	{before: "|make[1]: ", behind: noSuchFile},
	{before: "|xargs: ", behind: noSuchFile},
	{before: "|Command ", behind: " not found, but can be installed with"},             // Ubuntu's command-not-found
	{before: "failed to run command ", behind: noSuchFile},                             // timeout, nohup, nice, stdbuf
	{before: "FileNotFoundError: [Errno 2] No such file or directory: ", unsure: true}, // Python's subprocess
	{before: neverExecuted, behind: " (never executed)"},                               // cargo
	{before: "Could not find ", behind: ".", unsure: true},                             // build scripts
	{before: "which: no ", behind: " in ("},
	{before: "|error: no such command: ", of: "cargo-", unsure: true},
	{before: "|git: ", behind: " is not a git command", of: "git-", unsure: true},
	{behind: " not found.  Did you forget to act"},     // pre-commit's hook
	{behind: ": command not found"},                    // bash
	{before: "sh: ", behind: ": not found"},            // dash
	{before: "#", behind: ": not found", unsure: true}, // dash, of a script: behind its name and a line number
}

const noSuchFile, neverExecuted = ": No such file or directory", "could not execute process "

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
		} else if a.before == neverExecuted {
			name, _, _ = strings.Cut(name, " ")
		}
		if name == "" || strings.ContainsAny(name, "/: \t") {
			return "", false
		}
		return a.of + name, !a.unsure
	}
	return "", false
}

// numbered is what stands behind "FILE: LINE: ".
func numbered(line string) (rest string, ok bool) {
	_, rest, _ = strings.Cut(line, ": ")
	number, rest, ok := strings.Cut(rest, ": ")
	return rest, ok && number != "" && strings.Trim(number, "0123456789") == ""
}

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
