// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what docs/iso.md says of messages between sessions is what
// the runtime does.

package iso_test

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAMessageReachesAnySocket: the agent's SendMessage tool connects to a unix
// socket of the user's from outside the sandbox, without a prompt, and writes
// one line of JSON. What is sent is the agent's, its form is the runtime's. Run
// with 2.1.329.
func TestAMessageReachesAnySocket(t *testing.T) {
	inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
		path := filepath.Join(l.home, "s")
		socket, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = socket.Close() })
		got := make(chan string, 8)
		go func() {
			for {
				c, err := socket.Accept()
				if err != nil {
					return
				}
				b := make([]byte, 4096)
				n, _ := c.Read(b) // what came until then
				got <- string(b[:n])
				_ = c.Close()
			}
		}()
		script := calls(model.Call{Tool: "ToolSearch", Input: map[string]any{"query": "select:SendMessage", "max_results": 5}},
			model.Call{Tool: "SendMessage", Input: map[string]any{"to": "uds:" + path, "message": "to be\nexecuted", "summary": "x"}}, nothing)
		start(script...)
		select {
		case text := <-got:
			if !strings.HasPrefix(text, `{"`) || !strings.Contains(text, `to be\nexecuted`) || strings.Count(strings.TrimSpace(text), "\n") != 0 {
				t.Errorf("the socket got %q", text)
			}
		case <-time.After(testenv.Patience):
			t.Error("nothing reached the socket")
		}
	})
}
