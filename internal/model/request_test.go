// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"bufio"
	"bytes"
	"testing"
)

func FuzzRequest(f *testing.F) {
	f.Add([]byte("POST /v1/messages HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		input := bufio.NewReader(bytes.NewReader(b))
		for {
			r, err := readRequest(input)
			if err != nil {
				return
			}
			if len(r.Body) > len(b) {
				t.Fatal("a body that was not sent")
			}
		}
	})
}
