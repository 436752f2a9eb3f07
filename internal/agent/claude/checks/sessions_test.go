// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: why nothing is rehearsed is said in words for the user.

package checks

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/verify"
)

func TestWhyThereIsNoRuntime(t *testing.T) {
	h := household{t, testenv.Home(t)}
	h.put("p/.claude/settings.json", `{"sandbox":{"enabled":true}}`, 0o644)
	project := filepath.Join(h.home, "p")
	tools := filepath.Join(h.home, "tools") // with git, and nothing else
	git, err := exec.LookPath("git")
	if err == nil {
		err = errors.Join(os.Mkdir(tools, 0o755), os.Symlink(git, filepath.Join(tools, "git")))
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = verify.Calls(t.Context(), h.reader("PATH="+tools), verify.Options{Agent: Claude{}, Project: project})
	if err == nil || err.Error() != "claude is not on PATH" {
		t.Errorf("it says: %v", err)
	}
}
