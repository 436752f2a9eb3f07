// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestAFrameIsSeenWhole(t *testing.T) {
	const program = `stty raw -echo
printf '\033[?2026$p'
dd bs=1 count=11 >/dev/null 2>&1
printf 'first\033[?2026hhalf'
sleep 0.3
printf ' whole\033[?2026l'
exec sleep 300`
	term := testenv.NewTerminal(t, exec.Command("sh", "-c", program), 80, 24)
	var seen string
	term.Until("a frame", func(screen string) bool {
		seen = screen
		return strings.Contains(screen, "half")
	})
	if !strings.Contains(seen, "half whole") {
		t.Errorf("half a frame was shown:\n%s", seen)
	}
}
