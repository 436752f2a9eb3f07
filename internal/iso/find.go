// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the agent is found where a shell without aliases and
// functions would find it, and never in the project, which could have put it
// there.

package iso

import (
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
)

// Found is a file that starts the agent.
type Found struct {
	// Path is where it was found, Real the file behind its links.
	Path, Real string
	// From says how it is reached: "PATH", or who brought it.
	From string
}

const ofCode = "the extension of VS Code"

// bundled are places of the agent that PATH need not lead to, below the home,
// by pattern of their last directories' names.
var bundled = []struct{ dir, prefix, rest, from string }{
	{".local/bin", "", "claude", "the native installer"},
	{".claude/local", "", "claude", "the older local installer"},
	{".npm-global/bin", "", "claude", "npm"},
	{".bun/bin", "", "claude", "bun"},
	{".volta/bin", "", "claude", "volta"},
	{".nvm/versions/node", "v", "bin/claude", "npm under nvm"},
	{".vscode/extensions", "anthropic.claude-code-", "resources/native-binary/claude", ofCode},
	{".vscode-server/extensions", "anthropic.claude-code-", "resources/native-binary/claude", ofCode},
	{".cursor/extensions", "anthropic.claude-code-", "resources/native-binary/claude", "the extension of Cursor"},
	{".windsurf/extensions", "anthropic.claude-code-", "resources/native-binary/claude", "the extension of Windsurf"},
}

// FindRuntime lists the files that start the agent: the one that a run was told
// to take for it (env.System), those on path in its order, then those elsewhere.
// This program itself, and what the project around start ("" is none) could have
// put there, is left out. A file that several names lead to is listed once.
func FindRuntime(h host.Reader, path, start string) []Found {
	dirs := host.Written(h, start)
	var list []Found
	add := func(file, from string) {
		if !inforce.Program(h, file) {
			return
		}
		real, err := h.Resolve(file)
		if err != nil || real == h.System().Executable || h.Through(file, dirs) ||
			slices.ContainsFunc(list, func(f Found) bool { return f.Real == real }) {
			return
		}
		list = append(list, Found{file, real, from})
	}
	if other := h.System().Runtime; other != "" {
		add(other, "PATH")
	}
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) {
			add(filepath.Join(dir, "claude"), "PATH")
		}
	}
	for _, b := range bundled {
		dir := filepath.Join(h.Places().Home, b.dir)
		if b.prefix == "" {
			add(filepath.Join(dir, b.rest), b.from)
			continue
		}
		entries, err := h.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), b.prefix) {
				add(filepath.Join(dir, e.Name(), b.rest), b.from)
			}
		}
	}
	return list
}

// passedOver is the first file on path that starts the agent and is left out
// because the project around start could have put it there; "" if there is
// none.
func passedOver(h host.Reader, path, start string) string {
	dirs := host.Written(h, start)
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(start, dir)
		}
		if file := filepath.Join(dir, "claude"); inforce.Program(h, file) && h.Through(file, dirs) {
			return file
		}
	}
	return ""
}

func missing(err error) bool { return errors.Is(err, iofs.ErrNotExist) }
