// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what finishes an interrupted run is about the project of that run,
// wherever it is pasted and whatever was finished elsewhere.

package main

import (
	"os"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestFinishingAnotherProjectsRun(t *testing.T) {
	t.Parallel()
	home := testenv.Home(t)
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, home)), GOOS: "linux", GOARCH: "amd64", UID: os.Getuid(),
		GID: os.Getgid(), Cwd: home, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	rows := historyRows(h, []engine.Receipt{
		{ID: "3", Command: "install", Project: "/p/b", Finished: true},
		{ID: "2", Command: "install", Project: "/p/a b"},
		{ID: "1", Command: "install", Project: "/p/b"},
	})
	a := &app{project: "/p/b", framework: "/f"}
	const want = "steward-setup install --project '/p/a b' --framework /f"
	if got := a.line("steward-setup", rows[1].finish); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if rows[2].finish != "" {
		t.Errorf("finished since: %s", rows[2].finish)
	}
}
