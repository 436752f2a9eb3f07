// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a shell of the user's runs its start files in a namespace
// in which it can change nothing, reach nobody and outlive nothing (ADR 14).

package proc

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// shellTime bounds how long a shell may take to its first prompt and the
// answer: less than the sessions take that are played meanwhile. Frameworks
// with many plugins take two seconds on a machine with nothing else to do.
const shellTime = 10 * time.Second

// shellRows and shellColumns are the size of the shell's terminal: with fewer
// than 15 rows zsh asks a user without start files nothing (zsh-newuser-install).
const shellRows, shellColumns = 14, 120

// OwnShell is bwrap with a read-only file system, no network, no processes of
// others, /tmp, /run and /dev in memory, and then mounts; data are the files
// that these name (StageData). No unix socket can be made, so that no agent or
// engine is reached, wherever its socket lies. What it starts there is this
// program at self, with the job on standard input. ok is false for an arch
// whose system calls are not known here.
func OwnShell(mounts []string, data [][]byte, arch, self string, job []byte) (s Spec, ok bool) {
	filter, ok := noUnixSockets(arch)
	args := slices.Concat(apartFrom, []string{"--tmpfs", "/run", "--tmpfs", "/tmp"}, mounts,
		[]string{"--chdir", "/", "--seccomp", "3", "--", self, "stage", "shell", "talk"})
	return Spec{name: "bwrap", args: args, fds: append([][]byte{filter}, data...), stdin: job, bare: true,
		timeout: mostLoad*shellTime + 4*time.Second, firm: true}, ok // longer than the shell in it may take
}

// Interactive is a shell of the user's at the absolute path, as a terminal
// starts it, with an environment that is its own. It is started in the
// namespace of OwnShell only.
func Interactive(path, dir string, login bool, environ []string) Spec {
	args := []string{"-i"}
	switch base := filepath.Base(path); {
	case login && (base == "tcsh" || base == "csh"): // it is interactive by its terminal; -l has to stand alone
		args = []string{"-l"}
	case login:
		args = []string{"-l", "-i"}
	}
	return Spec{name: "login shell", path: path, args: args, dir: dir, extra: environ, bare: true, timeout: shellTime}
}

// Talk starts a program on a terminal of its own and lets talk use the other
// end until it returns; then the program is ended. ended is closed when the
// program has ended by itself.
func Talk(ctx context.Context, s Spec, talk func(ctx context.Context, terminal io.ReadWriter,
	ended <-chan struct{})) error {
	if s.path == "" {
		return errors.New("no program")
	}
	ctx, cancel := s.limited(ctx)
	defer cancel()
	master, terminal, err := newTerminal(shellRows, shellColumns)
	if err != nil {
		return err
	}
	defer master.Close()
	cmd := exec.CommandContext(ctx, s.path, s.args...)
	cmd.Dir, cmd.Env = s.dir, append([]string{}, s.extra...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	started := make(chan error)
	go func() { // it never unlocks its thread, which ends with it
		runtime.LockOSThread()
		leaveKeyring() // nor does it get a key of ours
		started <- cmd.Start()
	}()
	err = <-started
	terminal.Close()
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is of no interest
		close(ended)
	}()
	talk(ctx, master, ended)
	cancel()
	<-ended
	return nil
}
