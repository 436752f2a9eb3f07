// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package dotfiles

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestSymlinksThatNoRowKnows: many files beside one take it no room, a name that begins like a place that is judged
// elsewhere is none, and what leads to other places than the project is nobody's business.
func TestSymlinksThatNoRowKnows(t *testing.T) {
	home := testenv.Home(t)
	root := filepath.Join(home, "p")
	testenv.Write(t, filepath.Join(root, "README.md"), "p\n", 0o644)
	testenv.Git(t, testenv.Env(t, home), root, "init", "-q")
	for i := range maxConfigs + 1 {
		testenv.Write(t, filepath.Join(home, ".config/a", strconv.Itoa(i)), "", 0o644)
	}
	testenv.Write(t, filepath.Join(home, "dotfiles/x"), "", 0o644)
	want := map[string]bool{}
	for name, to := range map[string]string{".cachers": "p/x", ".config/z/x": "../../p/x", ".localrc": "p/not/there",
		".claude-proxy": "p", ".cache": "p/cache", ".gitkraken": "p", ".gitui": "p/x",
		".gitignore_global": "dotfiles/ignore", ".tmux": "dotfiles/x", ".config/chrome/SingletonSocket": "/tmp/x/socket",
		".config/y/away": "/nowhere"} {
		at := filepath.Join(home, name)
		testenv.OK(t, os.MkdirAll(filepath.Dir(at), 0o755))
		testenv.OK(t, os.Symlink(to, at))
		want[at] = to[0] == 'p' && name != ".cache" || to == "../../p/x"
	}
	r := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home}), GOOS: "linux", Root: t.TempDir(),
		Now: time.Now}))(t)
	for _, o := range Openings(r, session.At(r, root)) {
		if !want[o.Where] {
			t.Errorf("%s: %s", o.Where, o.Opens)
		}
		delete(want, o.Where)
	}
	for at, is := range want {
		if is {
			t.Errorf("%s is not named", at)
		}
	}
}
