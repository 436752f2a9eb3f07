// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a registry answers is foreign: it is taken apart by its
// shape, and nothing of it becomes a path or an argument unless it is a version.

package runtimes

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Offer is one version as the registry offers it.
type Offer struct {
	Package, Version   string
	Tarball, Integrity string
	// Unpacked is its size in bytes, 0 if the registry does not say it.
	Unpacked int64
}

// Latest is the name of the newest version.
const Latest = "latest"

// Ask asks the registry for a version, or the latest one. The error is a
// *report.Error.
func Ask(ctx context.Context, r host.Reader, version string) (Offer, error) {
	pkg, err := Package(r)
	if err != nil {
		return Offer{}, err
	}
	var answer struct {
		Version string
		Dist    struct {
			Tarball, Integrity string
			UnpackedSize       int64
		}
	}
	if err := view(ctx, r, &answer, pkg+"@"+version, "version", "dist"); err != nil {
		return Offer{}, err
	}
	o := Offer{pkg, answer.Version, answer.Dist.Tarball, answer.Dist.Integrity, answer.Dist.UnpackedSize}
	if !Version(o.Version) || version != Latest && o.Version != version || !strings.HasPrefix(o.Integrity, "sha512-") {
		return Offer{}, malformed(pkg + "@" + version)
	}
	return o, nil
}

// Published lists the versions that the registry has, in their order.
func Published(ctx context.Context, r host.Reader) ([]string, error) {
	pkg, err := Package(r)
	if err != nil {
		return nil, err
	}
	var all []string
	if err := view(ctx, r, &all, pkg, "versions"); err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(v string) bool { return !Version(v) })
	if len(all) == 0 {
		return nil, malformed(pkg)
	}
	slices.SortFunc(all, Compare)
	return all, nil
}

// view asks npm for fields of a package.
func view(ctx context.Context, r host.Reader, into any, pkg string, fields ...string) error {
	res := r.Run(ctx, proc.NpmView(engine.NpmCache(Dir(r.Places())), pkg, fields...))
	switch {
	case res.Missing():
		return &report.Error{Code: report.ExitLeft, What: engine.NoNPM,
			Why: "other versions of the runtime are fetched by the npm client", Next: "install npm, or " + NamePath}
	case res.Err != nil:
		return unreachable(pkg, res.Err.Error())
	}
	var failed struct {
		Error *struct{ Code, Summary string }
	}
	_ = json.Unmarshal(res.Stdout, &failed) // a list has none
	switch {
	case failed.Error != nil && failed.Error.Code == "E404", res.OK() && len(strings.TrimSpace(string(res.Stdout))) == 0:
		return &report.Error{Code: report.ExitLeft, Where: pkg, What: "the registry has no such version",
			Why: nothingToFetch, Next: "npm view " + strings.SplitAfter(pkg, "@")[0] + pkgName(pkg) +
				" versions   lists those that there are"}
	case failed.Error != nil:
		return unreachable(pkg, failed.Error.Code+": "+failed.Error.Summary)
	case !res.OK():
		return unreachable(pkg, res.Text())
	case json.Unmarshal(res.Stdout, into) != nil:
		return malformed(pkg)
	}
	return nil
}

// pkgName is the name behind the scope's sign, without a version.
func pkgName(pkg string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(pkg, "@"), "@")
	return name
}

func unreachable(pkg, why string) error {
	line, _, _ := strings.Cut(strings.TrimSpace(why), "\n")
	return &report.Error{Code: report.ExitLeft, Where: pkg, What: "the registry does not answer: " +
		redact.Line(redact.Text(line), 200), Why: "without it another version cannot be fetched; nothing was changed",
		Next: "try again with a network, or give the path of a claude executable"}
}

func malformed(pkg string) error {
	return &report.Error{Code: report.ExitLeft, Where: pkg, What: "the registry's answer is not understood",
		Why:  "without a version and an integrity nothing is fetched",
		Next: "see which registry it is:  npm config get registry"}
}
