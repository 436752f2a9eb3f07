// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that has options or words which start a program
// is data only with options and words that are known to start none. Of an option
// that is not listed nobody says that it is harmless: most of these programs take
// long options by their first letters.

package shell

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// harmless are the options of a steered program that start nothing: the letters
// of short ones, also behind each other, and the names of long ones. Letters in
// valued take the rest of their word, or the next, as their value.
type harmless struct{ letters, valued, long string }

// quiet are from the manuals: tar(1), zip(1), rsync(1), sort(1), split(1),
// scp(1), sftp(1). What options (options.go) reads is not repeated here.
var quiet = map[string]harmless{
	"tar": {"cxtruAvzjJZamkpPhSwWlOUdBns", "fCXbgKNVHL", "create extract get list append update concatenate diff " +
		"compare file directory gzip gunzip bzip2 xz zstd lzma verbose exclude exclude-vcs " +
		"exclude-from exclude-caches strip-components transform xform owner group mode mtime sort numeric-owner same-owner " +
		"no-same-owner same-permissions no-same-permissions wildcards " +
		"no-wildcards totals auto-compress null one-file-system dereference keep-old-files overwrite no-recursion " +
		"absolute-names to-stdout warning format posix blocking-factor newer anchored " +
		"delete remove-files no-overwrite-dir skip-old-files keep-newer-files ignore-failed-read no-auto-compress " +
		"verbatim-files-from help version"},
	"zip": {"rqjuymdvefoXDlLgGSAczwh0123456789@", "xitnPbsO", "recurse-paths quiet junk-paths update freshen move " +
		"delete filesync symlinks exclude include no-extra no-dir-entries latest-time " +
		"verbose encrypt out must-match help"},
	"rsync": {"avzhrlptgoDnPuxqcHAXSWmiRLkKICbEOJNy0468", "Bf@M", "archive verbose compress human-readable recursive " +
		"links perms times group owner dry-run partial progress update one-file-system quiet " +
		"checksum hard-links acls xattrs sparse whole-file prune-empty-dirs itemize-changes relative copy-links delete " +
		"delete-after delete-before delete-during delete-excluded exclude include " +
		"exclude-from include-from filter files-from stats info ignore-existing existing remove-source-files backup " +
		"backup-dir suffix size-only inplace append bwlimit timeout chmod chown " +
		"no-perms no-owner no-group no-times mkpath out-format max-size min-size from0 version help ignore-errors force " +
		"numeric-ids safe-links port log-file"},
	"sort": {"bdfgihMnRrVcCmsuz", "kotST", "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort " +
		"ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse " +
		"sort version-sort check merge key output stable buffer-size field-separator temporary-directory unique " +
		"zero-terminated parallel batch-size debug files0-from help version"},
	"split": {"dxeuz", "abClnt", "suffix-length additional-suffix bytes line-bytes numeric-suffixes hex-suffixes " +
		"elide-empty-files lines number separator unbuffered verbose help version"},
	"scp":  {"346ABCOpqRrTv", "cDFiJloPSX", ""},
	"sftp": {"46AaCfNpqrv", "BcDFiJloPRSsX", ""},
}

func init() {
	quiet["gtar"], quiet["bsdtar"] = quiet["tar"], quiet["tar"]
}

// steeredBy says with which option a program may start another one, "" with
// none.
func steeredBy(name string, words []word) string {
	known, is := quiet[name]
	if !is {
		return ""
	}
	read := strings.Fields(loading[name].code + " " + loading[name].command)
	for i := 1; i < len(words); i++ {
		text := words[i].first()
		switch {
		case !words[i].ok && strings.HasPrefix(words[i].src, "-"):
			return words[i].src
		case text == "--":
			return ""
		case strings.HasPrefix(text, "--"):
			option, _, joined := strings.Cut(text, "=")
			if slices.Contains(read, option) {
				if !joined {
					i++
				}
				continue
			}
			if !slices.Contains(strings.Fields(known.long), option[2:]) {
				return option
			}
		case strings.HasPrefix(text, "-") && text != "-", i == 1 && strings.HasSuffix(name, "tar"):
			next, ok := known.cluster(strings.TrimPrefix(text, "-"), read)
			if !ok {
				return text
			}
			if next {
				i++
			}
		}
	}
	return ""
}

// cluster reads the letters of one word. next says that the last one takes the
// next word; ok is false at a letter that is not listed.
func (h harmless) cluster(text string, read []string) (next, ok bool) {
	for i := range len(text) {
		letter := text[i : i+1]
		switch {
		case strings.Contains(h.valued, letter), slices.Contains(read, "-"+letter):
			return i == len(text)-1, i == 0 || !slices.Contains(read, "-"+letter) // options reads it alone only
		case !strings.Contains(h.letters, letter):
			return false, false
		}
	}
	return false, true
}

// orders are words of an instructed program's own with which it starts programs
// or reads files that do (sqlite3(1), psql(1), mysql(1), gnuplot(1), octave(1),
// m4(1), ed(1)): a command where a statement begins, a function where it is
// called, a program in the place of a file. In the middle of a statement the
// same words are names and data.
var orders = lazy.Regexp(`(?i)\\` + // psql, mysql: \i \! \.
	`|(^|[\n;{}])\s*([.!][ \t]*[a-z./~]|(system|source|shell|edit|run|program|spawn|popen|pipe|load|call|pager|host|start|syscmd|esyscmd)([ \t\n(]|$)|@)` +
	`|\b(system|shell_cmd|shell|source|run|spawn|popen2?|load_extension|edit|fts3_tokenizer|evalin|unix|dos|e?syscmd|include)[ \t]*\(` +
	`|\b(from|to)\s+program\s*(e?'|\$)` + // psql: COPY
	`|%pipe%` + // gs
	"|`|[\"'][ \\t]*[<|]") // gnuplot

// statements are what else ends a statement, by program.
var statements = map[string]*strings.Replacer{
	"octave":  strings.NewReplacer(",", ";", ")", ";", " else ", ";", " do ", ";"),
	"gnuplot": strings.NewReplacer(")", ";", " else ", ";"),
}

// ordered says whether the words of an instructed program hold an order.
func ordered(name string, words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool {
		text := w.first()
		more := statements[name]
		return !w.ok || orders().MatchString(text) || more != nil && orders().MatchString(more.Replace(text))
	})
}
