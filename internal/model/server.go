// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: as much HTTP/1.1 as the runtime speaks on loopback, in
// place of net/http: that would cost every start of this program, and so
// every hook, 0.4 ms more.

package model

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxRequest bounds a request, in bytes.
const maxRequest = 64 << 20

// Server is a running API. It may be used from several goroutines.
type Server struct {
	script   []Turn
	listener net.Listener
	// firstParty: it is the API itself, not an address that stands for it.
	firstParty bool
	serving    sync.WaitGroup

	mu       sync.Mutex
	requests []Request
	results  map[string]Result
	open     map[net.Conn]bool // nil once closed
	over     bool
	now      func() time.Time
	asked    []Asked

	played, spoken chan struct{}
	first          sync.Once
}

// Played is closed when the runtime has been told that there is nothing more
// to do.
func (s *Server) Played() <-chan struct{} { return s.played }

// Spoken is closed when the runtime has asked for something.
func (s *Server) Spoken() <-chan struct{} { return s.spoken }

// Start serves the script on a free port of 127.0.0.1, until Close.
func Start(script ...Turn) (*Server, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return serve(l, false, script), nil
}

func serve(l net.Listener, firstParty bool, script []Turn) *Server {
	s := &Server{script: script, listener: l, firstParty: firstParty, results: map[string]Result{},
		open: map[net.Conn]bool{}, played: make(chan struct{}), spoken: make(chan struct{})}
	s.serving.Go(s.accept)
	return s
}

// URL is the base address that the runtime takes as ANTHROPIC_BASE_URL.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close ends every connection and returns when nothing is served any more.
func (s *Server) Close() {
	s.listener.Close()
	s.mu.Lock()
	for c := range s.open {
		c.Close()
	}
	s.open = nil
	s.mu.Unlock()
	s.serving.Wait()
}

// Requests returns the requests so far, in the order in which they arrived.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Result returns what call i of turn t got back; false if nothing did.
func (s *Server) Result(t, i int) (Result, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.results[ID(t, i)]
	return r, ok
}

func (s *Server) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.open == nil {
			s.mu.Unlock()
			c.Close()
			return
		}
		s.open[c] = true
		s.mu.Unlock()
		s.serving.Go(func() { s.serve(c) })
	}
}

// serve answers the requests of one connection, one after the other.
func (s *Server) serve(c net.Conn) {
	defer func() {
		c.Close()
		s.mu.Lock()
		delete(s.open, c)
		s.mu.Unlock()
	}()
	limit := &io.LimitedReader{R: c}
	input := bufio.NewReader(limit)
	for {
		limit.N = maxRequest
		r, err := readRequest(input)
		if err != nil {
			return // the connection has ended, or speaks something else
		}
		status, body, contentType := "200 OK", []byte(nil), ""
		s.first.Do(func() { close(s.spoken) })
		answered := s.note(r)
		if s.firstParty && r.Method == "GET" {
			s.remember(r)
			status, body, contentType = beside(r.Path)
		} else {
			body, contentType = s.handle(r)
		}
		if r.Method == "HEAD" {
			body = nil
		}
		if _, err := fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", status, contentType,
			len(body), body); err != nil {
			return
		}
		answered()
	}
}

// readRequest reads one request. A body has a Content-Length.
func readRequest(input *bufio.Reader) (Request, error) {
	head := textproto.NewReader(input)
	line, err := head.ReadLine()
	if err != nil {
		return Request{}, err
	}
	words := strings.Split(line, " ")
	if len(words) != 3 || !strings.HasPrefix(words[2], "HTTP/1.") {
		return Request{}, errors.New("not a request")
	}
	header, err := head.ReadMIMEHeader()
	if err != nil {
		return Request{}, err
	}
	r := Request{Method: words[0], Path: words[1], Header: map[string]string{}}
	for name := range header {
		r.Header[name] = header.Get(name)
	}
	if length := r.Header["Content-Length"]; length != "" {
		n, err := strconv.ParseUint(length, 10, 31)
		if err != nil || n > maxRequest {
			return Request{}, errors.New("too long")
		}
		r.Body, err = io.ReadAll(io.LimitReader(input, int64(n)))
		if err != nil || uint64(len(r.Body)) != n {
			return Request{}, errors.New("cut short")
		}
	}
	return r, nil
}

func (s *Server) remember(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
}

// handle keeps a request and makes its answer.
func (s *Server) handle(r Request) (body []byte, contentType string) {
	s.remember(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	var m message
	path, _, _ := strings.Cut(r.Path, "?")
	if r.Method != "POST" || path != "/v1/messages" || json.Unmarshal(r.Body, &m) != nil {
		return nil, "text/plain"
	}
	done := m.results()
	maps.Copy(s.results, done)
	turn, number := next(s.script, m, done)
	if turn == nil && !s.over && finished(s.script, done) {
		s.over = true
		close(s.played)
	}
	return answer(m, turn, number)
}

// Asked is one request that the model answered.
type Asked struct {
	At       time.Time `json:"at"`
	Answered time.Time `json:"answered"`
	Bytes    int       `json:"bytes"`
}

// Note keeps the time of each request from now on, by the clock now.
func (s *Server) Note(now func() time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
}

// Asked are the requests that were noted, in the order in which they were
// answered.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

// note returns what is to be called when r was answered.
func (s *Server) note(r Request) (answered func()) {
	s.mu.Lock()
	now := s.now
	s.mu.Unlock()
	if now == nil {
		return func() {}
	}
	a := Asked{At: now(), Bytes: len(r.Body)}
	return func() {
		a.Answered = now()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, a)
	}
}
