// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the line that a hint tells to run keeps what was recognised,
// if it is a plain name: nothing in it means anything to a shell or a terminal,
// and nothing in it is a secret. What would open something names a host only if
// the command or the runtime named it, and not what a program printed.

package hook

import (
	"cmp"
	iofs "io/fs"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/redact"
)

// maxPlain bounds a path or a host in a hint, in bytes.
const maxPlain = 200

// next is the sentence with the line to run.
func (h *hook) next(c call, f catalog.Found) string {
	const closer = "To look closer: steward-setup doctor "
	if f.Hint.Host {
		host, asked := printable(catalog.HostIn(f.Text)), printable(catalog.HostIn(c.command[:min(len(c.command), maxRaw)]))
		switch {
		case host == "":
			host = asked
		case host != asked && f.Confirm != catalog.Sandbox:
			return closer + "--explain-host " + host
		}
		if usual := catalog.UsualHost(f.Text); host == "" && usual != "" {
			return closer + "--explain-host " + usual // it knows the others that the program needs
		}
		if host != "" && h.ownHostsOnly() {
			return closer + "--explain-host " + host // it knows which of two lines allows it
		}
		host = cmp.Or(host, "HOST")
		return "To allow it: steward-setup install --plan --allow-host=" + host
	}
	if path := printable(h.subject(c, f)); path != "" {
		return closer + "--explain-path " + path
	}
	if f.Confirm == catalog.Listener {
		if list := wantedPorts(c, f); len(list) > 0 {
			return closer + "--explain-host 127.0.0.1:" + strconv.Itoa(list[0])
		}
	}
	if f.Confirm == catalog.Program {
		name, _ := catalog.ProgramIn(f.Text)
		if name = printable(name); name != "" {
			return closer + "--explain-command " + name
		}
	}
	if f.Hint.Probe != "" {
		return closer + f.Hint.Probe
	}
	return closer + "--explain " + f.Hint.ID
}

var onlyListed = lazy.Regexp(`"` + claude.KeyStrictAllowlist[len(claude.KeyStrictAllowlist)-1] + `"\s*:\s*true`)

// ownHostsOnly says whether a host that a project lists would count for nothing,
// since the user's settings let no other list count.
func (h *hook) ownHostsOnly() bool {
	return within(func() error {
		b, err := fs.Read(h.settings)
		if err == nil && !onlyListed().Match(b) {
			err = iofs.ErrNotExist
		}
		return err
	}) == nil
}

// printable is a name that can stand in a line as it is; "" for any other.
func printable(name string) string {
	odd := func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/+@", r)
	}
	if len(name) > maxPlain || strings.ContainsFunc(name, odd) || strings.HasPrefix(name, "-") ||
		redact.Command(name) != name {
		return ""
	}
	return name
}
