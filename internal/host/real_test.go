// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestReal(t *testing.T) {
	home := testenv.Home(t)
	at := func(p string) string { return filepath.Join(home, p) }
	testenv.Mkdir(t, at("real/deep"))
	for link, to := range map[string]string{"link": "real", "away": at("real/deep"), "gone": at("real/new/er"),
		"real/deep/up": "../new/file", "loop": "loop", "twice": "link/deep/up"} {
		testenv.Link(t, to, at(link))
	}
	r, err := host.New(env.System{Env: env.New([]string{"HOME=" + home}), GOOS: "linux", Cwd: home, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"real": "real", "link": "real", "link/deep": "real/deep",
		"link/new":        "real/new",      // its directory is there
		"link/new/er/x":   "real/new/er/x", // nothing of it is
		"gone":            "real/new/er",   // a symlink to what is not there
		"gone/x":          "real/new/er/x",
		"away/up":         "real/new/file", // below where the directory really lies
		"link/deep/up":    "real/new/file",
		"twice/x":         "real/new/file/x",
		"real/./deep/..":  "real",
		"loop":            "loop",
		"no/such/thing/x": "no/such/thing/x",
	} {
		if got := host.Real(r, at("")+"/"+path); got != at(want) {
			t.Errorf("%s leads to %s, want %s", path, got, at(want))
		}
	}
	if got := host.Real(r, "/"); got != "/" {
		t.Errorf("/ leads to %s", got)
	}
}
