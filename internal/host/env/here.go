// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: this process's surroundings are read once, by main.

package env

import (
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/term"
)

// Here reads this process's surroundings.
func Here() System {
	cwd, _ := os.Getwd() // "" is understood everywhere: a directory that is gone
	exe, err := os.Executable()
	if err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
	}
	columns, rows := size(os.Stdout, os.Stderr)
	return System{
		Env:  New(os.Environ()),
		GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
		Cores: runtime.GOMAXPROCS(0), // what a container may use, too
		UID:   os.Getuid(), GID: os.Getgid(), Cwd: cwd, Executable: exe,
		StdinTTY:  term.IsTerminal(int(os.Stdin.Fd())),
		StdoutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		StderrTTY: term.IsTerminal(int(os.Stderr.Fd())),
		Columns:   columns, Rows: rows,
		Now:   time.Now,
		Every: every,
	}
}

// every is System.Every on the machine's clock.
func every(each time.Duration, f func()) (stop func()) {
	ticker, end, ended := time.NewTicker(each), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ticker.C:
				f()
			case <-end:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(end)
		<-ended
	}
}

// size is that of the first of files that is a terminal, 0 if none is.
func size(files ...*os.File) (columns, rows int) {
	for _, f := range files {
		if width, height, err := term.GetSize(int(f.Fd())); err == nil {
			return width, height
		}
	}
	return 0, 0
}
