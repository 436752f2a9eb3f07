// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a fix that the settings of this machine overrule, or have
// already, is not called one that works, wherever it was seen to.

package explain

import (
	"context"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Refuted says why a fix of the catalog cannot help on this machine,
// and what decides it; "" if nothing speaks against it. about is what an error
// is about, a path or a host, and nothing of what the fix itself names where
// its Subject is "". The settings are looked at as Explain does: nothing is
// started.
func Refuted(ctx context.Context, r host.Reader, fix catalog.Fix, about Question) string {
	for _, opens := range []struct {
		kind Kind
		list []string
		does string
	}{
		{AboutPath, fixes.AddedBy(fix, claude.KeyAllowWrite), access.DoesWrite},
		{AboutPath, fixes.AddedBy(fix, claude.KeyAllowRead), access.DoesRead},
		{AboutHost, fixes.AddedBy(fix, claude.KeyAllowedDomains), access.ViaProxy},
	} {
		if len(opens.list) == 0 {
			continue
		}
		own := about.Subject != "" && about.Kind == opens.kind
		if own {
			opens.list = []string{about.Subject}
		}
		for _, subject := range opens.list {
			if strings.Contains(subject, "${") {
				continue
			}
			x, err := Explain(ctx, r, Question{Kind: opens.kind, Subject: subject, Project: about.Project})
			if err != nil {
				continue
			}
			if why := refuted(x, opens.does, own); why != "" {
				return why
			}
		}
		if own { // what opens a file for writing opens it for reading too
			return ""
		}
	}
	return ""
}

// refuted says why nothing that opens changes what a sandboxed command does:
// what denies it is final, or, where also says so, it is allowed already.
func refuted(x report.Explanation, does string, also bool) string {
	already, other := "", false
	for _, r := range x.Rulings {
		if r.Who != access.WhoCommand || r.Does != does && r.Does != access.DoesReach {
			continue
		}
		by := ""
		if len(r.By) > 0 {
			by = " (" + r.By[0].Where + ", " + r.By[0].Text + ")"
		}
		switch {
		case r.Final:
			return r.Why + by
		case also && r.Answer == report.Allowed:
			already = "allowed already: " + r.Why + by
		default:
			other = true
		}
	}
	if other {
		return ""
	}
	return already
}
