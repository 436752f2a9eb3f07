// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is missing in one place may lie in another that is
// known: "not there" is said after those were looked at.

package explain

import (
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host/fs"
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

// witness looks for the files of a witness, of which any counts.
func (l looker) witness(witness string) (v catalog.Verdict, words string) {
	for _, place := range catalog.PlacesOf(witness, l.r.Places().Home, l.project, l.r.System().Get) {
		switch at, said := l.place(place); {
		case at == catalog.Sandboxed:
			return at, said
		case v == "":
			v, words = at, said
		}
	}
	return v, words
}

// place looks for one file of a witness. One that is not there proves nothing: another place may hold the same
// login, and another terminal has other variables.
func (l looker) place(p catalog.Place) (catalog.Verdict, string) {
	at := p.Path
	if at == "" {
		return catalog.Undecided, p.Named + " is not set outside the sandbox either"
	}
	switch _, err := l.r.Stat(at); {
	case err == nil && p.Home:
		return unsure(l.covered(at, at+" is there", catalog.Exists)) // a variable may hold the login too
	case err == nil && catalog.Device(at) && !fs.Accessible(at, true) && !l.directory(at):
		return catalog.Undecided, neither("open", at)
	case err == nil:
		return catalog.Sandboxed, at + " is there"
	case errors.Is(err, iofs.ErrNotExist) && catalog.Device(at):
		return catalog.Undecided, noDevice(at)
	case errors.Is(err, iofs.ErrNotExist):
		return catalog.Undecided, at + notThere
	}
	return catalog.Undecided, ""
}

// directory says whether a path is that of a directory.
func (l looker) directory(path string) bool {
	info, err := l.r.Stat(path)
	return err == nil && info.IsDir()
}

// noDevice says of a device that this machine lacks it: the text may be of one
// that has it, as machines differ in nothing more.
func noDevice(at string) string {
	return "this machine has no " + at + "; the text may come from one that has it"
}
