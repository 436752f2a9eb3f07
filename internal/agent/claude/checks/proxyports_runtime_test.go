// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where a proxy of the machine decides about hosts, the
// runtime's own lists do not, and the check says so; with the real runtime.

package checks

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// throughProxy asks for a host on no list by the proxy of a kind that sandboxed
// commands are given, and prints the first words of the answer.
const throughProxy = `python3 - <<'EOF'
import socket,os,time,urllib.parse,base64
p=urllib.parse.urlparse(os.environ["HTTPS_PROXY"] if "%[1]s"=="http" else next(v for v in os.environ.values() if v.startswith("%[1]s://")))
for i in range(100): # the proxy may come late
    try: s=socket.create_connection((p.hostname,p.port)); break
    except ConnectionRefusedError: time.sleep(0.2)
s.settimeout(10)
a="Proxy-Authorization: Basic "+base64.b64encode(((p.username or "")+":"+(p.password or "")).encode()).decode()+"\r\n" if p.username else ""
s.sendall(("CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n"+a+"\r\n").encode());print(s.recv(300))
EOF`

func TestAProxyOfTheMachineDecidesAboutHosts(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	claude := testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat", "python3")
	port := testenv.Answers(t, "THE MACHINE'S OWN PROXY")
	for name, c := range map[string]struct {
		user, project, local, flag, scheme string
		opens                              bool
	}{
		"nothing is set":              {scheme: "http"},
		"http, by the user":           {user: "httpProxyPort", scheme: "http", opens: true},
		"socks, by the user":          {user: "socksProxyPort", scheme: "socks5h", opens: true},
		"http, by the project":        {project: "httpProxyPort", scheme: "http", opens: true},
		"socks, by the project":       {project: "socksProxyPort", scheme: "socks5h", opens: true},
		"http, locally":               {local: "httpProxyPort", scheme: "http", opens: true},
		"http, by --settings":         {flag: "httpProxyPort", scheme: "http", opens: true},
		"project, the user is strict": {user: "strictAllowlist", project: "httpProxyPort", scheme: "http"},
		"user, the user is strict":    {user: `httpProxyPort":PORT,"strictAllowlist`, scheme: "http", opens: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := household{t, testenv.Home(t)}
			network := func(key string) string {
				if key == "" {
					return `{}`
				}
				value := fmt.Sprint(port)
				if strings.HasSuffix(key, "strictAllowlist") {
					value = "true"
				}
				return strings.ReplaceAll(`{"sandbox":{"network":{"`+key+`":`+value+`}}}`, "PORT", fmt.Sprint(port))
			}
			h.put(usersFile, network(c.user), 0o600)
			h.put("p/.claude/settings.local.json", network(c.local), 0o600)
			h.put("p/.claude/settings.json", strings.Replace(network(c.project), `{`, `{"permissions":{"deny":["Edit(x)"]},`, 1),
				0o600)
			if c.project == "" {
				h.put("p/.claude/settings.json", `{}`, 0o600)
			}
			flag := strings.Replace(network(c.flag), `"sandbox":{`, `"sandbox":{"enabled":true,`, 1)
			if c.flag == "" {
				flag = `{"sandbox":{"enabled":true}}`
			}
			server := sessions.Play(t, sessions.Session{Claude: claude, Home: h.home, Dir: "p",
				Args:   []string{"--allowedTools=Bash", "--settings=" + flag},
				Script: []model.Turn{{model.Bash(fmt.Sprintf(throughProxy, c.scheme))}}})
			r, _ := server.Result(0, 0)
			if opened := strings.Contains(r.Text, "OWN PROXY"); opened != c.opens {
				t.Errorf("the machine's proxy was asked: %v, want %v: %s", opened, c.opens, r.Text)
			}
			if c.flag != "" {
				return // a document of one start alone
			}
			s := session.At(h.reader(), filepath.Join(h.home, "p"))
			if w := s.Weakenings(s); c.opens != (len(w) == 1 && w[0].Kind == "own-proxy" && w[0].Fails() && w[0].Bypasses()) {
				t.Errorf("what weakens it: %+v", w)
			}
		})
	}
}
