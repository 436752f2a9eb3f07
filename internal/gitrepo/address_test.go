// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package gitrepo_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAddressesAreReadAsGitReadsThem: ssh is what git 2.39 gives to ssh, its options
// apart: port, user and host, path; "" where it starts none.
func TestAddressesAreReadAsGitReadsThem(t *testing.T) {
	ssh := func(user, host, port, path string) gitrepo.Address {
		return gitrepo.Address{Scheme: "ssh", User: user, Secret: strings.Contains(user, ":"), Host: host, Port: port,
			Path: path}
	}
	web := func(scheme, user, host, port, path string) gitrepo.Address {
		a := ssh(user, host, port, path)
		a.Scheme = scheme
		return a
	}
	file := func(path string) gitrepo.Address { return gitrepo.Address{Scheme: "file", Path: path} }
	type row struct {
		text string
		want gitrepo.Address
		ssh  string
	}
	rows := []row{
		{"git@github.com:a/b.git", ssh("git", "github.com", "", "a/b.git"), "git@github.com a/b.git"},
		{"github.com:a/b", ssh("", "github.com", "", "a/b"), "github.com a/b"},
		{"HOST.example:a/b", ssh("", "HOST.example", "", "a/b"), "HOST.example a/b"},
		{"git@github.com:/a/b.git", ssh("git", "github.com", "", "a/b.git"), "git@github.com /a/b.git"},
		{"a@b@host:x/y", ssh("a@b", "host", "", "x/y"), "a@b@host x/y"},
		{"git@[::1]:a/b", ssh("git", "::1", "", "a/b"), "git@::1 a/b"},
		{"[git@host:22]:a/b", ssh("git", "host", "22", "a/b"), "-p 22 git@host a/b"},
		{"[host]:a/b", ssh("", "host", "", "a/b"), "host a/b"},
		{"git@host:~/a/b", ssh("git", "host", "", "~/a/b"), "git@host ~/a/b"},
		{"host:", ssh("", "host", "", ""), "host "},
		{`C:\repos\a`, ssh("", "C", "", `\repos\a`), `C \repos\a`},
		{"C:/repos/a", ssh("", "C", "", "repos/a"), "C /repos/a"},
		{"ssh://git@host/a/b.git", ssh("git", "host", "", "a/b.git"), "git@host /a/b.git"},
		{"ssh://git@host:2222/a/b", ssh("git", "host", "2222", "a/b"), "-p 2222 git@host /a/b"},
		{"ssh://host:/a/b", ssh("", "host", "", "a/b"), "host /a/b"},
		{"ssh://[::1]:22/a/b", ssh("", "::1", "22", "a/b"), "-p 22 ::1 /a/b"},
		{"ssh://git:pw@host/a/b", ssh("git:pw", "host", "", "a/b"), "git:pw@host /a/b"},
		{"ssh://git@host/~u/a/b", ssh("git", "host", "", "~u/a/b"), "git@host ~u/a/b"},
		{"git+ssh://git@host/a/b", ssh("git", "host", "", "a/b"), "git@host /a/b"},
		{"ssh+git://git@host/a/b", ssh("git", "host", "", "a/b"), "git@host /a/b"},
		{"https://host/a/b.git", web("https", "", "host", "", "a/b.git"), ""},
		{"https://user@host:8443/a/b", web("https", "user", "host", "8443", "a/b"), ""},
		{"https://user:p%40w@host/a/b", web("https", "user:p%40w", "host", "", "a/b"), ""},
		{"https://x@y@host/z", web("https", "x@y", "host", "", "z"), ""},
		{"https://host", web("https", "", "host", "", ""), ""},
		{"http://host/a/b", web("http", "", "host", "", "a/b"), ""},
		{"git://host/a/b", web("git", "", "host", "", "a/b"), ""},
		{"ftp://host/a/b", web("ftp", "", "host", "", "a/b"), ""},
		{"/srv/a/b.git", file("/srv/a/b.git"), ""},
		{"./a:b", file("./a:b"), ""},
		{"../a/b", file("../a/b"), ""},
		{"a/b:c/d", file("a/b:c/d"), ""},
		{"github.com/a/b", file("github.com/a/b"), ""},
		{"name", file("name"), ""},
		{"file:///srv/a/b", file("/srv/a/b"), ""},
		{"file://host/a/b", file("//host/a/b"), ""},
		{"ext::sh -c id", gitrepo.Address{Helper: "ext"}, ""},
	}
	for _, none := range []string{"", ":a/b", "git@:a/b", "-oProxyCommand=x:a/b", "git@-oProxyCommand=x:a/b",
		"ssh://-oProxyCommand=x/a/b", "ssh://host:2a/a", "ssh:///a/b", "https:///a/b", "https://", "SSH://git@host/a/b",
		"HTTPS://host/a/b", "[host:a/b", "[]:a", "ssh://[::1/a", "ssh://[::1]x/a", "ssh://%2doProxyCommand/a", "file://",
		"://host/a", "::x"} {
		rows = append(rows, row{text: none})
	}
	testenv.Need(t, "git")
	dir := t.TempDir()
	fake := filepath.Join(dir, "ssh")
	testenv.Write(t, fake, "#!/bin/sh\nprintf 'SSH\\037' >&2\nprintf '%s\\037' \"$@\" >&2\nexit 1\n", 0o755)
	for _, r := range rows {
		got, ok := gitrepo.ParseAddress(r.text)
		if none := r.want == (gitrepo.Address{}); ok == none || ok && got != r.want {
			t.Errorf("%q: %+v, %t; want %+v", r.text, got, ok, r.want)
		}
		if r.want.Scheme != "ssh" {
			continue
		}
		git := exec.CommandContext(context.Background(), "git", "ls-remote", "--", r.text)
		git.Dir = dir
		git.Env = append(testenv.Env(t, dir), "GIT_SSH="+fake, "GIT_SSH_VARIANT=ssh", "GIT_PROTOCOL_FROM_USER=1")
		said, _ := git.CombinedOutput() // the ssh of this test always fails
		_, args, _ := strings.Cut(string(said), "SSH\x1f")
		words := strings.Split(args, "\x1f")
		if len(words) > 1 && words[0] == "-o" {
			words = words[2:]
		}
		words = words[:max(0, len(words)-1)]
		if n := len(words); n > 0 {
			words[n-1] = strings.TrimSuffix(strings.TrimPrefix(words[n-1], "git-upload-pack '"), "'")
		}
		if called := strings.Join(words, " "); called != r.ssh {
			t.Errorf("git asks ssh for %q as %q, want %q: %q", r.text, called, r.ssh, said)
		}
	}
}
