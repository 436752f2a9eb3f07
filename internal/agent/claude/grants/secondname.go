// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: who may write one name of a file may write all of them.

package grants

import (
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
)

// SecondName is another name of the file at a path, a hard link, by which commands may write
// it; "" where none is known.
func (g Ground) SecondName(path string) string {
	info, err := g.Host.Stat(path)
	if err != nil || host.Names(info) < 2 || info.IsDir() {
		return ""
	}
	return session.Found(g.Host, g.Session, secondNameKey(RealPath(g.Host, path)), func() string {
		others, _ := host.OtherNames(g.Host, []string{path}, g.Places(), func(_, at string) bool { return g.Spared(at) })
		return others[path]
	})
}

type secondNameKey string

// Spared says whether commands may not write a file that lies where they may write.
func (g Ground) Spared(at string) bool { return Under(at, g.Kept) || g.Protected(at) }

// WithLink is a path as it is said: with the hard link by which commands may write it.
func (g Ground) WithLink(path string) string {
	if other := g.SecondName(path); other != "" {
		return path + " (hard link: " + other + ")"
	}
	return path
}
