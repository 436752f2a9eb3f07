// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever git, gh or a disk does, the first part of the
// line is there: the rest is left out silently.

package statusline

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/redact"
)

// Rich returns the line of status-line-rich. refresh is the root of the work
// tree whose pull request title is unknown or too old, "" if there is
// nothing to refresh; the caller starts that in the background.
func Rich(ctx context.Context, h host.Reader, b []byte) (line, refresh string) {
	p := read(h, b)
	ps := p.status(h)
	t := host.FindTree(h, p.Workspace.Current)
	if t.Root == "" {
		ps = append(ps, part{redact.Short(filepath.Base(p.Workspace.Current), maxName), colourOf(p.Workspace.Current)})
		return ps.paint(h), ""
	}
	ps = append(ps, part{folder(t), colourOf(t.Root)})
	git, ok := ask(ctx, h, t)
	if !ok {
		return ps.paint(h), ""
	}
	ps = append(ps, part{git.branchText(), cyan}, part{git.distance(), yellow})
	if git.Branch == "" || h.System().Executable == "" {
		return ps.paint(h), ""
	}
	if _, err := h.Look("gh"); err != nil {
		return ps.paint(h), ""
	}
	b, _ = h.Read(titlePath(h, t.Root, git.Branch)) // without a file there is no title
	title, fresh := cachedTitle(h, b)
	if !fresh {
		refresh = t.Root
	}
	return append(ps, part{redact.Short(title, maxTitle), ""}).paint(h), refresh
}

// folder names the work tree: "project", or "project/worktree" for a linked
// one.
func folder(t host.Tree) string {
	name := filepath.Base(t.Root)
	if t.Main != t.Root && t.Main != "" {
		name = filepath.Base(t.Main) + "/" + name
	}
	return redact.Short(name, maxName)
}

// status is what git says of a work tree.
type status struct {
	gitrepo.Head
	dirty bool
}

// ask runs git status; false if it was not asked or did not answer in time.
func ask(ctx context.Context, h host.Reader, t host.Tree) (status, bool) {
	if runsPrograms(h, t) {
		return status{}, false
	}
	res := h.Run(ctx, proc.GitStatus(t.Root))
	if !res.OK() {
		return status{}, false
	}
	return parseStatus(string(res.Stdout)), true
}

// runsPrograms says whether the repository's own configuration may name
// programs that git status runs on its files (filters), or lead to another
// file that does. It came with the repository and is not the user's word.
func runsPrograms(h host.Reader, t host.Tree) bool {
	for _, path := range []string{filepath.Join(t.Common, "config"), filepath.Join(t.Git, "config.worktree")} {
		b, err := h.Read(path)
		text := strings.ToLower(string(b))
		if err == nil && (strings.Contains(text, "[filter") || strings.Contains(text, "[include")) {
			return true
		}
	}
	return false
}

// parseStatus reads git-status(1)'s porcelain format 2: headers begin with
// "# ", everything else is a changed file.
func parseStatus(text string) (s status) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		header, ok := strings.CutPrefix(line, "# ")
		if !ok {
			s.dirty = s.dirty || line != ""
			continue
		}
		s.Take(header)
	}
	return s
}

// branchText is the branch, or the commit where HEAD is detached, with a star
// if files have changed.
func (s status) branchText() string {
	text := redact.Short(s.Branch, maxName)
	if text == "" {
		text = redact.Short(s.Commit[:min(len(s.Commit), 7)], maxName)
	}
	if s.dirty {
		text += "*"
	}
	return text
}

func (s status) distance() string {
	var words []string
	if s.Ahead > 0 {
		words = append(words, "↑"+strconv.Itoa(s.Ahead))
	}
	if s.Behind > 0 {
		words = append(words, "↓"+strconv.Itoa(s.Behind))
	}
	return strings.Join(words, " ")
}
