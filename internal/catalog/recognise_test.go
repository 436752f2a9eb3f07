// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what somebody pastes is recognised in every form in which
// it can be pasted.

package catalog

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestRecognise(t *testing.T) {
	entries := load(t)
	result := testenv.Must(json.Marshal(map[string]any{"type": "tool_result",
		"content": []any{map[string]any{"type": "text", "text": "Exit code 2\nError connecting to agent: Operation not " +
			"permitted\n"}}}))(t)
	for _, c := range []struct{ name, text, platform, id, line, need string }{
		{"an id", "ssh-agent\n", "linux", "ssh-agent", "", ""},
		{"an id in capitals", "Docker", "linux", "docker", "", ""},
		{"a hint", "[sandbox-hint] loopback-host: something listens. To look closer: …", "linux", "loopback-host", "", ""},
		{"an error", "$ ssh-add -l\nError connecting to agent: Operation not permitted\n", "linux", "ssh-agent",
			"Error connecting to agent: Operation not permitted", ""},
		{"a tool result", string(result), "linux", "ssh-agent", "Error connecting to agent: Operation not permitted", ""},
		{"what a hook keeps silent about", "ping: github.com: Temporary failure in name resolution", "linux", "egress-direct",
			"", "ordinary causes"},
		{"an everyday error", "cat: /home/me/.netrc: No such file or directory", "linux", "hidden-path", "",
			"is there outside"},
		{"the other platform's words", "x509: OSStatus -26276", "linux", "tls-trust", "", ""},
		{"words of both, on this one", "listen EPERM: operation not permitted /tmp/l.sock", "linux", "unix-sockets", "", ""},
		{"a port, which is no unix socket", "Error: listen EPERM: operation not permitted 0.0.0.0:3000", "linux",
			"loopback-bind", "", ""},
		{"a port of IPv6", "Error: listen EPERM: operation not permitted :::3000", "linux", "loopback-bind", "", ""},
		{"in colour", "\x1b[31mError\x1b[0m connecting to agent: \x1b[1;38;5;9mOperation not permitted\x1b[m", "linux",
			"ssh-agent", "Error connecting to agent: Operation not permitted", ""},
		{"with a title and a link", "\x1b]0;ssh\aError connecting \x1b]8;;file:///x\x1b\\to agent\x1b]8;;\x1b\\: Operation " +
			"not permitted", "linux", "ssh-agent", "Error connecting to agent: Operation not permitted", ""},
		{"a title that does not end", "\x1b]0;x Operation\nError connecting to agent: Operation not permitted\x1b", "linux",
			"ssh-agent", "Error connecting to agent: Operation not permitted", ""},
		{"a tool result in colour", `{"content":"\u001b[31mError\u001b[0m connecting to agent: Operation not permitted"}`,
			"linux", "ssh-agent", "Error connecting to agent: Operation not permitted", ""},
		{"an id in colour", "\x1b[1mdocker\x1b(B\x1b[m", "linux", "docker", "", ""},
		{"a key that a server refused", "git@github.com: Permission denied (publickey).", "linux", "ssh-publickey", "",
			"$SSH_AUTH_SOCK"},
		{"an error alone", "bwrap: Creating new namespace failed: Operation not permitted", "linux", "userns", "", ""},
		{"with its command", "$ bwrap --dev-bind / / true\nbwrap: Creating new namespace failed: Operation not permitted",
			"linux", "nested-namespace", "", ""},
		{"a half document", `{"content": "Error connecting to agent: Operation not permitted"`, "linux", "ssh-agent", "", ""},
	} {
		a, ok := Recognise(entries, c.text, c.platform, nil)
		if !ok || a.Entry.ID != c.id || c.line != "" && a.Line != c.line || !strings.Contains(a.If, c.need) {
			t.Errorf("%s: %q is taken for %q (%q, if %q)", c.name, c.text, a.Entry.ID, a.Line, a.If)
		}
		if a.Elsewhere != !slices.Contains(a.Entry.Platforms, c.platform) {
			t.Errorf("%s: elsewhere is %v", c.name, a.Elsewhere)
		}
	}
	for _, text := range []string{"", "all tests passed", "null", "{}", strings.Repeat("[", 1<<16)} {
		if a, ok := Recognise(entries, text, "linux", nil); ok {
			t.Errorf("%.20q is taken for %s", text, a.Entry.ID)
		}
	}
}

