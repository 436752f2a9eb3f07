// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a session with hooks has the files that the user's hooks
// name, as they are, and no credential, whoever names it.

package rehearsal

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/sensitive"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// Bounds of what hooks bring along, in bytes and files.
const (
	maxHookFile  = 1 << 20
	maxHookFiles = 200
)

// hookFiles are the files in the home that hooks name; keep are the programs that
// our own scripts start.
func (t *Theatre) hookFiles(started agent.Started) (files []fs.Laid, keep []string) {
	places := t.Host.Places()
	of := t.Agent.Layout(places)
	var paths []string
	for _, path := range started.Hooks {
		if !slices.Contains(paths, path) && len(paths) < maxHookFiles {
			paths = append(paths, path)
		}
	}
	secrets := stage.Secrets(t.Run, places.Home, of, t.Paths)
	for _, path := range paths {
		real, err := t.Host.Resolve(path)
		if err != nil || t.inTrees(path) || !pathname.Within(path, places.Home) && !pathname.Within(path, of.Own) ||
			slices.ContainsFunc(started.Files, func(f fs.Laid) bool { return f.Path == path }) ||
			stage.Covers(secrets, path) || stage.Covers(secrets, real) {
			continue
		}
		if _, secret := sensitive.Credential(t.Host, "", path); secret {
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
	return slices.ContainsFunc(t.Trees, func(tree host.Tree) bool { return pathname.Within(path, tree.Root) })
}
