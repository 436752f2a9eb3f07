// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line of a manifest is taken apart only if it is one call
// of one package manager for one package: a manifest may be a framework's, and
// what is printed is pasted.

package pins

import "strings"

// Package takes the line for a package manager apart: everything before the
// package, and the package, without its version for apt and dnf. pkg is "" if
// there is no such line, or if it is anything but one call of that package
// manager which ends in one package.
func (p Pin) Package(manager string) (prefix, pkg string) {
	line, ok := p.Install(manager)
	words := strings.Fields(line)
	if !ok || len(words) < 3 || strings.ContainsFunc(line, shellActive) {
		return "", ""
	}
	program := strings.TrimSuffix(words[0], "-get") // apt-get is apt's
	if words[0] == "sudo" {
		program = strings.TrimSuffix(words[1], "-get")
	}
	if program != manager {
		return "", ""
	}
	prefix, pkg = strings.Join(words[:len(words)-1], " "), words[len(words)-1]
	switch manager {
	case "apt":
		pkg, _, _ = strings.Cut(pkg, "=")
	case "dnf":
		for i := 1; i < len(pkg); i++ {
			if pkg[i-1] == '-' && '0' <= pkg[i] && pkg[i] <= '9' {
				pkg = pkg[:i-1]
			}
		}
	}
	return prefix, pkg
}

// shellActive is what a shell takes for more than a letter, but for the
// version pattern of apt, which no printed line keeps.
func shellActive(r rune) bool {
	return r > '~' || r < ' ' || strings.ContainsRune("`$&|;<>(){}[]!?#\\\"'", r)
}
