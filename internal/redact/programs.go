// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: some programs take a password as a plain word or as a part
// of one; the program's own syntax says which.

package redact

import (
	"regexp"
	"strings"
	"sync"
)

// word is a part of a command line without quotes.
const word = `[^\s'"\\]+`

// programWords say of a program which word is a password (the last group that
// matched): sqlplus user/password@db, vault login TOKEN, htpasswd -b FILE USER
// PASSWORD, htpasswd -nb USER PASSWORD, smbclient -U user%password, openssl -k
// PASSWORD, cargo login TOKEN; and of a line of ~/.netrc: machine HOST login
// USER password PASSWORD. The programs' all on one line.
var programWords = sync.OnceValue(func() map[string][]*regexp.Regexp {
	gap := `(?:\s|\\n|\\t)+`
	options := `(?:[ \t]+-` + word + `)*`
	return map[string][]*regexp.Regexp{
		"sqlplus":   {regexp.MustCompile(`\bsqlplus` + options + `[ \t]+['"]?[\w$#.-]+/([^\s'"\\@/]+)`)},
		"vault":     {regexp.MustCompile(`\bvault[ \t]+login` + options + `[ \t]+['"]?([^\s'"\\=-][^\s'"\\=]*)(?:['"\s]|$)`)},
		"htpasswd":  {regexp.MustCompile(`\bhtpasswd` + options + `[ \t]+-[a-zA-Z]*b[a-zA-Z]*` + options + `[ \t]+` + word + `[ \t]+` + word + `[ \t]+['"]?(` + word + `)`), regexp.MustCompile(`\bhtpasswd` + options + `[ \t]+-(?:[a-zA-Z]*n[a-zA-Z]*b|[a-zA-Z]*b[a-zA-Z]*n)[a-zA-Z]*` + options + `[ \t]+` + word + `[ \t]+['"]?(` + word + `)`)},
		"smbclient": {regexp.MustCompile(`\bsmbclient\b[^\n]{0,200}?[ \t](?:-U|--user)[ \t=]*['"]?[^\s'"\\%]+%(` + word + `)`)},
		"rpcclient": {regexp.MustCompile(`\brpcclient\b[^\n]{0,200}?[ \t](?:-U|--user)[ \t=]*['"]?[^\s'"\\%]+%(` + word + `)`)},
		"openssl":   {regexp.MustCompile(`\bopenssl\b[^\n]{0,200}?\bpass:(` + word + `)`), regexp.MustCompile(`\bopenssl\b[^\n]{0,200}?[ \t]-k[ \t]+['"]?(` + word + `)`)},
		"cargo":     {regexp.MustCompile(`\bcargo[ \t]+login` + options + `[ \t]+['"]?([^\s'"\\-][^\s'"\\]*)`)},
		"password":  {regexp.MustCompile(`\b(?:machine` + gap + `[^\s\\]+|default)(?:` + gap + `(?:login|account|port)` + gap + `[^\s\\]+){0,4}` + gap + `password` + gap + `['"\\]*(` + word + `)`)},
	}
})

// programs notes the passwords in words of programs.
func (x *scanner) programs() {
	for name, forms := range programWords() {
		if !strings.Contains(x.s, name) {
			continue
		}
		for _, form := range forms {
			for _, m := range form.FindAllStringSubmatchIndex(x.s, -1) {
				if m[2] >= 0 {
					x.spans = append(x.spans, span{m[2], m[3]})
				}
			}
		}
	}
}
