// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the API is served by net/http, which the program has anyway
// (internal/host/web); steward-hook has no part of it.

package model

import (
	"crypto/tls"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// maxRequest bounds the body of a request, in bytes.
const maxRequest = 64 << 20

// Server is a running API. It may be used from several goroutines.
type Server struct {
	script  []Turn
	speaks  Protocol
	address string
	http    http.Server
	// firstParty: it is the API itself, not an address that stands for it.
	firstParty bool
	serving    sync.WaitGroup

	mu       sync.Mutex
	requests []Request
	results  map[string]Result
	over     bool
	now      func() time.Time
	asked    []Asked

	played, spoken chan struct{}
	first          sync.Once
}

// Played is closed when the runtime has been told that there is nothing more
// to do.
func (s *Server) Played() <-chan struct{} { return s.played }

// Spoken is closed when the runtime has asked the model for something.
func (s *Server) Spoken() <-chan struct{} { return s.spoken }

// Start serves the script on a free port of 127.0.0.1, until Close.
func Start(p Protocol, script ...Turn) (*Server, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return serve(l, p, false, script), nil
}

func serve(l net.Listener, p Protocol, firstParty bool, script []Turn) *Server {
	s := &Server{script: script, speaks: p, address: l.Addr().String(), firstParty: firstParty,
		results: map[string]Result{}, played: make(chan struct{}), spoken: make(chan struct{})}
	s.http.Handler = http.HandlerFunc(s.serve)
	s.serving.Go(func() { _ = s.http.Serve(l) })
	return s
}

// URL is the base address of the API.
func (s *Server) URL() string { return "http://" + s.address }

// Close ends every connection, and serves no more.
func (s *Server) Close() {
	_ = s.http.Close()
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

// StartFirstParty serves the script on l as host, over TLS, until Close.
// authority is the certificate that the runtime must trust, a PEM file: a new one
// with every call, whose key is not kept.
func StartFirstParty(l net.Listener, p Protocol, host string, script ...Turn) (s *Server, authority []byte, err error) {
	own, authority, err := Certificate(host)
	if err != nil {
		return nil, nil, err
	}
	served := tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"}})
	return serve(served, p, true, script), authority, nil
}

// serve answers a request.
func (s *Server) serve(w http.ResponseWriter, asked *http.Request) {
	r, err := requestOf(asked)
	if err != nil {
		panic(http.ErrAbortHandler) // the connection has ended, or it is too long
	}
	status, body, contentType := http.StatusOK, []byte(nil), ""
	answered := s.note(r)
	if s.firstParty && r.Method == http.MethodGet {
		s.remember(r)
		status, body, contentType = s.speaks.Beside(r)
	} else {
		body, contentType = s.handle(r)
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a connection that has ended gets no answer
	answered()
}

// requestOf reads a request to its end.
func requestOf(r *http.Request) (Request, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxRequest))
	own := Request{Method: r.Method, Path: r.RequestURI, Header: map[string]string{"Host": r.Host}, Body: body}
	for name := range r.Header {
		own.Header[name] = r.Header.Get(name)
	}
	return own, err
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
	m := s.speaks.Hear(r)
	if m == nil {
		return nil, "text/plain"
	}
	s.first.Do(func() { close(s.spoken) })
	done := m.Results()
	maps.Copy(s.results, done)
	turn, number := next(s.script, m, done)
	if turn == nil && !s.over && finished(s.script, done) {
		s.over = true
		close(s.played)
	}
	return m.Answer(turn, number)
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
