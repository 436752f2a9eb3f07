// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/report"
)

func TestARepositoryThatCommandsCanReplace(t *testing.T) {
	for _, c := range []struct {
		allow string
		link  bool
		open  string
	}{
		{`"~/"`, true, "~/"}, {`"/none", "~/*"`, true, "~/*"}, {`"/"`, true, "/"},
		{`"~/code", "."`, true, ""}, {`"~/.claude-config"`, true, ""}, {`"~/"`, false, ""},
	} {
		m := newMachine(t, "linux", "amd64", "home")
		m.put(".claude/settings.json", `{"sandbox": {"filesystem": {"allowWrite": [`+c.allow+`]}}}`, 0o600)
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
		if want := "sandbox.filesystem.allowWrite has " + c.open + ":"; strings.HasPrefix(said, want) != (c.open != "") {
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
