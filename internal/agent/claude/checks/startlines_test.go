// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: lines as the start files of developers have them, each by itself
// on a machine: those that lead out of every project raise nothing, those that lead
// into the project are named.

package checks_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// startLine is a line of a start file, and what verify says of the machine that has it.
type startLine struct {
	file, line string
	want       report.Status
	// says is a part of what is said.
	says string
}

// The start files of startLines.
const (
	inBash = "~/.bashrc"
	inZsh  = "~/.zshrc"
	inFish = "~/.config/fish/config.fish"
)

var startLines = []startLine{
	// Functions are loaded from directories that variables of other files begin.
	{inZsh, "fpath=(${ASDF_DIR}/completions $fpath)", report.Pass, ""},
	{inZsh, "fpath=($DOTFILES/functions(N) $fpath)", report.Pass, ""},
	{inFish, `set fish_function_path $fish_function_path "$powerline_path/bindings/fish"`, report.Pass, ""},
	{inFish, "set fish_complete_path $__fish_config_dir/completions $fish_complete_path", report.Pass, ""},
	{inZsh, "fpath=($PWD/functions $fpath)", report.Fail, "functions"},
	// A value in quotes is a command line, with slashes in its arguments.
	{inFish, `set -gx FZF_DEFAULT_COMMAND "rg --files --hidden --glob '!.git/*'"`, report.Pass, ""},
	{inFish, `set -gx FZF_DEFAULT_COMMAND "find . -path '*/\.*' -prune | sed s/^..//"`, report.Pass, ""},
	{inFish, `set -gx LESSOPEN "|/usr/local/bin/lesspipe.sh %s"`, report.Pass, ""},
	{inFish, `set -gx GIT_SSH_COMMAND 'ssh -i ~/.ssh/work -F /dev/null'`, report.Pass, ""},
	{inFish, `string match -rq "/src/(?<space>[a-z]+)/x" (pwd)`, report.Pass, ""},
	{inFish, `set -gx GIT_SSH_COMMAND "sh ./x.sh"`, report.Fail, "x.sh"},
	// What a substitution names is no file because a longer name behind it begins likewise.
	{inBash, ". $(brew --prefix asdf)/libexec/asdf.sh", report.Pass, ""},
	{inFish, "source (brew --prefix asdf)/libexec/asdf.fish", report.Pass, ""},
	{inBash, `eval "$(cat x/asdf)"`, report.Fail, "asdf"},
	// Loops over names that the file says.
	{inBash, `for file in ~/.{path,exports,aliases}; do [ -r "$file" ] && source "$file"; done`, report.Pass, ""},
	{inBash, `for n in {1..100000}; do . "$n"; done`, report.Warn, "unknown"},
	{inFish, "for f in ~/.config/fish/own/*.fish; source $f; end", report.Pass, ""},
	{inZsh, "for f (~/.zsh/*.zsh(N)) source $f", report.Pass, ""},
	{inZsh, "for f (./own/*.zsh) source $f", report.Fail, "own"},
	// As programs write them.
	{inFish, `eval /opt/conda/bin/conda "shell.fish" "hook" $argv | source`, report.Pass, ""},
	{inFish, "source $__fish_config_dir/local.fish", report.Pass, ""},
	{inZsh, "source $HOMEBREW_PREFIX/share/zsh-autosuggestions/zsh-autosuggestions.zsh", report.Pass, ""},
	{inZsh, "source $ELSEWHERE/x.zsh", report.Warn, "unknown"},
	// The directory of $0 is the one that the shell is in.
	{inZsh, `source "$(dirname $0)/aliases.zsh"`, report.Fail, "aliases.zsh"},
	{inZsh, "source ${0:a:h}/aliases.zsh", report.Fail, "aliases.zsh"},
	{inBash, `DIR=$(dirname "$0"); . "$DIR/aliases.sh"`, report.Fail, "aliases.sh"},
	{inBash, `. "$(dirname "${BASH_SOURCE[0]}")/aliases.sh"`, report.Pass, ""},
	// The root of the project, by way of another program, and in one of two branches.
	{inFish, `function venv --on-variable PWD
    if git rev-parse --show-toplevel &>/dev/null
        set gitdir (realpath (git rev-parse --show-toplevel))
    else
        set gitdir ""
    end
    source "$gitdir/.venv/bin/activate.fish"
end`, report.Fail, "activate.fish"},
	// An entry that nobody meant.
	{inBash, "export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH", report.Fail, "an empty entry"},
	{inBash, "export PYTHONPATH=$PYTHONPATH:/opt/x", report.Warn, "an empty entry"},
	{inBash, "export LD_LIBRARY_PATH=/usr/lib:.", report.Fail, "leads to"},
}

func TestLinesOfStartFiles(t *testing.T) {
	testenv.AsUser(t)
	shells := map[string]string{inBash: "/bin/bash", inZsh: "/usr/bin/zsh", inFish: "/usr/bin/fish"}
	machines := map[string]*Machine{}
	for file, sh := range shells {
		machines[file] = build(t, on(func(s *setup) { s.env = map[string]string{"SHELL": sh} }))
	}
	for _, l := range startLines {
		t.Run(l.line, func(t *testing.T) {
			m := copyOf(t, machines[l.file])
			m.write(l.file, m.readOr(l.file)+l.line+"\n", 0o644)
			f := m.judged("policy-invariants")
			text := f.Summary
			for _, e := range f.Evidence {
				text += "\n" + e.Where + " " + e.Text
			}
			if f.Status != l.want || !strings.Contains(text, l.says) {
				t.Errorf("%s, want %s (%s): %s", f.Status, l.want, l.says, text)
			}
		})
	}
}

// Files that a pattern of zsh with qualifiers names are read, too.
func TestQualifiersHideNoFile(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, on(func(s *setup) { s.env = map[string]string{"SHELL": "/usr/bin/zsh"} }))
	m.write("~/.z/a.zsh", "source ./x.zsh\n", 0o644)
	m.write(inZsh, "for f in ~/.z/*.zsh(N); do source $f; done\n", 0o644)
	if f := m.judged("policy-invariants"); f.Status != report.Fail {
		t.Errorf("%s: %s", f.Status, f.Summary)
	}
}

// A line that names no path is not to name another one.
func TestWhatEndsALineThatNamesNoPath(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, usualSetup)
	m.write("~/.config/nvim/init.lua", "vim.o.exrc = true\n", 0o644)
	f := m.judged("policy-invariants")
	link, is := f.Remedies[0].(report.DocLink)
	if f.Status != report.Warn || !is || !strings.HasPrefix(link.Title, "remove the line") {
		t.Errorf("%s: %s: %+v", f.Status, f.Summary, f.Remedies)
	}
}
