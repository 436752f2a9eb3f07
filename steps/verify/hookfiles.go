// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where a command of the user's own writes or reads in a place
// that sandboxed commands may write, a symlink of theirs says which file that is.

package verify

import (
	"fmt"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// ledAway is the failure that a command of the user's own writes where commands
// may put a symlink (measured with 2.1.329). It warns where what is written is
// in the line: they choose the file alone.
func ledAway(u shell.Use, what, where string) opening {
	o := opening{status: report.Fail, voids: true, where: where, what: u.Path,
		opens: fmt.Sprintf("%s writes %s outside the sandbox. Commands can replace that path by a symlink to any file of "+
			"yours, such as ~/.bashrc.", what, u.Path),
		remedy: report.DocLink{Title: "write to a file outside the project, e.g. ~/.claude/audit.jsonl", Target: where}}
	if u.Fixed {
		o.status, o.voids = report.Warn, false
		o.opens = fmt.Sprintf("%s creates or changes %s outside the sandbox. Commands can replace that path by a symlink "+
			"to another file of yours.", what, u.Path)
	}
	return o
}

// told is the warning that the model is told a file which commands may replace
// by a symlink. A word that is no file yet counts if it is named like one.
func (g ground) told(u shell.Use, what, where string) (o opening, yes bool) {
	if _, open := g.writable(u.Path); !g.tells || u.By == "" || !open || !g.exists(u.Path) && filepath.Ext(u.Path) == "" {
		return o, false
	}
	return opening{status: report.Warn, where: where, what: u.Path,
		opens: fmt.Sprintf("%s gives the model what %s prints of %s. Commands can replace that path by a symlink to any "+
			"file of yours.", what, u.By, u.Path),
		remedy: report.DocLink{Title: "print a file outside the project, or name the file in CLAUDE.md so that the agent " +
			"reads it with its Read tool", Target: where}}, true
}
