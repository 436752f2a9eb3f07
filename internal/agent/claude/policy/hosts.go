// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which hosts an entry of a list names is answered here and
// nowhere else, as the runtime's proxy answers it. Measured with Claude Code
// 2.1.329 against the proxy, entry by entry, for sandbox.network and for
// WebFetch(domain:…) rules; 2.1.141 opens the same or less.

package policy

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// HostEntry is what an entry of allowedDomains or deniedDomains, or the domain
// of a WebFetch rule, names. Letters are alike in either case.
type HostEntry struct {
	// name is in small letters; below says that all below it is named, and
	// not it ("*.x"). Without a name and an address every host is named ("*").
	name  string
	below bool
	addr  netip.Addr
	// port is the only one that is named; 0 is every port.
	port uint16
}

// ParseHostEntry reads an entry; ok is false for one that names no host to the
// proxy: an address of the web, a user, a dot at the end, a star that is not
// the first label, letters that are not ASCII, or a number that is not the
// usual spelling of an address.
func ParseHostEntry(text string) (e HostEntry, ok bool) {
	name := strings.ToLower(text)
	if addr, err := netip.ParseAddr(name); err == nil {
		return HostEntry{addr: addr.Unmap().WithZone("")}, true
	}
	if inner, rest, closed := strings.Cut(strings.TrimPrefix(name, "["), "]"); closed && strings.HasPrefix(name, "[") {
		addr, err := netip.ParseAddr(inner)
		port, ok := entryPort(rest)
		return HostEntry{addr: addr.Unmap().WithZone(""), port: port}, err == nil && ok
	}
	if i := strings.IndexByte(name, ':'); i >= 0 {
		if e.port, ok = entryPort(name[i:]); !ok {
			return HostEntry{}, false
		}
		name = name[:i]
	}
	if addr, err := netip.ParseAddr(name); err == nil {
		e.addr = addr
		return e, true
	}
	if name == "*" {
		return e, true
	}
	e.name, e.below = strings.CutPrefix(name, "*.")
	return e, asciiHost(e.name) && !strings.HasSuffix(e.name, ".") && !numeric(e.name)
}

// entryPort reads ":443"; nothing is every port.
func entryPort(text string) (port uint16, ok bool) {
	if text == "" {
		return 0, true
	}
	digits, colon := strings.CutPrefix(text, ":")
	n, err := strconv.ParseUint(digits, 10, 16)
	return uint16(n), colon && err == nil && digits[0] != '0' && digits[0] != '+'
}

// Host is a host that a program asks for.
type Host struct {
	// Name is in small letters, without a dot at the end; an address in its
	// usual spelling. Port is 0 if nothing is said of one.
	Name string
	Addr netip.Addr
	Port uint16
}

// ParseHost reads a host without a port, as the proxy does that is asked for
// it: 127.1, 2130706433 and ::ffff:127.0.0.1 are 127.0.0.1. ok is false for
// what the proxy refuses.
func ParseHost(name string) (h Host, ok bool) {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
	if err != nil {
		addr = numbers(name)
	}
	if addr = addr.Unmap(); addr.IsValid() {
		return Host{Name: addr.String(), Addr: addr}, addr.Zone() == ""
	}
	return Host{Name: name}, asciiHost(name) && len(name) <= 253
}

// Names says whether the entry names a host. Where nothing is said of the
// host's port, an entry for that of https or http names it.
func (e HostEntry) Names(h Host) bool {
	switch {
	case e.port != 0 && e.port != h.Port && (h.Port != 0 || e.port != 443 && e.port != 80):
		return false
	case e.addr.IsValid():
		return e.addr == h.Addr
	case e.below:
		return !h.Addr.IsValid() && strings.HasSuffix(h.Name, "."+e.name)
	}
	return e.name == "" || e.name == h.Name
}

// Covers says whether the entry names all that another names.
func (e HostEntry) Covers(other HostEntry) bool {
	switch {
	case e.port != 0 && e.port != other.port:
		return false
	case e.every():
		return true
	case e.below && other.below:
		return strings.HasSuffix("."+other.name, "."+e.name)
	case e.below:
		return strings.HasSuffix(other.name, "."+e.name)
	}
	return e.name == other.name && e.addr == other.addr && !other.below
}

// every says whether it names every host, on one port or on all.
func (e HostEntry) every() bool { return e.name == "" && !e.addr.IsValid() }

// HostNamed says whether an entry names a host, both as they are written.
func HostNamed(entry, host string) bool {
	e, named := ParseHostEntry(entry)
	h, ok := ParseHost(host)
	return named && ok && e.Names(h)
}

// ownNames are the names of this machine in the usual /etc/hosts (hosts(5),
// Debian, Fedora, macOS).
var ownNames = []string{"localhost", "localhost.localdomain", "localhost4", "localhost6", "ip6-localhost",
	"ip6-loopback"}

// HostCovered says whether a list of entries names all that an entry names, as
// they are written.
func HostCovered(list []string, entry string) bool {
	e, ok := ParseHostEntry(entry)
	return slices.ContainsFunc(list, func(have string) bool {
		h, named := ParseHostEntry(have)
		return have == entry || ok && named && h.Covers(e)
	})
}

// own says whether it means this machine. 0.0.0.0 and :: reach it too.
func (e HostEntry) own() bool {
	return e.addr.IsLoopback() || e.addr.IsUnspecified() || slices.Contains(ownNames, e.name) ||
		strings.HasSuffix(e.name, ".localhost")
}

// asciiHost says whether the proxy takes a name.
func asciiHost(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-._", r)
	})
}

// numeric says whether the last label is a number, so that the name means an
// address (WHATWG URL, "ends in a number").
func numeric(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last != "" && strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := number(last)
	return ok
}

// numbers is the IPv4 address that one to four numbers mean, decimal, octal or
// hexadecimal, the last of them for all bytes that are left (WHATWG URL).
func numbers(name string) (addr netip.Addr) {
	parts := strings.Split(name, ".")
	if len(parts) > 4 {
		return addr
	}
	var all uint64
	for i, part := range parts {
		n, ok := number(part)
		left := 8 * (4 - i)
		if i < len(parts)-1 {
			left = 8
		}
		if !ok || n >= 1<<left {
			return addr
		}
		if i < len(parts)-1 {
			n <<= 8 * (3 - i)
		}
		all |= n
	}
	return netip.AddrFrom4([4]byte{byte(all >> 24), byte(all >> 16), byte(all >> 8), byte(all)})
}

// number reads a number of an address.
func number(text string) (n uint64, ok bool) {
	base := 10
	switch hex, isHex := strings.CutPrefix(text, "0x"); {
	case isHex && hex == "":
		return 0, true
	case isHex:
		text, base = hex, 16
	case len(text) > 1 && text[0] == '0':
		text, base = text[1:], 8
	}
	n, err := strconv.ParseUint(text, base, 32)
	return n, err == nil && text[0] != '+'
}
