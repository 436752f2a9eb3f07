// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: when the runtime asked is noted only if somebody wants to
// know.

package model

import "time"

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
