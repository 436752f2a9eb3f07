// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command makes a repository in a subdirectory, or writes to one
// that is there, and git runs what that configures: of the user who changes to it, of a
// prompt that shows the branch, of an editor that looks for repositories.

package gitruns

import (
	"context"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// How far nested repositories are looked for: directories below the root, directories
// in all, and repositories that are asked.
const (
	nestedLevels = 2
	maxNestedIn  = 1000
	maxNested    = 20
)

// usualIn are programs that a repository's own configuration has for its user: git-lfs
// and git-crypt write their filters there, and a clone may have its key and its store of
// passwords.
var usualIn = lazy.Regexp(`^("?git-(lfs|crypt)"? .*|true|false|ssh( -i [\w~./-]+| -[46T])*|` +
	`store|cache|libsecret|osxkeychain|manager)$`)

// nestedOpenings names, for each repository below the root, the first program in its
// configuration that git starts by itself. A sandboxed command wrote such a
// configuration in a directory, in a bare repository, and for a submodule (2.1.330).
func nestedOpenings(ctx context.Context, g grants.Ground, t host.Tree) (found []opening.Opening) {
	if t.Root == "" {
		return nil
	}
	looked, asked := 0, map[string]bool{}
	for level, dirs := 0, []string{t.Root}; level <= nestedLevels; level++ {
		var next []string
		for _, dir := range dirs {
			entries, err := g.Host.ReadDir(dir)
			if looked++; err != nil || looked > maxNestedIn {
				continue
			}
			if config := nestedConfig(g.Host, dir, entries); config != "" && level > 0 && len(asked) < maxNested {
				if _, yes := g.Writable(config); yes && !asked[config] {
					asked[config] = true
					found = append(found, nestedProgram(ctx, g, dir, config)...)
				}
			}
			for _, e := range entries {
				if e.IsDir() && !slices.Contains(iso.Bulky, e.Name()) {
					next = append(next, filepath.Join(dir, e.Name()))
				}
			}
		}
		dirs = next
	}
	return found
}

// nestedConfig is the configuration of the repository that a directory is, or is the
// work tree of; "" if there is none.
func nestedConfig(r host.Reader, dir string, entries []iofs.DirEntry) string {
	has := map[string]bool{}
	for _, e := range entries {
		has[e.Name()] = true
	}
	at := dir
	switch {
	case has["HEAD"] && has["objects"] && has["refs"]:
	case has[".git"]:
		at = filepath.Join(dir, ".git")
		if b, err := r.Read(at); err == nil {
			to, _ := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
			at = pathname.From(dir, to)
		}
	default:
		return ""
	}
	config := filepath.Join(at, "config")
	if info, err := r.Stat(config); err != nil || !info.Mode().IsRegular() {
		return "" // git waits for a FIFO
	}
	return config
}

// nestedProgram judges the configuration of one repository, which commands can write
// as a whole: what it starts is named, wherever that lies.
func nestedProgram(ctx context.Context, g grants.Ground, dir, config string) []opening.Opening {
	list, err := gitrepo.FileConfig(ctx, g.Host, config)
	if err != nil {
		return nil
	}
	for _, set := range list {
		_, transport := gitTransport(set)
		_, includes := set.Includes(g.Session.Dirs.Home)
		starts := shell.GitStarts(set.Key) && gitStartOf(set.Key, "") >= shown && !usualIn().MatchString(set.Value) &&
			(!strings.HasPrefix(set.Key, "submodule.") || strings.HasPrefix(set.Value, "!"))
		if !transport && !includes && !starts && !slices.Contains(gitDirs, set.Key) {
			continue
		}
		where := lineOf(g.Host, set)
		return []opening.Opening{{Status: report.Warn, Where: where, What: set.Key,
			Opens: fmt.Sprintf("Commands can change %s, and it sets %s: git of yours, of your prompt or of an editor runs that "+
				"in %s, outside the sandbox.", config, set.Key, dir),
			Remedy: report.DocLink{Title: "remove the line, unless it is yours", Target: where}}}
	}
	return nil
}
