// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what sandboxed commands may write although no setting says
// so. Sources: the code of 2.1.329, 2.1.324 and 2.1.141; each place was written
// by a command on Linux with 2.1.329 and 2.1.324 (internal/iso).

package claude

import (
	"path"
	"strconv"
)

// Temporary lists the directories for temporary files that commands of any
// session may write: $TMPDIR as they see it, which lies below the user's own,
// and the one that older versions use. getenv is asked for the user's
// environment, from which a launch may take variables away.
func Temporary(getenv func(string) string, uid int) []string {
	list := []string{"/tmp/claude", "/private/tmp/claude", "/tmp/claude-" + strconv.Itoa(uid)}
	for _, name := range []string{"CLAUDE_CODE_TMPDIR", "CLAUDE_TMPDIR", "TMPDIR", "TMP", "TEMP"} {
		if dir := getenv(name); path.IsAbs(dir) {
			list = append(list, path.Join(dir, "claude-"+strconv.Itoa(uid)))
		}
	}
	return list
}

// Logs are the directories of the home that commands may write, unless a
// denyRead covers them.
var Logs = []string{".npm/_logs", ".claude/debug"}
