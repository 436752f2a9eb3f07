// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a session with hooks has the files that the user's hooks
// name, as they are, and no credential, whoever names it.

package rehearsal

import (
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/settings"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// Bounds of what hooks bring along, in bytes and files.
const (
	maxHookFile  = 1 << 20
	maxHookFiles = 200
)

// hookFiles are the scripts beside the user's settings, and the files in the
// home that hooks name; keep are the programs that our own scripts start.
func (t *Theatre) hookFiles() (files []fs.Laid, keep []string) {
	places := t.Host.Places()
	var paths []string
	add := func(path string) {
		if !slices.Contains(paths, path) && len(paths) < maxHookFiles {
			paths = append(paths, path)
		}
	}
	if entries, err := t.Host.ReadDir(places.Scripts()); err == nil {
		for _, e := range entries {
			add(filepath.Join(places.Scripts(), e.Name()))
		}
	}
	for _, path := range []string{places.UserSettings(), places.Managed} {
		for _, command := range t.hookCommands(path) {
			for _, word := range shell.Paths(command, places.Home) {
				add(word)
			}
		}
	}
	secrets := stage.Secrets(t.Run, places.Home, places.AgentDir, t.Paths)
	for _, path := range paths {
		real, err := t.Host.Resolve(path)
		if err != nil || t.inTrees(path) || !pathname.Within(path, places.Home) && !pathname.Within(path, places.AgentDir) ||
			path == places.UserSettings() || path == inforce.StateFile(t.Host) ||
			stage.Covers(secrets, path) || stage.Covers(secrets, real) {
			continue
		}
		if _, secret := inforce.Credential(t.Host, "", path); secret {
			continue
		}
		info, err := t.Host.Stat(real)
		switch {
		case err != nil || !info.Mode().IsRegular():
		case info.Size() <= maxHookFile:
			b, err := t.Host.Read(real)
			if err != nil {
				continue
			}
			files = append(files, fs.Laid{Path: path, Mode: info.Mode().Perm(), Data: b})
			if script, ours := scripts.Recognize(b); ours {
				keep = append(keep, script.Binary)
			}
		case executable(info): // a program: too large to be copied
			keep = append(keep, path)
		}
	}
	slices.Sort(keep)
	return files, slices.Compact(keep)
}

// inTrees says whether a path lies in a work tree of the stage: whatever is
// there on the stage is mounted or laid already.
func (t *Theatre) inTrees(path string) bool {
	return slices.ContainsFunc(t.Trees, func(tree inforce.Tree) bool { return pathname.Within(path, tree.Root) })
}

// hookCommands lists the commands of the hooks in a settings file, and the
// arguments of those that are started without a shell.
func (t *Theatre) hookCommands(path string) []string {
	b, err := t.Host.Read(path)
	if err != nil {
		return nil
	}
	d, _, err := settings.Read(path, b)
	if err != nil {
		return nil
	}
	var list []string
	for _, h := range d.Hooks() {
		command, args := h.Entry.Command()
		if command == nil {
			continue
		}
		list = append(list, command.Text)
		if args != nil {
			for _, arg := range args.Items {
				list = append(list, scripts.Quote(arg.Text))
			}
		}
	}
	slices.Sort(list)
	return list
}
