// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that writes a file which its arguments name writes
// where a symlink of that name leads (each measured on Debian 12).

package shell

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// output says where the arguments of a program name a file that it writes.
type output struct {
	// options name one, valued are others with a value that are more than a letter.
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
	"age": {options: "-o --output"}, "iconv": {options: "-o --output"}, "shuf": {options: "-o --output"},
	"sdiff": {options: "-o --output"}, "sort": {options: "-o --output"},
	"patch":  {options: "-o --output -r --reject-file", operand: 1},
	"split":  {valued: "--additional-suffix --filter", operand: 2, usual: "xaa"},
	"csplit": {options: "-f --prefix", usual: "xx00"},
	"script": {options: "-O -B -I -T --log-out --log-io --log-timing", operand: 1, usual: "typescript"},
	"xxd":    {operand: 2}, "uniq": {operand: 2}, "zip": {valued: "-tt", operand: 1}, "7z": {operand: 2},
	"ar": {operand: 2}, "gzip": {operand: 1, every: true}, "xz": {operand: 1, every: true},
	"bzip2": {operand: 1, every: true}, "zstd": {options: "-o", operand: 1, every: true},
}

// toStdout are options of the packers with which they write no file.
var toStdout = []string{"-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list"}

// outputs notes the files that such a program writes.
func (r *reader) outputs(name string, words []word, st *state) {
	o, is := outputs[name]
	if !is || name == "7z" && listed("x e l t i h b", words[min(1, len(words)-1)].first()) {
		return
	}
	if o.every && slices.ContainsFunc(words[1:], func(w word) bool { return slices.Contains(toStdout, w.first()) }) {
		return
	}
	named, operands, whole := split(name, words, o.options, o.valued)
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

// archives notes the archive that tar(1) writes, and where it unpacks one: its first
// letters may stand without a dash, and the words behind them are then their values, one
// after the other.
func (r *reader) archives(name string, words []word, st *state) {
	if len(words) < 2 {
		return
	}
	if first := words[1].first(); !strings.HasPrefix(first, "-") {
		apart, rest := words[:1:1], words[2:]
		for _, letter := range first {
			apart = append(apart, words[1].only("-"+string(letter)))
			if wantsNext(name, "-"+string(letter)) && len(rest) > 0 {
				apart, rest = append(apart, rest[0]), rest[1:]
			}
		}
		words = append(apart, rest...)
	}
	files, _, _ := split(name, words, "-f --file", "")
	has := func(options string) bool {
		return slices.ContainsFunc(words[1:], func(w word) bool { return isOption(name, w.first(), options) })
	}
	file := st.in.file
	if n := len(files) - 1; n >= 0 && files[n].first() != "-" {
		file = &files[n]
		if has("-c -r -u -A --create --append --update --catenate --concatenate --delete") {
			r.writes(*file, nil, st)
			return
		}
	}
	if file != nil && has("-x --extract --get") {
		into, _, _ := split(name, words, "-C --directory --cd", "")
		r.unpacks(*file, into, st)
	}
}

// unpackers are programs that write files with the names which their archive says (unzip(1),
// 7z(1), cpio(1), patch(1)): the options that name the directory, and the archive, other
// options with a value, the operand that is the archive, counted from 1, and the words
// without which, or with which, they unpack nothing.
var unpackers = map[string]struct {
	into, from, valued string
	operand            int
	only, except       string
}{
	"unzip": {into: "-d", valued: "-P", operand: 1, except: "-l -t -p -c -v -Z -z"},
	"7z":    {operand: 2, only: "x e"},
	"cpio":  {into: "-D --directory", from: "-F -I --file", valued: "-E -H -C -O -R -M", only: "-i --extract"},
	"patch": {into: "-d --directory", from: "-i --input", operand: 2, except: "--dry-run"},
}

// unpacked notes where such a program writes.
func (r *reader) unpacked(name string, words []word, st *state) {
	u, is := unpackers[name]
	has := func(options string) bool {
		return slices.ContainsFunc(words[1:], func(w word) bool {
			return listed(options, w.first()) || isOption(name, w.first(), options)
		})
	}
	if !is || u.only != "" && !has(u.only) || u.except != "" && has(u.except) {
		return
	}
	into, _, _ := split(name, words, u.into, u.from+" "+u.valued)
	from, operands, _ := split(name, words, u.from, u.into+" "+u.valued)
	if name == "7z" {
		for _, w := range words {
			if dir, joined := strings.CutPrefix(w.first(), "-o"); joined {
				into = append(into, w.only(dir))
			}
		}
	}
	switch n := len(from); {
	case n > 0:
		r.unpacks(from[n-1], into, st)
	case u.operand > 0 && len(operands) >= u.operand:
		r.unpacks(operands[u.operand-1], into, st)
	case st.in.file != nil:
		r.unpacks(*st.in.file, into, st)
	}
}

// unpacks notes that the files of an archive are written below directories: those that are
// named (tar has one for the members behind it), or the one where the program runs. That
// this is the project says nothing.
func (r *reader) unpacks(from word, into []word, st *state) {
	for _, dir := range into {
		r.writes(dir, &from, st)
	}
	if len(into) > 0 {
		return
	}
	for _, dir := range st.cwd {
		if dir = strings.TrimPrefix(dir, elsewhere); !pathname.Within(dir, r.place.Dir) {
			r.writes(word{texts: []string{dir}, ok: true}, &from, st)
		}
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
	// before counts the operands before the first file: an expression, a script, for
	// which the value of the options e and f may stand.
	before int
	// fed says that it prints its standard input alone, code that it runs a script, which decides what is printed,
	// whole that it prints what it is given as it is.
	fed, code, whole bool
}

// printers are programs that print what files hold, by their manuals.
var printers = map[string]printer{
	"cat": {whole: true}, "less": {whole: true}, "more": {whole: true}, "bat": {whole: true}, "batcat": {whole: true},
	"tee": {whole: true, fed: true}, "tac": {}, "zcat": {}, "rev": {}, "mdcat": {}, "glow": {},
	"head": {}, "tail": {}, "nl": {}, "strings": {}, "od": {}, "xxd": {}, "hexdump": {}, "base64": {}, "sort": {},
	"uniq": {}, "cut": {}, "fold": {}, "fmt": {}, "column": {}, "paste": {}, "envsubst": {fed: true},
	"grep": {before: 1}, "egrep": {before: 1}, "fgrep": {before: 1}, "zgrep": {before: 1}, "rg": {before: 1},
	"sed": {before: 1}, "gsed": {before: 1}, "awk": {before: 1}, "gawk": {before: 1}, "mawk": {before: 1},
	"jq": {before: 1}, "yq": {before: 1}, "perl": {before: 1, code: true}, "ruby": {before: 1, code: true},
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
		case slices.Contains(jqNamed, word):
			if i += 2; strings.HasSuffix(word, "file") && i < len(words) {
				at = append(at, i)
			}
		case scriptNamed().MatchString(word):
			before = 0
			if !strings.Contains(word, "=") {
				i++
			}
		case strings.HasPrefix(word, "-"):
			_, option, value := valuedIn(name, word)
			if p.before > 0 && (option == "-e" || option == "-f") {
				before = 0
			}
			if option != "" && value == "" {
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

// prints notes the files that such a program prints, its standard input among
// them.
func (r *reader) prints(name string, words []word, st *state) {
	grep := name == "rg" || strings.HasSuffix(name, "grep")
	if !givesOn(name) || st.mute || grep && slices.ContainsFunc(words[1:], func(w word) bool {
		return isOption(name, w.first(), "-q --quiet --silent")
	}) {
		return
	}
	for _, i := range PrintedFiles(name, firsts(words[1:])) {
		r.arguments(Reads, name, words[1+i:2+i], st)
	}
	if st.in.file != nil {
		r.arguments(Reads, name, []word{*st.in.file}, st)
	}
}
