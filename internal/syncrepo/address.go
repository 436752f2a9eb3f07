// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an address is judged before git sees it. A password in one
// is never shown and never written.

package syncrepo

import (
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Address is the address of a remote as git takes it.
type Address struct {
	// Text is what git is given.
	Text string
	// Web is the https address under which a server of a public repository
	// would answer without credentials, "" for a repository on this machine.
	Web string
	// Guessed says that Web was made from an ssh address: the server may have the
	// repository under another path there, or none.
	Guessed bool
}

// ParseAddress reads an https or ssh address, the form user@host:path, or the
// absolute path of a repository on this machine. The error is a *report.Error.
func ParseAddress(text string) (Address, error) {
	bad := func(what, next string) (Address, error) {
		return Address{}, &report.Error{Code: report.ExitUsage, Where: WithoutPassword(text), What: what, Next: next}
	}
	const noAddress = "is no address of a git repository"
	const forms = "use git@host:you/claude-config.git, https://host/you/claude-config.git or an absolute path"
	if strings.HasPrefix(text, "-") || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return bad(noAddress, forms)
	}
	a, ok := gitrepo.ParseAddress(text)
	switch {
	case a.Helper != "":
		return bad("names a helper program of git", forms)
	case !ok, a.Scheme == "ssh" && a.Path == "", a.Scheme == "file" && a.Path == text && !filepath.IsAbs(text):
		return bad(noAddress, forms)
	case a.User != "" && (a.Scheme == "https" || a.Secret):
		return bad("has a user name or a password in it, which git would store in clear text",
			"leave it out; git asks your credential helper")
	}
	switch a.Scheme {
	case "https":
		return Address{Text: text, Web: text}, nil
	case "ssh":
		host := a.Host
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return Address{Text: text, Web: "https://" + host + "/" + a.Path, Guessed: true}, nil
	case "file":
		if filepath.IsAbs(text) {
			text = filepath.Clean(text)
		}
		return Address{Text: text}, nil
	}
	return bad("is reached by "+a.Scheme+", which does not prove who answers", forms)
}

// WithoutPassword is an address without the user and the password in it.
func WithoutPassword(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	authority, _, _ := strings.Cut(rest, "/")
	at := strings.LastIndex(authority, "@")
	if at < 0 || scheme == "ssh" && !strings.Contains(authority[:at], ":") {
		return text
	}
	return scheme + "://" + rest[at+1:]
}
