// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestProxy(t *testing.T) {
	for _, c := range []struct{ address, vars, want string }{
		{"https://a.example.com/", "https_proxy=127.0.0.1:3128", "http://127.0.0.1:3128"},
		{"https://a.example.com/", "HTTPS_PROXY=proxy:3128", "http://proxy:3128"},
		{"https://a.example.com/", "https_proxy=socks5://proxy:1080", "socks5://proxy:1080"},
		{"http://a.example.com/", "HTTP_PROXY=proxy:3128", ""},
		{"https://localhost/", "https_proxy=proxy:3128", ""},
		{"https://a.example.com/", "https_proxy=proxy:3128 no_proxy=other.com,example.com", ""},
		{"https://a.example.com/", "https_proxy=proxy:3128 NO_PROXY=.Example.com", ""},
		{"https://a.example.com/", "https_proxy=proxy:3128 NO_PROXY=*", ""},
		{"https://a.example.com:8443/", "https_proxy=proxy:3128 no_proxy=example.com:8443", ""},
		{"https://a.example.com/", "https_proxy=proxy:3128 no_proxy=example.com:8443", "http://proxy:3128"},
		{"https://anexample.com/", "https_proxy=proxy:3128 no_proxy=example.com", "http://proxy:3128"},
		{"https://10.1.2.3/", "https_proxy=proxy:3128 no_proxy=10.0.0.0/8", ""},
		{"https://110.1.2.3/", "https_proxy=proxy:3128 no_proxy=10.1.2.3,1.2.3", "http://proxy:3128"},
		{"https://[fd00::1]/", "https_proxy=proxy:3128 no_proxy=fd00::1", ""},
	} {
		req := testenv.Must(http.NewRequestWithContext(context.Background(), http.MethodGet, c.address, nil))(t)
		u, err := proxy(env.New(strings.Fields(c.vars)))(req)
		got := ""
		if u != nil {
			got = u.String()
		}
		if err != nil || got != c.want {
			t.Errorf("%s with %s: %q, %v, want %q", c.address, c.vars, got, err, c.want)
		}
	}
}

func TestAProxyThatIsNone(t *testing.T) {
	for _, value := range []string{"http://u:hunter2@proxy:port", "ftp://u:hunter2@proxy", "http://",
		"u:hunter2%zz@proxy"} {
		_, err := Get(context.Background(), env.New([]string{"https_proxy=" + value}), "https://a.example.invalid/",
			"text/html", 0)
		if err == nil || err.Error() != "https_proxy is not the address of a proxy" {
			t.Errorf("%s: %v", value, err)
		}
	}
}
