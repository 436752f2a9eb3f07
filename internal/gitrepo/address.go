// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the address of a remote is read here alone, and as git reads it
// (git-fetch(1), "GIT URLS"; tried with git 2.39): what git would not ask is no address.

package gitrepo

import "strings"

// Address is what git reads in the address of a remote.
type Address struct {
	// Scheme is how it is asked: "ssh" however that is spelled, "https", "http", "git",
	// another one of a URL as it stands there, "file" for a place on this machine; ""
	// where a helper program of git is asked.
	Scheme string
	// Helper is the name of that program in "NAME::ADDRESS".
	Helper string
	// User is what stands before the host, Secret whether a password is in it.
	User   string
	Secret bool
	// Host is as it is spelled, without brackets, "" for a place on this machine.
	Host, Port string
	// Path is as it is spelled, for a host without the slash that it begins with.
	Path string
}

// schemes are those that git reads as another one.
var schemes = map[string]string{"git+ssh": "ssh", "ssh+git": "ssh"}

// ParseAddress reads an address; ok is false for what git takes for none, or refuses
// because a host looks like an option.
func ParseAddress(text string) (a Address, ok bool) {
	name := text[:len(text)-len(strings.TrimLeft(text, schemeCharacters))]
	switch rest := text[len(name):]; {
	case text == "":
		return a, false
	case strings.HasPrefix(rest, "::"):
		return Address{Helper: name}, name != ""
	case strings.HasPrefix(rest, "://"):
		return parseURL(name, rest[len("://"):])
	}
	colon, slash := strings.Index(text, ":"), strings.Index(text, "/")
	if colon < 0 || slash >= 0 && slash < colon {
		return Address{Scheme: "file", Path: text}, true
	}
	return parseShort(text)
}

const schemeCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-"

// parseURL reads what stands behind "SCHEME://". A scheme with capital letters is
// none that git knows.
func parseURL(scheme, rest string) (a Address, ok bool) {
	a.Scheme = scheme
	if other := schemes[scheme]; other != "" {
		a.Scheme = other
	}
	if a.Scheme == "file" {
		a.Path = rest
		if !strings.HasPrefix(rest, "/") {
			a.Path = "//" + rest // git takes a host for a part of the path
		}
		return a, rest != ""
	}
	authority, path, _ := strings.Cut(rest, "/")
	a.Path = path
	a.user(&authority)
	return a, scheme != "" && scheme == strings.ToLower(scheme) && a.host(authority)
}

// parseShort reads [USER@]HOST:PATH, where HOST may stand in brackets, also with the
// user, and then with a port.
func parseShort(text string) (a Address, ok bool) {
	a.Scheme = "ssh"
	open := strings.Index(text, "[")
	if open > 0 && text[open-1] != '@' || open > strings.Index(text, ":") {
		open = -1
	}
	authority, path, _ := strings.Cut(text, ":")
	if open >= 0 {
		if authority, path, ok = strings.Cut(text, "]:"); !ok {
			return a, false
		}
		inside := authority[open+1:]
		if strings.Count(inside, ":") > 1 {
			inside = "[" + inside + "]"
		}
		authority = authority[:open] + inside
	}
	a.Path = strings.TrimPrefix(path, "/")
	a.user(&authority)
	return a, a.host(authority)
}

// user takes the user off an authority: ssh and curl end it at the last "@".
func (a *Address) user(authority *string) {
	if at := strings.LastIndex(*authority, "@"); at >= 0 {
		a.User, *authority = (*authority)[:at], (*authority)[at+1:]
		a.Secret = strings.Contains(a.User, ":")
	}
}

// host reads HOST[:PORT], a host with colons in brackets, and says whether it is one.
func (a *Address) host(text string) bool {
	if inside, brackets := strings.CutPrefix(text, "["); brackets {
		host, rest, closed := strings.Cut(inside, "]")
		if !closed || rest != "" && rest[0] != ':' {
			return false
		}
		a.Host, a.Port = host, strings.TrimPrefix(rest, ":")
	} else {
		a.Host, a.Port, _ = strings.Cut(text, ":")
	}
	return a.Host != "" && a.Host[0] != '-' && strings.Trim(a.Port, "0123456789") == "" &&
		!strings.ContainsAny(a.Host, "%/\\?# ")
}
