// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a finding says that a rule for WebFetch opens, the
// real runtime opens: to WebFetch, and to sandboxed commands.

package checks

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// connect asks the sandbox's proxy for hosts; it answers 403 where it refuses,
// and 502 where it tries: there is no name server here.
const connect = `python3 - HOSTS <<'EOF'
import socket,os,sys,time,urllib.parse,base64
p=urllib.parse.urlparse(os.environ["HTTPS_PROXY"])
a="Proxy-Authorization: Basic "+base64.b64encode(((p.username or "")+":"+(p.password or "")).encode()).decode()+"\r\n" if p.username else ""
for host in sys.argv[1:]:
    for i in range(100): # the proxy may come late
        try: s=socket.create_connection((p.hostname,p.port)); break
        except ConnectionRefusedError: time.sleep(0.2)
    s.sendall(("CONNECT "+host+":443 HTTP/1.1\r\nHost: "+host+":443\r\n"+a+"\r\n").encode())
    print(host,s.recv(300).decode().split("\r\n")[0])
EOF`

// triedRule is a rule about hosts of its own, and what it opens.
type triedRule struct {
	// X in rule, and in the hosts that commands and WebFetch reach by it, is
	// a word of its own.
	rule, commands, fetches string
	kind                    string
}

// hostsOf are those that a rule is tried with.
const hostsOf = "X.example a.X.example elsewhere.Xtest"

// fetchSessions are rules that the runtime is given at once: one about every
// host stands alone.
var fetchSessions = []struct {
	old   bool
	asks  string // a rule of permissions.ask
	rules []triedRule
}{
	// What is asked about is no longer approved, and still opens the network.
	{false, claude.FetchPages, []triedRule{{"WebFetch(domain:X.example)", "X.example", "", "fetch-host"}}},
	{false, claude.FetchPages, []triedRule{{"WebFetch(domain:*)", hostsOf, "", "wide-domain"}}},
	{false, "", []triedRule{
		{"WebFetch(domain:X.example)", "X.example", "X.example", "fetch-host"},
		{"WebFetch(domain:*.X.example)", "a.X.example", "a.X.example", "fetch-host"},
		{"WebFetch(domain:*.Xtest)", "elsewhere.Xtest", "elsewhere.Xtest", "wide-domain"},
		{"WebFetch(domain:X.*)", "", "X.example", "wide-domain"},
		{"WebFetch(domain:*X.example)", "", "X.example", "wide-domain"},
		{"WebFetch(https://X.example/)", "", "", ""},
		{"WebFetch(domain:)", "", "", ""}}},
	{true, "", []triedRule{{"WebFetch(domain:X.example)", "X.example", "X.example", "fetch-host"}}},
	{false, "", []triedRule{{"WebFetch", "", hostsOf, "fetch-any"}}},
	{true, "", []triedRule{{"WebFetch", "", hostsOf, "fetch-any"}}},
	{false, "", []triedRule{{"WebFetch(*)", "", hostsOf, "fetch-any"}}},
	{false, "", []triedRule{{"WebFetch(domain:*)", hostsOf, hostsOf, "wide-domain"}}},
}

func TestTheRuntimeOpensTheNetworkForFetchRules(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "bwrap", "socat", "python3")
	for i, c := range fetchSessions {
		runtime := testenv.Claude(t)
		if c.old {
			runtime = testenv.ClaudeOld(t)
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			var rules, hosts []string
			own := func(i int, text string) string { return strings.ReplaceAll(text, "X", fmt.Sprintf("x%d", i)) }
			for i, r := range c.rules {
				rules, hosts = append(rules, own(i, r.rule)), append(hosts, strings.Fields(own(i, hostsOf))...)
				h := fetching(t, c.asks, own(i, r.rule))
				s, kind := session.At(h.reader(), filepath.Join(h.home, "p")), ""
				for _, w := range s.Weakenings(s) {
					kind += w.Kind
				}
				if kind != r.kind {
					t.Errorf("%s is %q, want %q", r.rule, kind, r.kind)
				}
			}
			turn := model.Turn{model.Bash(strings.Replace(connect, "HOSTS", strings.Join(hosts, " "), 1))}
			for _, host := range hosts {
				turn = append(turn, model.Call{Tool: "WebFetch", Input: map[string]any{"url": "https://" + host + "/",
					"prompt": "x"}})
			}
			server := sessions.Play(t, sessions.Session{Claude: runtime, Home: fetching(t, c.asks, rules...).home, Dir: "p",
				Args: []string{"--allowedTools", "Bash"}, Script: []model.Turn{turn}})
			said, _ := server.Result(0, 0)
			answers := map[string]string{}
			for line := range strings.Lines(said.Text) {
				host, answer, _ := strings.Cut(line, " ")
				answers[host] = answer
			}
			for i, r := range c.rules {
				var commands, fetches []string
				for n, host := range strings.Fields(own(i, hostsOf)) {
					if !strings.HasPrefix(answers[host], "HTTP/1.1 ") {
						t.Fatalf("%s: %s\n%s", host, server.Out, said.Text)
					}
					if !strings.HasPrefix(answers[host], "HTTP/1.1 403") {
						commands = append(commands, host)
					}
					fetch, _ := server.Result(0, 1+i*len(strings.Fields(hostsOf))+n)
					if !strings.Contains(fetch.Text, "requested permissions to use WebFetch") {
						fetches = append(fetches, host)
					}
				}
				if got := strings.Join(commands, " "); got != own(i, r.commands) {
					t.Errorf("%s with %s: commands reach %q", r.rule, runtime, got)
				}
				if got := strings.Join(fetches, " "); got != own(i, r.fetches) {
					t.Errorf("%s with %s: WebFetch reaches %q", r.rule, runtime, got)
				}
			}
		})
	}
}

// fetching is a home whose user allows rules, and has asks among those that ask.
func fetching(t *testing.T, asks string, rules ...string) household {
	t.Helper()
	h := household{t, testenv.Home(t)}
	h.put("p/.claude/settings.json", `{"sandbox": {"enabled": true, "network": {"allowedDomains": ["github.com"]}}, "permissions": {"allow": ["WebFetch(domain:github.com)"]}}`, 0o644)
	allow, err := json.Marshal(append(rules, "WebFetch(domain:github.com)"))
	if err != nil {
		t.Fatal(err)
	}
	h.put(usersFile, fmt.Sprintf(`{"skipWebFetchPreflight": true, "permissions": {"allow": %s, "ask": [%q]}}`, allow,
		asks),
		0o600)
	return h
}
