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

// Contents are the contents of git's commits and files by their names (REF:PATH,
// :PATH of the index, REF^{commit}) in the repository whose work tree is at root;
// what does not exist, and a directory, is not among them. Names with a newline are
// left out, and all behind what was cut off (proc.ErrCut).
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
		size, err := strconv.Atoi(string(line[bytes.LastIndexByte(line, ' ')+1:]))
		if err != nil {
			continue // "NAME missing"
		}
		if size >= len(rest) {
			return found
		}
		if !bytes.Contains(line, []byte(" tree ")) {
			found[name] = rest[:size]
		}
		rest = rest[size+1:]
	}
	return found
}

// Tracked is a file of a commit: Path is relative to the root, Link says that it is a
// symlink, whose content is where it leads.
type Tracked struct {
	Path string
	Link bool
}

// FilesIn lists the files of a commit at or below paths; none where there is no such
// commit.
func FilesIn(ctx context.Context, h host.Reader, root, commit string, paths ...string) (list []Tracked) {
	for _, entry := range split(h.Run(ctx, proc.GitFilesIn(root, commit, paths...))) {
		if mode, name, ok := strings.Cut(entry, "\t"); ok {
			list = append(list, Tracked{name, strings.HasPrefix(mode, "120000 ")})
		}
	}
	return list
}
