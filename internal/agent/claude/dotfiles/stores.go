// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where the user's tools keep programs and packages is theirs; a
// symlink of the user's that puts one into a project puts it where commands write.

package dotfiles

import (
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// stores are directories below the home of version managers, toolchains, packages and
// caches that other programs run or build in. Their configuration, and what PATH has of
// them, is judged elsewhere; package sensitive says what they hold. What a tool takes
// only where somebody names it, such as a toolchain of rustup, is the user's choice.
var stores = strings.Fields(`.nvm .volta .fnm .local/share/fnm .nodenv .asdf .local/share/mise .local/share/rtx .proto
	.pyenv .local/share/uv .local/share/pipx .virtualenvs .local/lib .conda .rbenv .rvm .goenv .jenv .sdkman .jdks .rustup
	.cargo .cargo/bin .cargo/registry .cargo/git go go/bin go/pkg/mod sdk bin .ghcup .opam .deno .bun .krew .oh-my-zsh
	.vscode .npm .npm-global .yarn .cache/yarn .cache/node .local/share/pnpm .cache/deno .cache/uv .cache/pip .cache/pre-commit
	.cache/go-build .m2 .gradle .ivy2 .sbt .cache/coursier .ccache .cache/ccache .cache/sccache .cache/ms-playwright`)

// stored adds those that are symlinks to where commands may write.
func (j *homeJudge) stored() {
	home := j.Session.Dirs.Home
	for _, name := range stores {
		at := filepath.Join(home, name)
		info, err := j.Host.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 || !j.Leads(at) {
			continue
		}
		what, _ := sensitive.RunsOutside(at, home)
		j.add(report.Fail, at, at, opening.CanMake+at+" ("+grants.RealPath(j.Host, at)+"): "+what+".")
	}
}
