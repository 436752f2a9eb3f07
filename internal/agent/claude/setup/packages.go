// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is put on a command line is a version that the package
// manager offers and that is understood; the package manager is asked once.

package setup

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/platform"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Package is what the package manager of this machine says about a pinned tool.
type Package struct {
	Manager platform.Manager
	// Installed is the version of the package that is installed, Offered the
	// one that the package manager would install; "" where there is none.
	Installed, Offered string
	// Stale says that the package lists are missing, so that Offered is not
	// known.
	Stale    bool
	Evidence []report.Evidence
}

// Packages asks the package manager about some pins, in their order.
func Packages(ctx context.Context, r host.Reader, list []pins.Pin) []Package {
	if len(list) == 0 {
		return nil
	}
	release, _ := r.Read(r.Places().OSRelease) // a machine without one has no known distribution
	manager := platform.Detect(r.System().GOOS, release).Manager
	var seen []*toolSeen
	for _, pin := range list {
		t := &toolSeen{pin: pin, manager: manager}
		t.askPackaged(ctx, r)
		seen = append(seen, t)
	}
	askOffered(ctx, r, seen)
	var all []Package
	for _, t := range seen {
		all = append(all, Package{manager, t.packaged, t.distro, t.stale, t.evidence})
	}
	return all
}

// askPackaged asks the package manager at which version it installed the tool.
func (t *toolSeen) askPackaged(ctx context.Context, r host.Reader) {
	_, pkg := t.installs()
	var res proc.Result
	switch {
	case pkg == "":
		return
	case t.manager == platform.Apt:
		res = r.Run(ctx, proc.DpkgVersion(pkg))
		t.packaged = platform.ParseDpkgQuery(res.Stdout)
	case t.manager == platform.Dnf:
		res = r.Run(ctx, proc.RpmVersion(pkg))
		if res.OK() {
			t.packaged = platform.ParseRpmQuery(res.Stdout)
		}
	case t.manager == platform.Brew:
		res = r.Run(ctx, proc.BrewVersion(pkg))
		t.packaged = platform.ParseBrewVersions(pkg, res.Stdout)
	default:
		return
	}
	if t.packaged != "" {
		t.seen(report.CommandEvidence(res.Line, t.packaged))
	} else {
		t.seen(report.CommandEvidence(res.Line, res.Text()))
	}
}

// askOffered asks the package managers which versions of some tools their
// sources offer: apt about all of them in one call.
func askOffered(ctx context.Context, r host.Reader, tools []*toolSeen) {
	var all sync.WaitGroup
	var byApt []*toolSeen
	var names []string
	for _, t := range tools {
		_, pkg := t.installs()
		switch {
		case pkg == "":
		case t.manager == platform.Apt:
			byApt, names = append(byApt, t), append(names, pkg)
		case t.manager == platform.Dnf:
			all.Go(func() {
				res := r.Run(ctx, proc.DnfList(pkg))
				t.offered(r, res, platform.ParseDnfList(pkg, res.Stdout))
			})
		}
	}
	if byApt != nil {
		res := r.Run(ctx, proc.AptPolicy(names...))
		for i, t := range byApt {
			t.offered(r, res, platform.ParseAptPolicy(names[i], res.Stdout))
		}
	}
	all.Wait()
}

// offered takes what the sources offer.
func (t *toolSeen) offered(r host.Reader, res proc.Result, offer platform.Offer) {
	scheme, _ := pins.SchemeOf(string(t.manager))
	offer.Versions = slices.DeleteFunc(offer.Versions, func(v string) bool {
		_, upstream := pins.Compare(t.pin.Tool, v, v)
		_, packaged := scheme.Compare(v, v)
		return upstream != nil || packaged != nil
	})
	if len(offer.Versions) == 0 {
		t.seen(report.CommandEvidence(res.Line, "offers nothing ("+res.Text()+")"))
		t.stale = res.Err == nil && !packageLists(r, t.manager)
		return
	}
	t.seen(report.CommandEvidence(res.Line, "offers "+strings.Join(offer.Versions, ", ")))
	newer := func(v, than string) bool {
		c, _ := scheme.Compare(v, than) // both are versions
		return than == "" || c > 0
	}
	for _, v := range offer.Versions {
		if t.pin.Provides(v) && newer(v, t.wanted) {
			t.wanted = v
		}
		if newer(v, t.distro) {
			t.distro = v
		}
	}
	if slices.Contains(offer.Versions, offer.Candidate) {
		t.distro = offer.Candidate
	}
}

// hasDistro says whether the package that the distribution offers is installed,
// or a newer revision of it; where no revision is known, any one will do.
func (t *toolSeen) hasDistro() bool {
	if scheme, ok := pins.SchemeOf(string(t.manager)); ok && t.packaged != "" && pins.Upstream(t.packaged) == t.version {
		c, err := scheme.Compare(t.packaged, t.distro)
		return err == nil && c >= 0
	}
	c, err := pins.Compare(t.pin.Tool, t.version, t.distro)
	return err == nil && c == 0
}

// packageLists says whether the package manager has ever fetched what its
// sources offer: apt keeps it as *_Packages files, dnf 4 as *.solv files, dnf
// 5 as a directory for each source.
func packageLists(r host.Reader, m platform.Manager) bool {
	has := func(dir, sub string, directory bool) bool {
		entries, _ := r.ReadDir(filepath.Join(r.System().Root, dir))
		for _, e := range entries {
			if strings.Contains(e.Name(), sub) && e.IsDir() == directory {
				return true
			}
		}
		return false
	}
	if m == platform.Apt {
		return has("/var/lib/apt/lists", "_Packages", false)
	}
	return has("/var/cache/dnf", ".solv", false) || has("/var/cache/libdnf5", "-", true)
}
