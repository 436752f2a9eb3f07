// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a listener answers every request with the path that was
// asked for, and remembers it: whoever says the path of this run has been
// here.

package model

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
)

// maxHits bounds how many paths are remembered.
const maxHits = 1000

// Listener is a host that a scripted call tries to reach.
type Listener struct {
	listener net.Listener
	// reply is what a request is answered with: lines of a head, and a body;
	// status is "" for what is there.
	reply func(Request) (status, head, body string)
	// other is handed a connection that begins with something else; nil where
	// that is only remembered.
	other   func(protocol string, c net.Conn)
	serving sync.WaitGroup

	mu    sync.Mutex
	paths []string
}

// Listen serves on the address until Close: the package below Registry, and
// for any other path the path.
func Listen(address string) (*Listener, error) { return listen("tcp", address, nil) }

func listen(network, address string, reply func(Request) (status, head, body string)) (*Listener, error) {
	if reply == nil {
		reply = replyPath
	}
	return serveOn(network, address, &Listener{reply: reply})
}

func serveOn(network, address string, h *Listener) (*Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	h.listener = l
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
	limit := &io.LimitedReader{R: c, N: 64 << 10}
	in := bufio.NewReader(limit)
	first, _ := in.Peek(4) // less than that is no request either
	if spoken := protocol(first); spoken != "" {
		h.Remember(spoken)
		if h.other != nil {
			limit.N = math.MaxInt64 // the bound is not for a connection that is handed on
			h.other(spoken, begun{c, in})
		}
		return
	}
	r, err := readRequest(in)
	if err != nil {
		return
	}
	h.Remember(r.Path)
	respond(c, r, h.reply)
}

// readRequest reads one request from a connection.
func readRequest(in *bufio.Reader) (Request, error) {
	r, err := http.ReadRequest(in)
	if err != nil {
		return Request{}, err
	}
	return requestOf(r)
}

// respond answers one request.
func respond(c io.Writer, r Request, reply func(Request) (status, head, body string)) {
	status, head, body := reply(r)
	length := len(body)
	if r.Method == "HEAD" {
		body = ""
	}
	fmt.Fprintf(c, "HTTP/1.1 %s\r\n%sConnection: close\r\nContent-Length: %d\r\n\r\n%s", cmp.Or(status, "200 OK"), head,
		length, body)
}

// replyPath answers with what the registry has at a path, or else with the path
// itself.
func replyPath(r Request) (status, head, body string) {
	rest, ours := strings.CutPrefix(r.Path, Registry)
	if !ours {
		return "", "Content-Type: " + textType + "\r\n", r.Path + "\n"
	}
	kind, content, ok := registry(rest, "http://"+r.Header["Host"]+Registry)
	if !ok {
		return "404 Not Found", "", ""
	}
	return "", "Content-Type: " + kind + "\r\n", string(content)
}

// Remember notes a path that was asked for.
func (h *Listener) Remember(path string) {
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
func (h *Listener) Close() error {
	err := h.listener.Close()
	h.serving.Wait()
	return err
}
