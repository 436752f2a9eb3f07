// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which letters of a program's short options take a value is said
// once, from its manual: who looks for its files, for what it writes, for what it may
// start and for what it prints must not read its words in different ways.

package shell

import (
	"slices"
	"strings"
)

// Letters of programs that have several names.
const (
	ofGrep = "ABCDdefm"
	ofTar  = "fCXbgKNVHL"
)

// valuedLetters take the rest of their word, or the next one, as their value.
var valuedLetters = map[string]string{
	"curl": "AbcCdDeEFhHKmoPQrtTuUwxXyYz", "wget": "aABDeiIloOPQRtTUwX", "rsync": "Bef@M",
	"scp": "cDFiJloPSX", "sftp": "BcDFiJloPRSsX",
	"grep": ofGrep, "egrep": ofGrep, "fgrep": ofGrep, "zgrep": ofGrep, "rg": "ABCEdefgjmMrtT",
	"sed": "efl", "gsed": "efl", "awk": "Fvf", "gawk": "Fvf", "mawk": "Fvf", "jq": "fL",
	"python": "cmWX", "perl": "eEI", "ruby": "CeEIr", "php": "BcdEFfRrSTtz", "lua": "el", "luajit": "ejl",
	"glow": "sw", "bat": "lrH", "batcat": "lrH", "head": "nc", "tail": "nc",
	"nl": "bdfhilnsvw", "strings": "ntT", "od": "AjNStw", "xxd": "cglnoRs", "hexdump": "efns", "base64": "w",
	"sort": "kotST", "uniq": "fsw", "cut": "bcdf", "fold": "w", "fmt": "wgp", "column": "scoNHRTrlp", "paste": "d",
	"diff": "CUWFIxDLS", "iconv": "fto", "split": "abClnt", "csplit": "bfn", "patch": "ipdDFBVxYzorg",
	"script": "cEmoOBIT", "ssh": "BbcDEeFIiJLlmOoPpQRSWw",
	"tar": ofTar + "IF", "gtar": ofTar + "IF", "bsdtar": ofTar + "IF", "zip": "xitnPbsO", "gzip": "S", "xclip": "sldtn",
	"gnuplot": "ec", "m4": "BDFHILRStUlo", "octave": "p", "octave-cli": "p",
	"cp": "St", "mv": "St", "ln": "St", "install": "gmoSt", "ginstall": "gmoSt",
}

// joinedLetters take the rest of their word alone (perlrun(1)).
var joinedLetters = map[string]string{"perl": "iMmxCDdF"}

// alone are programs of which no letter stands behind another (xxd(1): -ps is one
// option, -s another).
var alone = []string{"xxd"}

// valuedAt is where the first letter with a value stands in a word of short options;
// less than 0 where there is none.
func valuedAt(name, text string) int {
	i := strings.IndexAny(text, valuedLetters[name]+joinedLetters[name])
	if i > 1 && slices.Contains(alone, name) {
		return -1
	}
	return i
}

// letters are the options behind one dash: what follows one with a value is that value.
func letters(name, text string) string {
	if i := valuedAt(name, text); i >= 0 {
		return text[:i+1]
	}
	return text
}

// valuedIn is the first option with a value in a word of short ones, what of its value
// stands there, and the flags before it; option is "" if there is none.
func valuedIn(name, text string) (flags, option, value string) {
	if !strings.HasPrefix(text, "-") || strings.HasPrefix(text, "--") {
		return "", "", ""
	}
	i := valuedAt(name, text)
	if i < 0 || strings.Contains(joinedLetters[name], text[i:i+1]) {
		return text[1:], "", ""
	}
	return text[1:i], "-" + text[i:i+1], text[i+1:]
}

// wantsNext says whether a word of short options takes the next word as its value.
func wantsNext(name, text string) bool {
	_, option, value := valuedIn(name, text)
	return option != "" && value == ""
}

// isOption says whether a word is one of some options of a program, as they stand or
// among letters behind a dash.
func isOption(name, text, options string) bool {
	option, _, _ := strings.Cut(text, "=")
	return slices.ContainsFunc(strings.Fields(options), func(o string) bool {
		return o == option || len(o) == 2 && o[0] == '-' && o != "--" && strings.HasPrefix(text, "-") &&
			!strings.HasPrefix(text, "--") && strings.Contains(letters(name, text), o[1:])
	})
}
