// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a push goes to one address, which is shown, and to the
// repository that is fetched from: what is compared and what is sent are the
// same history.

package sync

import (
	"cmp"
	"context"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

// pushesTo is where git pushes to: an address of its own may be set for that, or
// a rule that rewrites addresses.
func (e *Exchange) pushesTo(ctx context.Context) (string, error) {
	unset := "git -C " + e.dir + " config --unset-all remote.origin.pushurl"
	text, ok := e.one(ctx, proc.GitPushAddress(e.dir))
	address, err := syncrepo.ParseAddress(text)
	if !ok || err != nil {
		return "", &report.Error{Code: report.ExitLeft, Where: e.dir, What: "the address that git pushes to cannot be used",
			Err: err,
			Why: "a push goes to one place, which is shown; nothing was changed", Next: unset}
	}
	shown := syncrepo.WithoutPassword(address.Text)
	own := e.r.Run(ctx, proc.GitPushOwn(e.dir))
	if own.Err == nil && own.Code == 1 {
		return shown, nil
	}
	set, err := syncrepo.ParseAddress(strings.TrimSuffix(string(own.Stdout), "\n"))
	fetched, fetchErr := syncrepo.ParseAddress(e.remote)
	if !own.OK() || err != nil || fetchErr != nil || repository(set) != repository(fetched) {
		return "", &report.Error{Code: report.ExitLeft, Where: e.dir, What: "remote.origin.pushurl is another repository " +
			"than the one that is fetched: " + shown,
			Why: "the remote that is compared would not get the commits; nothing was changed", Next: unset}
	}
	return shown, nil
}

// repository is which repository an address names, however it is reached.
func repository(a syncrepo.Address) string {
	where := strings.TrimPrefix(cmp.Or(a.Web, a.Text), "file://")
	return strings.TrimSuffix(strings.TrimSuffix(where, "/"), ".git")
}
