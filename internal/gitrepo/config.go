// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the user's configuration says is git's own answer,
// asked where no repository of a project lies. An include counts whatever its
// condition says.

package gitrepo

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// Setting is one value of git's configuration.
type Setting struct {
	// Key is in small letters, but for a subsection ("filter.LFS.clean").
	Key, Value string
	// Origin is the absolute path of the file that holds it.
	Origin string
}

// Includes is the file that a setting includes, absolute, and whether it
// includes one.
func (s Setting) Includes(home string) (path string, yes bool) {
	if s.Key != "include.path" && !(strings.HasPrefix(s.Key, "includeif.") && strings.HasSuffix(s.Key, ".path")) {
		return "", false
	}
	path, _ = pathname.Expand(s.Value, home)
	return filepath.Clean(pathname.From(filepath.Dir(s.Origin), path)), true
}

// maxIncludes bounds how many files are followed that are included on a
// condition.
const maxIncludes = 50

// UserConfig lists the settings of the user's and the machine's own
// configuration, and of the files that these include; more are files that an
// environment names. The error is a *report.Error; the settings that could be
// read are there.
func UserConfig(ctx context.Context, h host.Reader, more ...string) (list []Setting, err error) {
	list, err = listed(ctx, h, proc.GitUserConfig(), "/", false)
	files := more
	var seen []string
	for {
		for _, s := range list {
			if path, yes := s.Includes(h.Places().Home); yes && !slices.Contains(files, path) &&
				strings.HasPrefix(s.Key, "includeif.") {
				files = append(files, path)
			}
		}
		i := slices.IndexFunc(files, func(path string) bool { return !slices.Contains(seen, path) })
		if i < 0 || len(seen) >= maxIncludes {
			return list, err
		}
		seen = append(seen, files[i])
		if info, statErr := h.Stat(files[i]); statErr != nil || !info.Mode().IsRegular() {
			continue
		}
		of, fileErr := listed(ctx, h, proc.GitConfigFile(files[i]), files[i], false)
		list = append(list, of...)
		if err == nil {
			err = fileErr
		}
	}
}

// RepoConfig lists the settings that the repository whose work tree is at root has
// of its own, with those of the files that it includes now.
func RepoConfig(ctx context.Context, h host.Reader, root string) ([]Setting, error) {
	return listed(ctx, h, proc.GitRepoConfig(root), root, true)
}

// Signing is how commits are signed in dir; not at all where git does not say.
func Signing(ctx context.Context, h host.Reader, dir string) (s proc.Signing) {
	fields := split(h.Run(ctx, proc.GitSigning(dir)))
	for ; len(fields) > 1; fields = fields[2:] {
		switch key, value, given := strings.Cut(fields[1], "\n"); key {
		case "commit.gpgsign": // the words for true (git-config(1), "boolean"); no value is one, too
			s.On = !given || slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(value))
		case "gpg.format":
			s.Format = value
		case "user.signingkey":
			s.Key = value
		case "gpg.ssh.program":
			s.Program, s.Scope = value, fields[0]
		}
	}
	return s
}

// FileConfig lists the settings of one file, without those of the files that it
// includes.
func FileConfig(ctx context.Context, h host.Reader, path string) ([]Setting, error) {
	return listed(ctx, h, proc.GitConfigAlone(path), path, false)
}

// listed runs a question whose answer is scope, origin and value, each followed by
// NUL. Of these it takes the settings of a repository, or the others. An origin of
// a repository is told from the root of the work tree (measured with git 2.39).
func listed(ctx context.Context, h host.Reader, question proc.Spec, where string, repo bool) (list []Setting,
	err error) {
	res := h.Run(ctx, question)
	if !res.OK() {
		return nil, failure(ctx, res, where)
	}
	fields := split(res)
	if len(fields)%3 != 0 {
		return nil, unexpected(res, where)
	}
	for set := range slices.Chunk(fields, 3) {
		origin, isFile := strings.CutPrefix(set[1], "file:")
		if repo && isFile && !filepath.IsAbs(origin) {
			origin = filepath.Join(where, origin)
		}
		if (set[0] == "local" || set[0] == "worktree") != repo || !isFile || !filepath.IsAbs(origin) {
			continue
		}
		key, value, assigned := strings.Cut(set[2], "\n")
		if !assigned {
			value = "true"
		}
		list = append(list, Setting{Key: key, Value: value, Origin: filepath.Clean(origin)})
	}
	return list, nil
}
