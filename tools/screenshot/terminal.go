// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the program believes that it speaks to a terminal of a
// fixed size, and what it says is read without pause, so that it never waits
// for us.

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

const (
	// patience is how long a text may take to appear.
	patience = time.Minute
	// quiet is how long nothing may have been typed or drawn before a
	// picture: a few frames of a program that draws 60 a second.
	quiet = 250 * time.Millisecond
)

// terminal is a running program and its screen.
type terminal struct {
	cmd    *exec.Cmd
	file   *os.File // our end of the pseudo-terminal
	screen vt10x.Terminal
	ended  chan struct{} // closed when the program has closed its end

	mu   sync.Mutex
	last time.Time // of the last key or output
}

// start runs cmd on a new screen.
func start(cmd *exec.Cmd, columns, rows int) (*terminal, error) {
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
	if err != nil {
		return nil, err
	}
	t := &terminal{cmd: cmd, file: file, ended: make(chan struct{}), last: time.Now(),
		// The screen answers the program's questions, such as for its
		// colours, through the same file.
		screen: vt10x.New(vt10x.WithSize(columns, rows), vt10x.WithWriter(file))}
	go t.read()
	return t, nil
}

func (t *terminal) read() {
	defer close(t.ended)
	out := &translator{to: t.screen}
	buf := make([]byte, 32<<10)
	for {
		n, err := t.file.Read(buf)
		t.touch()
		if failed := out.pass(buf[:n]); err != nil || failed != nil {
			return
		}
	}
}

// touch notes that something was drawn, or will be.
func (t *terminal) touch() {
	t.mu.Lock()
	t.last = time.Now()
	t.mu.Unlock()
}

func (t *terminal) send(keys string) error {
	t.touch()
	_, err := t.file.WriteString(keys)
	return err
}

// wait returns when text stands on the screen.
func (t *terminal) wait(text string) error {
	deadline := time.Now().Add(patience)
	for !strings.Contains(t.screen.String(), text) {
		if time.Now().After(deadline) {
			return fmt.Errorf("it did not appear within %v; the screen is:\n%s", patience, t.screen)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

// settle returns when the program has stopped drawing, or has not for as long
// as wait would.
func (t *terminal) settle() {
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		t.mu.Lock()
		idle := time.Since(t.last)
		t.mu.Unlock()
		if idle > quiet {
			return
		}
		time.Sleep(quiet - idle + time.Millisecond)
	}
}

// stop ends the program, if it still runs, and what it started, as a closed
// window would.
func (t *terminal) stop() error {
	// A pseudo-terminal's program leads a session, so its group is its own.
	group := -t.cmd.Process.Pid
	_ = syscall.Kill(group, syscall.SIGHUP)
	kill := time.AfterFunc(time.Second, func() { _ = syscall.Kill(group, syscall.SIGKILL) })
	defer kill.Stop()
	err := t.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil // how it ended is not our question
	}
	<-t.ended
	return errors.Join(err, t.file.Close())
}
