// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/report"
)

func TestARepositoryThatCommandsCanReplace(t *testing.T) {
	const allows, list = `"sandbox": {"filesystem": {"allowWrite": [%s]}}`, "sandbox.filesystem.allowWrite has "
	for _, c := range []struct {
		settings string
		link     bool
		open     string
	}{
		{fmt.Sprintf(allows, `"~/"`), true, list + "~/:"},
		{fmt.Sprintf(allows, `"/none", "~/*"`), true, list + "~/*:"},
		{fmt.Sprintf(allows, `"/"`), true, list + "/:"},
		{`"permissions": {"additionalDirectories": ["~"]}`, true, "permissions.additionalDirectories has ~:"},
		{`"permissions": {"allow": ["Edit(~/**)"]}`, true, "permissions.allow has Edit(~/**):"},
		{fmt.Sprintf(allows, `"~/code", "."`), true, ""},
		{fmt.Sprintf(allows, `"~/.claude-config"`), true, ""},
		{fmt.Sprintf(allows, `"~/"`), false, ""},
	} {
		m := newMachine(t, "linux", "amd64", "home")
		m.put(".claude/settings.json", "{"+c.settings+"}", 0o600)
		at := ".claude-config"
		if c.link {
			at = "store"
			if err := os.Symlink(filepath.Join(m.home, at), filepath.Join(m.home, ".claude-config")); err != nil {
				t.Fatal(err)
			}
		}
		m.git(m.home, "init", "-q", at)
		p, err := Links(context.Background(), m.h, setup.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, f := range p.Plan.Findings() {
			if strings.Contains(f.Summary, "can replace") && f.Status == report.Fail && f.Decide {
				said = f.Evidence[0].Text
			}
		}
		if !strings.HasPrefix(said, c.open) || (said != "") != (c.open != "") {
			t.Errorf("%v: link says %q", c, said)
		}
		s, err := Look(context.Background(), m.h, setup.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if (s.Open != "") != (c.open != "") || c.open != "" && s.Settled() {
			t.Errorf("%v: status says %q", c, s.Open)
		}
	}
}
