// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is ignored, tracked or hooked is git's own answer
// with the place it comes from, never our reading of a .gitignore.

package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Ignore is git's answer about one path, and the rule that decided; without
// a rule Source is empty. An ignore rule has no effect on a tracked file.
type Ignore struct {
	Ignored bool
	// Source is the absolute path of the file that holds the rule.
	Source  string
	Line    int
	Pattern string
}

// Where is the rule's place, "path:line", or "" if no rule decided.
func (i Ignore) Where() string {
	if i.Source == "" {
		return ""
	}
	return i.Source + ":" + strconv.Itoa(i.Line)
}

// Ignored asks whether rel, a path relative to the root of one of the
// repository's worktrees, is ignored there. The error is a *report.Error;
// among others when rel leads through a symbolic link, where git has no
// answer.
func (r *Repo) Ignored(ctx context.Context, root, rel string) (Ignore, error) {
	if err := local(root, rel); err != nil {
		return Ignore{}, err
	}
	res := r.host.Run(ctx, proc.GitIgnored(root, rel))
	if res.Err == nil && res.Code == 1 {
		return Ignore{}, nil
	}
	if !res.OK() {
		return Ignore{}, failure(ctx, res, root)
	}
	fields := bytes.Split(res.Stdout, []byte{0})
	if len(fields) != 5 {
		return Ignore{}, unexpected(res, root)
	}
	line, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return Ignore{}, unexpected(res, root)
	}
	i := Ignore{Source: string(fields[0]), Line: line, Pattern: string(fields[2])}
	if !filepath.IsAbs(i.Source) {
		i.Source = filepath.Join(root, i.Source)
	}
	i.Ignored = !strings.HasPrefix(i.Pattern, "!")
	return i, nil
}

// Tracked asks whether rel, a path relative to the root of one of the
// repository's worktrees, is tracked there. The error is a *report.Error.
func (r *Repo) Tracked(ctx context.Context, root, rel string) (bool, error) {
	if err := local(root, rel); err != nil {
		return false, err
	}
	res := r.host.Run(ctx, proc.GitTracked(root, rel))
	switch {
	case res.OK():
		return true, nil
	case res.Err == nil && res.Code == 1:
		return false, nil
	}
	return false, failure(ctx, res, root)
}

// Sparse asks whether a worktree has a sparse checkout. The error is a
// *report.Error.
func (r *Repo) Sparse(ctx context.Context, root string) (bool, error) {
	res := r.host.Run(ctx, proc.GitSparse(root))
	switch {
	case res.OK():
		return strings.TrimSpace(string(res.Stdout)) == "true", nil
	case res.Err == nil && res.Code == 1:
		return false, nil
	}
	return false, failure(ctx, res, root)
}

func local(root, rel string) error {
	if filepath.IsLocal(rel) && !strings.ContainsRune(rel, 0) {
		return nil
	}
	return &report.Error{Code: report.ExitInternal, Where: root, What: fmt.Sprintf("%q does not lie in the work tree", rel)}
}

// Hooks says where git looks for this work tree's hooks.
type Hooks struct {
	// Path is the absolute directory.
	Path string
	// Value is what core.hooksPath says, "" if it is not set.
	Value string
	// Scope is git's word for where it is set: "local", "worktree",
	// "global", "system"; Origin the absolute path of that file.
	Scope, Origin string
	// Husky says that it is set for this repository to a directory of a
	// hook manager that is checked in or generated (".husky/_").
	Husky bool
	// Overruled are the weaker settings of it, the weakest first.
	Overruled []Hooks
}

// HooksPath asks for core.hooksPath and where it was set. The error is a
// *report.Error.
func (r *Repo) HooksPath(ctx context.Context) (Hooks, error) {
	dir := r.Root
	if r.Bare {
		dir = r.GitDir
	}
	res := r.host.Run(ctx, proc.GitHooksPath(dir))
	if res.Err == nil && res.Code == 1 {
		return Hooks{Path: filepath.Join(r.CommonDir, "hooks")}, nil
	}
	if !res.OK() {
		return Hooks{}, failure(ctx, res, dir)
	}
	fields := strings.Split(string(res.Stdout), "\x00")
	if len(fields) < 4 || len(fields)%3 != 1 {
		return Hooks{}, unexpected(res, dir)
	}
	abs := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(dir, path)
	}
	var all []Hooks
	for set := range slices.Chunk(fields[:len(fields)-1], 3) {
		h := Hooks{Scope: set[0], Origin: abs(strings.TrimPrefix(set[1], "file:")), Value: set[2], Path: abs(set[2])}
		own := h.Scope == "local" || h.Scope == "worktree"
		h.Husky = own && strings.Contains("/"+filepath.ToSlash(h.Value)+"/", "/.husky/")
		all = append(all, h)
	}
	h := all[len(all)-1]
	if len(all) > 1 {
		h.Overruled = all[:len(all)-1]
	}
	return h, nil
}
