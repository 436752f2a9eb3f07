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
	"sdiff": {options: "-o --output"}, "sort": {options: "-o --output", valued: "-k -t -S -T"},
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
	if o.every && slices.ContainsFunc(words[1:], func(w word) bool { return slices.Contains(toStdout, w.first()) }) {
		return
	}
	named, operands, whole := split(words, o.options, o.valued)
	for _, to := range named {
		r.writes(to, nil, st)
	}
	switch {
	case !whole:
	case o.every:
		for _, w := range operands {
			r.writes(w, nil, st)
		}
	case o.operand > 0 && len(operands) >= o.operand:
		r.writes(operands[o.operand-1], nil, st)
	case o.usual != "" && named == nil:
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

// printer says which words of a program name files that it prints.
type printer struct {
	// before counts the operands before the first file: an expression, a script.
	before int
	// valued are the letters of options with a value; that of e and f is such an operand.
	valued string
	// fed says that it prints its standard input alone, code that it runs a script, which decides what is printed.
	fed, code bool
}

// printers are programs that print what files hold, by their manuals.
var printers = map[string]printer{
	"cat": {}, "tac": {}, "zcat": {}, "rev": {}, "less": {}, "more": {}, "mdcat": {}, "glow": {valued: "sw"},
	"bat": {valued: "lrH"}, "batcat": {valued: "lrH"}, "head": {valued: "nc"}, "tail": {valued: "nc"},
	"nl": {valued: "bdfhilnsvw"}, "strings": {valued: "ntT"}, "od": {valued: "AjNStw"}, "xxd": {valued: "clos"},
	"hexdump": {valued: "efns"}, "base64": {valued: "w"}, "sort": {valued: "kotST"}, "uniq": {valued: "fsw"},
	"cut": {valued: "bcdf"}, "fold": {valued: "w"}, "fmt": {valued: "wgp"}, "column": {valued: "scoNHRTrlp"},
	"paste": {valued: "d"}, "tee": {fed: true}, "envsubst": {fed: true},
	"grep": {before: 1, valued: "efmABC"}, "egrep": {before: 1, valued: "efmABC"},
	"fgrep": {before: 1, valued: "efmABC"}, "zgrep": {before: 1, valued: "efmABC"},
	"rg": {before: 1, valued: "efmABCgtTrjM"}, "sed": {before: 1, valued: "efl"}, "gsed": {before: 1, valued: "efl"},
	"awk": {before: 1, valued: "Fvf"}, "gawk": {before: 1, valued: "Fvf"}, "mawk": {before: 1, valued: "Fvf"},
	"jq": {before: 1, valued: "fL"}, "yq": {before: 1},
	"perl": {before: 1, valued: "eEI", code: true}, "ruby": {before: 1, valued: "eI", code: true},
}

// givesOn says whether a program prints what it is given, as it is or changed.
func givesOn(name string) bool {
	p, is := printers[name]
	return is && !p.code
}

// scriptNamed are the long options whose value is an expression or a script (grep(1), sed(1), gawk(1)).
var scriptNamed = lazy.Regexp(`^--(expression|regexp|file)(=|$)`)

// PrintedFiles are the places, among the words behind the name of a program, of the files that it prints; none of a
// program of which this is not known.
func PrintedFiles(name string, words []string) (at []int) {
	p, is := printers[name]
	if !is || p.fed {
		return nil
	}
	before := p.before
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case word == "--arg" || word == "--argjson": // jq(1): NAME VALUE
			i += 2
		case scriptNamed().MatchString(word):
			before = 0
			if !strings.Contains(word, "=") {
				i++
			}
		case strings.HasPrefix(word, "-"):
			letter := strings.IndexAny(word, p.valued)
			if letter < 0 || strings.HasPrefix(word, "--") {
				continue
			}
			if p.before > 0 && strings.ContainsAny(word[letter:letter+1], "ef") {
				before = 0
			}
			if letter == len(word)-1 {
				i++
			}
		case strings.HasPrefix(word, "+"): // less(1), tail(1), sort(1): where to begin
		case before > 0:
			before--
		default:
			at = append(at, i)
		}
	}
	return at
}

// asksOnly are the options with which grep and rg print nothing (grep(1)): -q, also
// behind letters that take no value.
var asksOnly = lazy.Regexp(`^(?:-[^-efgmtABCDd]*q.*|--quiet|--silent)$`)

// prints notes the files that such a program prints, its standard input among
// them.
func (r *reader) prints(name string, words []word, st *state) {
	grep := name == "rg" || strings.HasSuffix(name, "grep")
	if !givesOn(name) || st.mute || grep && slices.ContainsFunc(words[1:], func(w word) bool {
		return asksOnly().MatchString(w.first())
	}) {
		return
	}
	var known []string
	for _, w := range words[1:] {
		known = append(known, w.first())
	}
	for _, i := range PrintedFiles(name, known) {
		r.arguments(Reads, name, words[1+i:2+i], st)
	}
	if st.in.file != nil {
		r.arguments(Reads, name, []word{*st.in.file}, st)
	}
}
