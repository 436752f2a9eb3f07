// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

func TestEveryJudgedKeyHasAClass(t *testing.T) {
	for name := range document().fields {
		if claude.Setting(name).Class == claude.Unknown {
			t.Errorf("%s has a shape and no class", name)
		}
	}
	for _, object := range []string{"sandbox", "permissions"} {
		for name := range document().fields[object].fields {
			if claude.Setting(object, name).Class == claude.Unknown {
				t.Errorf("%s.%s has a shape and no class", object, name)
			}
		}
	}
}
