// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Offline(m)) }

// TestALateSocatCostsTheSandbox: the first call is refused in every version. In
// the later ones the next one runs without a sandbox, unless the settings say
// that the sandbox must not be missing.
func TestALateSocatCostsTheSandbox(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "bwrap", "socat")
	testenv.EachVersion(t, func(t *testing.T, runtime string, v testenv.Version) {
		for _, required := range []bool{false, true} {
			home := testenv.Home(t)
			for name, text := range map[string]string{
				".claude/settings.json": fmt.Sprintf(`{"sandbox":{"enabled":true,"failIfUnavailable":%v}}`, required),
				"bin/socat":             "#!/bin/sh\ncase $1 in UNIX-LISTEN*) exec sleep 100 ;; esac\nexec /usr/bin/socat \"$@\"\n",
				"p/README.md":           "",
			} {
				path := filepath.Join(home, name)
				for _, err := range []error{os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)} {
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			where := model.Bash("echo sandboxed=$SANDBOX_RUNTIME.")
			s := Play(t, Session{Claude: runtime, Home: home, Dir: "p", Args: []string{"--allowedTools", "Bash"}, Late: true,
				Vars: []string{"PATH=" + home + "/bin:/usr/bin:/bin"}, Script: []model.Turn{{where}, {where}}})
			first, _ := s.Result(0, 0)
			if !claude.SandboxCameLate(first.Text) {
				t.Errorf("required %v: the first call got %q", required, first.Text)
			}
			second, _ := s.Result(1, 0)
			if free := strings.Contains(second.Text, "sandboxed=."); free != (v != testenv.Old && !required) {
				t.Errorf("required %v: the second call ran without a sandbox: %v (%q)", required, free, second.Text)
			}
		}
	})
}
