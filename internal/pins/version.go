// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: two versions are compared only when both are understood;
// what is not a version is an error, never "older" or "newer".

package pins

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/steward-setup/steward-setup/internal/host/env"
)

// The tools that this program can ask for their version.
const (
	bubblewrap = "bubblewrap"
	socat      = "socat"
	ripgrep    = "ripgrep"
)

// maxVersion bounds a version string, in bytes; the longest seen in Debian has
// under 60.
const maxVersion = 100

// maxPart bounds a number of a version of claude-code, in digits: none has over
// three, and a date has eight.
const maxPart = 9

func tooLong(part string) bool { return digits(part) && len(part) > maxPart }

// Upstream returns the part of a distribution's version string that upstream
// gave: without the epoch ("1:"), the revision ("-2+deb12u1", "-1.fc43") and a
// repack or snapshot mark ("+dfsg", "^git"). A pre-release mark ("~rc1") stays,
// since it sorts before the release (deb-version(7), RPM's version
// comparison). An upstream version is returned as it is.
func Upstream(version string) string {
	if epoch, rest, ok := strings.Cut(version, ":"); ok && digits(epoch) {
		version = rest
	}
	if i := strings.LastIndexByte(version, '-'); i > 0 {
		version = version[:i]
	}
	if i := strings.IndexAny(version, "+^"); i > 0 {
		version = version[:i]
	}
	return version
}

// revised says whether a version string carries a distribution's revision, so
// that it names one package and not every package of an upstream version.
func revised(version string) bool { return strings.ContainsRune(version, '-') }

// Compare orders the upstream versions of a tool: negative if a is older than b,
// zero if they are the same, positive if a is newer. The revisions of a package
// do not count (Scheme.Compare orders those). claude-code
// is versioned by semver.org; the others by numbers between dots, any count of
// them, compared part by part, where a missing part is zero. The error names
// the string that is not a version.
func Compare(tool, a, b string) (int, error) {
	if _, ok := env.OfTool(tool); ok {
		for _, v := range []string{a, b} {
			if len(v) > maxVersion || !semver.IsValid("v"+v) || slices.ContainsFunc(strings.Split(v, "."), tooLong) {
				return 0, notVersion(v)
			}
		}
		return semver.Compare("v"+a, "v"+b), nil
	}
	va, err := parseVersion(a)
	if err != nil {
		return 0, err
	}
	vb, err := parseVersion(b)
	if err != nil {
		return 0, err
	}
	for i := range max(len(va.parts), len(vb.parts)) {
		if c := cmp.Or(cmp.Compare(len(va.part(i)), len(vb.part(i))), strings.Compare(va.part(i), vb.part(i))); c != 0 {
			return c, nil
		}
	}
	const released = "\x7f" // after every byte that may stand in a version
	return strings.Compare(cmp.Or(va.pre, released), cmp.Or(vb.pre, released)), nil
}

// upstreamVersion is an upstream version taken apart: decimal numbers without
// leading zeros (of any length, so kept as digits), and what follows a "~".
type upstreamVersion struct {
	parts []string
	pre   string
}

func (v upstreamVersion) part(i int) string {
	if i < len(v.parts) {
		return v.parts[i]
	}
	return ""
}

func parseVersion(text string) (upstreamVersion, error) {
	numbers, pre, _ := strings.Cut(Upstream(text), "~")
	v := upstreamVersion{pre: pre}
	if len(text) > maxVersion || !safe(text) {
		return v, notVersion(text)
	}
	for part := range strings.SplitSeq(numbers, ".") {
		if !digits(part) {
			return v, notVersion(text)
		}
		v.parts = append(v.parts, strings.TrimLeft(part, "0"))
	}
	return v, nil
}

func notVersion(text string) error {
	if len(text) > maxVersion {
		text = text[:maxVersion] + "..."
	}
	return fmt.Errorf("%q is not a version", text)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// safe says whether every byte of s may stand in a version, a package name or
// an option: nothing that a shell, a terminal or TOML would take for more than
// a letter, other than "~", "^" and "*", which are quoted where it matters.
func safe(s string) bool { return s != "" && only(s, ".+:~^*-_=@/") }

// Reported finds the version in what a tool printed when it was asked for it:
//
//	bubblewrap 0.11.2
//	socat version 1.8.1.3 on 26 Jun 2026 10:00:00
//	2.1.329 (Claude Code)
//	ripgrep 13.0.0
//
// (bwrap --version, socat -V, claude --version, rg --version.) ok is false for
// another tool and for other words.
func Reported(tool, output string) (version string, ok bool) {
	agent, ok := env.OfTool(tool)
	for line := range strings.Lines(output) {
		words := strings.Fields(line)
		switch {
		case ok && len(words) > 1 && strings.Join(words[1:], " ") == agent.Says:
			version = words[0]
		case (tool == bubblewrap || tool == ripgrep) && len(words) >= 2 && words[0] == tool:
			version = words[1]
		case tool == socat && len(words) >= 3 && words[0]+" "+words[1] == "socat version":
			version = words[2]
		default:
			continue
		}
		if _, err := Compare(tool, version, version); err != nil {
			return "", false
		}
		return version, true
	}
	return "", false
}

// Known says whether this program can ask the tool for its version.
func Known(tool string) bool {
	_, ok := env.OfTool(tool)
	return ok || tool == bubblewrap || tool == socat || tool == ripgrep
}

// Below says that an installed version is below the floor.
func Below(tool, version, floor string) string {
	return tool + " " + version + " is below the floor " + floor
}

// Needless says why a system needs no such tool, "" if it does.
func Needless(tool, goos string) string {
	switch {
	case goos == "darwin" && linuxOnly(tool):
		return "not needed on macOS, where Seatbelt confines commands"
	case !Known(tool):
		return "not a tool of this setup"
	}
	return ""
}

// linuxOnly says whether only Linux needs the tool: macOS confines commands
// with Seatbelt, which is part of it.
func linuxOnly(tool string) bool { return tool == bubblewrap || tool == socat }