// TestWhatATextNames: the path or the host that an error is about, as it stands
// there; what is a word and no more is not taken for one.
func TestWhatATextNames(t *testing.T) {
	entries := load(t)
	const refused = "curl: (56) CONNECT tunnel failed, response 403"
	const noVersion = "ERROR: Could not find a version that satisfies the requirement requests (from versions: none)"
	for text, want := range map[string]string{
		"cat: ~/.aws/credentials: No such file or directory": "~/.aws/credentials",
		"zsh: no such file or directory: /a b":               "/a|zsh",
		"error: could not lock config file .git/config: Read-only file system": "could not lock config file " +
			".git/config|.git/config",
		"touch: cannot touch '/tmp/zz': Read-only file system": "/tmp/zz",
		"Error connecting to agent: Operation not permitted":   "",
		"git@github.com: Permission denied (publickey).":       "",
		refused: "",
		"npm error 403 403 user denied - GET https://me@Packages.example.org:443/left-pad": "packages.example.org",
		"2026/11/20 23:34:11 socat[10] E CONNECT example.com:22: user denied":              "example.com",
		"Error: getaddrinfo EAI_AGAIN example.com":                                         "example.com",
		"ssh: Could not resolve hostname github.com: Temporary failure":                    "github.com",
		"Error: getaddrinfo ENOTFOUND registry.example.org":                                "registry.example.org",
		"wget: unable to resolve host address 'example.com'":                               "example.com",
		"dial tcp: lookup goproxy.example.org: no such host":                               "goproxy.example.org",
		"go: a.b/c@v1: Get \"https://goproxy.example.org/a.b/c/@v/v1.0.0.mod\": Forbidden": "goproxy.example.org",
		"GET https://good.example?x=@evil.example\n" + refused:                             "good.example",
		"GET https://good.example#@evil.example\n" + refused:                               "good.example",
		noVersion: "pypi.org",
		noVersion + "\nLooking in indexes: https://pypi.example.org/simple":         "pypi.example.org",
		"<sandbox_violations>\ndeny network-outbound example.com:443 (user denied)": "example.com",
		"GET https://a.example/x\n" + refused:                                       "a.example",
		"GET https://a.example/x\nGET https://b.example/y\n" + refused:              "",
		"requests.exceptions.ProxyError: HTTPSConnectionPool(host='pypi.org', port=443): Max retries exceeded (Caused by " +
			"ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 403 Forbidden')))": "pypi.org",
	} {
		a, ok := Recognise(entries, text, "linux", nil)
		if got := strings.TrimPrefix(strings.Join(a.Paths, "|")+"|"+a.Host, "|"); !ok ||
			strings.TrimSuffix(got, "|") != want {
			t.Errorf("%q, taken for %s, names %q, want %q", text, a.Entry.ID, got, want)
		}
	}
}

// TestAWarningIsNotWhatStopped: before an error a warning is at most unknown, and
// an error that is known counts first.
func TestAWarningIsNotWhatStopped(t *testing.T) {
	entries := load(t)
	sure := func(Answer) (Verdict, string) { return Sandboxed, "it is there" }
	const cache = "warning: cannot write /home/dev/.cargo/x: Read-only file system\n"
	for text, want := range map[string]Verdict{
		cache: Sandboxed,
		cache + "error: linking with `cc` failed: exit status: 1":                                    Undecided,
		"npm WARN tar /home/dev/x: Read-only file system\nnpm error code EBADENGINE":                 Undecided,
		"npm warn tar /home/dev/x: Read-only file system\nerror: /home/dev/y: Read-only file system": Sandboxed,
	} {
		if a, ok := Recognise(entries, text, "linux", sure); !ok || a.Verdict != want {
			t.Errorf("%q: %s, %q, want %q", text, a.Entry.ID, a.Verdict, want)
		}
	}
	const retry = "WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by 'ProxyError('Cannot " +
		"connect to proxy.', OSError('Tunnel connection failed: 403 Forbidden'))': /simple/x/\n"
	for text, want := range map[string]Verdict{
		retry + "ERROR: Could not find a version that satisfies x (from versions: none)": Sandboxed,
		retry + "ERROR: Failed building wheel for y":                                     Undecided,
	} {
		if a, _ := Recognise(entries, text, "linux", nil); a.Entry.ID != "egress-blocked" || a.Verdict != want {
			t.Errorf("%q: %s %s, want %s", text, a.Entry.ID, a.Verdict, want)
		}
	}
	if a, _ := Recognise(entries, cache+"error: /home/dev/.netrc: No such file or directory", "linux",
		nil); a.Entry.ID != "hidden-path" {
		t.Errorf("the error is taken for %s", a.Entry.ID)
	}
}

// TestWith: a value is put into a fix as JSON has it.
func TestWith(t *testing.T) {
	f := Fix{Settings: `{"a":["${PATH}"]}`}
	if got := f.With("PATH", `/a "b"`).Settings; got != `{"a":["/a \"b\""]}` {
		t.Error(got)
	}
	if got := f.With("HOST", "x").With("PATH", "").Settings; got != f.Settings {
		t.Error(got)
	}
}

