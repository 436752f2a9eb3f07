// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a hint tells to run names what the hook recognised, and
// nothing that a program's output could have put there to be allowed.

package hook_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/hook"
)

func TestAHintKeepsItsSubject(t *testing.T) {
	for _, c := range []struct {
		name string
		s    sample
		want string
	}{
		{"a host in the command", sample{output: "curl: (56) CONNECT tunnel failed, response 403",
			head: map[string]string{"command": "curl https://new.example/x"}},
			"install --plan --allow-host=new.example"},
		{"a host that is refused once the proxy listens", sample{output: "curl: (7) Failed to connect to localhost port " +
			"3128 after 0 ms: Couldn't connect to server\ncurl: (56) CONNECT tunnel failed, response 403",
			head: map[string]string{"command": "curl --retry 1 https://new.example/x"}},
			"install --plan --allow-host=new.example"},
		{"a host that the runtime names", sample{output: "x\n\n<sandbox_violations>\n" +
			"deny network-outbound new.example:443 (user denied)\n</sandbox_violations>",
			head: map[string]string{"command": "npm ci", "entry": "egress-blocked"}},
			"install --plan --allow-host=new.example"},
		{"a host that only a program names", sample{output: "npm error 403 403 user denied - GET https://new.example/x",
			head: map[string]string{"command": "npm ci"}},
			"doctor --explain-host new.example"},
		{"another host than the command's", sample{output: "npm error 403 403 user denied - GET https://evil.example/x",
			head: map[string]string{"command": "curl https://good.example"}},
			"doctor --explain-host evil.example"},
		{"a host where only the user's own list counts", sample{output: "curl: (56) CONNECT tunnel failed, response 403",
			head: map[string]string{"command": "curl https://new.example/x",
				"settings": `{"sandbox": {"network": {"strictAllowlist": true}}}`}}, "doctor --explain-host new.example"},
		{"a host where a project's list counts, too", sample{output: "curl: (56) CONNECT tunnel failed, response 403",
			head: map[string]string{"command": "curl https://new.example/x",
				"settings": `{"sandbox": {"network": {"strictAllowlist": false}}}`}}, "install --plan --allow-host=new.example"},
		{"no host", sample{output: "curl: (56) CONNECT tunnel failed, response 403",
			head: map[string]string{"command": "make"}}, "install --plan --allow-host=HOST"},
		{"no host, but a program whose host is known", sample{output: "WARNING: Retrying (Retry(total=4)) after connection " +
			"broken by 'ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 403 Forbidden'))': " +
			"/simple/requests/", head: map[string]string{"command": "pip install requests"}}, "doctor --explain-host pypi.org"},
		{"a file", sample{output: "cat: ${HOME}/notes/a.txt: No such file or directory",
			head: map[string]string{"command": "cat ~/notes/a.txt", "exists": "${HOME}/notes/a.txt"}},
			"doctor --explain-path ${HOME}/notes/a.txt"},
		{"a file with an odd name", sample{output: "cat: '${HOME}/notes/a;b.txt': No such file or directory",
			head: map[string]string{"command": "cat ~/notes/'a;b.txt' | wc -l; make", "exists": "${HOME}/notes/a;b.txt"}},
			"doctor --explain hidden-path"},
		{"a port", sample{
			output: "curl: (7) Failed to connect to 127.0.0.1 port ${PORT} after 0 ms: Couldn't connect to server",
			head:   map[string]string{"command": "curl http://127.0.0.1:${PORT}", "listens": "1"}},
			"doctor --explain-host 127.0.0.1:${PORT}"},
		{"a program", sample{output: "bash: line 1: mytool: command not found",
			head: map[string]string{"command": "mytool x", "installed": "${HOME}/bin/mytool"}},
			"doctor --explain-command mytool"},
		{"a probe", sample{output: "Error connecting to agent: Operation not permitted",
			head: map[string]string{"command": "ssh-add -l"}}, "doctor ssh-agent"},
	} {
		sys, fill := machine(t, c.s)
		var stdout, stderr strings.Builder
		hook.Run("error-hint", strings.NewReader(payload(t, "PostToolUse", c.s, fill)), &stdout, &stderr, sys)
		if want := "steward-setup " + fill(c.want); !strings.Contains(stdout.String(), want) {
			t.Errorf("%s: %q lacks %q", c.name, stdout.String(), want)
		}
	}
}
