// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command is looked at only to keep a hint back, never to
// give one, so that a rough reading of shell grammar is enough.

package hook

import (
	"path/filepath"
	"slices"
	"strings"
)

// Programs that print what others wrote: an error in their output need not be
// one of theirs.
var quoting = []string{"cat", "bat", "head", "tail", "less", "more", "nl", "tac", "grep", "egrep", "fgrep", "zgrep",
	"rg", "ag",
	"sed", "awk", "cut", "sort", "uniq", "wc", "find", "fd", "ls", "tree", "man", "jq", "yq", "strings", "diff", "column",
	"tee", "xxd", "od", "echo", "printf", "cd", "pwd", "true", "test", "[", "for", "done", "fi", "read"}

// Words that stand before the name of a program.
var leading = []string{"do", "then", "else", "if", "while", "until", "!", "time", "command"}

// Subcommands of git that print what others wrote.
var gitQuoting = []string{"log", "show", "diff", "grep", "blame"}

// Programs that run something in another file system or on another machine.
var away = []string{"docker", "podman", "nerdctl", "kubectl", "ssh", "scp", "sftp", "rsync", "vagrant", "adb", "chroot",
	"nsenter", "unshare", "bwrap", "lxc", "machinectl", "systemd-nspawn"}

// quotes says whether a command consists of nothing but programs that print
// what others wrote.
func quotes(command string) bool {
	command = command[:min(len(command), maxRaw)]
	if strings.Contains(command, "$(") || strings.Contains(command, "`") {
		return false
	}
	only := false
	for part := range strings.FieldsFuncSeq(bare(command), func(r rune) bool {
		return strings.ContainsRune("|&;\n(){}", r)
	}) {
		words := strings.Fields(part)
		for len(words) > 0 && (slices.Contains(leading, words[0]) || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if words[0] == "sed" && len(words) > 1 && strings.HasPrefix(words[1], "-i") {
			return false
		}
		git := words[0] == "git" && len(words) > 1 && slices.Contains(gitQuoting, words[1])
		if !git && !slices.Contains(quoting, filepath.Base(words[0])) {
			return false
		}
		only = true
	}
	return only
}

// elsewhere says whether a command runs something whose paths and ports are
// not those of this machine.
func elsewhere(command string) bool {
	for word := range strings.FieldsFuncSeq(command[:min(len(command), maxRaw)], func(r rune) bool {
		return strings.ContainsRune(" \t\n|&;(){}`'\"", r)
	}) {
		if slices.Contains(away, filepath.Base(word)) {
			return true
		}
	}
	return false
}

// bare takes out what stands in quotes.
func bare(command string) string {
	var b strings.Builder
	for {
		open := strings.IndexAny(command, `'"`)
		if open < 0 {
			break
		}
		b.WriteString(command[:open] + "_")
		end := strings.IndexByte(command[open+1:], command[open])
		if end < 0 {
			return b.String()
		}
		command = command[open+1+end+1:]
	}
	b.WriteString(command)
	return b.String()
}
