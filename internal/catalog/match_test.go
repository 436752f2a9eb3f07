// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each test states what a text is taken for; the search is held
// against the plainest reading of its rules.

package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

func anything(Found) bool { return true }

func TestEveryExampleIsRecognised(t *testing.T) {
	for _, e := range load(t) {
		for _, s := range e.Symptoms {
			text := "Exit code 1\nsome output before\n" + s.Example + "\nsome output behind\n"
			f, ok := Match(text, "run "+s.Command, anything)
			if !ok || f.Hint.ID != e.ID {
				t.Errorf("%s: %q is taken for %v", e.ID, s.Example, f)
				continue
			}
			if !strings.Contains(text, f.Text) || !strings.Contains(s.Example, strings.TrimSpace(f.Text)) {
				t.Errorf("%s: it is said to stand in %q", e.ID, f.Text)
			}
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct{ name, text, command, want string }{
		{"case does not matter", "ERROR CONNECTING TO AGENT: operation NOT permitted", "", "ssh-agent"},
		{"pieces in order", "gpg: keydb_search failed: No agent running", "", "gpg-sign"},
		{"not in another order", "No agent running for gpg: x", "", ""},
		{"not on two lines", "gpg: starting\nNo agent running", "", ""},
		{"a piece that came too early", "gpg: x\ngpg: y No agent running", "", "gpg-sign"},
		{"at the start of a line", "bwrap: setting up uid map: Permission denied", "", "userns"},
		{"indented", "x\n \t bwrap: setting up uid map: x", "", "userns"},
		{"quoted in a listing", "docs/a.md:3:bwrap: setting up uid map: x", "", ""},
		{"in a sentence", "it printed bwrap: Can't mount proc on x", "", ""},
		{"quoted first, then real", "a bwrap: setting up uid map: bwrap: x\nbwrap: setting up uid map: y", "", "userns"},
		{"lines within reach", "socket.AF_UNIX\n2\n3\n4\n5\n6\n7\nPermissionError: [Errno 1] Operation not permitted", "",
			"unix-sockets"},
		{"lines out of reach", "socket.AF_UNIX\n2\n3\n4\n5\n6\n7\n8\nPermissionError: [Errno 1] Operation not permitted", "",
			""},
		{"a later start is in reach", "AF_UNIX\n2\n3\n4\n5\n6\n7\nAF_UNIX\nPermissionError: [Errno 1] Operation not " +
			"permitted", "", "unix-sockets"},
		{"the command asks for it", "    _socket.socket.__init__(self)\nPermissionError: [Errno 1] Operation not permitted",
			"python3 -c 'socket(AF_UNIX)'", "unix-sockets"},
		{"another command", "    _socket.socket.__init__(self)\nPermissionError: [Errno 1] Operation not permitted",
			"ping -c 1 host", ""},
		{"priority, not position", "cat: x: No such file or directory\ncurl: (56) CONNECT tunnel failed, response 403", "",
			"egress-blocked"},
		{"a carriage return ends no line", "x\rgpg: y: No agent running\r\n", "", "gpg-sign"},
		{"one of several pieces, before the match", "uv: /home/dev/.bun/x: Read-only file system", "", "package-cache"},
		{"one of several pieces, behind it", "EROFS: read-only file system, open '/home/dev/.bun/x'", "", "package-cache"},
		{"none of them", "EROFS: read-only file system, open '/opt/x'", "", "write-denied"},
		{"a piece that speaks of another cause", "bwrap: Can't create file at /.flatpak-info: x", "", ""},
		{"that piece on another line", ".flatpak-info\nbwrap: Can't create file at /x: y", "", "sandbox-layout"},
		{"nothing", "all tests passed", "", ""},
		{"empty", "", "", ""},
		{"shorter than any anchor", "denied", "", ""},
	} {
		f, ok := Match(c.text, c.command, anything)
		id := ""
		if ok {
			id = f.Hint.ID
		}
		if id != c.want {
			t.Errorf("%s: %q is taken for %q, want %q", c.name, c.text, id, c.want)
		}
	}
}

// TestALabelBeforeALauncher: a label before an error of what starts the command
// changes nothing, and no symptom of it stands where a more exact one cannot.
func TestALabelBeforeALauncher(t *testing.T) {
	seen := 0
	for _, e := range load(t) {
		for _, s := range e.Symptoms {
			if !slices.ContainsFunc(launchers, func(l string) bool { return strings.HasPrefix(s.Example, l) }) {
				continue
			}
			seen++
			if !s.Start {
				t.Errorf("%s: %q may stand anywhere in a line", e.ID, s.Match)
			}
			bare, _ := Match(s.Example, s.Command, anything)
			for _, label := range []string{"Error: ", "[exec] ", "tool failed: "} {
				if f, ok := Match(label+s.Example, s.Command, anything); !ok || f.Hint != bare.Hint {
					t.Errorf("%q is not taken for %s", label+s.Example, bare.Hint.ID)
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d symptoms", seen)
	}
}

func TestMatchGoesOnUntilOneIsAccepted(t *testing.T) {
	text := strings.Repeat("ls: cannot access 'x': No such file or directory\n", 5) +
		"cat: '/home/dev/.netrc': No such file or directory\n"
	asked := 0
	f, ok := Match(text, "", func(f Found) bool { asked++; return strings.Contains(f.Text, ".netrc") })
	if !ok || asked != 6 || f.Text != "cat: '/home/dev/.netrc': No such file or directory" || f.Confirm != Exists {
		t.Errorf("asked %d times, got %+v, %v", asked, f, ok)
	}
	asked = 0
	Match(strings.Repeat(text, 100), "", func(Found) bool { asked++; return false })
	if asked != perSignature {
		t.Errorf("asked %d times", asked)
	}
}

// A line without end is searched in pieces; a symptom in the middle of it is
// found all the same.
func TestMatchInALongLine(t *testing.T) {
	for _, noise := range []string{"x", "Permission denied, ", "gpg: ", "No agent running ", "127.0.0.1 ",
		"<sandbox_violations>"} {
		long := strings.Repeat(noise, (1<<20)/len(noise))
		f, ok := Match(long+"gpg: a: No agent running"+long, "", func(f Found) bool { return f.Hint.ID == "gpg-sign" })
		if !ok || len(f.Text) > 2*reach {
			t.Errorf("%q around: found %v, in %d bytes", noise, ok, len(f.Text))
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, e := range load(f) {
		for _, s := range e.Symptoms {
			f.Add(s.Example, s.Command)
		}
	}
	f.Fuzz(func(t *testing.T, text, command string) {
		text = text[:min(len(text), 1<<10)] // below every bound of the search
		got, ok := Match(text, command, anything)
		want := naive(text, command)
		if ok != (want >= 0) || ok && got.Hint != &hints[signatures[want].entry] {
			t.Errorf("%q is taken for %v, want signature %d", text, got, want)
		}
		raw := testenv.Must(json.Marshal(text))(t)
		if ok && !(Possible(text) && Possible(string(raw))) {
			t.Errorf("%s is not possible", raw)
		}
	})
}

// naive is Match as its documentation reads: each signature at each place.
func naive(text, command string) int {
	text, command = toLower(text), strings.ToLower(command[:min(len(command), maxCommand)])
	for i := range signatures {
		sig := &signatures[i]
		if !strings.Contains(command, sig.command) {
			continue
		}
		for at := range len(text) {
			line := text[1+strings.LastIndexByte(text[:at], '\n') : at]
			if !strings.HasPrefix(text[at:], sig.match[0]) || sig.start && !sig.begins(line) {
				continue
			}
			rest := strings.SplitAfterN(text[at:], "\n", max(1, sig.within)+1)
			lines := strings.Join(rest[:min(len(rest), max(1, sig.within))], "")
			whole, all := line+lines, true
			for _, piece := range sig.match {
				_, after, found := strings.Cut(lines, piece)
				lines, all = after, all && found
			}
			behind, _, _ := strings.Cut(lines, "\n")
			if all && sig.fits(whole[:len(whole)-len(lines)+len(behind)]) {
				return i
			}
		}
	}
	return -1
}

func BenchmarkMatch(b *testing.B) {
	small := "Exit code 1\ncat: /home/dev/.aws/credentials: No such file or directory\n"
	log := strings.Repeat("2026-11-20 10:00:00 INFO  worker 7: request 1234 from 127.0.0.1 done in 12 ms\n", (1<<20)/80)
	dense := strings.Repeat("cp: cannot stat 'x': No such file or directory\nchmod: x: Operation not permitted\n",
		(1<<20)/80)
	for _, c := range []struct{ name, text string }{{"small", small}, {"1MiB-log", log}, {"1MiB-dense", dense}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				Match(c.text, "make", func(Found) bool { return false })
			}
		})
		b.Run("possible-"+c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				Possible(c.text)
			}
		})
	}
}
