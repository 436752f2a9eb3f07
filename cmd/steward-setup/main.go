// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Command steward-setup installs, proves, diagnoses and takes back the secure
// setup for a coding agent.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/steward-setup/steward-setup/internal/host/env"
)

func main() {
	ctx, stop := untilSignal()
	if info, ok := debug.ReadBuildInfo(); ok {
		version = built(version, info.Main.Version)
	}
	code := run(ctx, env.Here(), os.Stdin, os.Stdout, os.Stderr, os.Args[1:])
	stop()
	os.Exit(code)
}

// untilSignal is a context that ends when a signal asks the program to. A pipe
// that nobody reads any more ends a write and not the process: what was made
// for a while, such as try's home, has to be removed first. A second signal ends the
// program at once.
func untilSignal() (context.Context, context.CancelFunc) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// brokenPipe says whether a write failed since nobody reads any more.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
