// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that has options or words which start a program
// is data only with options and words that are known to start none. Of an
// option that is not listed nobody says that it is harmless: most of these
// programs take long options by their first letters. A word that only the
// running shell knows may be an option, or an order, to a program that has
// some which start a program.

package shell

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// harmless are the options of a steered program that start nothing: the letters
// of short ones without a value, also behind each other, and the names of long ones.
// Letters with a value start nothing, either.
type harmless struct{ letters, long string }

// quiet are from the manuals: tar(1), zip(1), rsync(1), sort(1), split(1),
// scp(1), sftp(1). What options (options.go) reads is not repeated here.
var quiet = map[string]harmless{
	"tar": {"cxtruAvzjJZamkpPhSwWlOUdBns", "create extract get list append update concatenate diff " +
		"compare file directory gzip gunzip bzip2 xz zstd lzma verbose exclude exclude-vcs " +
		"exclude-from exclude-caches strip-components transform xform owner group mode mtime sort numeric-owner same-owner " +
		"no-same-owner same-permissions no-same-permissions wildcards " +
		"no-wildcards totals auto-compress null one-file-system dereference keep-old-files overwrite no-recursion " +
		"absolute-names to-stdout warning format posix blocking-factor newer anchored " +
		"delete remove-files no-overwrite-dir skip-old-files keep-newer-files ignore-failed-read no-auto-compress " +
		"verbatim-files-from help version"},
	"zip": {"rqjuymdvefoXDlLgGSAczwh0123456789@", "recurse-paths quiet junk-paths update freshen move " +
		"delete filesync symlinks exclude include no-extra no-dir-entries latest-time verbose encrypt out must-match help"},
	"rsync": {"avzhrlptgoDnPuxqcHAXSWmiRLkKICbEOJNy0468", "archive verbose compress human-readable recursive " +
		"links perms times group owner dry-run partial progress update one-file-system quiet " +
		"checksum hard-links acls xattrs sparse whole-file prune-empty-dirs itemize-changes relative copy-links delete " +
		"delete-after delete-before delete-during delete-excluded exclude include " +
		"exclude-from include-from filter files-from stats info ignore-existing existing remove-source-files backup " +
		"backup-dir suffix size-only inplace append bwlimit timeout chmod chown " +
		"no-perms no-owner no-group no-times mkpath out-format max-size min-size from0 version help ignore-errors force " +
		"numeric-ids safe-links port log-file"},
	"sort": {"bdfgihMnRrVcCmsuz", "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort " +
		"ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse " +
		"sort version-sort check merge key output stable buffer-size field-separator temporary-directory unique " +
		"zero-terminated parallel batch-size debug files0-from help version"},
	"split": {"dxeuz", "suffix-length additional-suffix bytes line-bytes numeric-suffixes hex-suffixes " +
		"elide-empty-files lines number separator unbuffered verbose help version"},
	"scp":  {"346ABCOpqRrTv", ""},
	"sftp": {"46AaCfNpqrv", ""},
}

func init() {
	quiet["gtar"], quiet["bsdtar"], loading["gtar"] = quiet["tar"], quiet["tar"], loading["tar"]
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
			if !listed(known.long, option[2:]) {
				return option
			}
		case strings.HasPrefix(text, "-") && text != "-":
			flags, option, value := valuedIn(name, text)
			if strings.Trim(flags, known.letters) != "" {
				return text
			}
			if option != "" && value == "" {
				i++
			}
		case i == 1 && strings.HasSuffix(name, "tar") && strings.Trim(text, known.letters+ofTar) != "": // without a dash
			return text
		}
	}
	return ""
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

// quietDots are sqlite3's own commands that start nothing and read no file (sqlite3(1)).
var quietDots = lazy.Regexp(`(?m)^\s*\.(dump|schema|fullschema|tables|indexes|databases|headers?|mode|separator|width|` +
	`nullvalue|bail|changes|timeout|timer|stats|explain|show|version|dbinfo|sha3sum|quit|exit)\b[^|\n]*$`)

// statements are what else ends a statement, by program.
var statements = map[string]*strings.Replacer{
	"octave":  strings.NewReplacer(",", ";", ")", ";", " else ", ";", " do ", ";"),
	"gnuplot": strings.NewReplacer(")", ";", " else ", ";"),
}

// ordered says whether the words of an instructed program hold an order.
func ordered(name string, words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool {
		text := w.first()
		if name == "sqlite3" {
			text = quietDots().ReplaceAllString(text, "")
		}
		more := statements[name]
		return w.anyones() || orders().MatchString(text) || more != nil && orders().MatchString(more.Replace(text))
	})
}

// givenOption is the first of a program's words that may be an option of somebody
// else's: one that begins with what only the running shell knows, and that is
// neither behind "--" nor, in quotes, the value of an option. "" if there is none.
func givenOption(name string, words []word) string {
	if !slices.Contains(steered, name) && !slices.Contains([]string{"find", "rg", "openssl"}, name) {
		return ""
	}
	for i := 1; i < len(words); i++ {
		w, before := words[i], words[i-1]
		switch {
		case w.first() == "--":
			return ""
		case !w.anyones() || !strings.HasPrefix(strings.TrimLeft(w.src, `"`), "$") && !strings.HasPrefix(strings.TrimLeft(w.src, `"`), "`"):
		case i > 1 && strings.HasPrefix(w.src, `"`) && takesValue(name, before.first()):
		default:
			return w.src
		}
	}
	return ""
}

