// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the rehearsals of a project are kept one after another,
// signed like every result, so that what a later one lost can be named with
// the last that had it.

package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Past is what is kept of one rehearsal of a project.
type Past struct {
	Key    string
	At     time.Time
	Record []byte
}

// pastOf is the kind of what is kept of the project at root.
func pastOf(project string) kind { return kind("history-" + nameOf(project)) }

// nameOf is a short name for a path.
func nameOf(path string) string {
	return strings.TrimPrefix(string(report.DigestOf([]byte(path))), "sha256:")[:16]
}

// KeepPast keeps what each call of a rehearsal of the project came to, as JSON,
// beside those of other keys.
func KeepPast(state, cache, project, key string, now time.Time, record []byte) error {
	return pastOf(project).keep(state, cache, key, now, record)
}

// PastOf returns what is kept of the rehearsals of the project, the newest
// first. What this user's key did not sign is passed over.
func PastOf(state, cache, project string, now time.Time) []Past {
	k := pastOf(project)
	names, _ := fs.List(k.dir(cache))
	var list []Past
	for _, name := range slices.Backward(names) {
		_, key, ours := strings.Cut(name, string(k)+".")
		if !ours || key == "" {
			continue
		}
		if b, at, ok := k.kept(state, cache, key, now); ok {
			list = append(list, Past{key, at, b})
		}
	}
	return list
}
