// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: some programs take a password as a plain word or as a part
// of one; the program's own syntax says which.

package redact

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// word is a part of a command line without quotes.
const word = `[^\s'"\\]+`

// options are flags without values, between a program and what follows.
const options = `(?:[ \t]+-` + word + `)*`

// programWords say of a program which word is a password (the last group that
// matched): sqlplus user/password@db, vault login TOKEN, htpasswd -b FILE USER
// PASSWORD, htpasswd -nb USER PASSWORD, smbclient -U user%password, openssl -k
// PASSWORD, cargo login TOKEN, echo PASSWORD | docker login --password-stdin;
// and of a line of ~/.netrc: machine HOST login USER password PASSWORD. The
// programs' all on one line. A form is compiled when its program is named:
// footers and hooks are drawn again and again, and name none.
var programWords = []struct {
	name  string
	forms []string
}{
	{"sqlplus", []string{`\bsqlplus` + options + `[ \t]+['"]?[\w$#.-]+/([^\s'"\\@/]+)`}},
	{"vault", []string{`\bvault[ \t]+login` + options + `[ \t]+['"]?([^\s'"\\=-][^\s'"\\=]*)(?:['"\s]|$)`}},
	{"htpasswd", []string{`\bhtpasswd` + options + `[ \t]+-[a-zA-Z]*b[a-zA-Z]*` + options + `[ \t]+` + word + `[ \t]+` + word +
		`[ \t]+['"]?(` + word + `)`,
		`\bhtpasswd` + options + `[ \t]+-(?:[a-zA-Z]*n[a-zA-Z]*b|[a-zA-Z]*b[a-zA-Z]*n)[a-zA-Z]*` + options + `[ \t]+` + word +
			`[ \t]+['"]?(` + word + `)`}},
	{"smbclient", []string{`\bsmbclient` + userOption}},
	{"rpcclient", []string{`\brpcclient` + userOption}},
	{"openssl", []string{`\bopenssl\b[^\n]{0,200}?\bpass:(` + word + `)`, `\bopenssl\b[^\n]{0,200}?[ \t]-k[ \t]+['"]?(` + word +
		`)`}},
	{"cargo", []string{`\bcargo[ \t]+login(?:[ \t]+(?:(?:--registry|--color|--config|-Z)[ \t]+` + word +
		`|--[a-z]+=` + word + `|-[qv]+|--(?:quiet|verbose|frozen|locked|offline|)))*[ \t]+['"]?([^\s'"\\-][^\s'"\\]*)`}},
	{"-stdin", []string{piped + `--password-stdin\b`}},
	{"-token", []string{piped + `--with-token\b`}},
	{"password", []string{netrcHost + `(?:` + netrcPair + `){1,4}` + netrcPassword, `(?m)(?:^|\\n)[ \t]*` + netrcHost + netrcPassword}},
}

// A line of ~/.netrc: netrcHost, pairs, netrcPassword. "default" and "password"
// without a pair between them are prose, but for the beginning of a line.
const (
	netrcHost     = `\b(?:machine` + gap + `[^\s\\]+|default)`
	netrcPair     = gap + `(?:login|account|port)` + gap + `[^\s\\]+`
	netrcPassword = gap + `password` + gap + `['"\\]*(` + word + `)`
)

// piped is a last word that is printed into the standard input of another program.
const piped = `\b(?:echo|printf)\b[^\n|]*?[ \t]['"\\]*([^\s'"\\|$` + "`" + `]+)['"\\]*[ \t]*\|[^\n|]{0,200}?`

// gap is space between words, also where a text was quoted.
const gap = `(?:\s|\\n|\\t)+`

// userOption is user%password of Samba's programs.
const userOption = `\b[^\n]{0,200}?[ \t](?:-U|--user)[ \t=]*['"]?[^\s'"\\%]+%(` + word + `)`

// programs notes the passwords in words of programs.
func (x *scanner) programs() {
	for _, p := range programWords {
		if !strings.Contains(x.s, p.name) {
			continue
		}
		for _, form := range p.forms {
			for _, m := range lazy.Compiled(form).FindAllStringSubmatchIndex(x.s, -1) {
				if m[2] >= 0 {
					x.spans = append(x.spans, span{m[2], m[3]})
				}
			}
		}
	}
}
