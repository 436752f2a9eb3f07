// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an option whose name alone says little holds a secret
// where the program, or the shape of the value, says the rest.

package redact

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// keyFlags hold a secret unless the value looks like a file, a number or a
// reference: "--key hunter2", not "--key tls.pem". So does every option whose
// last word is key, but for those of dataKeys: what data is sorted or found by is
// no secret, and a public key is none.
var keyFlags = []string{"--key", "-key", "--pass", "-pass", "--pw", "--pwd", "--pat", "--authkey", "--psk", "--otp",
	"--creds"}

var dataKeys = []string{"--sort-key", "--cache-key", "--primary-key", "--foreign-key", "--partition-key", "--range-key",
	"--group-key", "--public-key"}

func keyFlag(name string) bool {
	return isOne(name, keyFlags) || strings.HasPrefix(name, "--") && len(name) > 6 &&
		strings.EqualFold(name[len(name)-4:], "-key") && !isOne(name, dataKeys)
}

// plainKey says whether the value of a key flag is no secret. The stop behind a
// sentence that ends in one makes no file of it.
func plainKey(v string) bool {
	v = strings.TrimRight(v, ".,;:!?)")
	return len(v) < 6 || strings.ContainsAny(v, "/.$~=") || strings.Trim(v, "0123456789,:") == ""
}

// passwordFlags are the programs whose short option is a password: joined to
// it, or also as the next word (sshpass(1), mysql(1), redis-cli --help).
var passwordFlags = []struct {
	program, flag string
	next          bool
}{
	{"sshpass", "-p", true}, {"redis-cli", "-a", true},
	{"mysql", "-p", false}, {"mysqldump", "-p", false}, {"mysqladmin", "-p", false}, {"mysqlimport", "-p", false},
	{"mariadb", "-p", false}, {"mariadb-dump", "-p", false}, {"mariadb-admin", "-p", false}, {"mycli", "-p", false},
	{"mysqlsh", "-p", false},
	{"mongo", "-p", true}, {"mongosh", "-p", true}, {"mongodump", "-p", true}, {"mongorestore", "-p", true},
	{"zip", "-P", true}, {"unzip", "-P", true}, {"7z", "-p", false}, {"sqlcmd", "-P", true}, {"bcp", "-P", true},
	{"ldapsearch", "-w", true}, {"ldapmodify", "-w", true}, {"ldapadd", "-w", true}, {"ldapwhoami", "-w", true},
	{"login", "-p", true}, // of docker, podman, az, helm registry
	{"twine", "-p", true}, {"cqlsh", "-p", true}, {"mosquitto_pub", "-P", true}, {"mosquitto_sub", "-P", true},
	{"ipmitool", "-P", true},
}

// userFlags take user:password as the next word or behind "=" (curl(1)). webFlags
// do so after webClients alone: psql -U and docker run --user= name a user.
var (
	userFlags  = []string{"-u", "--user", "-U", "--proxy-user", "--src-creds", "--dest-creds", "--creds"}
	webClients = []string{"curl", "wget", "http"}
)

// curlSwitches are curl's short options without a value, which may stand before
// the u of one word (curl(1)).
const curlSwitches = "sSfLkvgiIjlNnpqRGaB0123469#"

// userFlag returns the extent of the password in such an option, which is the
// name in s[i:end]. curl's short ones take it also joined, behind switches and
// in quotes: -ume:password, -sSume:password, -u"me:password".
func userFlag(s string, i, end int) (from, to int) {
	name := s[i:end]
	if name[0] != '-' {
		return 0, 0
	}
	if isOne(name, userFlags) && (blank(s[end]) || s[end] == '=') {
		if (name == "-U" || s[end] == '=') && !afterWord(s, i, webClients...) {
			return 0, 0
		}
		return userPassword(s, skipBlanks(s, end+1))
	}
	u := strings.IndexAny(name, "uU")
	if u < 1 || strings.Trim(name[1:u], curlSwitches) != "" || !afterWord(s, i, "curl") {
		return 0, 0
	}
	return userPassword(s, skipBlanks(s, i+u+1))
}

// afterWord says whether one of words stands before s[i] on its line.
func afterWord(s string, i int, words ...string) bool {
	before := lineBefore(s, i)
	return slices.ContainsFunc(words, func(w string) bool { return holdsWord(before, w) })
}

// hereString returns the extent of what a program reads from the "<<<" at s[i],
// unless it is a reference.
func hereString(s string, i int) (from, to int) {
	if !strings.HasPrefix(s[i:], "<<<") || i > 0 && s[i-1] == '<' {
		return 0, 0
	}
	at := skipBlanks(s, i+len("<<<"))
	switch open := escapes(s, at); {
	case at >= len(s) || strings.IndexByte("<$`", s[at]) >= 0:
		return 0, 0
	case open < len(s) && quote(s[open]) && open > at: // the text around it is quoted too
		to, _ = closed(s, open+1, s[open], open-at)
		if literal(s[open+1:to], s[open] == '\'') {
			return 0, 0
		}
		return open + 1, to
	case open < len(s) && quote(s[open]):
		return value(s, at, true)
	}
	return at, run(s, at, func(c byte) bool { return !stops(c, false) && !quote(c) && c != '\\' })
}

// setters are what stands before a name whose value is the next word: "aws
// configure set aws_secret_access_key X", "git config --global github.token X".
var setters = []string{"set", "config", "--global", "--local", "--system", "--add", "--replace-all"}

