// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every rehearsal with the installed runtime goes into the
// history of its project; one with another runtime, or whose settings changed
// meanwhile, does not.

package verify

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Record is what each call of a rehearsal came to. The error says why there was
// no rehearsal.
func (l *Rehearsal) Record(ctx context.Context, r host.Reader, project string) (regress.Record, error) {
	if err := l.Wait(nil); err != nil {
		return regress.Record{}, err
	}
	return l.record(ctx, r, project), nil
}

// Past is a rehearsal of the project's history.
type Past struct {
	Key string
	regress.Record
}

// KeepPast keeps a record in the history of the project, under the key that Key
// gave before its rehearsal began.
func KeepPast(ctx context.Context, r host.Reader, o Options, key string, rec regress.Record) error {
	b, err := json.Marshal(rec)
	if err != nil || key == "" || r.System().Runtime != "" || len(rec.Answers) == 0 {
		return err
	}
	return engine.KeepPast(r.Places().State, r.Places().Cache, HistoryOf(ctx, r, o.Project), key, r.System().Now(), b)
}

// PastOf returns the history of the project, the newest first. doubt says why
// nothing good is believed of it: a command of the agent could have made it
// under the settings of now.
func PastOf(ctx context.Context, r host.Reader, o Options) (list []Past, doubt []report.Evidence) {
	doubt = storeDoubts(ctx, r, o.Project)
	for _, kept := range engine.PastOf(r.Places().State, r.Places().Cache, HistoryOf(ctx, r, o.Project),
		r.System().Now()) {
		p := Past{Key: kept.Key}
		if json.Unmarshal(kept.Record, &p.Record) == nil {
			list = append(list, p)
		}
	}
	return list, doubt
}

// HistoryOf names the history of a project: its worktree's root, or the
// directory where there is none.
func HistoryOf(ctx context.Context, r host.Reader, dir string) string {
	if dir == "" {
		dir = r.System().Cwd
	}
	if repo, err := gitrepo.Open(ctx, r, dir); err == nil && repo.Root != "" {
		return repo.Root
	}
	if real, err := r.Resolve(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}
