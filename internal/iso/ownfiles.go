// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what both launches rest upon, and what they hide, has no
// second name where commands may write: what protects it names a path.

package iso

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// OwnFile is a file of the user's that no command may write, or, with Secret,
// read. What says what it is: "what your shell runs".
type OwnFile struct {
	Path, What string
	Secret     bool
}

// maxInPlace bounds how many files of one directory count.
const maxInPlace = 256

// OwnFiles lists the files of the user's that decide about every session:
// approvals, settings, scripts, start files of shells, git's configuration; and
// credentials: the files of the usual places, those in directories below them
// left out. Many of them need not be there. No file is opened.
func OwnFiles(r host.Reader) (list []OwnFile) {
	places := r.Places()
	add := func(what string, paths ...string) {
		for _, path := range paths {
			list = append(list, OwnFile{Path: path, What: what})
		}
	}
	add("your approvals", OwnState(r)...)
	add("a hook of yours", filesIn(r, places.Scripts())...)
	add("the launch of claude-iso", filesIn(r, places.Isolation())...)
	add("the settings of every session", places.UserSettings())
	state := inforce.StateFiles(r)
	add("the servers and the approvals of the runtime", state[:]...)
	user := shellrc.User{Home: places.Home, Getenv: r.System().Get}
	kinds := []shellrc.Shell{shellrc.Bash, shellrc.Zsh}
	if kind, ok := shellrc.ShellOf(r.System().Get("SHELL")); ok && !slices.Contains(kinds, kind) {
		kinds = append(kinds, kind)
	}
	for _, kind := range kinds {
		add(ShellRuns, user.Loads(r, kind)...)
	}
	config := cmp.Or(r.System().Get("XDG_CONFIG_HOME"), filepath.Join(places.Home, ".config"))
	add("what git runs", filepath.Join(places.Home, ".gitconfig"), filepath.Join(config, "git", "config"))
	credentials := policy.CredentialPlaces()
	for _, place := range slices.Sorted(maps.Keys(credentials)) {
		path := filepath.Join(places.Home, strings.TrimPrefix(place, "~/"))
		for _, file := range slices.Concat([]string{path}, filesIn(r, path)) {
			list = append(list, OwnFile{Path: file, What: credentials[place], Secret: true})
		}
	}
	return list
}

// OwnState lists the files that hold the user's approvals: what was approved,
// the copies of it, and the key that signs results.
func OwnState(r host.Reader) []string {
	state := r.Places().State
	list := append([]string{approval.Path(state)}, filesIn(r, state)...)
	list = append(list, filesIn(r, filepath.Join(state, "policies"))...)
	approved := filepath.Join(state, "approved")
	entries, _ := r.ReadDir(approved) // none, if it cannot be read
	for _, e := range entries[:min(len(entries), maxInPlace)] {
		list = append(list, filesIn(r, filepath.Join(approved, e.Name()))...)
	}
	return slices.Compact(list)
}

// filesIn lists the regular files of a directory; none if it is no directory.
func filesIn(r host.Reader, dir string) (list []string) {
	entries, _ := r.ReadDir(dir)
	for _, e := range entries[:min(len(entries), maxInPlace)] {
		if e.Type().IsRegular() {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}

// SecondName says, as a *report.Error, which file of the user's has another name
// where commands of a session in start may write; nil if none is known. unseen
// are those that have other names of which it is not known where they are: there
// are too many files.
func SecondName(r host.Reader, start string, files []OwnFile) (unseen []string, linked error) {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	found, unseen := host.OtherNames(r, paths, host.Written(r, start), func(string, string) bool { return false })
	for _, f := range files {
		other, linked := found[f.Path]
		if !linked {
			continue
		}
		can := "change"
		if f.Secret {
			can = "read"
		}
		return unseen, &report.Error{Code: report.ExitLeft, Where: f.Path, What: hardLink + other,
			Why:  fmt.Sprintf("commands could %s it there: %s", can, f.What),
			Next: "remove that name, or copy the file and rename the copy over it"}
	}
	return unseen, nil
}

// MountedInside lists the mounts where commands of a session in start may write that
// show a file of the user's, credentials, or what runs outside the sandbox: the
// policy names these by their other path. Other mounts are the user's choice.
func MountedInside(r host.Reader, start string) (list []inforce.Second) {
	shown := inforce.ShownIn(r, host.Written(r, start))
	if len(shown) == 0 {
		return nil
	}
	files, home := OwnFiles(r), r.Places().Home
	for _, m := range shown {
		_, secret := policy.Reaches(m.Source, home, nil)
		_, runs := policy.RunsOutside(m.Source, home)
		if secret || runs || slices.ContainsFunc(files, func(f OwnFile) bool {
			return pathname.Within(f.Path, m.Source) || pathname.Within(m.Source, f.Path)
		}) {
			list = append(list, inforce.Second{Path: m.Path, Line: m.Line})
		}
	}
	return list
}
