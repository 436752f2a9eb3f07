// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package outsiders

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestNamesOfWhatLiesElsewhere: a hard link in the project is said of a file outside of it. Two
// names in the project, as pnpm makes them, are no news.
func TestNamesOfWhatLiesElsewhere(t *testing.T) {
	home := testenv.Home(t)
	at := func(name string) string { return filepath.Join(home, name) }
	testenv.Write(t, at("p/.git/HEAD"), "ref: refs/heads/x\n", 0o644)
	testenv.Write(t, at("p/node_modules/b"), "", 0o644)
	for _, name := range []string{"p/a", "bin/x"} {
		testenv.Write(t, at(name), "", 0o755)
		if err := os.Link(at(name), at("p/node_modules/"+filepath.Base(name))); err != nil {
			t.Fatal(err)
		}
	}
	r := host.Still(testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home, "PATH=/bin"}), UID: os.Getuid(),
		GOOS: "linux", Root: t.TempDir(), Now: time.Now}))(t))
	s := session.At(r, at("p"))
	found := NamesOf(r, s, []opening.Opening{{What: at("p/a")}, {What: at("bin/x")}})
	if len(found) != 1 || found[0].What != at("bin/x") || found[0].Remedy != removeLink(at("p/node_modules/x")) {
		t.Errorf("%+v", found)
	}
}
