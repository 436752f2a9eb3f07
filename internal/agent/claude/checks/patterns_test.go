// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: that an entry opens only what is there is said of Linux
// alone: elsewhere the sandbox goes by patterns, also for what is made later.

package checks

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/openpaths"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestAPatternOpensWhatIsMadeLater(t *testing.T) {
	h := household{t, testenv.Home(t)}
	h.put("p/.claude/settings.json", `{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"],"allowWrite":["~/lib/*/build","~/nothing/here"]}}}`, 0o644)
	h.put("lib/a/src/x", "", 0o644)
	for goos, later := range map[string]bool{"linux": false, "darwin": true} {
		r, err := host.New(env.System{Env: env.New([]string{"HOME=" + h.home, "PATH=/usr/bin:/bin"}), GOOS: goos,
			Root: t.TempDir(), Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		s := session.At(r, filepath.Join(h.home, "p"))
		if _, says := grants.Of(r, s).Writable(filepath.Join(h.home, "lib/b/build/tool")); says != later {
			t.Errorf("%s: what a pattern will match is said to be writable: %v", goos, says)
		}
		named := false
		for _, o := range openpaths.Openings(r, s) {
			named = named || strings.Contains(o.What, "~/nothing/here")
		}
		if named != later {
			t.Errorf("%s: what is not there yet is named: %v", goos, named)
		}
	}
}
