// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of two settings files of a project, the one opens more that sets
// what takes protection away and the other does not. What it lacks is not told.

package gitruns

import (
	"path"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/projectcode"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
)

// widening are the lists in which an entry more opens more.
var widening = []string{claude.KeyAllow.String(), claude.KeyAllowRead.String(), claude.KeyAllowWrite.String(),
	claude.KeyAllowedDomains.String()}

// opensMore says whether settings of a project (there) open what those here do not.
// What is not understood there does. here may be empty.
func opensMore(here, there []byte, home string) bool {
	own, err := settings.Parse(session.PolicyFile, here)
	if err != nil {
		return false // other checks tell it
	}
	doc, err := settings.Parse(session.PolicyFile, there)
	if err != nil {
		return true
	}
	less, _, err := policy.Embedded().Compare(here, session.PolicyFile, doc.Root, home)
	return err != nil || sets(own.Root, doc.Root, nil) || slices.ContainsFunc(less, func(d policy.Difference) bool {
		return slices.Contains(widening, d.Key)
	})
}

// sets says whether an object sets what runs, redirects or takes protection away, and
// the other one does not. The lists of a policy are compared entry by entry
// elsewhere.
func sets(own, there *settings.Value, above []string) bool {
	lists := policy.Keys()
	return slices.ContainsFunc(there.Members, func(m settings.Member) bool {
		at := append(slices.Clone(above), m.Key)
		is, k := own.Get(m.Key), claude.Setting(at...)
		switch {
		case is != nil && is.Equal(m.Value), lists[settings.KeyPath(at)]:
			return false
		case k.Path == claude.KeyEnv.String():
			return slices.ContainsFunc(m.Value.Members, func(v settings.Member) bool {
				had := is.Get(v.Key)
				return !claude.VariableOf(v.Key).Safe() && (had == nil || !had.Equal(v.Value))
			})
		case m.Value.Kind == settings.Object && claude.Nested(at...):
			return sets(is, m.Value, at)
		case k.Path == claude.KeyPlansDirectory.String():
			_, loaded := claude.ProtectedAt(path.Join("/", m.Value.Text), "/", "")
			return loaded
		case k.Class == claude.Protects:
			return m.Value.False()
		}
		return k.Class != claude.Harmless && k.Class != claude.Unknown && projectcode.TakesEffect(k, m.Value)
	})
}

// moreServers says whether .mcp.json has a server that the one here has not so.
func moreServers(here, there []byte) bool {
	doc, err := settings.Parse(claude.ServersFile, there)
	own, errOwn := settings.Parse(claude.ServersFile, here)
	if err != nil || errOwn != nil {
		return true
	}
	servers := doc.Get(claude.ServersKey)
	return servers != nil && slices.ContainsFunc(servers.Members, func(m settings.Member) bool {
		is := own.Get(claude.ServersKey, m.Key)
		return is == nil || !is.Equal(m.Value)
	})
}