func TestNearest(t *testing.T) {
	entries := load(t)
	if got := Nearest(entries, "podman could not do something", "linux", 3); len(got) == 0 || got[0].ID != "podman" {
		t.Errorf("podman: %d entries", len(got))
	}
	if got := Nearest(entries, "docker socket operation not permitted", "linux", 2); len(got) != 2 ||
		got[0].ID != "docker" {
		t.Errorf("docker: %d entries", len(got))
	}
	for _, e := range Nearest(entries, "npm ERR! code EPERM", "linux", 9) {
		if !slices.Contains(e.Platforms, "linux") {
			t.Errorf("%s does not occur on this platform", e.ID)
		}
	}
	if got := Nearest(entries, "zzz", "linux", 3); got != nil {
		t.Errorf("a word that nobody has: %d entries", len(got))
	}
}

func FuzzRecognise(f *testing.F) {
	entries := load(f)
	f.Add(`{"a":["gpg: No agent running",{"b":1}]}`)
	f.Add("\x1b[31mcat\x1b]0;: /x\x1b\\: \x1b(BNo such file or directory")
	f.Fuzz(func(t *testing.T, text string) {
		if plain := uncoloured(text); strings.ContainsRune(plain, escape) || len(plain) > len(text) {
			t.Errorf("%q: %q is left", text, plain)
		}
		if a, ok := Recognise(entries, text, "linux", nil); ok && a.Entry.ID == "" {
			t.Error("an entry without an id")
		}
		Nearest(entries, text, "linux", 3)
	})
}

// What is quoted from a file is no error.
func TestQuotationsAreNotEnough(t *testing.T) {
	for text, want := range map[string]Verdict{
		"curl: (56) CONNECT tunnel failed, response 403":                      Sandboxed,
		"docs/e.md:15:curl: (56) CONNECT tunnel failed, response 403":         "",
		"// Error: bwrap: Can't create file at":                               "",
		"- Fixed \"Operation not permitted\" when binding a unix socket (#1)": "",
		"12:00:01: curl: (56) CONNECT tunnel failed, response 403":            Sandboxed,
		"* CONNECT tunnel failed, response 403":                               Sandboxed,
		"* Fixed \"Operation not permitted\" of a unix socket":                "",
	} {
		if a, _ := Recognise(load(t), text, "linux", nil); a.Verdict != want {
			t.Errorf("%q: %q, want %q", text, a.Verdict, want)
		}
	}
}

// What speaks about an error is passed over where the text alone would not be
// enough; what prints one is not.
func TestProseIsNoError(t *testing.T) {
	for text, want := range map[string]string{
		"`getaddrinfo EAI_AGAIN` means DNS is down.":                          "",
		"docs/a.md:31:`sudo: effective uid is not 0`":                         "",
		"    socket: operation not permitted was confusing; print a hint":     "",
		"    throw new Error('OPENAI_API_KEY is not set');":                   "",
		"  ✓ maps EROFS: read-only file system to a 500 (3 ms)":               "",
		"a1b2c3d Explain \"No such process\"":                                 "",
		"    a_test.go:9: got \"Not a directory\", want nil":                  "",
		"  ● rejects when fetch failed":                                       "",
		"describe('Proxy Authentication Required', () => {":                   "",
		"java.lang.AssertionError: expected java.net.UnknownHostException: x": "",
		"    assertEquals(\"Read-only file system\", e)":                      "",
		"  assert err == 'Read-only file system'":                             "",
		"    raise OSError(\"Read-only file system: /opt/x\")":                "",
		"npm error EROFS: read-only file system, mkdir '/opt/assert-plus'":    "write-denied",
		"EROFS: read-only file system, open '/opt/assert/a.assert.js'":        "write-denied",
		"praise OSError: [Errno 30] Read-only file system":                    "write-denied",
		"raise E(e) httpx.ProxyError: 403 Forbidden":                          "egress-blocked",
		"Error: OPENAI_API_KEY is not set":                                    "env-missing",
		"E       OSError: [Errno 30] Read-only file system":                   "write-denied",
		"deadbee: kill: (12) - No such process":                               "process-hidden",
		"Error: getaddrinfo EAI_AGAIN example.com":                            "egress-direct",
		"`uv` failed: socket: operation not permitted":                        "unix-sockets",
		"Error: socket: Operation not permitted when connecting to /t/x":      "unix-sockets",
		"    net_test.go:12: socket() failed: Operation not permitted":        "unix-sockets",
	} {
		if a, _ := Recognise(load(t), text, "linux", nil); a.Entry.ID != want {
			t.Errorf("%q is taken for %q, want %q", text, a.Entry.ID, want)
		}
	}
}

