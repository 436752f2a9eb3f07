// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a script hands on arrives as it was, and the line that
// git runs starts what it names.

package scripts

import (
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// Whoever writes the payload must not meet a closed pipe.
func TestPayloadIsTaken(t *testing.T) {
	for _, name := range Hooks[:4] {
		cmd := exec.Command(script(t, name, broken(t, "missing")))
		cmd.Env = testenv.Env(t, testenv.Home(t))
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(in, strings.Repeat("x", 1<<20)) // more than a pipe holds
		if err := errors.Join(err, in.Close(), cmd.Wait()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestGitHookLine(t *testing.T) {
	for _, tt := range []struct{ binary, want string }{
		{program(t), "4\x00hook\x00post-checkout\x00a\x00b c\x00allow= token=\x00"},
		{broken(t, "missing"), ""},
	} {
		line, err := GitHookLine(tt.binary)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(testenv.Home(t), "hook")
		put(t, path, "#!/bin/sh\nset -e\n"+line+"\n", Mode)
		if got := run(t, "", []string{"FAKE_CODE=3"}, path, "a", "b c"); got != (outcome{tt.want, "", 0}) {
			t.Errorf("%+v", got)
		}
	}
}
