// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the policy closes .env files by their name, and the runtime
// makes paths of that at the start. A path that it cannot spell stays open, and so
// does another name of the same file.

package iso

import (
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// MaxLooked bounds how many entries of a project's directories are looked
// through.
const MaxLooked = 50_000

// Bulky are directories of what others wrote, in large numbers.
var Bulky = strings.Fields(".git node_modules bower_components vendor target dist build .venv venv .tox __pycache__ " +
	".gradle .next .cache")

// Dotenv lists the files below root, and symlinks, that rules for .env files
// name: those in Bulky are left out, and where there are more than MaxLooked
// entries, those that come then. Nothing is opened.
func Dotenv(r host.Reader, root string) (files []string) {
	host.Walk(r, []string{root}, MaxLooked, func(at string, e iofs.DirEntry) bool {
		if !e.IsDir() && policy.Dotenv(e.Name()) {
			files = append(files, at)
		}
		return !slices.Contains(Bulky, e.Name())
	})
	return files
}

// Unspelled says whether the runtime hides another path in the place of this one:
// one with U+FFFD for each byte that is not UTF-8 (measured with 2.1.330 in both
// launches: commands read the file).
func Unspelled(path string) bool { return !utf8.ValidString(path) }

// openDotenv says, as a *report.Error, which .env of the project commands could
// read all the same; nil if none is known. Either the runtime cannot spell its path
// and denyRead hides no directory that it lies in; or it has another name, a hard
// link, which is no .env and which no path of denyRead or of a Read rule covers.
func (l *Launch) openDotenv(h host.Reader) error {
	if l.Place.holdsHome(l.Place.Root) {
		return nil
	}
	hidden := func(path string) bool {
		return slices.ContainsFunc(l.hidden, func(dir string) bool {
			dir = strings.TrimSuffix(dir, "/**")
			return dir != l.Place.Root && pathname.Within(dir, l.Place.Root) && pathname.Within(path, dir)
		})
	}
	files := Dotenv(h, l.Place.Root)
	for _, path := range files {
		if Unspelled(path) && !hidden(path) {
			return &report.Error{Code: report.ExitLeft, Where: path,
				What: "is not hidden: its path is not UTF-8, and the runtime hides another path instead",
				Why:  "commands could read it", Next: RenameUTF8}
		}
	}
	found, _ := host.OtherNames(h, files, host.Written(h, l.Place.Start), func(_, at string) bool {
		return policy.Dotenv(filepath.Base(at)) || hidden(at) || denied(l.closed, at)
	})
	for _, path := range files {
		if other := found[path]; other != "" {
			return &report.Error{Code: report.ExitLeft, Where: path, What: hardLink + other,
				Why: "commands could read it there: no rule covers that name", Next: "remove that name"}
		}
	}
	return nil
}

// readsDenied lists what rules of a launch, which spell their paths in full, and the
// user's own deny to Read.
func (l *Launch) readsDenied(rules *settings.Value) (closed []settings.Pattern) {
	dirs := settings.Dirs{Home: l.Place.Home, Start: l.Place.Start}
	add := func(scope settings.Scope, rules *settings.Value) {
		for _, rule := range settings.ItemsOf(rules) {
			tool, content, call, _ := claude.SplitRule(rule.Text)
			if p, ok := settings.SealPattern(content, scope, dirs); ok && call && tool == claude.ToolRead {
				closed = append(closed, p)
			}
		}
	}
	add(settings.Flag, rules)
	if l.users.doc != nil {
		dirs.Agent = filepath.Dir(l.users.doc.Path)
		add(settings.User, l.users.doc.Get(claude.KeyPermissions.Below(claude.Deny)...))
	}
	return closed
}

func denied(closed []settings.Pattern, path string) bool {
	return slices.ContainsFunc(closed, func(p settings.Pattern) bool {
		_, covers := p.Covers(path)
		return covers
	})
}
