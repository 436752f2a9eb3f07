// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: asking a tool for its version starts it with constant
// arguments and a short time to answer, and changes nothing.

package proc

import (
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
)

// Tool is a program of the setup whose version can be asked.
type Tool string

// The tools, by their names in the pin manifest, which has one of the agent's too.
const (
	Bubblewrap Tool = "bubblewrap"
	Socat      Tool = "socat"
	Ripgrep    Tool = "ripgrep"
)

// versionTimeout bounds what takes some milliseconds, but for the first start
// of a runtime of 240 MB from a slow disk.
const versionTimeout = 10 * time.Second

// Version asks a tool for its version; one that nobody knows is not found.
func Version(t Tool) Spec {
	switch t {
	case Bubblewrap:
		return Spec{name: "bwrap", args: []string{"--version"}, timeout: versionTimeout, version: true}
	case Socat:
		return Spec{name: "socat", args: []string{"-V"}, timeout: versionTimeout, version: true}
	case Ripgrep:
		return Spec{name: "rg", args: []string{"--version"}, timeout: versionTimeout, version: true}
	}
	agent, _ := env.OfTool(string(t))
	return Spec{name: agent.Program, args: []string{"--version"}, timeout: versionTimeout, version: true}
}

// packageTimeout bounds a package manager's answer; dnf may take seconds.
const packageTimeout = 30 * time.Second

// DpkgVersion asks for the installed version of a Debian package.
func DpkgVersion(pkg string) Spec {
	return Spec{name: "dpkg-query", args: []string{"-W", "-f=${Status}\t${Version}\n", "--", pkg}, timeout: packageTimeout}
}

// AptPolicy asks which versions of some packages apt knows: at once, since it
// may take 0.7 s to read its lists.
func AptPolicy(pkgs ...string) Spec {
	return Spec{name: "apt-cache", args: append([]string{"policy", "--"}, pkgs...), timeout: packageTimeout}
}

// RpmVersion asks for the installed version of an RPM package, with its epoch
// if it has one.
func RpmVersion(pkg string) Spec {
	const format = "%|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\n"
	return Spec{name: "rpm", args: []string{"-q", "--qf", format, "--", pkg}, timeout: packageTimeout}
}

// DnfList asks which versions of a package dnf offers, from its cache only.
func DnfList(pkg string) Spec {
	return Spec{name: "dnf", args: []string{"-q", "--cacheonly", "list", "--showduplicates", "--", pkg},
		timeout: packageTimeout}
}

// BrewVersion asks for the installed version of a Homebrew formula.
func BrewVersion(formula string) Spec {
	return Spec{name: "brew", args: []string{"list", "--versions", formula}, timeout: packageTimeout,
		extra: []string{"HOMEBREW_NO_AUTO_UPDATE=1"}}
}
