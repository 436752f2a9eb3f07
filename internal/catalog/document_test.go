// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is printed from a document, a history, a listing or code
// is no error; an error beside the same marks is one.

package catalog

import (
	"slices"
	"testing"
)

// takenFor is the entry and the verdict of a text, "" for none. The machine shows
// that every file, port and socket is there.
func takenFor(t *testing.T, text string) string {
	t.Helper()
	a, known := Recognise(load(t), text, "linux", func(a Answer) (Verdict, string) {
		if a.Confirm == Barred {
			return Undecided, ""
		}
		if v, words := textOnly(a); a.Entry.Layer == None || v == Sandboxed {
			return v, words
		} else if a.Confirm == Login || a.Confirm == Explain {
			return v, words
		}
		file := slices.Contains([]Confirm{Exists, Allowed, Writable, Temporary}, a.Confirm)
		named := slices.ContainsFunc(a.Paths, Pathlike)
		if name, _ := ProgramIn(a.Line); a.Confirm == Program && name == "" || file && !named {
			return Silent, ""
		}
		return Sandboxed, "it is there"
	})
	if !known {
		return ""
	}
	return a.Entry.ID + " " + string(a.Verdict)
}

func TestAPrintedTextIsNoError(t *testing.T) {
	const (
		tunnel  = "curl: (56) CONNECT tunnel failed, response 403"
		socket  = "Error: listen EPERM: operation not permitted /tmp/x.sock"
		blocked = "egress-blocked sandbox"
	)
	for text, want := range map[string]string{
		// a Markdown page
		"# Network\n\nThe proxy answers:\n\n    " + tunnel + "\n\n## Sockets\n\nNone.":    "",
		"## 1.4.0\n\n### Fixed\n\n+ \"CONNECT tunnel failed, response 403\" names a host": "",
		"## What I did\n\nnpm ci\n\n## What I saw\n\n```\n" + socket + "\n```":            "unix-sockets unknown",
		"# git push\n" + tunnel:                               blocked,
		"# curl x\n" + tunnel + "\n# curl y\n\n" + tunnel:     blocked,
		"## Build\n" + tunnel:                                 blocked,
		"## Build\n\n" + tunnel + "\n\n## Summary\n\n1 error": "egress-blocked unknown",
		"## Build\n\n" + tunnel:                               blocked,
		// a history
		"commit 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567\nAuthor: Ann <ann@example.org>\nDate:   Mon\n\n    Retry\n\n" +
			"    It said\n        " + socket: "",
		"commit 0a1b2c3d\nAuthor: Ann <ann@example.org>\n\n    Retry\n" + tunnel: blocked,
		// a listing
		"#17  open    push: \"CONNECT tunnel failed, response 403\"   bug\n#16  closed  docs: say EROFS   docs": "",
		"17\tOPEN\tCONNECT tunnel failed, response 403\tbug\n16\tOPEN\tdocs: say EROFS\tdocs":                   "",
		"#17 0.311 Cloning into x\n#17 0.742 " + tunnel:                                                         "",
		"#17 open /opt/x: Read-only file system\n" +
			"#17 open /opt/y: Read-only file system": "write-denied sandbox",
		"/srv/main.go:14: dial\n" +
			"/srv/main.go:20: " + socket: "unix-sockets unknown",
		"docs/a.md:14:" + tunnel + "\ndocs/b.md:31:bwrap: setting up uid map: Permission denied": "",
		"docs/a.md:14:" + tunnel:                  "",
		"main.go:14: dial\nmain.go:20: " + socket: "unix-sockets unknown",
		// code, and the output of a test
		"    case EPERM:  return 'listen EPERM: operation not permitted';":      "",
		"\treturn \"Read-only file system: '/opt/x'\"":                          "",
		"x_test.go:44: got expected error: open /ro/x: read-only file system":   "",
		"x_test.go:44: unexpected error: listen EPERM: operation not permitted": "unix-sockets unknown",
		// a compiler's header
		"src/a.c:3:10: fatal error: event2/event.h: No such file or directory":             "",
		"a.c:3:10: fatal error: /home/dev/include/x.h: No such file or directory":          "hidden-path sandbox",
		"npm error enoent ENOENT: no such file or directory, open '/x/assert-plus/p.json'": "hidden-path sandbox",
	} {
		if got := takenFor(t, text); got != want {
			t.Errorf("%q is taken for %q, want %q", text, got, want)
		}
	}
}

