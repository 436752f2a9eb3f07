// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is put on a command line is a version that the package
// manager offers and that is understood; the package manager is asked once.

package install

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
	Pin     pins.Pin
	Manager platform.Manager
	// Installed is the version of the package that is installed, "" if it is not.
	// Wanted is the newest package that provides the pin, Offered the one that the
	// package manager would install by itself; "" where there is none.
	Installed, Wanted, Offered string
	// Stale says that the package lists are missing, so that neither is known.
	Stale    bool
	Evidence []report.Evidence
}

// Saw keeps what was seen of the tool.
func (t *Package) Saw(e report.Evidence) { t.Evidence = append(t.Evidence, e) }

// Installs is the manifest's line for the tool's package manager, taken apart.
func (t *Package) Installs() (prefix, pkg string) { return t.Pin.Package(string(t.Manager)) }

// Packages asks the package manager about some pins, in their order.
func Packages(ctx context.Context, r host.Reader, list []pins.Pin) []*Package {
	if len(list) == 0 {
		return nil
	}
	manager := platform.Here(r).Manager
	var all []*Package
	for _, pin := range list {
		t := &Package{Pin: pin, Manager: manager}
		t.AskInstalled(ctx, r)
		all = append(all, t)
	}
	AskOffered(ctx, r, all)
	return all
}

// AskInstalled asks the package manager at which version it installed the tool.
func (t *Package) AskInstalled(ctx context.Context, r host.Reader) {
	_, pkg := t.Installs()
	var res proc.Result
	switch {
	case pkg == "":
		return
	case t.Manager == platform.Apt:
		res = r.Run(ctx, proc.DpkgVersion(pkg))
		t.Installed = platform.ParseDpkgQuery(res.Stdout)
	case t.Manager == platform.Dnf:
		res = r.Run(ctx, proc.RpmVersion(pkg))
		if res.OK() {
			t.Installed = platform.ParseRpmQuery(res.Stdout)
		}
	case t.Manager == platform.Brew:
		res = r.Run(ctx, proc.BrewVersion(pkg))
		t.Installed = platform.ParseBrewVersions(pkg, res.Stdout)
	default:
		return
	}
	if t.Installed != "" {
		t.Saw(report.CommandEvidence(res.Line, t.Installed))
	} else {
		t.Saw(report.CommandEvidence(res.Line, res.Text()))
	}
}

// AskOffered asks the package managers which versions of some tools their
// sources offer: apt about all of them in one call.
func AskOffered(ctx context.Context, r host.Reader, tools []*Package) {
	var all sync.WaitGroup
	var byApt []*Package
	var names []string
	for _, t := range tools {
		_, pkg := t.Installs()
		switch {
		case pkg == "":
		case t.Manager == platform.Apt:
			byApt, names = append(byApt, t), append(names, pkg)
		case t.Manager == platform.Dnf:
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
func (t *Package) offered(r host.Reader, res proc.Result, offer platform.Offer) {
	scheme, _ := pins.SchemeOf(string(t.Manager))
	offer.Versions = slices.DeleteFunc(offer.Versions, func(v string) bool {
		_, upstream := pins.Compare(t.Pin.Tool, v, v)
		_, packaged := scheme.Compare(v, v)
		return upstream != nil || packaged != nil
	})
	if len(offer.Versions) == 0 {
		t.Saw(report.CommandEvidence(res.Line, "offers nothing ("+res.Text()+")"))
		t.Stale = res.Err == nil && !packageLists(r, t.Manager)
		return
	}
	t.Saw(report.CommandEvidence(res.Line, "offers "+strings.Join(offer.Versions, ", ")))
	newer := func(v, than string) bool {
		c, _ := scheme.Compare(v, than) // both are versions
		return than == "" || c > 0
	}
	for _, v := range offer.Versions {
		if t.Pin.Provides(v) && newer(v, t.Wanted) {
			t.Wanted = v
		}
		if newer(v, t.Offered) {
			t.Offered = v
		}
	}
	if slices.Contains(offer.Versions, offer.Candidate) {
		t.Offered = offer.Candidate
	}
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

// Override makes the change that puts overrides into the user's own file of pins. The
// error is that of a file that cannot be read or added to.
func Override(r host.Reader, id report.ID, why string, overrides []pins.Override) (c report.Change, needed bool,
	err error) {
	d := NewDraft(r)
	f, err := d.Open(pins.LocalPath(r.Places().Config), "")
	if err != nil {
		return c, false, err
	}
	after, err := pins.Apply(f.Path, f.Bytes, overrides)
	if err != nil {
		return c, false, err
	}
	c, needed = d.Change(id, why, f, after, 0o644)
	return c, needed, nil
}
