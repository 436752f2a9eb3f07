// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever the runtime's own expression finds in a text
// is among the names looked for.

package iso

import (
	"regexp"
	"strings"
	"testing"
)

// theirs is (?:^|\s)@((?:[^\s\\]|\\ )+) of 2.1.329, with \s of JavaScript.
var theirs = func() *regexp.Regexp {
	const space = `\t\n\x0b\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	return regexp.MustCompile(`(?:^|[` + space + `])@((?:[^` + space + `\\]|\\ )+)`)
}()

func FuzzImports(f *testing.F) {
	for _, text := range []string{"see @a@b.md", "@a\u00a0b", `@a\ b\x`, "<!-- a -->@a<!-- b -->b", `| @a\|b |`, "@a#b",
		"@\xff", "**@a**b", "\ufeff@a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := map[string]bool{}
		if !imports(text, func(line int, name string) {
			if line < 1 || line > 1+strings.Count(text, "\n") {
				t.Errorf("line %d of %q", line, text)
			}
			found[name] = true
		}) {
			return
		}
		text = string([]rune(text))
		for _, form := range []string{text, comment().ReplaceAllString(text, "")} {
			for _, m := range theirs.FindAllStringSubmatch(form, -1) {
				name, _, _ := strings.Cut(m[1], "#")
				if name = strings.ReplaceAll(name, `\ `, " "); name != "" && !found[name] {
					t.Errorf("%q imports %q, which is not among %v", form, name, found)
				}
			}
		}
	})
}
