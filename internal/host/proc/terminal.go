// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a person would see on a terminal is shown to nobody:
// a session on one is ended by whoever started it, and judged by other things.

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// Descriptors of the stage's own process, above those of any data: the
// terminal of its session and the listener of the first-party endpoint.
const (
	stageTerminal = 198
	stageListener = 199
)

// WithTerminal gives what is started a pseudo-terminal on a descriptor of its
// own (Entry.Terminal).
func (s Spec) WithTerminal() Spec { s.lends = true; return s }

// OnTerminal starts the program on the terminal that the stage was lent: as
// its leader, with the terminal in place of its standard streams. It is ended
// by SIGTERM.
func (s Spec) OnTerminal() Spec {
	s.onTerminal = true
	return s
}

// StageListener is the listener that Enter made, as a file: package listen
// makes a listener of it. It can be taken once.
func StageListener() *os.File { return os.NewFile(stageListener, "listener") }

// lend opens a terminal for a program; it is on the descriptor that StageData
// says is next.
func lend(cmd *exec.Cmd) (stop func(), err error) {
	terminal, stop, err := openTerminal()
	if err != nil {
		return func() {}, err
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, terminal)
	return stop, nil
}

// take puts a program on the terminal of the stage.
func take(cmd *exec.Cmd) (release func()) {
	syscall.CloseOnExec(stageTerminal)
	terminal := os.NewFile(stageTerminal, "terminal")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return func() { terminal.Close() }
}
