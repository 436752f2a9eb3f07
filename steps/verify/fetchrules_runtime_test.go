// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a finding says that a rule for WebFetch opens, the
// real runtime opens: to WebFetch, and to sandboxed commands.

package verify

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// connect asks the sandbox's proxy for a host; it answers 403 where it
// refuses, and 502 where it tries: there is no name server here.
const connect = `python3 - <<'EOF'
import socket,os,time,urllib.parse,base64
p=urllib.parse.urlparse(os.environ["HTTPS_PROXY"])
for i in range(100): # the proxy may come late
    try: s=socket.create_connection((p.hostname,p.port)); break
    except ConnectionRefusedError: time.sleep(0.2)
a="Proxy-Authorization: Basic "+base64.b64encode(((p.username or "")+":"+(p.password or "")).encode()).decode()+"\r\n" if p.username else ""
s.sendall(("CONNECT HOST:443 HTTP/1.1\r\nHost: HOST:443\r\n"+a+"\r\n").encode());print(s.recv(300).decode().split("\r\n")[0])
EOF`

func TestTheRuntimeOpensTheNetworkForFetchRules(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "bwrap", "socat", "python3")
	const all = "x.example a.x.example elsewhere.test"
	pinned, old := testenv.Claude(t), testenv.ClaudeOld(t)
	for _, c := range []struct {
		runtime, rule     string
		commands, fetches string // the hosts that they reach
		kind              string
		asks              string // a rule of permissions.ask
	}{
		// What is asked about is no longer approved, and still opens the network.
		{pinned, "WebFetch(domain:x.example)", "x.example", "", "fetch-host", claude.FetchPages},
		{pinned, "WebFetch(domain:*)", all, "", "wide-domain", claude.FetchPages},
		{pinned, "WebFetch(domain:x.example)", "x.example", "x.example", "fetch-host", ""},
		{old, "WebFetch(domain:x.example)", "x.example", "x.example", "fetch-host", ""},
		{pinned, "WebFetch(domain:*.x.example)", "a.x.example", "a.x.example", "fetch-host", ""},
		{pinned, "WebFetch", "", all, "fetch-any", ""},
		{old, "WebFetch", "", all, "fetch-any", ""},
		{pinned, "WebFetch(*)", "", all, "fetch-any", ""},
		{pinned, "WebFetch(domain:*)", all, all, "wide-domain", ""},
		{pinned, "WebFetch(domain:*.test)", "elsewhere.test", "elsewhere.test", "wide-domain", ""},
		{pinned, "WebFetch(domain:x.*)", "", "x.example", "wide-domain", ""},
		{pinned, "WebFetch(domain:*x.example)", "", "x.example", "wide-domain", ""},
		{pinned, "WebFetch(https://x.example/)", "", "", "", ""},
		{pinned, "WebFetch(domain:)", "", "", "", ""},
	} {
		h := household{t, testenv.Home(t)}
		h.put("p/.claude/settings.json", `{"sandbox": {"enabled": true, "network": {"allowedDomains": ["github.com"]}}, "permissions": {"allow": ["WebFetch(domain:github.com)"]}}`, 0o644)
		h.put(usersFile, fmt.Sprintf(`{"skipWebFetchPreflight": true, "permissions": {"allow": [%q, "WebFetch(domain:github.com)"], "ask": [%q]}}`, c.rule,
			c.asks), 0o600)
		hosts := strings.Fields(all)
		var turn model.Turn
		for _, host := range hosts {
			turn = append(turn, model.Bash(strings.ReplaceAll(connect, "HOST", host)),
				model.Call{Tool: "WebFetch", Input: map[string]any{"url": "https://" + host + "/", "prompt": "x"}})
		}
		server := sessions.Play(t, sessions.Session{Claude: c.runtime, Home: h.home, Dir: "p",
			Args:   []string{"--allowedTools", "Bash"},
			Script: []model.Turn{turn}})
		var commands, fetches []string
		for i, host := range hosts {
			command, asked := server.Result(0, 2*i)
			fetch, called := server.Result(0, 2*i+1)
			if !asked || !called || !strings.HasPrefix(command.Text, "HTTP/1.1 ") {
				t.Fatalf("%s: %s\n%s", c.rule, server.Out, command.Text)
			}
			if !strings.HasPrefix(command.Text, "HTTP/1.1 403") {
				commands = append(commands, host)
			}
			if !strings.Contains(fetch.Text, "requested permissions to use WebFetch") {
				fetches = append(fetches, host)
			}
		}
		if got := strings.Join(commands, " "); got != c.commands {
			t.Errorf("%s with %s: commands reach %q", c.rule, c.runtime, got)
		}
		if got := strings.Join(fetches, " "); got != c.fetches {
			t.Errorf("%s with %s: WebFetch reaches %q", c.rule, c.runtime, got)
		}
		s, kind := SessionAt(h.reader(), filepath.Join(h.home, "p")), ""
		for _, w := range s.Weakenings(s) {
			kind += w.Kind
		}
		if kind != c.kind {
			t.Errorf("%s is %q, want %q", c.rule, kind, c.kind)
		}
	}
}
