// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the shim of a version manager is not the program that it
// is called after, and whoever writes its working directory may choose it.

package commandline

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// manager is a version manager.
type manager struct {
	name string
	// root is the variable that names its directory, home that directory below the
	// home where it is not set, shims the directory of the shims in there.
	root, home, shims string
	// follows are the files of the working directory, and above it, by which a shim
	// may start a program that lies there; "" if they only choose among versions
	// that the user installed. which is the command that names the program.
	follows, which string
}

// managers are those whose shims are known, from their documentation and sources:
// asdf to 0.15 (`path:` in .tool-versions, hooks in .asdfrc; later ones take
// installed versions alone: follows), mise (templates and `path:`, its [env]),
// volta (hooks.json of the project names a program to run), proto ([env] and
// [plugins]), jenv (a version may begin with "../"). Those of pyenv, rbenv, goenv
// and nodenv refuse a version with a slash.
var managers = []manager{
	{"asdf", "ASDF_DATA_DIR", ".asdf", "shims", ".tool-versions .asdfrc", "asdf which"},
	{"mise", "MISE_DATA_DIR", ".local/share/mise", "shims", "mise.toml .mise.toml .tool-versions", "mise which"},
	{"volta", "VOLTA_HOME", ".volta", "bin", "package.json .volta/hooks.json", "volta which"},
	{"proto", "PROTO_HOME", ".proto", "shims", ".prototools", "proto bin"},
	{"jenv", "JENV_ROOT", ".jenv", "shims", ".java-version", "jenv which"},
	{"nodenv", "NODENV_ROOT", ".nodenv", "shims", "", "nodenv which"},
}

// maxShim bounds a shim that is a script, in bytes.
const maxShim = 4 << 10

// ManagerOf is the version manager whose shim a file is, "" if it is none.
func ManagerOf(r host.Reader, path string) string {
	if path == "" {
		return ""
	}
	named := slices.ContainsFunc(managers, func(m manager) bool { return m.name == filepath.Base(path) })
	if real, err := r.Resolve(path); err == nil && !named {
		switch filepath.Base(real) {
		case "volta-shim":
			return "volta"
		case "mise":
			return "mise"
		}
	}
	for _, m := range managers {
		root := cmp.Or(r.System().Get(m.root), filepath.Join(r.Places().Home, m.home))
		if filepath.Dir(path) == filepath.Join(root, m.shims) && !named {
			return m.name
		}
	}
	if startsByASDF(r, path) != "" {
		return "asdf"
	}
	return ""
}

// startsByASDF is the word for asdf in a shim of asdf's, "" if a file is none.
func startsByASDF(r host.Reader, path string) string {
	if info, err := r.Stat(path); err != nil || info.Size() > maxShim {
		return ""
	}
	text, err := r.Read(path)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if m := AsdfLine().FindStringSubmatch(lines[len(lines)-1]); m != nil {
		return m[1]
	}
	return ""
}

// Shim is the shim by which a program is started: the program itself, or the one
// that its first line finds on PATH (#!/usr/bin/env node).
func Shim(g grants.Ground, path string) string {
	if path == "" || ManagerOf(g.Host, path) != "" {
		return path
	}
	text, err := g.Host.Script(path)
	if err != nil {
		return ""
	}
	for _, word := range shell.Interpreter(text) {
		if filepath.Base(word) == "env" || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		if !filepath.IsAbs(word) {
			if word, err = g.Look(word); err != nil {
				return ""
			}
		}
		if ManagerOf(g.Host, word) != "" {
			return word
		}
		return ""
	}
	return ""
}

// followedBy are the files by which a shim may start a program of its directory.
func followedBy(g grants.Ground, shim string) (m manager, files []string) {
	name := ManagerOf(g.Host, shim)
	i := slices.IndexFunc(managers, func(m manager) bool { return m.name == name })
	if i < 0 || name == "asdf" && !oldASDF(g, shim) {
		return m, nil
	}
	return managers[i], strings.Fields(managers[i].follows)
}

// oldASDF says whether the asdf that a shim starts is a shell script, as it was
// before 0.16, or is not known.
func oldASDF(g grants.Ground, shim string) bool {
	path := startsByASDF(g.Host, shim)
	if path == "" {
		return true
	}
	if !filepath.IsAbs(path) {
		found, err := g.Look(path)
		if err != nil {
			return true
		}
		path = found
	}
	text, err := g.Host.Script(path)
	return err == nil && shell.IsScript(text)
}

// Chosen is the warning that files of the working directory choose what a shim
// starts.
func Chosen(g grants.Ground, u shell.Use, what, where string) (o opening.Opening, yes bool) {
	m, files := followedBy(g, u.By)
	files = slices.DeleteFunc(files, func(name string) bool {
		_, open := g.Writable(filepath.Join(u.Path, name))
		return !open
	})
	if len(files) == 0 {
		return o, false
	}
	name := filepath.Base(u.By)
	return opening.Opening{Status: report.Warn, Where: where, What: u.By,
		Opens: fmt.Sprintf("%s in %s is a shim of %s, and runs outside the sandbox: %s in its directory decides which "+
			"program it starts, and commands can write it.", name, what, m.name, strings.Join(files, " or ")),
		Step: "write the absolute path of the program, which this prints: " + m.which + " " + name}, true
}

// Smallest is less than any runtime that is one executable: 2.1.141 to 2.1.329
// have between 210 and 240 MB.
const Smallest = 64 << 20

var (
	// ShimLine is a line of the shims that pnpm and npm write (cmd-shim) for a
	// package's program: nothing but their own variables and the start.
	ShimLine = lazy.Regexp(`^\s*(` + strings.Join([]string{
		``, `#.*`, `basedir=\$\(dirname .*\)`, `case .uname. in`, `\*CYGWIN\*.*`, `esac`, `;;`,
		`if \[ -[xz] "\$\w+(/node)?" \]; then`, `else`, `fi`,
		`basedir=.cygpath -w "\$basedir".`, `export NODE_PATH="[^"]*"`,
		`exec ("\$basedir/node"|node)? *"\$basedir/[^"]*node_modules/@anthropic-ai/claude-code/[^"]*" +"\$@"`,
	}, `|`) + `)\s*$`)
	// AsdfLine is the whole of asdf's shims but for comments: which asdf, and for
	// which program.
	AsdfLine = lazy.Regexp(`^exec "?(\S*asdf)"? exec "([^"]+)" "\$@"( # .*)?$`)
)
