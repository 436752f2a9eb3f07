// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of several files that hold a part of the policy, the one
// that lacks the least is said to hold it.

package verify

import (
	"context"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// Standing is the settings file that the policy of a session stands in: the
// one that switches the sandbox on and lacks the least of what a policy needs.
// ok is false where none does. The files of the machine's owner are passed over.
func (s SessionSettings) Standing(home string) (scope settings.Scope, doc *settings.Doc, ok bool) {
	pol, err := policy.Embedded()
	if err != nil {
		return 0, nil, false
	}
	least := 0
	for _, l := range s.Layers {
		if l.Scope != settings.Project && l.Scope != settings.Local && l.Scope != settings.User ||
			!l.Doc.Get(claude.KeySandboxEnabled...).True() {
			continue
		}
		if n := len(lacking(pol, l.Doc.Content(), home)); doc == nil || n < least {
			scope, doc, least = l.Scope, l.Doc, n
		}
	}
	return scope, doc, doc != nil
}

// SessionIn reads the settings of a session at the root of the worktree around
// dir ("" is the working directory), or in dir where there is none. The error
// is git's.
func SessionIn(ctx context.Context, r host.Reader, dir string) (SessionSettings, error) {
	return session(ctx, r, dir)
}
