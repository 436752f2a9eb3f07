// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a plan is written under the lock, whoever took it since the
// plan was made.

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/sync"
)

func TestAPlanIsWrittenUnderTheLock(t *testing.T) {
	home := testenv.Home(t)
	repo := filepath.Join(home, ".claude-config")
	if err := os.Mkdir(repo, 0o700); err != nil {
		t.Fatal(err)
	}
	sys := env.System{Env: env.New([]string{"HOME=" + home, "PATH=/nowhere"}), GOOS: "linux", Cwd: home, Now: time.Now}
	h, err := host.New(sys)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(repo, "new")
	plan := report.NewPlan([]report.Section{{ID: "x",
		Items: []report.Item{report.Change{ID: "x/new", Path: path, Target: path,
			After: []byte("x\n"), Mode: 0o600}}}})
	a := &app{sys: sys, out: &bytes.Buffer{}, errw: &bytes.Buffer{}}
	write := func() error {
		return syncChange{name: sync.LinkCommand}.write(context.Background(), a, h, plan, func(engine.Event) {})
	}
	unlock, err := sync.Lock(h)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(); err == nil || !strings.Contains(err.Error(), "another sync is running") {
		t.Errorf("written beside another sync: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is there")
	}
	unlock()
	if err := write(); err != nil {
		t.Error(err)
	}
}
