// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a sandboxed command writes, and the user's shell reads
// at the next start, runs outside the sandbox, with the real runtime. verify
// names it (policy-invariants).

package iso_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestWhatTheShellReadsOfWhatACommandWrote(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	l := newLab(t)
	l.approve()
	tmp := testenv.Short(t, "t") // the runtime makes sockets there
	temporary := filepath.Join(tmp, fmt.Sprintf("claude-%d", os.Getuid()), "env.sh")
	l.put(".bashrc", ". ~/p/env.sh\n")
	l.put("p/env.sh", "true\n")
	l.vars = []string{"BASH_ENV=" + temporary, "TMPDIR=" + tmp}
	mark := func(name string) string {
		return strings.ReplaceAll(`[ -n "$SANDBOX_RUNTIME" ] || touch MARKS/`+name, "MARKS", l.marks)
	}
	s := l.plain("p", calls(model.Bash(fmt.Sprintf("echo '%s' > env.sh && echo '%s' > $TMPDIR/env.sh && echo wrote",
		mark("rc"), mark("temporary"))))...)
	if got := s.text(t, 0); !strings.HasSuffix(got, "wrote") {
		t.Fatalf("the command could not write: %s", got)
	}
	// The runtime reads the files when a session runs its first command.
	script := calls(model.Bash("cat README.md"))
	if s := l.plain("p", script...); !l.marked("rc") || !l.marked("temporary") {
		t.Fatalf("rc file %v, BASH_ENV %v, in a plain start:\n%s", l.marked("rc"), l.marked("temporary"), s.out)
	}
	for _, name := range []string{"rc", "temporary"} {
		_ = os.Remove(filepath.Join(l.marks, name))
	}
	l.hardened("p", iso.Options{}, script...)
	if l.marked("temporary") {
		t.Error("BASH_ENV of a directory for temporary files ran in the launch")
	}
	if !l.marked("rc") {
		t.Error("the launch does not read rc files any more: say so in docs/protection.md")
	}
}
