// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a host that a project names and that does not count is
// told with both places: where it is named, and what voids it.

package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestAHostThatStrictAllowlistVoidsIsTold(t *testing.T) {
	t.Parallel()
	testenv.Need(t, "bwrap", "socat") // or there is no sandbox
	l := newLab(t)
	l.put("p/.claude/settings.json", `{"sandbox": {"enabled": true, "network": {"allowedDomains": ["a.example"]}}}`)
	l.put(".claude/settings.json", `{"sandbox": {"network": {"strictAllowlist": true, "allowedDomains": ["b.example"]}}}`)
	for host, want := range map[string]report.Answer{"a.example": report.Denied, "b.example": report.Allowed,
		"c.example": report.Denied} {
		x, err := Explain(t.Context(), l.reader(), Question{Kind: AboutHost, Subject: host})
		if err != nil {
			t.Fatal(err)
		}
		// The line writes into the user's settings, whose hosts every project reaches.
		everywhere := slices.ContainsFunc(x.Notes, func(n report.Note) bool {
			return strings.Contains(n.Line.Words, "--allow-host="+host) &&
				n.Line.After == ", for all your projects"
		})
		if everywhere != (want == report.Denied) {
			t.Errorf("%s: %+v", host, x.Notes)
		}
		for _, r := range x.Rulings {
			if r.Does != access.ViaProxy || len(r.Launches) > 0 && r.Launches[0] != report.Plain {
				continue
			}
			if r.Answer != want {
				t.Errorf("%s: %s, want %s", host, r.Answer, want)
			}
			named := len(r.By) == 2 && strings.Contains(r.By[0].Where, "p/.claude/settings.json:1:") &&
				strings.Contains(r.By[1].Text, "strictAllowlist")
			if named != (host == "a.example") {
				t.Errorf("%s: %v", host, r.By)
			}
		}
	}
}
