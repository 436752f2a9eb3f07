// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package stage

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

func TestEveryCanaryStandsForACredentialOfThePolicy(t *testing.T) {
	list := Secrets("run", "/home/me", agent.Layout{}, nil)
	if len(list) != len(usual) {
		t.Errorf("%d canaries of %d", len(list), len(usual))
	}
	for _, c := range list {
		if _, ok := sensitive.CredentialPath(c.Path, "/home/me"); !ok {
			t.Errorf("%s is no place of credentials", c.Path)
		}
	}
}