// RefusedBy names a host only where the words leave no doubt which it is.
func TestRefusedBy(t *testing.T) {
	for text, want := range map[string]string{
		"Error 111 connecting to r.staging.example:6379. Connection refused.":              "r.staging.example",
		"Error: connect ECONNREFUSED 203.0.113.9:5432":                                     "203.0.113.9",
		"dial tcp 10.0.0.7:443: connect: connection refused":                               "10.0.0.7",
		"to server at \"db.example.org\" (10.0.0.7), port 5432 failed: Connection refused": "db.example.org",
		"dial tcp 127.0.0.1:5432: connect: connection refused":                             "",
		"dial tcp: lookup x.example on 10.0.0.2:53: connection refused":                    "",
		"ProxyError: connecting to proxy.example: Connection refused":                      "",
		"connecting to db:5432: Connection refused":                                        "",
		"java.net.ConnectException: Connection refused":                                    "",
		"from/to central (https://repo.maven.apache.org/maven2): Connection refused":       "",
		"dial tcp 127.1:80: connect: connection refused":                                   "",
	} {
		if got := RefusedBy(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// An error with another cause goes behind what the sandbox may have made.
func TestAnotherCauseIsNamed(t *testing.T) {
	port := "Error: listen EADDRINUSE: address already in use :::3000\n"
	for text, want := range map[string]string{
		port: "port-in-use",
		port + "Error: getaddrinfo EAI_AGAIN example.com":           "egress-direct",
		"Error: getaddrinfo EAI_AGAIN example.com\n" + port:         "egress-direct",
		port + "Error connecting to agent: Operation not permitted": "ssh-agent",
		"listen tcp 127.0.0.1:3128: bind: address already in use":   "",
		"src/a.js:3: // EADDRINUSE: retry":                          "",
		"bash: ./t: cannot execute binary file: Exec format error":  "wrong-system",
		" ! [rejected]  main -> main (fetch first)":                 "git-rejected",
	} {
		a, _ := Recognise(load(t), text, "linux", nil)
		if a.Entry.ID != want || a.Entry.Layer == None && a.Verdict != Ordinary {
			t.Errorf("%q is taken for %q (%s), want %q", text, a.Entry.ID, a.Verdict, want)
		}
	}
}

// What the text alone does not tell, or this platform, is unknown.
func TestAnotherCauseIsUnknown(t *testing.T) {
	port := "Error: listen EADDRINUSE: address already in use :::3000"
	for _, c := range []struct{ text, platform, want string }{
		{port, "linux", "port-in-use ordinary"},
		{port, "darwin", "port-in-use unknown"},
		{"Error response from daemon: Conflict. The container name \"/db\" is in use", "darwin", "daemon-answered unknown"},
		{"OSError: [Errno 8] Exec format error: './tool'", "linux", "wrong-system unknown"},
		{"bwrap: execvp /bin/bash: No such file or directory", "linux", "sandbox-no-shell sandbox"},
		{"bwrap: execvp mytool: No such file or directory", "linux", "hidden-path unknown"},
	} {
		a, _ := Recognise(load(t), c.text, c.platform, nil)
		if got := a.Entry.ID + " " + string(a.Verdict); got != c.want {
			t.Errorf("%q on %s: %q, want %q", c.text, c.platform, got, c.want)
		}
	}
}

// corpus are the texts of a file: "@@@ HEAD" stands on a line before each.
func corpus(t *testing.T, name string) map[string]string {
	t.Helper()
	data := testenv.Must(os.ReadFile("../../testdata/corpus/" + name))(t)
	texts := map[string]string{}
	for _, one := range strings.Split("\n"+string(data), "\n@@@ ")[1:] {
		head, text, _ := strings.Cut(one, "\n")
		texts[head] = text
	}
	return texts
}

func TestWhatIsPrintedGetsNoAnswer(t *testing.T) {
	for name, text := range corpus(t, "printed.txt") {
		if got := takenFor(t, text); got != "" {
			t.Errorf("%s is taken for %s", name, got)
		}
	}
}

func TestWhatFailedGetsItsEntry(t *testing.T) {
	for head, text := range corpus(t, "failed.txt") {
		want, name, _ := strings.Cut(head, " ")
		if got, _, _ := strings.Cut(takenFor(t, text), " "); got != want {
			t.Errorf("%s is taken for %q, want %s", name, got, want)
		}
	}
}

func TestWhatIsNotTheSandboxHasANextStep(t *testing.T) {
	for _, e := range load(t) {
		for _, platform := range []string{"linux", "darwin"} {
			a := Answer{Entry: e, Verdict: Ordinary}
			if len(a.Instead(platform)) == 0 {
				t.Errorf("%s on %s: nothing to do instead", e.ID, platform)
			}
			a.Verdict = Sandboxed
			if got := a.Instead(platform); got != nil {
				t.Errorf("%s on %s is the sandbox's: %q", e.ID, platform, got)
			}
		}
	}
}
