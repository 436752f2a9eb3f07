// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
)

func TestARefusalInWords(t *testing.T) {
	two := []catalog.Refuser{catalog.Seccomp, catalog.Mount}
	for want, r := range map[string]engine.Refusal{
		"seccomp: ssh-add: no":                        {Layers: two[:1], Said: "ssh-add: no"},
		"seccomp and mount: ssh-add: no":              {Layers: two, Said: "ssh-add: no"},
		"by design: mount: a: no":                     {Layers: two[1:], ByDesign: true, Said: "a: no"},
		"1 of 2 calls work; by design: mount: a: no":  {two[1:], true, "a: no", "1 of 2 calls work"},
		"works: b; blocked: mount: a: no; and 1 more": {two[1:], false, "a: no; and 1 more", "works: b"},
	} {
		if got := r.String(); got != want {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
}
