// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what docs/protection.md says of messages between sessions is what
// the runtime does.

package iso_test

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAMessageReachesAnySocket: the agent's SendMessage tool connects to a unix
// socket of the user's from outside the sandbox, without a prompt, and writes
// one line of JSON. What is sent is the agent's, its form is the runtime's. The
// rule of the policy has it ask, whatever an allow rule and the mode say, and the
// launch adds it; a message by name is not asked about. So it is with sessions of an
// account elsewhere, for which there is none here: who is not asked is told so.
func TestAMessageReachesAnySocket(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.EachVersion(t, func(t *testing.T, runtime string, v testenv.Version) {
		if v == testenv.Old { // it has no such tool
			t.Skip()
		}
		for _, c := range []struct {
			name, rules string
			iso, sent   bool
		}{{"plain, no rule", "", false, true},
			{"plain, the rules", `"` + claude.SocketMessages + `","` + claude.BridgeMessages + `"`, false, false},
			{"claude-iso, no rule", "", true, false}} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				l.runtime = runtime
				l.settings(`{"permissions":{"allow":["SendMessage","SendMessage(*)"],"defaultMode":"acceptEdits","ask":[` +
					c.rules + `]}}`)
				l.approve()
				got := l.listen("s")
				to := func(who string) model.Call {
					return model.Call{Tool: "SendMessage", Input: map[string]any{"to": who, "message": "to be\nexecuted",
						"summary": "x"}}
				}
				script := calls(model.Call{Tool: "ToolSearch", Input: map[string]any{"query": "select:SendMessage",
					"max_results": 5}},
					to("uds:"+filepath.Join(l.home, "s")), to("uds:"+filepath.Join(l.home, "%73")), to("nobody"),
					to("bridge:session_1"), nothing)
				start := func() session { return l.plain("p", script...) }
				if c.iso {
					start = func() session { return l.hardened("p", iso.Options{}, script...) }
				}
				s := start()
				if named := s.text(t, 3); !strings.Contains(named, "No agent named 'nobody'") {
					t.Errorf("a message by name: %q", named)
				}
				const asked = "requested permissions to use SendMessage"
				if elsewhere := s.text(t, 4); strings.Contains(elsewhere, asked) == c.sent ||
					c.sent && !strings.Contains(elsewhere, "Cross-machine messaging is unavailable") {
					t.Errorf("a message elsewhere: %q", elsewhere)
				}
				select {
				case text := <-got:
					if !c.sent || !strings.HasPrefix(text, `{"`) || !strings.Contains(text, `to be\nexecuted`) ||
						strings.Count(strings.TrimSpace(text), "\n") != 0 {
						t.Errorf("the socket got %q", text)
					}
				default:
					if said := s.text(t, 1); c.sent || !strings.Contains(said, asked) {
						t.Errorf("nothing reached the socket: %q", said)
					}
				}
			})
		}
	})
}

// listen makes a unix socket below the home; what each connection writes is sent
// on.
func (l *lab) listen(name string) chan string {
	l.t.Helper()
	socket, err := net.Listen("unix", filepath.Join(l.home, name))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = socket.Close() })
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
	return got
}
