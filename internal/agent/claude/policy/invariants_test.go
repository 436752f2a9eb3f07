// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a choice is known by what install writes for it, and a
// project may be called whatever it likes.

package policy

import (
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

func TestReaches(t *testing.T) {
	own := []string{"/home/me/src/credentials", "/home/me/.kube/operator"}
	for p, want := range map[string]bool{
		"/home/me/src/credentials":           false,
		"/home/me/src/credentials/docs":      false,
		"/home/me/src/credentials/.env":      true,
		"/home/me/src/credentials/id_rsa":    true,
		"/home/me/src/credentials2":          false,
		"/home/me/elsewhere/credentials":     true,
		"/home/me/.kube/operator":            true, // the place itself is one of credentials
		"/home/me/.ssh":                      true,
		"/home/me":                           true,
		"/":                                  true,
		"/home/me/.config":                   true,
		"/home/me/src":                       false,
		"/home/me/src/**/private_key_backup": true,
	} {
		if which, got := sensitive.Reaches(p, home, own); got != want {
			t.Errorf("%s: %v (%s), want %v", p, got, which, want)
		}
	}
}

func TestExposures(t *testing.T) {
	const read, write = "sandbox.filesystem.allowRead", "sandbox.filesystem.allowWrite"
	tracker := decoded(t, []byte(`{"permissions":{"deny":["Read(~/.config/tracker/**)"]}}`))
	for _, c := range []struct {
		key, entry, by string
		doc            *settings.Value
	}{
		{read, "~/.config/gh/", "gh-config", nil},
		{read, "/home/me/.config/gh", "gh-config", nil},
		{read, "~/.gnupg", "gnupg", nil},
		{read, "~/.config/tracker", "project-config", tracker},
		{read, "~/.config/other", "", tracker},
		{read, "~/.config/tracker", "", nil},
		{write, "~/.cache/go-build", "go-build", nil},
		{read, "~/.cache/uv/", "uv-cache", nil},
		{write, "~/.config/gh/", "", nil},
		{read, "~/.config/gh/hosts.yml", "", nil},
		{read, "~/.ssh", "", nil},
		{read, "~/go/pkg/mod/", "", nil}, // a default, not a choice at a price
		{write, "~/.cache", "", nil},
	} {
		x, ok := load(t).Exposure(c.key, c.entry, home, c.doc)
		if string(x.By) != c.by || ok != (c.by != "") || ok && x.Price == "" {
			t.Errorf("%s %s: %+v %v, want %q", c.key, c.entry, x, ok, c.by)
		}
	}
}

func TestHostPrices(t *testing.T) {
	prices := load(t).HostPrices()
	if prices["github.com"] == "" || prices["pypi.org"] == "" {
		t.Errorf("%q", prices)
	}
	if price, ok := prices["sum.golang.org"]; ok {
		t.Errorf("sum.golang.org: %q", price)
	}
}

// TestEcosystem: of a forge one host opens no other.
func TestEcosystem(t *testing.T) {
	for host, want := range map[string]string{"registry.npmjs.org": "node", "github.com": "", "x.invalid": ""} {
		id, hosts := load(t).Ecosystem(host)
		if id != want || slices.Contains(hosts, host) != (want != "") {
			t.Errorf("%s: %q with %q, want %q", host, id, hosts, want)
		}
	}
}

func TestEnforced(t *testing.T) {
	for rule, want := range map[string]string{
		"Read(//**/.env)":         "Read(**/.env)",
		"Edit(//**/.env.local)":   "Edit(**/.env.local)",
		"Read(**/.env)":           "",
		"Read(//home/me/.aws/**)": "",
		"Bash(//**/x)":            "",
		"Read":                    "",
	} {
		if got, other := Enforced(rule); got != want || other != (want != "") {
			t.Errorf("%s: %q", rule, got)
		}
	}
}
