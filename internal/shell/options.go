// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an option that names configuration names what runs: a
// program that is data otherwise starts what its configuration says.

package shell

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
)

// loading are programs with the options whose value is a file of configuration
// or code, and those whose value is a command (ssh(1), less(1), vim(1), emacs(1),
// nano(1), gpg(1), tmux(1), screen(1), man(1), tar(1), rsync(1), sort(1),
// split(1), wget(1), openssl(1)).
var loading = map[string]struct{ code, command string }{
	"ssh": {"-F -I", ""}, "scp": {"-F -S", ""}, "sftp": {"-F -S", ""}, "less": {"-k --lesskey-file --lesskey-src", ""},
	"vim": {"-u -U -S", ""}, "vi": {"-u -S", ""}, "gvim": {"-u -U -S", ""}, "nvim": {"-u -S -l", ""},
	"view": {"-u -U -S", ""}, "vimdiff": {"-u -U -S", ""}, "ex": {"-u -S", ""},
	"emacs": {"-l --load --script --init-directory", ""}, "nano": {"-f --rcfile", ""}, "bat": {"--config-file", "--pager"},
	"batcat": {"--config-file", "--pager"}, "delta": {"--config", "--pager"},
	"gpg": {gpgOptions, ""}, "gpg2": {gpgOptions, ""}, "tmux": {"-f", ""}, "screen": {"-c", ""},
	"man":   {"-C --config-file", "-P --pager"},
	"tar":   {"", "-I --use-compress-program --to-command --rsh-command -F --info-script --new-volume-script"},
	"rsync": {"", "-e --rsh"}, "sort": {"", "--compress-program"},
	"split": {"", "--filter"}, "wget": {"", "--use-askpass"}, "sqlite3": {"-init", ""},
	"psql": {"-f --file", ""}, "oh-my-posh": {"--config -c", ""}, "openssl": {"-config -engine -provider-path", ""},
	"uvx": {uvFiles, ""}, "uv": {uvFiles, ""},
}

// noFile are values that stand for no configuration (vim(1), ssh(1)).
var noFile = []string{"NONE", "NORC", "DEFAULTS", "none", "/dev/null"}

// installing are programs with the options that name what is installed and run (docs of uv
// 0.9: uv tool run).
var installing = map[string]string{"uvx": uvPackages, "uv": uvPackages}

const (
	uvPackages = "--from --with -w --python -p --find-links -f"
	uvFiles    = "--with-editable --with-requirements --env-file --config-file"
)

const gpgOptions = "--options --homedir --agent-program --dirmngr-program --keyboxd-program --photo-viewer --exec-path"

// sshCommands are options of ssh_config(5) that start a program, or read a file
// that does.
var sshCommands = map[string]bool{"proxycommand": true, "localcommand": true, "knownhostscommand": true,
	"include": false, "pkcs11provider": false, "securitykeyprovider": false}

// options notes what the options of a program load.
func (r *reader) options(name string, words []word, st *state) {
	l, is := loading[name]
	if !is {
		return
	}
	if end := slices.IndexFunc(words, func(w word) bool { return w.first() == "--" }); end >= 0 {
		words = words[:end]
	}
	given := func(named string) []word {
		values, _, _ := split(name, words, named, l.code+" "+l.command+" "+installing[name])
		return slices.DeleteFunc(values, func(w word) bool { return slices.Contains(noFile, w.first()) })
	}
	for _, file := range given(l.code) {
		r.code(file, whichConfiguration, st)
	}
	for _, list := range given(installing[name]) {
		r.packages(list, st)
	}
	for _, command := range given(l.command) {
		r.line(command.first(), st, false)
	}
	if slices.Contains([]string{"ssh", "scp", "sftp"}, name) {
		for _, set := range given("-o") {
			r.sshOption(set, st)
		}
	}
}

// packages notes the packages of a value that are no names: paths, and URLs of files.
func (r *reader) packages(value word, st *state) {
	if !value.ok {
		r.gap(value.src, "what it installs and runs, only the running shell knows")
		return
	}
	for one := range strings.SplitSeq(value.first(), ",") {
		if _, at, named := strings.Cut(one, "@ "); named {
			one = at
		}
		path, isFile := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(one), "git+"), "file:")
		path = strings.TrimPrefix(path, "//")
		if isFile || !strings.Contains(path, "://") && (strings.HasPrefix(path, ".") || strings.Contains(path, "/")) {
			r.decides(value.only(path), []word{value}, st)
		}
	}
}

const whichConfiguration = "which configuration it reads, only the running shell knows"

// sshOption notes what a setting of ssh starts: "Name=value", or the two apart.
func (r *reader) sshOption(set word, st *state) {
	i := strings.IndexAny(set.first(), "= \t")
	if i < 0 {
		return
	}
	value := strings.TrimLeft(set.first()[i:], "= \t")
	switch starts, is := sshCommands[strings.ToLower(set.first()[:i])]; {
	case !is:
	case starts:
		r.line(value, st, false)
	default:
		r.code(set.only(value), whichConfiguration, st)
	}
}

// braced is a variable as the runtime replaces it in the configuration of a
// server (its reference of MCP).
var braced = lazy.Regexp(`\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}`)

// Expand lists the values that a text of a server's configuration may have:
// ${NAME} and ${NAME:-default} are replaced, by the value of now and by the
// default too: the session may be started where it is not set. known is false
// where a variable has neither value nor default, and where getenv is nil; such a
// one is left as it is.
func Expand(text string, getenv func(string) string) (texts []string, known bool) {
	m := braced().FindStringSubmatchIndex(text)
	if m == nil {
		return []string{text}, !strings.Contains(text, "${")
	}
	known = getenv != nil
	var values []string
	if known {
		if value := getenv(text[m[2]:m[3]]); value != "" {
			values = append(values, value)
		}
	}
	if m[4] >= 0 {
		values = report.Union(values, text[m[4]:m[5]])
	}
	if values == nil {
		values, known = []string{text[m[0]:m[1]]}, false
	}
	rest, restKnown := Expand(text[m[1]:], getenv)
	for _, value := range values {
		for _, end := range rest {
			if len(texts) < MaxValues {
				texts = report.Union(texts, text[:m[0]]+value+end)
			}
		}
	}
	return texts, known && restKnown && len(values)*len(rest) <= MaxValues
}
