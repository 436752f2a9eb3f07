// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the rough reading of an error is held against examples.

package catalog

import (
	"strings"
	"testing"
)

func TestSubjects(t *testing.T) {
	for text, want := range map[string]string{
		"cat: /a b/c: No such file or directory":                         "/a b/c|b/c",
		"ls: cannot access '/a b': No such file or directory":            "/a b",
		"head: cannot open '/a' for reading: No such file or directory":  "/a",
		"mkdir: cannot create directory ‘/a’: No such file or directory": "/a",
		"x: line 3: /opt/x: No such file or directory":                   "/opt/x|/opt/x",
		"open /a: no such file or directory":                             "open /a|/a",
		"FileNotFoundError: [Errno 2] No such file or directory: '/a'":   "[Errno 2]|2]|/a",
		"Error: ENOENT: no such file or directory, open '/a'":            "ENOENT|ENOENT|/a",
		"zsh: no such file or directory: /a":                             "zsh|zsh|/a",
		"couldn't create directory /tmp/x (No such file or directory)": "couldn't create directory " +
			"/tmp/x|/tmp/x",
		"tar: .env: Cannot open: No such file or directory":                                 ".env|.env",
		"No such file or directory":                                                         "|",
		"mkdir('/a/b'): (error: 30): No such file or directory":                             "/a/b",
		"`initialize': No such file or directory @ rb_sysopen - /a b/c (Errno::ENOENT)":     "initialize|/a b/c",
		"PHP Warning:  fopen(/a/b): Failed to open stream: No such file or directory in /c": "/a/b",
		"E: Could not open lock file /a/lock - open (30: No such file or directory)": "Could not open lock file " +
			"/a/lock|/a/lock",
		`rsync: [receiver] mkstemp "/a/.x" failed: No such file or directory (2)`:     "/a/.x",
		`Can't create/write to file '/a/b' (Errcode: 30 "No such file or directory")`: "/a/b",
		"one\ntwo: No such file or directory\nthree: No such file or directory\n":     "two|two|three|three",
	} {
		if got := strings.Join(Subjects(text, "no such file or directory"), "|"); got != want {
			t.Errorf("%q is about %q, want %q", text, got, want)
		}
	}
}

func TestProgramIn(t *testing.T) {
	for text, want := range map[string]string{
		"bash: line 1: uv: command not found": "uv", "./deploy.sh: line 3: jq: command not found": "jq",
		"bash: uv: command not found":  "uv",
		"zsh:1: command not found: uv": "uv", "/bin/sh: 1: uv: not found": "uv", "curl: 404: not found": "",
		"/usr/bin/env: 'node': No such file or directory": "node", "env: ‘uv’: No such file or directory": "uv",
		"fish: Unknown command: uv":                      "uv",
		`exec: "uv": executable file not found in $PATH`: "uv", "Error: spawn uv ENOENT": "uv",
		"Error: spawn /opt/uv ENOENT":             "",
		"make: poetry: No such file or directory": "poetry", "xargs: uv: No such file or directory": "uv",
		"timeout: failed to run command ‘uv’: No such file or directory":        "uv",
		"FileNotFoundError: [Errno 2] No such file or directory: 'ruff'":        "ruff",
		"error: could not execute process `sccache rustc -vV` (never executed)": "sccache",
		"Could not find `protoc`. If `protoc` is installed, try setting PROTOC": "protoc",
		"error: no such command: `nextest`":                                     "cargo-nextest",
		"git: 'absorb' is not a git command. See 'git --help'.":                 "git-absorb",
		"`pre-commit` not found.  Did you forget to activate your virtualenv?":  "pre-commit",
		"Command 'uv' not found, but can be installed with:":                    "uv",
		"Could not find Chrome (ver. 131.0.1).":                                 "",
		"make: /opt/uv: No such file or directory":                              "",
		"a .env: b: No such file or directory":                                  "", "sh: 1: ./x: not found": "",
		"nothing": "",
	} {
		if got, _ := ProgramIn(text); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
	if _, sure := ProgramIn("FileNotFoundError: [Errno 2] No such file or directory: 'a.toml'"); sure {
		t.Error("a file is surely a program")
	}
}

func TestElided(t *testing.T) {
	for path, want := range map[string]bool{".../a": true, "/home/.../a": true, "a/..": false, "../a": false,
		"a...": false, "": false} {
		if Elided(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}

// TestByMode: only what makes, moves, removes or runs a file is refused by owner
// and mode alone.
func TestByMode(t *testing.T) {
	for line, want := range map[string]bool{
		"Error: EACCES: permission denied, mkdir '/opt/x'":           true,
		"mkdir: cannot create directory '/opt/x': Permission denied": true,
		"bash: line 1: ./x: Permission denied":                       true,
		"zsh: permission denied: ./x":                                true,
		`exec: "./x": permission denied`:                             true,
		"cat: .env: Permission denied":                               false,
		"open /a/b: permission denied":                               false,
		"zsh: permission denied: /a/b":                               false,
		"cat: ./.env: Permission denied":                             false,
	} {
		if ByMode(line) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}

func TestOwnedIn(t *testing.T) {
	const file = "/etc/ssh/ssh_config.d/20-systemd-ssh-proxy.conf"
	for text, want := range map[string]string{
		"Bad owner or permissions on " + file:       file,
		"Bad owner or permissions on ~/.ssh/config": "", "nothing": "",
	} {
		if got := OwnedIn(text); got != want {
			t.Errorf("%q names %q", text, got)
		}
	}
}

func TestSocketPath(t *testing.T) {
	for text, want := range map[string]string{
		"at unix:///var/run/docker.sock. Is the daemon running?": "/var/run/docker.sock",
		"dial unix /run/p.sock: connect: x":                      "/run/p.sock", "dial unix ///run/p.sock: x": "/run/p.sock",
		"tcp://h:1": "",
	} {
		if got := SocketPath(text); got != want {
			t.Errorf("%q names %q", text, got)
		}
	}
}
