// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nothing is written into the user's own settings that the section does
// not speak of.

package setup

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestTheSectionNamesWhatItWrites(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	p := newDwelling(t, "/bin/bash").inProject()
	s, err := p.wiring(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var written string
	for _, it := range s.Items {
		if c, ok := it.(report.Change); ok {
			written += string(c.After)
		}
	}
	for key, named := range map[string]string{
		claude.MentionsVariable:                        "@",
		claude.CheckpointsVariable:                     "/rewind",
		claude.InboundKey:                              "other sessions",
		claude.KeyDisableDeepLinkRegistration.String(): "claude-cli://",
		claude.KeySkillOverrides.String():              "/update-config",
	} {
		if !strings.Contains(written, key) || !strings.Contains(s.Why, named) {
			t.Errorf("%s, %q: %s\n%s", key, named, s.Why, written)
		}
	}
}
