// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is missing in one place may lie in another that is
// known: "not there" is said after those were looked at.

package doctor

import (
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/access"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// sourced are the files of the home that define a command as a function of the
// shell, bins the directories of it in which programs are installed.
var (
	sourced = map[string]string{"nvm": ".nvm/nvm.sh", "sdk": ".sdkman/bin/sdkman-init.sh", "rvm": ".rvm/scripts/rvm",
		"gvm": ".gvm/scripts/gvm", "asdf": ".asdf/asdf.sh", "jabba": ".jabba/jabba.sh", "z": ".z.sh"}
	bins = strings.Fields(".local/bin bin .cargo/bin go/bin .bun/bin .deno/bin .volta/bin .dotnet .dotnet/tools " +
		".npm-global/bin .npm-packages/bin .local/share/pnpm .yarn/bin .pyenv/shims .pyenv/bin .rbenv/shims .rbenv/bin " +
		".asdf/shims .local/share/mise/shims miniconda3/bin anaconda3/bin miniforge3/bin .nix-profile/bin .krew/bin " +
		".ghcup/bin .cabal/bin .juliaup/bin .foundry/bin .composer/vendor/bin .config/composer/vendor/bin " +
		".nvm/versions/node/*/bin .sdkman/candidates/*/current/bin .local/share/fnm/aliases/*/bin")
)

// kept is where the home has a command that is not on PATH, "" if nowhere that is
// known: a file that defines it as a function, or a program.
func (l looker) kept(name string) string {
	home := l.r.Places().Home
	var list []string
	if file := sourced[name]; file != "" {
		list = append(list, filepath.Join(home, file))
	}
	for _, dir := range bins {
		above, below, versions := strings.Cut(dir, "/*/")
		if !versions {
			list = append(list, filepath.Join(home, dir, name))
			continue
		}
		files, _ := l.r.ReadDir(filepath.Join(home, above)) // none, where it is not there
		for _, f := range files {
			list = append(list, filepath.Join(home, above, f.Name(), below, name))
		}
	}
	for _, at := range list {
		if info, err := l.r.Stat(at); err == nil && !info.IsDir() {
			return at
		}
	}
	return ""
}

// keys is the directory in which ssh looks for keys.
func (l looker) keys() string { return filepath.Join(l.r.Places().Home, ".ssh") }

// otherKeys says whether ssh may have a key, or another agent's address: a file
// beside the hosts that it knows and the keys that may log in here.
func (l looker) otherKeys() bool {
	files, err := l.r.ReadDir(l.keys())
	return err != nil && !errors.Is(err, iofs.ErrNotExist) || slices.ContainsFunc(files, func(f iofs.DirEntry) bool {
		return !strings.HasPrefix(f.Name(), "known_hosts") && f.Name() != "authorized_keys"
	})
}

// otherSSH says whether git may call ssh with a key of its own: a variable or a
// configuration names the command, or includes a file that may.
func (l looker) otherSSH() bool {
	if l.r.System().Get("GIT_SSH_COMMAND") != "" || l.r.System().Get("GIT_SSH") != "" {
		return true
	}
	home := l.r.Places().Home
	files := []string{filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config/git/config"), "/etc/gitconfig",
		filepath.Join(access.Root(l.ctx, l.r, l.project), ".git/config")}
	return slices.ContainsFunc(files, func(file string) bool {
		data, err := l.r.Read(file)
		text := strings.ToLower(string(data))
		return err != nil && !errors.Is(err, iofs.ErrNotExist) ||
			strings.Contains(text, "sshcommand") || strings.Contains(text, "[include")
	})
}

// ownFiles are the directories of the home that hold what the user wrote, and
// not what programs install or keep there.
var ownFiles = []string{".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".config"}

// discards says whether a path lies where programs install or keep something, in
// a directory that the policy hides: an earlier command may have written it inside,
// where it is gone when the command ends.
func (l looker) discards(path string) bool {
	rel, below := pathname.Below(path, l.r.Places().Home)
	first, _, deeper := strings.Cut(rel, "/")
	if !below || !deeper || slices.Contains(ownFiles, first) {
		return false
	}
	_, starts := l.starts()
	return l.hides(starts, filepath.Dir(path))
}