// Of two errors in a text, one may say why the other came.
func TestWhatNamesTheCauseCounts(t *testing.T) {
	for text, want := range map[string]string{
		"make: TMPDIR value /tmp/claude: No such file or directory\nmake: /tmp/Gm8: Read-only file system": "tmpdir unknown",
		"sort: cannot create temporary file in '/tmp/claude-7': No such file or directory\n" +
			"touch: cannot touch '/tmp/x': Read-only file system": "tmpdir unknown",
		"touch: cannot touch '/tmp/x': Read-only file system": "tmp-read-only sandbox",
		"remote: Permission to acme/x.git denied to ann.\nfatal: unable to access 'https://github.com/acme/x.git/': " +
			"The requested URL returned error: 403": "server-refused unknown",
		"Load key \"/home/dev/.ssh/id\": bad permissions\ngit@x.example: Permission denied (publickey).": "permission-bits " +
			"ordinary",
		"@  WARNING: UNPROTECTED PRIVATE KEY FILE!  @\ngit@example.org: Permission denied (publickey).": "permission-bits " +
			"ordinary",
		"git@example.org: Permission denied (publickey).": "ssh-publickey sandbox",
		"npm error code EACCES\nnpm error syscall mkdir\nnpm error path /srv/.npm/_cacache\nnpm error errno -13\n" +
			"npm error\nnpm error Your cache folder contains root-owned files": "permission-bits unknown",
		"npm error code EROFS\nnpm error syscall open\nnpm error path /srv/.npm/_cacache\nnpm error errno -30\n" +
			"npm error\nnpm error Your cache folder contains root-owned files": "package-cache unknown",
		"LOG:  could not create Unix socket for address \"/srv/pg/.s.PGSQL.5432\": Permission denied\n" +
			"FATAL:  could not create any Unix-domain sockets": "permission-bits unknown",
		"FATAL:  could not create any Unix-domain sockets": "unix-sockets unknown",
		"curl: (56) CONNECT tunnel failed, response 403\n<sandbox_violations>\n" +
			"deny network-outbound x.example:443 (host is on the deny list)\n</sandbox_violations>": "egress-denied sandbox",
		"OSError: Tunnel connection failed: 403 host is on the deny list":      "egress-denied sandbox",
		"wget: Proxy tunneling failed: host is on the deny listUnable to":      "egress-denied sandbox",
		"Get \"https://x.example/list\": host is on the deny list":             "egress-denied sandbox",
		"npm error 403 403 host is on the deny list - GET https://x.example/a": "egress-denied sandbox",
		"OSError: Tunnel connection failed: 403 user denied":                   "egress-blocked sandbox",
		"warning: unable to access '.git/config.worktree': Permission denied\nfatal: unknown error occurred while " +
			"reading the configuration files": "git-worktree unknown",
		"snap-confine is packaged without necessary permissions and cannot continue":          "sudo unknown",
		"required permitted capability cap_sys_admin not found in current capabilities:\n  =": "sudo unknown",
		"scripts/check: 2: uv: not found":                                                     "command-hidden sandbox",
		"warning: spurious network error (1 try remaining): [56] (CONNECT tunnel failed, response 403)\n" +
			"error: failed to get `x`": "egress-blocked sandbox",
		"warning: spurious network error (2 tries remaining): [56] (CONNECT tunnel failed, response 403)\n" +
			"error: linking with `cc` failed": "egress-blocked unknown",
	} {
		if got := takenFor(t, text); got != want {
			t.Errorf("%q is taken for %q, want %q", text, got, want)
		}
	}
}

// A screen breaks a line where the next word does not fit.
func TestABrokenLineIsRead(t *testing.T) {
	for text, want := range map[string]string{
		"  cd in '/etc/systemd/system/multi-user.target.wants' was blocked. For security, Claude\n" +
			"  Code may only change directories to the allowed working directories for this\n  session.": "permission-rule " +
			"sandbox",
		"a line was blocked.\nFor security, Claude Code may only say one thing on a line that is much longer": "",
	} {
		if got := takenFor(t, text); got != want {
			t.Errorf("%q is taken for %q, want %q", text, got, want)
		}
	}
}
