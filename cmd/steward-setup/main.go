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
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/steward-setup/steward-setup/internal/host/env"
)

func main() {
	ctx, stop := untilSignal()
	code := run(ctx, system(), os.Stdin, os.Stdout, os.Stderr, os.Args[1:])
	stop()
	os.Exit(code)
}

// untilSignal is a context that ends when a signal asks the program to. A pipe
// that nobody reads any more ends a write and not the process: what was made
// for a while, such as try's home, has to be removed first.
func untilSignal() (context.Context, context.CancelFunc) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// brokenPipe says whether a write failed since nobody reads any more.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// system reads this process's surroundings, once.
func system() env.System {
	cwd, _ := os.Getwd() // "" is understood everywhere: a directory that is gone
	exe, err := os.Executable()
	if err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
	}
	return env.System{
		Env:  env.New(os.Environ()),
		GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
		Cores: runtime.GOMAXPROCS(0), // what a container may use, too
		UID:   os.Getuid(), GID: os.Getgid(), Cwd: cwd, Executable: exe,
		StdinTTY:  term.IsTerminal(int(os.Stdin.Fd())),
		StdoutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		StderrTTY: term.IsTerminal(int(os.Stderr.Fd())),
		Columns:   columns(os.Stdout, os.Stderr),
		Now:       time.Now,
	}
}

// columns is the width of the first of files that is a terminal, 0 if none is.
func columns(files ...*os.File) int {
	for _, f := range files {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}
