// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is installed from a directory or a file is run later, by its
// name, and some of it while it is installed. A name alone is a package of elsewhere.

package shell

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// installers are programs with the words that make them install what follows, and their
// options with a value that is no package (docs of pipx 1.7, uv 0.9; go help install;
// gem help install; gh help extension install).
var installers = map[string]struct{ subs, valued string }{
	"pipx": {"install inject reinstall upgrade", "--python --index-url -i --suffix --pip-args --backend --preinstall"},
	"uv":   {"tool install", "--python -p --index --default-index --index-url -i --extra-index-url --constraints -c"},
	"go":   {"install", "-p -tags -mod -ldflags -gcflags -asmflags -buildmode -C -o"},
	"gem":  {"install i", "--version -v --install-dir -i --bindir -n --source -s --platform"},
	"gh":   {"extension ext extensions install", "--pin"},
}

// packageFile is a package that lies in the directory, by its name.
var packageFile = lazy.Regexp(`\.(gem|whl|zip|tar\.gz|tgz)$`)

// installs notes the directories and files that such a program installs.
func (r *reader) installs(name string, words []word, st *state) {
	of, is := installers[name]
	if !is {
		return
	}
	_, operands, _ := split(name, words, "", of.valued)
	n := 0
	for n < len(operands) && listed(of.subs, operands[n].first()) {
		n++
	}
	if two := name == "uv" || name == "gh"; n == 0 || two && n < 2 {
		return
	}
	if name == "go" {
		if !slices.ContainsFunc(operands[n:], func(w word) bool { return strings.Contains(w.first(), "@") }) {
			r.runner(runner{only: of.subs, chdir: "-C"}, words, st)
		}
		return
	}
	for _, w := range operands[n:] {
		text := w.first()
		if name == "gh" && !strings.HasPrefix(text, ".") && !strings.HasPrefix(text, "/") {
			continue // OWNER/NAME
		}
		if w.ok && packageFile().MatchString(text) && !strings.Contains(text, "/") {
			w = w.only("./" + text)
		}
		r.packages(w, st)
	}
}

// linker is the program of the system that loads others (ld.so(8)).
var linker = lazy.Regexp(`^ld(-linux[\w.-]*|-musl[\w.-]*|64)?\.so(\.\d+)?$`)

// linked notes the program that it is told to start, and what it loads into that.
func (r *reader) linked(words []word, st *state) {
	const loads = "--preload --audit --library-path"
	loaded, operands, _ := split("ld.so", words, loads, "--argv0 --inhibit-rpath --glibc-hwcaps-prepend "+
		"--glibc-hwcaps-mask")
	for _, list := range loaded {
		for one := range strings.FieldsFuncSeq(list.first(), func(c rune) bool { return c == ':' || c == ' ' }) {
			r.decides(list.only(one), []word{list}, st)
		}
	}
	if len(operands) > 0 {
		r.code(operands[0], whichProgram, st)
	}
}

// patched notes that git writes the files which a patch names, below the directories of -C
// (git-apply(1), git-am(1)).
func (r *reader) patched(c gitCall, st *state) {
	if c.sub != "apply" && c.sub != "am" || slices.ContainsFunc(c.args, func(w word) bool {
		return listed("--check --stat --numstat --summary --abort --continue --skip --quit", w.first())
	}) {
		return
	}
	_, patches, _ := split("git-"+c.sub, append([]word{{}}, c.args...), "",
		"-p -C --directory --exclude --include --whitespace --patch-format")
	if len(patches) == 0 && st.in.file != nil {
		r.unpacks(*st.in.file, c.goes, st)
	}
	for _, dir := range c.goes { // from there a patch is named, too
		st, _ = cd(r, []word{{}, dir}, st)
	}
	for _, patch := range patches {
		r.unpacks(patch, nil, st)
	}
}
