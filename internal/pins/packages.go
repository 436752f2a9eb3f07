// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: packages are ordered as their package manager orders them,
// revisions of one upstream version too. Whether a package satisfies a pin is
// another question (Provides), and no order answers it.

package pins

import (
	"cmp"
	"strings"
)

// Scheme is the rule by which a package manager orders versions.
type Scheme string

// The schemes of package managers.
const (
	Debian Scheme = "debian" // Debian policy 5.6.12; deb-version(7)
	RPM    Scheme = "rpm"    // rpm-version(7)
)

// SchemeOf is the scheme of a package manager by its name; ok is false for
// another one, of which only upstream versions are compared.
func SchemeOf(manager string) (s Scheme, ok bool) {
	s, ok = map[string]Scheme{"apt": Debian, "dnf": RPM}[manager]
	return s, ok
}

// Compare orders two versions of one package: negative if a is older than b,
// zero if neither is newer. It is a total order: epoch, then upstream's version,
// then the revision, where a missing epoch is 0. A missing revision is "0" to
// Debian, and older than every revision to RPM. The error names the string that
// is no version of the scheme.
func (s Scheme) Compare(a, b string) (int, error) {
	va, err := s.parse(a)
	if err != nil {
		return 0, err
	}
	vb, err := s.parse(b)
	if err != nil {
		return 0, err
	}
	epoch := cmp.Or(cmp.Compare(len(va.epoch), len(vb.epoch)), strings.Compare(va.epoch, vb.epoch))
	if s == RPM {
		return cmp.Or(epoch, rpmOrder(va.version, vb.version),
			cmp.Compare(min(1, len(va.revision)), min(1, len(vb.revision))), rpmOrder(va.revision, vb.revision)), nil
	}
	return cmp.Or(epoch, debianOrder(va.version, vb.version), debianOrder(va.revision, vb.revision)), nil
}

// packageVersion is the version of a package, taken apart.
type packageVersion struct {
	epoch             string // without leading zeros, "" is 0
	version, revision string
}

// parse takes a version apart: the epoch ends at the first colon, the revision
// begins behind the last hyphen.
func (s Scheme) parse(text string) (v packageVersion, err error) {
	v.version = text
	if epoch, rest, has := strings.Cut(text, ":"); has {
		if !digits(epoch) {
			return v, notVersion(text)
		}
		v.epoch, v.version = strings.TrimLeft(epoch, "0"), rest
	}
	if i := strings.LastIndexByte(v.version, '-'); i >= 0 {
		if v.version, v.revision = v.version[:i], v.version[i+1:]; v.revision == "" {
			return v, notVersion(text)
		}
	}
	// Debian: hyphens in the version where there is a revision, colons where
	// there is an epoch. RPM: "^" too, and neither of those.
	inVersion, inRevision := ".+~-:", ".+~"
	if s == RPM {
		inVersion, inRevision = ".+~^_", ".+~^_"
	}
	if len(text) > maxVersion || v.version == "" || !isDigit(v.version[0]) ||
		!only(v.version, inVersion) || !only(v.revision, inRevision) {
		return v, notVersion(text)
	}
	return v, nil
}

// only says whether a text has letters, digits and these alone.
func only(text, these string) bool {
	for i := range len(text) {
		if c := text[i]; !isDigit(c) && !isLetter(c) && strings.IndexByte(these, c) < 0 {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// debianOrder compares two parts as dpkg does: what is no digit by its bytes,
// "~" before the end, the end before letters, letters before the rest; then the
// number; and so on.
func debianOrder(a, b string) int {
	for a != "" || b != "" {
		for a != "" && !isDigit(a[0]) || b != "" && !isDigit(b[0]) {
			if c := cmp.Compare(weight(a), weight(b)); c != 0 {
				return c
			}
			a, b = a[min(1, len(a)):], b[min(1, len(b)):]
		}
		var c int
		if c, a, b = number(a, b); c != 0 {
			return c
		}
	}
	return 0
}

// weight is that of the first byte in Debian's order.
func weight(s string) int {
	switch {
	case s == "" || isDigit(s[0]):
		return 0
	case s[0] == '~':
		return -1
	case isLetter(s[0]):
		return int(s[0])
	}
	return int(s[0]) + 256
}

// number compares the numbers at the beginning of two texts, of any length; one
// that is missing is 0. It returns what follows them.
func number(a, b string) (order int, restA, restB string) {
	na, restA := span(a, isDigit)
	nb, restB := span(b, isDigit)
	na, nb = strings.TrimLeft(na, "0"), strings.TrimLeft(nb, "0")
	return cmp.Or(cmp.Compare(len(na), len(nb)), strings.Compare(na, nb)), restA, restB
}

// span cuts what has only bytes of a kind from the beginning.
func span(s string, is func(byte) bool) (head, rest string) {
	i := 0
	for i < len(s) && is(s[i]) {
		i++
	}
	return s[:i], s[i:]
}

// rpmOrder compares two parts as RPM does: runs of digits and runs of letters,
// a number after a word; "~" before the end, "^" after it and before everything
// else; what stands between the runs counts for nothing.
func rpmOrder(a, b string) int {
	between := func(c byte) bool { return !isDigit(c) && !isLetter(c) && c != '~' && c != '^' }
	for {
		_, a = span(a, between)
		_, b = span(b, between)
		ka, kb := kind(a), kind(b)
		if c := cmp.Compare(ka, kb); c != 0 {
			return c
		}
		switch ka {
		case rpmEnd:
			return 0
		case rpmTilde, rpmCaret:
			a, b = a[1:], b[1:]
			continue
		case rpmNumber:
			var c int
			if c, a, b = number(a, b); c != 0 {
				return c
			}
			continue
		}
		var wa, wb string
		wa, a = span(a, isLetter)
		wb, b = span(b, isLetter)
		if c := strings.Compare(wa, wb); c != 0 {
			return c
		}
	}
}

// What a part of RPM's begins with, in RPM's order.
const (
	rpmTilde = iota
	rpmEnd
	rpmCaret
	rpmWord
	rpmNumber
)

func kind(s string) int {
	switch {
	case s == "":
		return rpmEnd
	case s[0] == '~':
		return rpmTilde
	case s[0] == '^':
		return rpmCaret
	case isDigit(s[0]):
		return rpmNumber
	}
	return rpmWord
}

// Package takes the line for a package manager apart: everything before the
// package, and the package, without its version for apt and dnf. pkg is "" if
// there is no such line, or if it is anything but one call of that package
// manager which ends in one package: a manifest may be a framework's, and what
// is printed is pasted.
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
