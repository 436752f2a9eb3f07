// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is offered on a stage beside the sandbox answers
// enough to show that it was reached, and does nothing.

package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// ListenUnix is Listen at a path.
func ListenUnix(path string) (*Listener, error) { return listen("unix", path, nil) }

// Engine listens at path and answers the docker and podman clients' questions
// for a version, which is version (Docker Engine API 1.41 and libpod API
// 4.0.0: /_ping and /version).
func Engine(path, version string) (*Listener, error) {
	return listen("unix", path, func(asked Request) (status, head, body string) {
		head = "Content-Type: application/json\r\nApi-Version: 1.41\r\nLibpod-Api-Version: 4.0.0\r\n"
		if strings.HasSuffix(asked.Path, "/_ping") {
			return "", head, "OK"
		}
		component := Object{"Name": "Podman Engine", "Version": version,
			"Details": Object{"APIVersion": "4.0.0", "MinAPIVersion": "4.0.0", "GoVersion": "go",
				"GitCommit": "", "Built": "0", "BuiltTime": "Thu Jan  1 00:00:00 1970", "OsArch": "linux/amd64", "Os": "linux"}}
		return "", head, string(Encode(Object{"Version": version, "ApiVersion": "1.41", "MinAPIVersion": "1.12",
			"Os": "linux", "Arch": "amd64", "Components": []Object{component}}))
	})
}

// Address is where it listens: host:port, or a path.
func (h *Listener) Address() string { return h.listener.Addr().String() }

// What is remembered of a client that speaks no HTTP.
const (
	SpokeTLS = "tls" // the first bytes of a ClientHello (RFC 8446, 5.1)
	SpokeSSH = "ssh" // "SSH-" (RFC 4253, 4.2)
)

// protocol is what the first bytes of a connection are of, "" if of neither.
func protocol(first []byte) string {
	switch {
	case bytes.HasPrefix(first, []byte{0x16, 3}):
		return SpokeTLS
	case bytes.HasPrefix(first, []byte("SSH-")):
		return SpokeSSH
	}
	return ""
}

// reachTimeout bounds a connection to something on the same machine.
const reachTimeout = 5 * time.Second

// Reach connects to an address of network ("tcp" or "unix"), asks for path and
// returns the answer, at most 64 kB. refused names the system call that was
// refused ("socket", "connect"), "" if the error is another one.
func Reach(network, address, path string) (answer, refused string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), reachTimeout)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	if err != nil {
		return refusal(err)
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path)
	b, err := io.ReadAll(io.LimitReader(c, 64<<10))
	return string(b), "", err
}

// refusal is the system call that an error is of, and what it answered.
func refusal(err error) (answer, refused string, errno error) {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		// An os.SyscallError: "connect: connection refused".
		if errno := errors.Unwrap(op.Err); errno != nil {
			call, _, _ := strings.Cut(op.Err.Error(), ": ")
			return "", call, errno
		}
	}
	return "", "", err
}

// Self listens on a loopback port of its own, asks itself for path, and
// returns the answer.
func Self(path string) (string, error) {
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return Get(context.Background(), "http://"+l.Address()+path, "")
}

// SelfUnix listens at a unix socket of its own, asks itself for path, and
// returns the answer. refused names the system call that was refused.
func SelfUnix(socket, path string) (answer, refused string, err error) {
	l, err := ListenUnix(socket)
	if err != nil {
		return refusal(err)
	}
	defer l.Close() // and the file is removed
	return Reach("unix", socket, path)
}
