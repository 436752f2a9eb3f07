// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where the real runtime runs there is no network but
// loopback, so that a test can neither reach anybody nor be answered by
// anybody but itself.

package testenv

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// offline marks a process that runs without a network.
const offline = "STEWARD_TEST_OFFLINE"

// Offline runs a package's tests, from its TestMain, in a network namespace
// that has loopback only, and returns their exit code. Without bwrap, or where
// no runtime is named, they run as they are: nothing would use a network.
func Offline(m *testing.M) int {
	bwrap, err := exec.LookPath("bwrap")
	named := os.Getenv("STEWARD_TEST_CLAUDE") != "" || os.Getenv("STEWARD_TEST_CLAUDE_OLD") != "" ||
		os.Getenv("STEWARD_TEST_CLAUDE_FLOOR") != ""
	if os.Getenv(offline) != "" || !named || err != nil {
		return m.Run()
	}
	args := append([]string{"--dev-bind", "/", "/", "--unshare-net", "--die-with-parent", "--setenv", offline, "1", "--"},
		os.Args...)
	cmd := exec.Command(bwrap, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		return 1
	}
	return 0
}

// Answers listens on a loopback port until the test ends, writes the words to
// everyone who connects and hangs up. It returns the port.
func Answers(t testing.TB, words string) (port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port = l.Addr().(*net.TCPAddr).Port
	answering.Store(port, words)
	t.Cleanup(func() {
		answering.Delete(port)
		_ = l.Close()
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, words)
			_ = c.Close()
		}
	}()
	return port
}

var answering sync.Map // the words by the port

// Answering are the ports of Answers on which something listens now, with its words:
// whoever asks there is answered the same, and nobody looks at who did.
func Answering() map[int]string {
	all := map[int]string{}
	answering.Range(func(port, words any) bool {
		all[port.(int)] = words.(string) //nolint:forcetypeassert // nothing else is stored
		return true
	})
	return all
}
