// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package platform knows which distribution a machine runs, which package
// manager belongs to it, and how to read what that package manager says.
//
// Contract: pure, but for Here, which reads one file. Bytes come in, facts come
// out; what is not recognised is named or left empty, never guessed.
package platform

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
)

// Manager is a package manager, by the name of its program.
type Manager string

// The package managers whose answers this package reads.
const (
	Apt  Manager = "apt"
	Dnf  Manager = "dnf"
	Brew Manager = "brew"
)

// Platform is an operating system and, on Linux, its distribution.
type Platform struct {
	// OS is the Go name of the system: "linux", "darwin".
	OS string
	// ID is the distribution's own name, VersionID its version; either is
	// "" where os-release does not say.
	ID, VersionID string
	// Name is what a person calls the system.
	Name string
	// Manager is the package manager, "" if it is unknown.
	Manager Manager
}

// managers maps distribution ids (os-release(5), ID and ID_LIKE) to package
// managers.
var managers = []struct {
	manager Manager
	ids     []string
}{
	{Apt, []string{"debian", "ubuntu", "linuxmint"}},
	{Dnf, []string{"fedora", "rhel", "centos", "rocky", "almalinux"}},
	{"pacman", []string{"arch"}},
	{"zypper", []string{"opensuse", "opensuse-leap", "opensuse-tumbleweed", "suse", "sles"}},
	{"apk", []string{"alpine"}},
	{"nix", []string{"nixos"}},
	{"xbps-install", []string{"void"}},
	{"emerge", []string{"gentoo"}},
}

// Short is Name without the kind of system and the release's by-name: "Debian
// 12" of "Debian GNU/Linux 12 (bookworm)".
func (p Platform) Short() string {
	name, _, _ := strings.Cut(p.Name, " (")
	return strings.Replace(name, " GNU/Linux", "", 1)
}

// Tag is the distribution as a report names it ("debian 12"), Name where it has no id.
func (p Platform) Tag() string {
	if p.ID == "" {
		return p.Name
	}
	return strings.TrimSpace(p.ID + " " + p.VersionID)
}

// Here is the platform of the machine; macOS has no os-release.
func Here(r host.Reader) Platform {
	release, _ := r.Read(r.Places().OSRelease)
	return Detect(r.System().GOOS, release)
}

// Detect names the platform for a Go system name and the bytes of os-release
// (nil if there is none). A distribution that is unknown itself is taken for
// the first known one that it says it is like.
func Detect(goos string, osRelease []byte) Platform {
	if goos == "darwin" {
		return Platform{OS: goos, Name: "macOS", Manager: Brew}
	}
	r := parseOSRelease(osRelease)
	p := Platform{OS: goos, ID: r["ID"], VersionID: r["VERSION_ID"], Name: r["PRETTY_NAME"]}
	if p.Name == "" {
		p.Name = strings.TrimSpace(r["NAME"] + " " + p.VersionID)
	}
	if p.Name == "" {
		p.Name = goos + " without an os-release file"
	}
	for _, id := range append([]string{p.ID}, strings.Fields(r["ID_LIKE"])...) {
		for _, m := range managers {
			if p.Manager == "" && slices.Contains(m.ids, id) {
				p.Manager = m.manager
			}
		}
	}
	// Image-based Fedora has dnf's repositories but not its installs; its
	// os-release carries the version of the image.
	if p.Manager == Dnf && r["OSTREE_VERSION"] != "" {
		p.Manager = "rpm-ostree"
	}
	return p
}

// maxOSRelease bounds what is read of os-release, in bytes; real ones have
// under 1 kB.
const maxOSRelease = 64 << 10

// parseOSRelease returns the assignments of an os-release file, unquoted.
func parseOSRelease(data []byte) map[string]string {
	values := make(map[string]string)
	for line := range strings.Lines(string(data[:min(len(data), maxOSRelease)])) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && variable(name) {
			values[name] = unquote(value)
		}
	}
	return values
}

// variable says whether name is one that os-release may assign.
func variable(name string) bool {
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// unquote takes a shell word apart: '...' as it is; "..." and bare words with
// backslashes. What follows the word is ignored.
func unquote(word string) string {
	if word == "" {
		return ""
	}
	quote := word[0]
	if quote == '\'' {
		value, _, _ := strings.Cut(word[1:], "'")
		return value
	}
	if quote == '"' {
		word = word[1:]
	}
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c == '\\' && i+1 < len(word):
			i++
			b.WriteByte(word[i])
		case quote == '"' && c == '"', quote != '"' && (c == ' ' || c == '\t'):
			return b.String()
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
