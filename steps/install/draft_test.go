// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/install"
)

// TestAScriptIsSeenAsThePlanLeavesIt: what a file would hold decides, also where
// somebody only asks what would be.
func TestAScriptIsSeenAsThePlanLeavesIt(t *testing.T) {
	home := testenv.Home(t)
	path, other := filepath.Join(home, "f"), filepath.Join(home, "other")
	h := testenv.Must(host.New(env.System{Env: env.New(testenv.Env(t, home)), GOOS: "linux", UID: os.Getuid(),
		Cwd: home}))(t)
	testenv.Write(t, other, "#!other", 0o755)
	for before, after := range map[string]string{"#!1": "text", "text": "#!2", "#!3": "#!4"} {
		testenv.Write(t, path, before, 0o755)
		d := install.NewDraft(h)
		f := testenv.Must(d.Open(path, ""))(t)
		if _, needed := d.Change("x", "why", f, []byte(after), 0o755); !needed {
			t.Fatal("nothing is changed")
		}
		want := after
		if after == "text" {
			want = ""
		}
		for name, r := range map[string]host.Reader{"the draft": d.Seen(),
			"what would be": host.With(h, map[string]host.Planned{path: {Bytes: []byte(after)}})} {
			b, err := r.Script(path)
			if err != nil || string(b) != want || (b != nil) != (want != "") {
				t.Errorf("%s: %q before, %q after: %q, %v", name, before, after, b, err)
			}
			if b, err := r.Script(other); err != nil || string(b) != "#!other" {
				t.Errorf("%s: another file: %q, %v", name, b, err)
			}
		}
	}
}
