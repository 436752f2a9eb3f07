// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where git is missing, that is said, and not that it did not answer.

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestWithoutGitThatIsSaid(t *testing.T) {
	testenv.AsUser(t)
	home := testenv.Home(t)
	dir := filepath.Join(home, "p")
	testenv.OK(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o700))
	for _, c := range []struct {
		args string
		code int
		said string
	}{{"verify --live=never", report.ExitUnprotected, gitrepo.NotInstalled},
		{"try --plain", report.ExitLeft, "steward-setup: git is not on PATH"}} {
		var out, said bytes.Buffer
		sys := env.System{Env: env.New(append(testenv.Env(t, home), "PATH=/nowhere", "SHELL=/bin/bash")), GOOS: "linux",
			UID: os.Getuid(), GID: os.Getgid(), Cwd: dir, Now: time.Now, Executable: os.Args[0]}
		code := run(t.Context(), sys, strings.NewReader(""), &out, &said, strings.Fields(c.args))
		all := out.String() + said.String()
		if code != c.code || !strings.Contains(all, c.said) || strings.Contains(all, gitrepo.NoAnswer) ||
			strings.Contains(all, "init.defaultBranch") {
			t.Errorf("%s: exit code %d:\n%s", c.args, code, all)
		}
	}
}
