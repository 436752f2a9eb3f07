// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path that the user adds to a launch is shown as what it is,
// links resolved.

package iso

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// added lists the directories that arguments add to a launch, absolute, links
// resolved.
func added(h host.Reader, p Place, args []string) (dirs []string) {
	for _, dir := range claude.AddedDirs(args) {
		if dir = p.given(h, dir); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// given is a path of an argument, absolute, links resolved.
func (p Place) given(h host.Reader, path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		path = p.Home + path[1:]
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Start, path)
	}
	return host.Real(h, path)
}

// Started is an argument that starts programs outside the sandbox. Path is where it
// leads, absolute, "" for JSON or an address; Writable says that commands may
// write there.
type Started struct {
	Option, Path string
	Writable     bool
}

// starting lists the arguments that name plugins, servers or agents.
func starting(h host.Reader, p Place, args []string) (list []Started) {
	for _, s := range claude.Starting(args) {
		one := Started{Option: s.Option}
		if path := p.given(h, s.Value); s.Option != "--plugin-url" && !strings.HasPrefix(strings.TrimSpace(s.Value), "{") {
			one.Path = path
			one.Writable = slices.ContainsFunc(host.Written(h, p.Start), func(dir string) bool {
				return pathname.Within(path, dir)
			})
		}
		list = append(list, one)
	}
	return list
}