// exporters are the commands of shells that set a variable to the next word: fish's
// with the option by which it is exported or holds everywhere, and csh's.
var exporters = lazy.Regexp(`(?:^|[\s;&|({])(?:set[ \t]+(?:-[a-zA-Z]+[ \t]+|--[a-z]+[ \t]+)+|setenv[ \t]+)$`)

// setTo returns where the value begins that a command of settings, or one of a shell,
// gives to the name in s[i:end]; 0 if it is none.
func setTo(s string, i, end int) int {
	if name := s[i:end]; !CredentialName(name) && name != "_auth" || end >= len(s) || !blank(s[end]) {
		return 0
	}
	before := lineBefore(s, i)
	// "//registry.example.org/:_authToken" is one word, and the name its end.
	words := strings.Fields(before[:strings.LastIndexAny(before, " \t")+1])
	switch {
	case exporters().MatchString(before):
	case len(words) == 0 || !isOne(words[len(words)-1], setters),
		!holdsWord(before, "config") && !holdsWord(before, "configure"):
		return 0
	}
	if at := skipBlanks(s, end); at < len(s) && s[at] != '-' && s[at] != '\n' {
		return at
	}
	return 0
}

// maxBefore bounds how far back the program of an option is looked for.
const maxBefore = 256

// lineBefore is what stands before s[i] on its line.
func lineBefore(s string, i int) string {
	before := s[max(0, i-maxBefore):i]
	return before[strings.LastIndexByte(before, '\n')+1:]
}

// passwordFlag returns the extent of the password in the short option that is
// the name in s[i:end]; from == to means that it is none.
func passwordFlag(s string, i, end int) (from, to int) {
	name := s[i:end]
	if name[0] != '-' || name == "-" || name[1] == '-' {
		return 0, 0
	}
	before := lineBefore(s, i)
	for _, f := range passwordFlags {
		open := escapes(s, end)
		switch {
		case !strings.HasPrefix(name, f.flag) || !holdsWord(before, f.program):
		case name == f.flag && (i == 0 || !quote(s[i-1])) && open+1 < len(s) && quote(s[open]) && s[open+1] > ' ' &&
			!quote(s[open+1]) && strings.IndexByte(",;&|)]}", s[open+1]) < 0:
			return value(s, end, true) // joined and quoted: -p'x'; a quote before the name would end with it
		case len(name) > 2 || end < len(s) && s[end] > ' ' && !quote(s[end]) && s[end] != '\\' && s[end] != ',':
			return i + 2, run(s, i+2, func(c byte) bool { return c > ' ' && !quote(c) && c != '\\' })
		case f.next && end < len(s):
			at := 0
			if blank(s[end]) {
				at = skipBlanks(s, end)
			} else {
				at = nextString(s, end)
			}
			if at > 0 && at < len(s) {
				return value(s, at, true)
			}
		}
	}
	return 0, 0
}

// holdsWord says whether a word of s, or the last part of a path in it, is w.
func holdsWord(s, w string) bool {
	for {
		i := strings.Index(s, w)
		if i < 0 {
			return false
		}
		end := i + len(w)
		if (i == 0 || !nameByte(s[i-1])) && (end == len(s) || !nameByte(s[end])) {
			return true
		}
		s = s[end:]
	}
}

// maxGap bounds the white space between two strings of a list.
const maxGap = 64

// nextString returns where the next string of a list begins, at its quote or
// the backslashes before it, if one ends at s[i]: `"--token", "x"`. 0 is none.
func nextString(s string, i int) int {
	gap := func(i int) int {
		return run(s[:min(len(s), i+maxGap)], i, func(c byte) bool { return blank(c) || c == '\n' || c == '\r' })
	}
	i = escapes(s, i)
	if i >= len(s) || !quote(s[i]) {
		return 0
	}
	if i = gap(i + 1); i >= len(s) || s[i] != ',' {
		return 0
	}
	at := gap(i + 1)
	open := escapes(s, at)
	if open+1 >= len(s) || !quote(s[open]) || s[open+1] == '-' {
		return 0
	}
	return at
}

// helperArguments returns the extent of what stands behind the program in the
// value of one of env.Helpers: it may be a credential.
func helperArguments(s string, at int, flow bool) (from, to int) {
	from, to = value(s, at, flow)
	program := run(s[:to], from, func(c byte) bool { return !blank(c) })
	if from = skipBlanks(s[:to], program); from >= to {
		return 0, 0
	}
	return from, to
}

// secretSegments cuts the parts of a URL's path that look like a token: at
// least 20 characters, in both cases and with digits. i is where the authority
// begins. Digests, versions and names are none.
func (x *scanner) secretSegments(i int) {
	if i < x.urlEnd {
		return
	}
	end := run(x.s, i, func(c byte) bool { return c > ' ' && !delimiter(c) && c != '<' && c != '>' && c != '\\' })
	x.urlEnd = end
	path := strings.IndexByte(x.s[i:end], '/')
	if path < 0 {
		return
	}
	for at := i + path + 1; at < end; {
		to := run(x.s[:end], at, func(c byte) bool { return base64Byte(c) || c == ':' })
		if to-at >= 20 && strings.ContainsAny(x.s[at:to], "0123456789") && strings.ToLower(x.s[at:to]) != x.s[at:to] &&
			strings.ToUpper(x.s[at:to]) != x.s[at:to] {
			x.spans = append(x.spans, span{at, to})
		}
		at = to + 1
	}
}
