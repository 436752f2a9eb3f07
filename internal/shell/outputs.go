// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that writes a file which its arguments name writes
// where a symlink of that name leads (each measured on Debian 12).

package shell

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// output says where the arguments of a program name a file that it writes.
type output struct {
	// options name one, valued are options with another value.
	options, valued string
	// operand counts the operand that is one, from 1; 0 is none, and every says
	// that those behind it are too.
	operand int
	every   bool
	// usual is the name that it makes up.
	usual string
}

// outputs are these programs, from their manuals.
var outputs = map[string]output{
	"openssl": {options: "-out -keyout"}, "gpg": {options: "-o --output"}, "gpg2": {options: "-o --output"},
	"age":   {options: "-o --output"},
	"iconv": {options: "-o --output", valued: "-f -t"}, "shuf": {options: "-o --output"},
	"sdiff":  {options: "-o --output"},
	"patch":  {options: "-o --output -r --reject-file", valued: "-i -p -d -D -F -B -V -x -Y -z", operand: 1},
	"split":  {valued: "-a -b -C -l -n -t --additional-suffix --filter", operand: 2, usual: "xaa"},
	"csplit": {options: "-f --prefix", valued: "-b -n", usual: "xx00"},
	"script": {options: "-O -B -I -T --log-out --log-io --log-timing", valued: "-c -E -m -o", operand: 1,
		usual: "typescript"},
	"xxd": {valued: "-c -g -l -n -o -R -s", operand: 2}, "uniq": {valued: "-f -s -w", operand: 2},
	"zip": {valued: "-b -n -t -tt -x -i -O -P -s", operand: 1}, "7z": {operand: 2}, "ar": {operand: 2},
	"gzip": {valued: "-S", operand: 1, every: true}, "xz": {operand: 1, every: true}, "bzip2": {operand: 1, every: true},
	"zstd": {options: "-o", operand: 1, every: true},
}

// toStdout are options of the packers with which they write no file.
var toStdout = []string{"-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list"}

// outputs notes the files that such a program writes.
func (r *reader) outputs(name string, words []word, st *state) {
	o, is := outputs[name]
	if !is {
		return
	}
	var operands []word
	named := false
	for i := 1; i < len(words); i++ {
		text := words[i].first()
		option, value, joined := strings.Cut(text, "=")
		switch {
		case slices.Contains(strings.Fields(o.options), option):
			to := words[i].only(value)
			if !joined {
				if i++; i >= len(words) {
					return
				}
				to = words[i]
			}
			named = true
			r.writes(to, nil, st)
		case slices.Contains(strings.Fields(o.valued), text):
			i++
		case o.every && slices.Contains(toStdout, text):
			return
		case words[i].ok && strings.HasPrefix(text, "-") && len(text) > 1:
		default:
			operands = append(operands, words[i])
		}
	}
	switch {
	case o.every:
		for _, w := range operands {
			r.writes(w, nil, st)
		}
	case o.operand > 0 && len(operands) >= o.operand:
		r.writes(operands[o.operand-1], nil, st)
	case o.usual != "" && !named:
		r.writes(words[0].only(o.usual), nil, st)
	}
}

// archives notes the archive that tar(1) writes: its letters may stand without a
// dash, and f takes the next word.
func (r *reader) archives(words []word, st *state) {
	letters, to := "", (*word)(nil)
	for i := 1; i < len(words); i++ {
		text := words[i].first()
		file, joined := strings.CutPrefix(text, "--file=")
		switch {
		case joined:
			to = new(words[i].only(file))
		case text == "--create" || text == "--append" || text == "--update":
			letters += "c"
		case text == "--file", (i == 1 || strings.HasPrefix(text, "-")) && !strings.HasPrefix(text, "--") &&
			strings.Contains(text, "f"):
			letters += strings.TrimPrefix(text, "--file")
			if before, rest, _ := strings.Cut(text, "f"); text != "--file" && rest != "" && strings.HasPrefix(before, "-") {
				to = new(words[i].only(rest))
			} else if i+1 < len(words) {
				i++
				to = &words[i]
			}
		case i == 1 || strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--"):
			letters += text
		}
	}
	if to != nil && strings.ContainsAny(letters, "cru") && to.first() != "-" {
		r.writes(*to, nil, st)
	}
}

// gitOutputs notes the files that git writes beside its own (git-archive(1),
// git-bundle(1), git-format-patch(1), git-diff(1)).
func (r *reader) gitOutputs(words []word, st *state) {
	for i, w := range words {
		file, joined := strings.CutPrefix(w.first(), "--output=")
		directory, inDirectory := strings.CutPrefix(w.first(), "--output-directory=")
		switch text := w.first(); {
		case joined:
			r.writes(w.only(file), nil, st)
		case inDirectory:
			r.writes(w.only(directory+"/0001.patch"), nil, st)
		case (text == "-o" || text == "--output") && i+1 < len(words) &&
			slices.ContainsFunc(words[:i], func(w word) bool { return w.first() == "archive" || w.first() == "format-patch" }):
			r.writes(words[i+1], nil, st)
		case text == "bundle" && i+2 < len(words) && words[i+1].first() == "create":
			r.writes(words[i+2], nil, st)
		}
	}
}

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

// asksOnly are the options with which grep and rg print nothing (grep(1)): -q, also
// behind letters that take no value.
var asksOnly = lazy.Regexp(`^(?:-[^-efgmtABCDd]*q.*|--quiet|--silent)$`)

// prints notes the files that such a program prints, its standard input among
// them. A word that is a number is the value of an option.
func (r *reader) prints(name string, words []word, st *state) {
	expression, is := printers[name]
	grep := name == "rg" || strings.HasSuffix(name, "grep")
	if !is || st.mute || grep && slices.ContainsFunc(words[1:], func(w word) bool {
		return asksOnly().MatchString(w.first())
	}) {
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
