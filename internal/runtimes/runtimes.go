// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package runtimes knows versions of the agent's runtime that are not
// installed: what the registry offers, by way of the npm client, and what lies
// in this program's own cache.
//
// Contract: it only looks. What is to be fetched is a report.Download in a
// plan, and internal/engine fetches what was approved. A registry that does not
// answer, or answers something else, is an error that says so.
package runtimes

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
)

// NamePath is what remains where no version is fetched.
const NamePath, nothingToFetch = "give the path of a claude executable", "there is nothing to fetch"

// Dir is the directory of the cache.
func Dir(places env.Places) string { return filepath.Join(places.Cache, "runtimes") }

// InstallLine installs a version, without this program.
func InstallLine(r host.Reader, version string) string {
	return "npm install -g --no-save " + r.Places().Agent.Installed + "@" + version
}

// Package is the package of the registry with the executable for a machine.
func Package(r host.Reader) (string, error) {
	sys := r.System()
	if of := r.Places().Agent.Package; of != nil {
		if name := of(sys.GOOS, sys.GOARCH, sys.GOOS == "linux" && musl(r)); name != "" {
			return name, nil
		}
	}
	return "", &report.Error{Code: report.ExitLeft, What: "Claude Code has no package for " + sys.GOOS + " on " +
		sys.GOARCH, Why: nothingToFetch, Next: NamePath}
}

// musl says whether the C library of a Linux is musl: its loader has this name
// (musl's own documentation of its dynamic linker).
func musl(r host.Reader) bool {
	entries, _ := r.ReadDir(filepath.Join(r.System().Root, "/lib"))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "ld-musl-") {
			return true
		}
	}
	return false
}

var version = lazy.Regexp(`^[0-9]+\.[0-9]+\.[0-9]+$`)

// Version says whether a text is a version of the runtime.
func Version(s string) bool { return len(s) < 32 && version().MatchString(s) }

// Path is where the executable of a version lies in the cache.
func Path(places env.Places, version string) string {
	return filepath.Join(Dir(places), version, places.Agent.Program)
}

// Kept is a version in the cache.
type Kept struct {
	Version string
	Bytes   int64
}

// List lists the versions in the cache, the oldest version first. What is not
// whole is not listed.
func List(r host.Reader) []Kept {
	entries, _ := r.ReadDir(Dir(r.Places())) // without it there are none
	var list []Kept
	for _, e := range entries {
		if !Version(e.Name()) {
			continue
		}
		info, err := r.Stat(Path(r.Places(), e.Name()))
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		list = append(list, Kept{e.Name(), info.Size()})
	}
	slices.SortFunc(list, func(a, b Kept) int { return Compare(a.Version, b.Version) })
	return list
}

// Compare orders versions of the runtime.
func Compare(a, b string) int { return semver.Compare("v"+a, "v"+b) }

// Has says whether a version is in the cache.
func Has(r host.Reader, version string) bool {
	return slices.ContainsFunc(List(r), func(k Kept) bool { return k.Version == version })
}

// Size is how large the cache is, in bytes.
func Size(list []Kept) (n int64) {
	for _, k := range list {
		n += k.Bytes
	}
	return n
}

// Between lists the versions from a to b, both with, in their order: backwards
// where a is the newer.
func Between(all []string, a, b string) []string {
	var list []string
	backwards := Compare(a, b) > 0
	if backwards {
		a, b = b, a
	}
	for _, v := range all {
		if Version(v) && Compare(v, a) >= 0 && Compare(v, b) <= 0 {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, Compare)
	list = slices.Compact(list)
	if backwards {
		slices.Reverse(list)
	}
	return list
}

// Fetch is the plan of fetching one offer.
func Fetch(r host.Reader, o Offer) report.Plan {
	return plan(report.Download{ID: "runtimes/" + report.ID(o.Version), Package: o.Package, Versions: []string{o.Version},
		AtMost: 1, From: o.Tarball, Integrity: o.Integrity, Bytes: o.Unpacked, Into: Dir(r.Places()),
		Why: "to be rehearsed from the cache; nothing is installed"})
}

// FetchSome is the plan of fetching at most so many of versions, as it is found
// out which.
func FetchSome(r host.Reader, pkg string, versions []string, most int, each int64) report.Plan {
	return plan(report.Download{ID: "runtimes/some", Package: pkg, Versions: versions, AtMost: most, Bytes: each,
		Into: Dir(r.Places()),
		Why:  fmt.Sprintf("versions to be rehearsed on the way; at most %d stay in the cache", MaxKept)})
}

func plan(d report.Download) report.Plan {
	return report.NewPlan([]report.Section{{ID: "runtimes", Title: "Fetch a runtime into the cache",
		Why:   "npm fetches the package of this platform and checks its integrity. No script of the package is run.",
		Items: []report.Item{d}}})
}

// MaxKept bounds how many versions stay in the cache: each has some 400 MB.
const MaxKept = 6
