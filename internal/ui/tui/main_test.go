// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the test binary is also a tiny program with the wizard in
// it, for the tests that need a real process on a real terminal. It does with
// signals what main does: it ends the context.

package tui

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// runVariable names the part that the process plays.
const runVariable = "TUI_TEST_RUN"

func TestMain(m *testing.M) {
	if part := os.Getenv(runVariable); part != "" {
		os.Exit(play(part))
	}
	os.Exit(testenv.UserRuns(m)) // what a screen shows is the same for everyone
}

// play runs a part and prints the outcome as its last line.
func play(part string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	b := &fake{}
	o := Options{Command: "install", StepByStep: true}
	switch part {
	case "questions":
		b.questions = true
	case "done":
		b.done = true
	case "panic":
		o.Validate = func(report.Question, []string) error { panic("a defect") }
		b.questions = true
	case "slow":
		b.hold = make(chan struct{})
		go func() {
			b.hold <- struct{}{}
			b.hold <- struct{}{}
			time.Sleep(time.Hour)
		}()
	case "fail":
		b.applyErr, b.failAt = errDisk, 3
	case "stale":
		b.applyErr, b.failAt = errStale, 0
	}
	t := Terminal{In: os.Stdin, Out: os.Stdout, Environ: os.Environ()}
	var out Outcome
	var err error
	if part == "undo" {
		out, err = RunConfirm(ctx, t, undoPage(b))
	} else {
		out, err = RunWizard(ctx, t, b, o)
	}
	fmt.Printf("outcome %s written %d (%d) err %v\n", out.End, out.Written, b.writes(), err)
	return 0
}

// undoPage is the page of an undo of the hook scripts.
func undoPage(b *fake) Confirmation {
	s := hooks()
	for i, it := range s.Items {
		c := it.(report.Change)
		c.Before, c.After = c.After, nil
		s.Items[i] = c
	}
	return Confirmation{Command: "undo", Title: "Undo 20261120-1", Why: "Restores every file that it wrote to the bytes " +
		"it had before.",
		Yes: "undo", TakeBack: "steward-setup undo", Plan: report.NewPlan([]report.Section{s}), Facts: facts,
		Apply: func(ctx context.Context, p report.Plan, emit engine.Sink) error { return b.Apply(ctx, p, emit) }}
}
