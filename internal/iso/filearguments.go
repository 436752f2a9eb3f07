// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: no argument lets the runtime open, outside the sandbox, what a
// symlink of a command leads to.

package iso

import (
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// exchanged says that an argument names a file that commands can replace: a log
// where they write, or a prompt that leads out of there. nil if none does; the
// error is a *report.Error.
func exchanged(h host.Reader, p Place, args []string) error {
	written := host.Written(h, p.Start)
	for _, a := range claude.FileArguments(args) {
		path := a.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.Start, path)
		}
		if !h.Through(path, written) {
			continue
		}
		e := &report.Error{Code: report.ExitUsage, Where: path,
			What: "commands can replace the file of " + a.Option + " by a symlink",
			Why:  "the runtime would append its log to any file of yours, outside the sandbox",
			Next: "name a file outside of the project, such as " + a.Option + " ~/claude.log"}
		if !a.Log {
			real := host.Real(h, path)
			if slices.ContainsFunc(written, func(dir string) bool { return pathname.Within(real, dir) }) {
				continue
			}
			e.What = "the file of " + a.Option + " leads out of the project, to " + real
			e.Why = "commands can make such a symlink, and the model would receive what it leads to"
			e.Next = "if you want that, name the file itself: " + a.Option + " PATH"
		}
		return e
	}
	return nil
}
