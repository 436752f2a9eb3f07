// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestAProxyMayComeLate: the request goes to a proxy that listens only after
// it was asked for, and an address without one is not waited for.
func TestAProxyMayComeLate(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	if _, err := Get(t.Context(), "http://"+address+"/", ""); err == nil {
		t.Fatal("somebody else listens there")
	}
	later := time.AfterFunc(patience/20, func() {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Error(err)
			return
		}
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_,
				_ = w.Write([]byte(r.RequestURI))
		})}
		t.Cleanup(func() { s.Close() })
		_ = s.Serve(l)
	})
	t.Cleanup(func() { later.Stop() })
	answer, err := Get(t.Context(), "http://nobody.example/path", "http://"+address)
	if err != nil || !strings.HasSuffix(answer, "http://nobody.example/path") {
		t.Errorf("%q %v", answer, err)
	}
}

// TestAProxyThatNeverComesIsToldSo: the error is the refusal.
func TestAProxyThatNeverComesIsToldSo(t *testing.T) {
	if _, err := Get(t.Context(), "http://nobody.example/", "http://127.0.0.1:1"); err == nil ||
		!strings.Contains(err.Error(), "refused") {
		t.Error(err)
	}
}
