// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that prints its files tells whoever reads its
// output what they hold.

package shell

import (
	"strings"
)

// printers are programs that print what the files in their arguments hold; the
// value says whether their first operand is an expression.
var printers = map[string]bool{
	"cat": false, "tac": false, "head": false, "tail": false, "less": false, "more": false, "bat": false, "batcat": false,
	"nl": false, "rev": false,
	"strings": false, "od": false, "xxd": false, "hexdump": false, "base64": false, "sort": false, "uniq": false,
	"cut": false, "fold": false, "fmt": false, "column": false,
	"paste": false, "mdcat": false, "glow": false, "envsubst": false, "zcat": false, "tee": false,
	"grep": true, "egrep": true, "fgrep": true, "zgrep": true, "rg": true, "sed": true, "gsed": true, "awk": true,
	"gawk": true, "mawk": true, "jq": true, "yq": true,
}

// prints notes the files that such a program prints, its standard input among
// them. A word that is a number is the value of an option.
func (r *reader) prints(name string, words []word, st *state) {
	expression, is := printers[name]
	if !is {
		return
	}
	for _, w := range words[1:] {
		switch text := w.first(); {
		case expression && (text == "-e" || text == "-f" || strings.HasPrefix(text, "--expression") || text == "--file"):
		case strings.HasPrefix(text, "-"), strings.Trim(text, "+0123456789") == "" && w.ok:
		case expression:
			expression = false
		case name != "tee":
			r.arguments(Reads, name, []word{w}, st)
		}
	}
	if st.in.file != nil {
		r.arguments(Reads, name, []word{*st.in.file}, st)
	}
}
