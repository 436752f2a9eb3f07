// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what docs/protection.md says of pages that the agent fetches is what
// the runtime does.

package iso_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestPagesThatAreFetchedWithoutAPrompt: the runtime has a list of hosts of its
// own that WebFetch may ask for. No host of the sandbox's lists counts for it; the
// rule of the policy does, whatever an allow rule says, and the launch adds it
// unless the user's own settings approve pages. Here a call gets no further than
// the vendor's check of the host. Run with 2.1.329 and the floor.
func TestPagesThatAreFetchedWithoutAPrompt(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	const asked, fetched = "requested permissions to use WebFetch", "Unable to verify if domain "
	pinned, floor := testenv.Claude(t), testenv.ClaudeFloor(t)
	const rule = `{"ask":["` + claude.FetchPages + `"],"allow":["WebFetch"]}`
	const approved = `{"allow":["WebFetch(domain:example.com)"]}`
	for _, c := range []struct {
		name, runtime, project, user string
		hardened                     bool
		listed, other                string
	}{
		{"plain, no rule", pinned, `{}`, `{}`, false, fetched, asked},
		{"plain, no rule, the floor", floor, `{}`, `{}`, false, fetched, asked},
		{"plain, the rule", pinned, rule, `{}`, false, asked, asked},
		{"plain, the rule, the floor", floor, rule, `{}`, false, asked, asked},
		{"claude-iso, no rule", pinned, `{}`, `{}`, true, asked, asked},
		{"claude-iso, the user approves a host", pinned, `{}`, approved, true, fetched, fetched},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.runtime = c.runtime
			l.settings(`{"permissions":` + c.project + `,
				"sandbox":{"enabled":true,"network":{"deniedDomains":["` + claude.FetchedHost + `"]}}}`)
			l.put(".claude/settings.json", `{"permissions":`+c.user+`}`)
			l.approve()
			fetch := func(url string) model.Call {
				return model.Call{Tool: "WebFetch", Input: map[string]any{"url": url, "prompt": "x"}}
			}
			search := model.Call{Tool: "ToolSearch", Input: map[string]any{"query": "select:WebFetch"}}
			script := calls(search, fetch("https://"+claude.FetchedHost+"/3/?what=left"),
				fetch("https://example.com/"), nothing)
			start := func() session { return l.plain("p", script...) }
			if c.hardened {
				start = func() session { return l.hardened("p", iso.Options{}, script...) }
			}
			s := start()
			for i, want := range []string{c.listed, c.other} {
				if said := s.text(t, i+1); !strings.Contains(said, want) {
					t.Errorf("call %d: %q, want %q", i, said, want)
				}
			}
		})
	}
}
