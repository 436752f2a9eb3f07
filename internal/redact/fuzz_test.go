// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is promised for every text is tried with hostile ones.

package redact

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzText(f *testing.F) {
	for _, s := range []string{"GH_TOKEN=abc x", `{"apiKey":"a"}`, `{\"token\":\"a\\\"b\"}`, "https://u:p@h/x@y", pem, jwt,
		github, slack,
		"Authorization: Bearer x", "curl -u a:b", "--password x", "-----BEGIN [redacted] PRIVATE KEY-----", "Cookie:\\ a",
		Mark, openai,
		"cat: .aws/credentials: No such file or directory", "credentials: Permission denied [redacted]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Text(s)
		if twice := Text(once); twice != once {
			t.Errorf("not idempotent:\n   in %q\n once %q\ntwice %q", s, once, twice)
		}
		if secret := "GITHUB_TOKEN=hunter2"; strings.Contains(Text(secret+"\n"+s), "hunter2") {
			t.Errorf("what follows a secret uncovers it: %q", s)
		}
		if !strings.Contains(s, github) && strings.Contains(Text(s+"\n\""+github+"\""), github) {
			t.Errorf("what precedes a token hides it: %q", s)
		}
	})
}

func FuzzLine(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff", 5)
	f.Add("日本\n", 0)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		line, block := Line(s, limit), Block(s)
		for _, r := range line + strings.NewReplacer("\n", "", "\t", "").Replace(block) {
			if !unicode.IsPrint(r) {
				t.Errorf("%U reaches the terminal from %q", r, s)
			}
		}
		if n := utf8.RuneCountInString(line); limit > 0 && n > limit {
			t.Errorf("%d characters, limit %d", n, limit)
		}
		if again := Line(line, limit); again != line {
			t.Errorf("Line is not idempotent: %q, %q", line, again)
		}
		if again := Block(block); again != block {
			t.Errorf("Block is not idempotent: %q, %q", block, again)
		}
	})
}

// hostile are texts of which each repetition makes some rule look ahead.
var hostile = map[string]string{
	"jwt": "eyJ-", "sk": "sk-", "pem": "-----BEGIN ", "key block": "-----BEGIN PRIVATE KEY",
	"url": "://a:", "at": "://a:b@", "empty value": `TOKEN="" `, "open quote": `TOKEN='`, "reference": `TOKEN="$(`,
	"escapes": `TOKEN=\`,
	"user":    "-u ", "user quotes": `-u "' `, "flag": "--token ", "name": "password", "colons": "token:",
	"header": "cookie:", "bearer": "bearer ",
	"equals": "=", "controls": "\x1b[", "bidi": "\u202e", "invalid": "\xff",
	"here": `<<< "`, "here reference": `<<< "$(`, "curl": "curl -su ",
}

// The cost of a repetition must not grow with their number: a scan that looks
// ahead from each one to the end would take minutes here, not milliseconds.
func TestHostileTextIsScannedOnce(t *testing.T) {
	for name, unit := range hostile {
		s := strings.Repeat(unit, (1<<20)/len(unit))
		if got := Text(s); len(got) > 12*len(s) {
			t.Errorf("%s: %d bytes become %d", name, len(s), len(got))
		}
		Line(s, 0)
	}
}

func BenchmarkText(b *testing.B) {
	for name, unit := range map[string]string{"plain": "the quick brown fox jumps over the lazy dog\n",
		"assignments": "NAME=value OTHER: x\n", "hostile": "eyJ-sk-://a:"} {
		s := strings.Repeat(unit, (1<<20)/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Text(s)
			}
		})
	}
}
