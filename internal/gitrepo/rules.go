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

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
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
	return r.ignored(ctx, root, rel, proc.GitIgnored)
}

// KeptOut asks whether git keeps rel out of commits in the work tree at root:
// it is ignored, and not tracked. Where it does not, why says so in a few
// words. One process answers yes. The error is a *report.Error.
func KeptOut(ctx context.Context, h host.Reader, root, rel string) (kept bool, why string, err error) {
	r := &Repo{host: h}
	i, err := r.ignored(ctx, root, rel, proc.GitKeptOut)
	if err != nil || i.Ignored {
		return i.Ignored, "", err
	}
	tracked, err := r.Tracked(ctx, root, rel)
	switch {
	case err != nil:
		return false, "", err
	case tracked:
		return false, "it is committed: git rm --cached " + rel, nil
	case i.Source != "":
		return false, i.Where() + " says " + i.Pattern, nil
	}
	return false, "git does not ignore it", nil
}

func (r *Repo) ignored(ctx context.Context, root, rel string, question func(dir, rel string) proc.Spec) (Ignore,
	error) {
	if err := local(root, rel); err != nil {
		return Ignore{}, err
	}
	res := r.host.Run(ctx, question(root, rel))
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
	i.Source = pathname.From(root, i.Source)
	i.Ignored = !strings.HasPrefix(i.Pattern, "!")
	return i, nil
}

// Tracked asks whether rel, a path relative to the root of one of the
// repository's worktrees, is tracked there. The error is a *report.Error.
func (r *Repo) Tracked(ctx context.Context, root, rel string) (bool, error) {
	if err := local(root, rel); err != nil {
		return false, err
	}
	_, yes, err := r.asked(ctx, proc.GitTracked(root, rel), root)
	return yes, err
}

// asked asks git what it answers with a no by its code 1.
func (r *Repo) asked(ctx context.Context, question proc.Spec, root string) (res proc.Result, yes bool, err error) {
	if res = r.host.Run(ctx, question); !res.OK() && (res.Err != nil || res.Code != 1) {
		err = failure(ctx, res, root)
	}
	return res, res.OK(), err
}

// InHead asks whether the commit that is checked out in a worktree has rel, a
// path relative to its root; a branch without a commit has nothing. The error
// is a *report.Error.
func (r *Repo) InHead(ctx context.Context, root, rel string) (bool, error) {
	if err := local(root, rel); err != nil {
		return false, err
	}
	res := r.host.Run(ctx, proc.GitInHead(root, rel))
	if res.Err != nil {
		return false, failure(ctx, res, root)
	}
	return res.OK() && len(res.Stdout) > 0, nil
}

// Sparse asks whether a worktree has a sparse checkout. The error is a
// *report.Error.
func (r *Repo) Sparse(ctx context.Context, root string) (bool, error) {
	res, set, err := r.asked(ctx, proc.GitSparse(root), root)
	return set && strings.TrimSpace(string(res.Stdout)) == "true", err
}

func local(root, rel string) error {
	if filepath.IsLocal(rel) && !strings.ContainsRune(rel, 0) {
		return nil
	}
	return &report.Error{Code: report.ExitInternal, Where: root,
		What: fmt.Sprintf("%q does not lie in the work tree", rel)}
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
	h, err := HooksPathAt(ctx, r.host, dir)
	if err == nil && h.Value == "" && h.Origin == "" {
		h.Path = filepath.Join(r.CommonDir, "hooks")
	}
	return h, err
}

// UserHooksPath asks for the core.hooksPath of the user and the machine, as it
// counts where no repository sets one; Origin is "" where there is none. The
// error is a *report.Error.
func UserHooksPath(ctx context.Context, h host.Reader) (Hooks, error) {
	return HooksPathAt(ctx, h, "/", "system", "global")
}

// HooksPathAt is HooksPath for the directory dir, whose repository was found
// without git; Path is "" where no core.hooksPath is set. Where scopes are given,
// none counts of another.
func HooksPathAt(ctx context.Context, r host.Reader, dir string, scopes ...string) (Hooks, error) {
	set, err := hooksPathsOf(ctx, r, dir)
	if err != nil {
		return Hooks{}, err
	}
	var all []Hooks
	for fields := range slices.Chunk(set, 3) {
		if scopes == nil || slices.Contains(scopes, fields[0]) {
			all = append(all, Hooks{Scope: fields[0], Origin: pathname.From(dir, strings.TrimPrefix(fields[1], "file:")),
				Value: fields[2], Path: pathname.From(dir, fields[2])})
		}
	}
	if len(all) == 0 {
		return Hooks{}, nil
	}
	h := all[len(all)-1]
	if len(all) > 1 {
		h.Overruled = all[:len(all)-1]
	}
	return h, nil
}

// hooksPathsOf are scope, origin and value of each core.hooksPath, the one that counts
// last. They stand in the list of all settings, which others ask for, too; git is asked
// for them alone where that has no answer, or a value with more to expand than "~/"
// (git-config(1), "pathname").
func hooksPathsOf(ctx context.Context, r host.Reader, dir string) ([]string, error) {
	if fields := split(r.Run(ctx, proc.GitRepoConfig(dir))); fields != nil && len(fields)%3 == 0 {
		set, plain := []string{}, true
		for entry := range slices.Chunk(fields, 3) {
			key, value, assigned := strings.Cut(entry[2], "\n")
			if key != "core.hookspath" {
				continue
			}
			if !strings.Contains(value, "..") { // git leaves that to the system, where a symlink counts
				value, _ = pathname.Expand(value, r.Places().Home)
			}
			set = append(set, entry[0], entry[1], value)
			plain = plain && assigned && !strings.ContainsAny(value[:min(1, len(value))], "~%:")
		}
		if plain {
			return set, nil
		}
	}
	res := r.Run(ctx, proc.GitHooksPath(dir))
	if res.Err == nil && res.Code == 1 {
		return nil, nil
	}
	if !res.OK() {
		return nil, failure(ctx, res, dir)
	}
	set := split(res)
	if len(set) == 0 || len(set)%3 != 0 {
		return nil, unexpected(res, dir)
	}
	return set, nil
}
