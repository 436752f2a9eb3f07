// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line of the doctor's works when it is pasted, in text and
// in a document alike, and what was meant is guessed by its letters.

package main

import (
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/nearest"
	"github.com/steward-setup/steward-setup/internal/report"
)

func TestTheLinesOfADocumentCanBePasted(t *testing.T) {
	a := &app{project: "/home/u/a project", sys: env.System{Env: env.New([]string{"HOME=" + t.TempDir(), "PATH=/nowhere"}),
		GOOS: "linux", Executable: "/opt/steward-setup", Cwd: "/", Now: time.Now}}
	h, err := a.host()
	if err != nil {
		t.Fatal(err)
	}
	const line = "steward-setup doctor docker --try-fix"
	given := report.Finding{Check: "docker", Remedies: []report.Remedy{report.Command{Line: line},
		report.Command{Line: "sudo sysctl x"}, report.DocLink{Title: "t"}}}
	got := a.calledEvent(a.self(h), engine.CheckDone{Finding: given}).(engine.CheckDone).Finding
	for i, want := range []report.Remedy{report.Command{Line: "/opt/steward-setup doctor docker --try-fix --project " +
		"'/home/u/a project'", Called: true}, report.Command{Line: "sudo sysctl x"}, report.DocLink{Title: "t"}} {
		if got.Remedies[i] != want {
			t.Errorf("%+v, want %+v", got.Remedies[i], want)
		}
	}
	again := a.calledEvent(a.self(h), engine.CheckDone{Finding: got}).(engine.CheckDone).Finding
	if again.Remedies[0] != got.Remedies[0] {
		t.Errorf("built twice: %+v", again.Remedies[0])
	}
	if c := given.Remedies[0].(report.Command); c.Line != line {
		t.Errorf("the finding itself was changed: %+v", c)
	}
}

func TestTheProbeThatWasMeant(t *testing.T) {
	for word, want := range map[string]string{"ssh": "ssh-agent", "git": "git-worktree", "sockets": "unix-sockets",
		"gpg": "gpg-sign", "dokcer": "docker", "podmann": "podman", "worktree": "git-worktree",
		"npm": "", "pkg": "", "network": "", "cache": "", "x": ""} {
		if got := nearest.One(word, probeNames()); got != want {
			t.Errorf("%q is taken for %s, want %s", word, got, want)
		}
	}
}
