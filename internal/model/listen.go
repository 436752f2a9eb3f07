// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a listener answers every request with the path that was
// asked for, and remembers it: whoever says the path of this run has been
// here.

package model

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"sync"
)

// maxHits bounds how many paths are remembered.
const maxHits = 1000

// Listener is a host that a scripted call tries to reach.
type Listener struct {
	listener net.Listener
	// reply is what a request for a path is answered with: lines of a head,
	// and a body; nil answers with the path.
	reply   func(path string) (head, body string)
	serving sync.WaitGroup

	mu    sync.Mutex
	paths []string
}

// Listen serves on the address until Close.
func Listen(address string) (*Listener, error) { return listen("tcp", address, nil) }

func listen(network, address string, reply func(string) (head, body string)) (*Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	if reply == nil {
		reply = func(path string) (head, body string) { return "Content-Type: text/plain\r\n", path + "\n" }
	}
	h := &Listener{listener: l, reply: reply}
	h.serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go h.answer(c)
		}
	})
	return h, nil
}

func (h *Listener) answer(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(io.LimitReader(c, 64<<10))
	first, _ := in.Peek(4) // less than that is no request either
	if spoken := protocol(first); spoken != "" {
		h.remember(spoken)
		return
	}
	r, err := readRequest(in)
	if err != nil {
		return
	}
	h.remember(r.Path)
	head, body := h.reply(r.Path)
	fmt.Fprintf(c, "HTTP/1.1 200 OK\r\n%sConnection: close\r\nContent-Length: %d\r\n\r\n%s", head, len(body), body)
}

func (h *Listener) remember(path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.paths) < maxHits {
		h.paths = append(h.paths, path)
	}
}

// Paths are what was asked for, in order.
func (h *Listener) Paths() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.paths...)
}

// Close stops listening. What is being answered ends by itself.
func (h *Listener) Close() {
	h.listener.Close()
	h.serving.Wait()
}
