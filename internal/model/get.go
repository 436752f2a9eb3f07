// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a scripted call tries of a network is one plain
// request, and its answer is what came back.

package model

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"
)

// patience is how long a proxy may take until it listens: a runtime may start
// a command before the bridge to its proxy is there (measured: 2.1.141, 2.1.224;
// https://github.com/anthropics/claude-code/issues/93862).
const patience = 3 * time.Second

// Get asks for a plain http address, through proxy (an http address; "" is
// none), and returns the answer with its head, at most 64 kB. It speaks
// HTTP/1.0, so that the answer comes in one piece.
func Get(ctx context.Context, address, proxy string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	target, request, head := u.Host, u.RequestURI(), ""
	dial := direct
	if proxy != "" {
		p, err := url.Parse(proxy)
		if err != nil {
			return "", err
		}
		target, request = p.Host, address
		dial = patient
		if p.User != nil {
			head = "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(p.User.String())) + "\r\n"
		}
	}
	c, err := dial(ctx, target)
	if err != nil {
		return "", err
	}
	defer c.Close()
	fmt.Fprintf(c, "GET %s HTTP/1.0\r\nHost: %s\r\nConnection: close\r\n%s\r\n", request, u.Host, head)
	b, err := io.ReadAll(io.LimitReader(c, 64<<10))
	return string(b), err
}

// direct connects to an address.
func direct(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", address)
}

// patient connects to an address that may need a while until it listens.
func patient(ctx context.Context, address string) (net.Conn, error) {
	c, err := direct(ctx, address)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for err != nil && ctx.Err() == nil {
		pause, end := context.WithTimeout(ctx, patience/100)
		<-pause.Done()
		end()
		if later, again := direct(ctx, address); again == nil {
			return later, nil
		}
	}
	return c, err
}

// UnixSocket connects to a unix socket at path, where there is none. That the
// connection fails is as good as an answer: the socket was made. The error is
// that of a system that refuses to make one.
func UnixSocket(path string) error {
	c, err := net.Dial("unix", path)
	if err == nil {
		return c.Close()
	}
	if strings.Contains(err.Error(), ": connect: ") { // the call after socket(2)
		return nil
	}
	return err
}
