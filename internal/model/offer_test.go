// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// socketDir is short (unix(7): 107 bytes).
func socketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestASocketAnswersWithThePath(t *testing.T) {
	path := filepath.Join(socketDir(t), "a.sock")
	l, err := ListenUnix(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	answer, refused, err := Reach("unix", path, "/asked")
	if err != nil || refused != "" || !strings.HasSuffix(answer, "\r\n\r\n/asked\n") || l.Address() != path {
		t.Errorf("%q %q %v", answer, refused, err)
	}
}

func TestARefusalNamesTheCall(t *testing.T) {
	for network, address := range map[string]string{"unix": filepath.Join(socketDir(t), "none.sock"),
		"tcp": "127.0.0.1:1"} {
		if _, refused, err := Reach(network, address, "/"); refused != "connect" || err == nil ||
			strings.HasPrefix(err.Error(), "connect:") {
			t.Errorf("%s: %q %v", network, refused, err)
		}
	}
}

func TestAnEngineTellsItsVersion(t *testing.T) {
	path := filepath.Join(socketDir(t), "e.sock")
	l, err := Engine(path, "1.2.3-stage")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for asked, want := range map[string]string{"/_ping": "\r\n\r\nOK", "/v1.41/version": `"Version":"1.2.3-stage"`,
		"/v4.0.0/libpod/version": "Libpod-Api-Version: 4.0.0"} {
		if answer, _, err := Reach("unix", path, asked); err != nil || !strings.Contains(answer, want) {
			t.Errorf("%s: %q (%v), want %q", asked, answer, err, want)
		}
	}
}

func TestAServerOfOnesOwn(t *testing.T) {
	if answer, err := Self("/mine"); err != nil || !strings.HasSuffix(answer, "/mine\n") {
		t.Errorf("%q %v", answer, err)
	}
}

// TestOtherProtocolsAreRemembered by their first bytes; what is neither leaves
// nothing.
func TestOtherProtocolsAreRemembered(t *testing.T) {
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, first := range []string{"\x16\x03\x01\x02\x00", "SSH-2.0-x\r\n", "x", "\x00\x01\x02\x03\x04"} {
		c, err := net.Dial("tcp", l.Address())
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		if _, err := c.Write([]byte(first)); err != nil {
			t.Fatal(err)
		}
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = c.Read(make([]byte, 1)) // until it has been judged
		c.Close()
	}
	if got := l.Paths(); !slices.Equal(got, []string{SpokeTLS, SpokeSSH}) {
		t.Errorf("%q", got)
	}
}
