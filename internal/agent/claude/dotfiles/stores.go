// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where the user's tools keep programs and packages is theirs; a
// symlink of the user's that puts one into a project puts it where commands write.

package dotfiles

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// stores are directories below the home of version managers, toolchains, packages and
// caches that other programs run or build in. Their configuration, and what PATH has of
// them, is judged elsewhere; package sensitive says what they hold. What a tool takes
// only where somebody names it, such as a toolchain of rustup, is the user's choice.
var stores = strings.Fields(`.nvm .volta .fnm .local/share/fnm .nodenv .asdf .local/share/mise .local/share/rtx .proto
	.pyenv .local/share/uv .local/share/uv/tools .local/share/pipx .local/share/pipx/venvs .virtualenvs .local/lib .conda
	miniconda3 anaconda3 miniforge3 .rbenv .rvm .goenv .jenv .sdkman .jdks .rustup .cargo .cargo/bin .cargo/registry
	.cargo/git go go/bin go/pkg/mod sdk bin .ghcup .opam .deno .bun .krew .linuxbrew .nix-profile .guix-profile .oh-my-zsh
	.vscode .local/share/nvim .npm .npm-global .yarn .cache/yarn .cache/node .local/share/pnpm .cache/deno .cache/uv
	.cache/pip .cache/pre-commit .cache/go-build .m2 .gradle .ivy2 .sbt .cache/coursier .ccache .cache/ccache
	.cache/sccache .cache/ms-playwright`)

// stored adds those that are symlinks to where commands may write.
func (j *homeJudge) stored() {
	home := j.Session.Dirs.Home
	for _, name := range stores {
		at := filepath.Join(home, name)
		info, err := j.Host.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 || !j.Leads(at) {
			continue
		}
		what, is := sensitive.RunsOutside(at, home)
		if !is {
			what = "programs there run outside the sandbox"
		}
		j.add(report.Fail, at, at, opening.CanMake+at+" ("+grants.RealPath(j.Host, at)+"): "+what+".")
	}
}

// otherPlaces hold what programs load that no row of the table names: extensions of
// editors, plugins of a framework of zsh.
var otherPlaces = strings.Fields(`.vscode/extensions/* .vscode-server/extensions/* .cursor/extensions/*
	.oh-my-zsh/custom .oh-my-zsh/custom/* .oh-my-zsh/custom/plugins/* .oh-my-zsh/custom/themes/* C/JetBrains/*/*.vmoptions
	C/sublime-text/Packages/* C/sublime-text/Packages/User/*`)

// elsewhere are places that other checks judge: start files of shells and desktops, git's
// and the agent's own; and caches.
var elsewhere = lazy.Regexp(`^\.(bash|zsh|zlog|zprofile|profile|x(profile|session|init)|Xsession|gnomerc|vnc|ksh|mksh|` +
	`t?cshrc|log(in|out)|git((config|ignore|attributes|message)[\w.-]*)?(/|$)|claude([/.]|$)|(ssh|gnupg|cache|local)(/|$)|` +
	`config/(git|fish|openbox|labwc|uwsm|river|bspwm|herbstluftwm)(/|$))`)

// others warns of what else in the home, in its directories of configuration and in one
// below each is a symlink to where commands may write: some program reads it.
func (j *homeJudge) others() {
	home, left := j.Session.Dirs.Home, maxConfigs
	var paths []string
	for _, pattern := range otherPlaces {
		paths = j.expand(paths, pattern)
	}
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		entries, _ := j.Host.ReadDir(dir)
		for _, e := range entries {
			at := filepath.Join(dir, e.Name())
			if rel, _ := pathname.Below(at, home); !strings.HasPrefix(rel, ".") || elsewhere().MatchString(rel) {
				continue
			}
			isLink := e.Type()&fs.ModeSymlink != 0
			if !isLink && (!e.IsDir() || depth > 0 && (depth > 1 || filepath.Base(dir) != ".config")) {
				continue
			}
			if left--; left < 0 {
				return
			}
			if isLink {
				paths = append(paths, at)
			} else {
				walk(at, depth+1)
			}
		}
	}
	walk(home, 0)
	for _, at := range paths {
		info, err := j.Host.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 || !j.Leads(at) ||
			slices.Contains(j.seen, grants.RealPath(j.Host, at)) ||
			slices.ContainsFunc(j.found, func(o opening.Opening) bool {
				return pathname.Within(o.Where, at) || pathname.Within(at, o.Where)
			}) {
			continue
		}
		j.add(report.Warn, at, at, opening.CanMake+at+" ("+grants.RealPath(j.Host, at)+
			"), and programs of yours read or run it outside the sandbox.")
	}
}
