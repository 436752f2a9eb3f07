// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one sync at a time, ours or the script's; who holds the lock
// is named where the system tells.

package sync

import (
	"errors"
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

// Lock takes the lock of the repository. The error is a *report.Error.
func Lock(r host.Reader) (unlock func(), err error) {
	dir, err := r.Resolve(r.Places().SyncRepo)
	if err == nil {
		_, err = r.Stat(dir)
	}
	if err != nil {
		return func() {}, nil //nolint:nilerr // Open says what is with it
	}
	path := syncrepo.LockPath(dir)
	unlock, err = fs.LockFile(path)
	switch {
	case errors.Is(err, fs.ErrHeld):
		var who []string
		for _, p := range proc.Holders(path) {
			who = append(who, fmt.Sprintf("%s (process %d)", redact.Line(p.Name, 40), p.ID))
		}
		why := "this system does not say which process holds it"
		if len(who) > 0 {
			why = "held by " + strings.Join(who, ", ")
		}
		return nil, &report.Error{Code: report.ExitStale, Where: path, What: "another sync is running", Why: why +
			"; nothing was changed", Next: "wait for it to end, then try again"}
	case err != nil:
		return nil, &report.Error{Code: report.ExitLeft, Where: path, What: "the lock cannot be taken", Err: err,
			Why:  "without it two syncs could run at once; nothing was changed",
			Next: "make it a regular file that you can write"}
	}
	return unlock, nil
}
