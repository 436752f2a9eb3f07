// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the real runtime accepts every value that install can
// write. A document that it drops protects nobody.

package policy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/templates"
)

// doctor asks the runtime, without a network, what it thinks of a project's
// settings.
func doctor(t *testing.T, settings []byte) string {
	t.Helper()
	claude := testenv.Claude(t)
	testenv.Need(t, "bwrap")
	home := testenv.Home(t)
	project := filepath.Join(home, "code", "tracker")
	if err := os.MkdirAll(filepath.Join(project, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, ".claude", "settings.json"), settings, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bwrap", "--dev-bind", "/", "/", "--unshare-net", "--die-with-parent",
		"--chdir", project, claude, "doctor")
	cmd.Env = testenv.Env(t, home, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "doctor") {
		t.Fatalf("claude doctor: %v\n%s", err, out)
	}
	return string(out)
}

// complaints are the sections in which the runtime names what it dropped.
var complaints = []string{"Invalid settings", "may not work as written"}

func TestTheRuntimeAcceptsEveryValue(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	for name, doc := range map[string][]byte{
		"the template": templates.Settings,
		"everything":   build(t, Found{}, everything(t)).Document,
	} {
		said := doctor(t, doc)
		for _, c := range complaints {
			if strings.Contains(said, c) {
				t.Errorf("%s:\n%s", name, said)
			}
		}
	}
}

// The control: the runtime does complain where there is a reason.
func TestTheRuntimeComplainsOfWhatWeAvoid(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	for doc, complaint := range map[string]string{
		`{"sandbox": {"credentials": {"envVars": [{"name": "AWS_*", "mode": "deny"}]}}}`: complaints[0],
		`{"permissions": {"deny": ["Write(.claude/settings.json)"]}}`:                    complaints[1],
	} {
		if said := doctor(t, []byte(doc)); !strings.Contains(said, complaint) {
			t.Errorf("%s: no complaint:\n%s", doc, said)
		}
	}
}
