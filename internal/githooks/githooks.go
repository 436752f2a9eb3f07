// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package githooks is which hooks git runs in a repository, and by whose say:
// every core.hooksPath with its line, the shared hooks directory of
// whole-user scope, and what lies in a directory of hooks.
//
// Contract: it only looks, and runs no hook. Which core.hooksPath counts is
// git's answer (internal/gitrepo).
package githooks

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// PostCheckout is git's hook that adds roots.
const PostCheckout = "post-checkout"

// SharedDir is the hooks directory of whole-user scope.
func SharedDir(p env.Places) string { return filepath.Join(p.AgentDir, "git-hooks") }

// Content is what a hook that somebody else wrote runs.
type Content struct {
	// Roots says that it adds project roots, Hands that it runs the
	// repository's own hook of its name, as the framework's dispatcher does.
	Roots, Hands bool
}

// Read reads a hook, links followed, without comments.
func Read(r host.Reader, path string) (c Content) {
	if !host.Program(r, path) {
		return c
	}
	b, err := r.Read(path)
	if err != nil {
		return c
	}
	var finds, starts bool
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		c.Roots = c.Roots || strings.Contains(line, "sandbox-add-project-root") || strings.Contains(line, "steward-setup") &&
			strings.Contains(line, PostCheckout)
		finds = finds || strings.Contains(line, "git-common-dir") || strings.Contains(line, "GIT_COMMON_DIR") ||
			strings.Contains(line, "GIT_DIR")
		starts = starts || strings.Contains(line, "hooks/")
	}
	c.Hands = finds && starts
	return c
}

// Describe says what a hook of git's is, and whether git would run it.
func Describe(r host.Reader, path string) (what string, runs bool) {
	info, err := r.Stat(path)
	switch {
	case err != nil:
		return "there is no hook", false
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		return "the hook is not executable", false
	case Ours(r, path):
		return "the hook of steward-setup", true
	}
	switch c := Read(r, path); {
	case c.Roots && c.Hands:
		return "a dispatcher: it adds project roots and runs the repository's own hook", true
	case c.Roots:
		return "a hook that adds project roots", true
	case c.Hands:
		return "a dispatcher that runs the repository's own hook and adds no project root", true
	}
	return "a hook that steward-setup did not write", true
}

// Ours says whether steward-setup wrote the file.
func Ours(r host.Reader, path string) bool {
	b, err := r.Read(path)
	return err == nil && scripts.Ours(b)
}

// Active lists the hooks of a directory that git would run, but for those that
// steward-setup wrote: executable files with the name of a hook. Others, such
// as pre-commit.legacy, git does not look for.
func Active(r host.Reader, dir string) []string {
	entries, err := r.ReadDir(dir)
	if err != nil {
		return nil
	}
	var active []string
	for _, e := range entries {
		if !slices.Contains(scripts.GitHooks, e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if host.Program(r, path) && !Ours(r, path) {
			active = append(active, e.Name())
		}
	}
	return active
}