// takesValue says whether the next word may only be the value of an option. Of a
// program whose letters are not known it may be.
func takesValue(name, option string) bool {
	switch {
	case !strings.HasPrefix(option, "-") || option == "-":
		return false
	case strings.HasPrefix(option, "--") || valuedLetters[name] == "":
		return true
	}
	return wantsNext(name, option)
}

// commander is a program among data that starts programs which its words name: words
// that match starts do; with data, a word that only the running shell knows may be
// such a word wherever it stands.
type commander struct {
	starts string
	data   bool
}

// commanders are from the manuals: sway(5), i3(5), hyprctl, xdotool(1), ydotool(1),
// terminal-notifier, mpv(1), ffplay(1), nc(1), ncat(1), gum, sox(1), ip-netns(8),
// dbus-send(1), gdbus(1), busctl(1), festival(1), open(1), xdg-open(1).
var commanders = map[string]commander{
	"swaymsg": {`\bexec|bindsym|for_window|assign|include`, true}, "i3-msg": {`\bexec|bindsym|for_window`, true},
	"hyprctl": {`exec|keyword|plugin|--batch`, true}, "xdotool": {`exec|behave|^-$|/`, true}, "ydotool": {`/`, true},
	"terminal-notifier": {`^-(execute|open|activate)$`, false},
	"mpv":               {`script|lua|include|config|input-|hook|ytdl|^--o=`, true},
	"nc":                {`^-[a-zA-Z]*[ec]|exec`, true}, "gum": {`^(spin|pager|file)$`, false},
	"play": {`\|`, true}, "ip": {`exec|^-b`, true},
	"dbus-send": {`systemd|exec|Exec|RunCommand|ActivateAction`, false},
	"gdbus":     {`systemd|exec|Exec|RunCommand|ActivateAction`, false},
	"busctl":    {`systemd|exec|Exec|RunCommand|ActivateAction`, false},
	"qdbus":     {`systemd|exec|Exec|RunCommand|ActivateAction`, false},
	"festival":  {`system|load|\(\s*set`, true}, "open": {`^-a$|\.(command|tool|app|terminal|workflow|scpt)$`, true},
	"xdg-open": {`\.desktop$`, true}, "openssl": {`^engine$`, false},
	"cowsay": {`^-f|/`, false}, "pass": {`^(git|edit|init)$`, false},
}

// commanding is the first word with which such a program may start another one; ""
// if there is none. Between quotes behind an option, a word is its value.
func commanding(name string, words []word) string {
	c, is := commanders[name]
	if !is {
		return ""
	}
	for i, w := range words[1:] {
		value := strings.HasPrefix(w.src, `"`) && strings.HasPrefix(words[i].first(), "-")
		switch {
		case w.ok && lazy.Compiled(c.starts).MatchString(w.first()):
			return w.src
		case w.anyones() && (c.data || !value && strings.HasPrefix(w.src, "$")):
			return w.src
		}
	}
	return ""
}

// told says whether the words of an instructed program hold what it is to do; without
// them it reads that from its standard input: a statement behind the name of a
// database, or an option that has one.
func told(name string, words []word) bool {
	operands := 0
	for _, w := range words[1:] {
		text := w.first()
		switch {
		case slices.Contains([]string{"-c", "-e", "-f", "-cmd", "--command", "--execute", "--eval", "--file",
			"--version"}, text),
			strings.HasPrefix(text, "--command="), strings.HasPrefix(text, "--execute="), strings.HasPrefix(text, "--eval="),
			strings.HasPrefix(text, "--file="), strings.HasPrefix(text, "-e") && name != "ed":
			return true
		case strings.HasPrefix(text, "-"):
		default:
			operands++
		}
	}
	switch name {
	case "sqlite3", "sqlplus":
		return operands > 1
	case "psql", "mysql", "mariadb", "ed":
		return false
	}
	return operands > 0
}

// variable is a name in an expansion, substituted the beginning of a command in one,
// and mild one of a program that prints nobody's words, or, as basename(1), no slash.
var (
	variable    = lazy.Regexp(`\$\{?([A-Za-z_]\w*)`)
	substituted = lazy.Regexp("\\$\\([^(]|`")
	mild        = lazy.Regexp(`\$\((date|basename|` + strings.Join(systemsWords, "|") + `)\b[^()]*\)`)
)

// assigned says whether a word that only the running shell knows holds what a command
// printed, or a variable of the line does.
func (r *reader) assigned(w word, st *state) bool {
	src := mild().ReplaceAllString(w.src, "")
	return substituted().MatchString(src) || slices.ContainsFunc(variable().FindAllStringSubmatch(src, -1),
		func(m []string) bool {
			values, set := st.vars[m[1]]
			return set && (values == nil || slices.ContainsFunc(values, func(v Value) bool { return v.Glob }))
		})
}
