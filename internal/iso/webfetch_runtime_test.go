// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what docs/iso.md says of pages that the agent fetches is what
// the runtime does.

package iso_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
)

// TestPagesThatAreFetchedWithoutAPrompt: the runtime has a list of hosts of its
// own that WebFetch may ask for. No host of the sandbox's lists counts for it; an
// ask rule does. Here it gets no further than the vendor's check of the host. Run
// with 2.1.329.
func TestPagesThatAreFetchedWithoutAPrompt(t *testing.T) {
	inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
		fetch := func(url string) model.Call {
			return model.Call{Tool: "WebFetch", Input: map[string]any{"url": url, "prompt": "x"}}
		}
		l.settings(`{"permissions":{"ask":["WebFetch(domain:nodejs.org)"]},
			"sandbox":{"enabled":true,"network":{"deniedDomains":["docs.python.org"]}}}`)
		l.approve()
		search := model.Call{Tool: "ToolSearch", Input: map[string]any{"query": "select:WebFetch", "max_results": 5}}
		s := start(calls(search, fetch("https://docs.python.org/3/?what=left"), fetch("https://example.com/"), fetch("https://nodejs.org/"), nothing)...)
		for i, want := range []string{"Unable to verify if domain docs.python.org", "requested permissions to use WebFetch", "requested permissions to use WebFetch"} {
			if said := s.text(t, i+1); !strings.Contains(said, want) {
				t.Errorf("call %d: %q, want %q", i, said, want)
			}
		}
	})
}
