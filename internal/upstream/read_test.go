// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"strings"
	"testing"
	"time"
)

func FuzzRead(f *testing.F) {
	f.Add(`[{"tag_name":"v0.11.2","published_at":"2026-04-23T00:00:00Z","html_url":"https://github.com/x/y"}]`)
	f.Add(`{"created":"2026-01-01T00:00:00Z","2.1.329":"2026-11-19T00:00:00Z","2.1.330-beta.1":"2026-11-19T00:00:00Z"}`)
	f.Add(`<a href="socat-1.8.1.3.tar.gz">socat-1.8.1.3.tar.gz</a> 2026-06-26 10:00`)
	f.Add(`<a href="socat-1.8.1.3.tar.gz">socat-1.8.1.3.tar.gz</a> 26-Jun-2026 10:00`)
	f.Fuzz(func(t *testing.T, text string) {
		for tool, read := range map[string]func() ([]Release, error){
			"bubblewrap": func() ([]Release, error) { return readGitHub("bubblewrap", []byte(text)) },
			"claude-code": func() ([]Release, error) {
				return readNpm("claude-code", "https://github.com/a/b/releases", []byte(text))
			},
			"socat": func() ([]Release, error) { return readIndex("socat", "http://x.invalid/download/", []byte(text)) },
		} {
			list, err := read()
			if err != nil && list != nil {
				t.Fatalf("%s: %v %v", tool, list, err)
			}
			for _, r := range list {
				if !version(tool, r.Version) || strings.ContainsAny(r.Version+r.Page, " \n\x1b\"'<>") {
					t.Fatalf("%s: %+v", tool, r)
				}
			}
		}
	})
}

func TestTheAnswersOfEachSource(t *testing.T) {
	day := time.Date(2026, 6, 26, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		list []Release
		err  error
		want string
	}{
		"github": {want: "1.2.3@2026-06-26"},
		"npm":    {want: "2.1.329@2026-06-26 https://github.com/a/b/releases/tag/v2.1.329"},
		"apache": {want: "1.8.1.3@2026-06-26"},
		"nginx":  {want: "1.8.1.3@2026-06-26"},
	} {
		switch name {
		case "github":
			c.list, c.err = readGitHub("bubblewrap",
				[]byte(`[{"tag_name":"v1.2.3","published_at":"2026-06-26T00:00:00Z","html_url":"javascript:x"},{"tag_name":"v2.0-rc1","published_at":"2026-06-26T00:00:00Z"}]`))
		case "npm":
			c.list, c.err = readNpm("claude-code", "https://github.com/a/b/releases",
				[]byte(`{"created":"2026-06-26T00:00:00Z","2.1.329":"2026-06-26T00:00:00Z","2.1.330-rc.1":"2026-06-26T00:00:00Z"}`))
		case "apache":
			c.list, c.err = readIndex("socat", "", []byte("<a href=\"socat-1.8.1.3.tar.gz\">x</a> 2026-06-26 10:00\n"+
				"<a href=\"socat-1.8.1.3.tar.bz2\">x</a>\n<a href=\"filan-1.0.tar.gz\">x</a> 2026-06-26\n"))
		case "nginx":
			c.list, c.err = readIndex("socat", "", []byte("<a href=\"./socat-1.8.1.3.tar.gz\">x</a>  26-Jun-2026 10:00"))
		}
		if c.err != nil || len(c.list) != 1 || !c.list[0].At.Equal(day) {
			t.Errorf("%s: %+v %v", name, c.list, c.err)
			continue
		}
		if got := strings.TrimSpace(c.list[0].Version + "@" + c.list[0].At.Format(time.DateOnly) + " " +
			c.list[0].Page); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
