// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a real process on a real terminal. The terminal answers
// no query, so a wizard that waits for an answer fails every test that uses
// it.

package tui

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"golang.org/x/term"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// patience bounds how long a test waits for a screen; nothing is timed.
const patience = 2 * time.Minute

// screen is a terminal with the test binary on it.
type screen struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	cmd    *exec.Cmd
	before *term.State
	vt     vt10x.Terminal
	done   chan struct{}

	mu  sync.Mutex
	raw bytes.Buffer
}

// open starts part on a terminal of 80 by 24 cells.
func open(t *testing.T, part string, environ ...string) *screen {
	t.Helper()
	blocking, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	master := pollable(t, blocking)
	testenv.OK(t, pty.Setsize(slave, &pty.Winsize{Cols: 80, Rows: 24}))
	// vt10x forgets tab stops when it gets wider: without them the screens do
	// not move by tabs.
	tabless := exec.Command("stty", "tab3")
	if tabless.Stdin = slave; tabless.Run() != nil {
		t.Fatal("stty tab3 failed")
	}
	before := testenv.Must(term.GetState(int(slave.Fd())))(t)
	s := &screen{t: t, master: master, slave: slave, before: before, done: make(chan struct{}),
		vt: vt10x.New(vt10x.WithSize(80, 24))}
	s.cmd = exec.Command(os.Args[0])
	s.cmd.Env = append([]string{"TERM=xterm-256color", "HOME=" + t.TempDir(), runVariable + "=" + part}, environ...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	testenv.OK(t, s.cmd.Start())
	go s.read()
	go func() {
		defer close(s.done)
		_ = s.cmd.Wait() // how it ended stands in its last line
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = master.Close()
		_ = slave.Close()
	})
	return s
}

// pollable makes a file whose Close ends a Read that is under way.
func pollable(t *testing.T, f *os.File) *os.File {
	t.Helper()
	fd := testenv.Must(syscall.Dup(int(f.Fd())))(t)
	syscall.CloseOnExec(fd) // else the child would hold its own terminal open
	testenv.OK(t, syscall.SetNonblock(fd, true))
	_ = f.Close()
	return os.NewFile(uintptr(fd), "terminal")
}

func (s *screen) read() {
	b, shown := make([]byte, 4096), testenv.WholeRunes(s.vt)
	for {
		n, err := s.master.Read(b)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.raw.Write(b[:n])
		s.mu.Unlock()
		_, _ = shown.Write(b[:n])
	}
}

func (s *screen) output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// wait waits until the terminal shows every one of want.
func (s *screen) wait(want ...string) {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		shown := s.vt.String()
		missing := ""
		for _, w := range want {
			if !strings.Contains(shown, w) {
				missing = w
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the terminal does not show %q but\n%s", missing, shown)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (s *screen) typeKeys(keys string) {
	s.t.Helper()
	testenv.Must(io.WriteString(s.master, keys))(s.t)
}

func (s *screen) resize(width, height int) {
	s.t.Helper()
	s.vt.Resize(width, height)
	testenv.OK(s.t, pty.Setsize(s.slave, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}))
}

// ended waits for the process, and checks that the terminal is as it was: the
// alternate screen left, the cursor shown, pasting plain, the mode restored.
func (s *screen) ended(outcome string) {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(patience):
		s.t.Fatalf("the process does not end; the terminal shows\n%s", s.vt.String())
	}
	s.wait(outcome)
	out := s.output()
	for _, mode := range []struct{ name, on, off string }{
		{"the alternate screen", "\x1b[?1049h", "\x1b[?1049l"},
		{"a hidden cursor", "\x1b[?25l", "\x1b[?25h"},
		{"bracketed paste", "\x1b[?2004h", "\x1b[?2004l"},
	} {
		if !strings.Contains(out, mode.on) {
			s.t.Errorf("%s was never on", mode.name)
		}
		if strings.LastIndex(out, mode.on) > strings.LastIndex(out, mode.off) {
			s.t.Errorf("%s is left on", mode.name)
		}
	}
	after := testenv.Must(term.GetState(int(s.slave.Fd())))(s.t)
	if fmt.Sprint(*after) != fmt.Sprint(*s.before) {
		s.t.Errorf("the terminal's mode was %v and is %v", *s.before, *after)
	}
}
