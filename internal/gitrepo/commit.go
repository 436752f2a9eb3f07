// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a commit holds is read from git's objects: nothing is
// checked out, and no filter runs.

package gitrepo

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// Contents are the contents of git's objects by their names (REF:PATH, REF^{tree})
// in the repository whose work tree is at root; what does not exist is not among
// them. Names with a newline are left out, and all behind what was cut off
// (proc.ErrCut).
func Contents(ctx context.Context, h host.Reader, root string, names ...string) map[string][]byte {
	var asked []string
	for _, name := range names {
		if name != "" && !strings.Contains(name, "\n") {
			asked = append(asked, name)
		}
	}
	found := map[string][]byte{}
	if len(asked) == 0 {
		return found
	}
	rest := h.Run(ctx, proc.GitContents(root, asked...)).Stdout
	for _, name := range asked {
		line, behind, ok := bytes.Cut(rest, []byte("\n"))
		if rest = behind; !ok {
			return found
		}
		fields := strings.Fields(string(line))
		size, err := strconv.Atoi(fields[max(0, len(fields)-1)])
		if err != nil {
			continue // "NAME missing"
		}
		if size >= len(rest) {
			return found
		}
		found[name], rest = rest[:size], rest[size+1:]
	}
	return found
}

// FilesIn lists the files of a commit below paths, relative to the root; none where
// there is no such commit.
func FilesIn(ctx context.Context, h host.Reader, root, commit string, paths ...string) []string {
	return split(h.Run(ctx, proc.GitFilesIn(root, commit, paths...)))
}
