// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every source is asked as in use, over HTTP and through the
// real npm client; whatever it answers is releases, or a reason.

package upstream_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/steward-setup/steward-setup/internal/agent/claude" // whose versions are compared
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/upstream"
)

func TestMain(m *testing.M) { os.Exit(testenv.Offline(m)) }

// good are answers as the sources give them: GitHub's list of releases, a
// registry's document of a package, a server's listing of a directory.
var good = map[string]string{
	"bubblewrap": `[{"tag_name":"v0.11.2","name":"Release 0.11.2","draft":false,"prerelease":false,` +
		`"published_at":"2026-04-23T14:06:02Z",` +
		`"html_url":"https://github.com/containers/bubblewrap/releases/tag/v0.11.2","assets":[]}]`,
	"claude-code": `{"name":"@anthropic-ai/claude-code","dist-tags":{"latest":"2.1.330"},` +
		`"versions":{"2.1.330":{"name":"@anthropic-ai/claude-code",` +
		`"version":"2.1.330",` +
		`"dist":{"tarball":"http://127.0.0.1:1/x.tgz","shasum":"` + strings.Repeat("0", 40) + `"}}},` +
		`"time":{"created":"2025-02-24T00:00:00Z","modified":"2026-11-20T00:00:00Z",` +
		`"2.1.330":"2026-11-20T21:09:41Z"}}`,
	"socat": "<html><head><title>Index of /socat/download</title></head><body><pre>\n" +
		`<img src="/icons/compressed.gif" alt="[   ]"> ` +
		`<a href="socat-1.8.1.3.tar.gz">socat-1.8.1.3.tar.gz</a>  2026-06-26 10:00  752K` + "\n</pre></body></html>\n",
}

// empty are answers without a release.
var empty = map[string]string{"bubblewrap": "[]", "socat": "<html><pre></pre></html>",
	"claude-code": `{"name":"@anthropic-ai/claude-code","dist-tags":{},"versions":{},` +
		`"time":{"created":"2025-02-24T00:00:00Z"}}`}

func TestEverySourceAndAnswer(t *testing.T) {
	testenv.Need(t, "npm")
	body := func(texts map[string]string) func(http.ResponseWriter, *http.Request, string) {
		return func(w http.ResponseWriter, _ *http.Request, tool string) { _, _ = w.Write([]byte(texts[tool])) }
	}
	same := func(text string) map[string]string {
		return map[string]string{"bubblewrap": text, "socat": text, "claude-code": text}
	}
	for name, c := range map[string]struct {
		answer  func(w http.ResponseWriter, req *http.Request, tool string)
		timeout time.Duration
		want    []string // reasons, one of them; none if it is good
	}{
		"good":    {answer: body(good)},
		"empty":   {answer: body(empty), want: []string{"has no release that is understood", "the answer is not understood"}},
		"nothing": {answer: body(nil), want: []string{"is not understood", "has no release that is understood"}},
		"cut": {answer: body(map[string]string{"bubblewrap": good["bubblewrap"][:40], "socat": good["socat"][:90],
			"claude-code": good["claude-code"][:150]}),
			want: []string{"not understood", "has no release that is understood"}},
		"huge": {answer: body(same(strings.Repeat(" ", 5<<20))),
			want: []string{"the answer is larger than 4 MB", "npm's answer is not understood"}},
		"rate limit": {answer: status(http.StatusTooManyRequests), want: []string{"the server's rate limit is reached"}},
		"slow": {answer: func(_ http.ResponseWriter, req *http.Request, _ string) { <-req.Context().Done() },
			timeout: 300 * time.Millisecond, want: []string{"no answer in time"}},
		"not there": {answer: status(http.StatusNotFound), want: []string{"the server answered 404",
			"the registry does not have the package"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				for tool := range good {
					if strings.Contains(req.URL.Path, tool) {
						c.answer(w, req, tool)
					}
				}
			}))
			defer server.Close()
			defer server.CloseClientConnections()
			h, set := machine(t, server.URL)
			for _, pin := range set.Pins {
				a, err := upstream.Look(t.Context(), h, pin, upstream.Options{Timeout: c.timeout})
				switch {
				case c.want == nil && (err != nil || len(a.Releases) != 1 || a.Releases[0].Version != pin.Version ||
					a.Releases[0].At.IsZero()):
					t.Errorf("%s: %+v %v", pin.Tool, a, err)
				case c.want != nil && (err == nil || !slices.ContainsFunc(c.want, func(why string) bool {
					return strings.Contains(err.Error(), why)
				})):
					t.Errorf("%s: %+v %v, want %q", pin.Tool, a, err, c.want)
				}
			}
			if c.want != nil {
				return
			}
			server.Close() // what was kept is used, also without a network
			for _, pin := range set.Pins {
				a, err := upstream.Look(t.Context(), h, pin, upstream.Options{Offline: true})
				if err != nil || !a.Cached || len(a.Releases) != 1 {
					t.Errorf("%s from the cache: %+v %v", pin.Tool, a, err)
				}
			}
		})
	}
}

func status(code int) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(code) }
}

// machine is a home whose sources are all one server.
func machine(t *testing.T, server string) (*host.Host, pins.Set) {
	t.Helper()
	home := testenv.Home(t)
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, home, "PATH=/usr/local/bin:/usr/bin:/bin")), GOOS: "linux",
		UID: os.Getuid(), Cwd: home, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	local := pins.LocalPath(h.Places().Config)
	over := fmt.Sprintf("[tools.bubblewrap]\nversion = '0.11.2'\nupstream_releases = "+
		"'%[1]s/containers/bubblewrap/releases'\n"+
		"[tools.socat]\nversion = '1.8.1.3'\nupstream_releases = '%[1]s/socat/download/'\n"+
		"[tools.claude-code]\nversion = '2.1.330'\n", server)
	testenv.OK(t, errors.Join(os.MkdirAll(filepath.Dir(local), 0o755), os.WriteFile(local, []byte(over), 0o600),
		os.WriteFile(filepath.Join(home, ".npmrc"), []byte("registry="+server+"/\n"), 0o600)))
	set := testenv.Must(pins.Load(h, h.Places().Config, ""))(t)
	return h, set
}
