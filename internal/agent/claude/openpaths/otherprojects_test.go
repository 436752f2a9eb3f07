// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package openpaths

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestRunsThere: git takes a directory for a repository by these three alone.
func TestRunsThere(t *testing.T) {
	home := testenv.Home(t)
	for _, name := range []string{"bare/HEAD", "bare/objects/x", "bare/refs/x", "part/HEAD", "part/objects/x"} {
		testenv.Write(t, filepath.Join(home, name), "", 0o644)
	}
	j := &Judge{r: testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home}), GOOS: "linux",
		UID: os.Getuid(), Now: time.Now}))(t)}
	for name, runs := range map[string]bool{"bare": true, "part": false} {
		if says := j.runsThere(filepath.Join(home, name)); says != "" != runs {
			t.Errorf("%s: %q", name, says)
		}
	}
}
