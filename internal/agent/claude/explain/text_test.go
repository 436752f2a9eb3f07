// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is pasted is judged on a machine where the
// circumstances of each text are real; no ordinary output is the sandbox's, and
// none of the sandbox's is called ordinary.

package explain

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/manifests"
)

// pasted is one text of testdata/corpus, in its circumstances.
type pasted struct {
	name, text string
	head       map[string]string
}

// texts are the samples of a directory of testdata/corpus.
func texts(t *testing.T, dir string) (list []pasted) {
	t.Helper()
	files, err := filepath.Glob("../../../../testdata/corpus/" + dir + "/*.txt")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d samples: %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, text, _ := strings.Cut(string(data), "---\n")
		s := pasted{name: dir + "/" + strings.TrimSuffix(filepath.Base(file), ".txt"), text: text, head: map[string]string{}}
		for line := range strings.Lines(head) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			s.head[key] = value
		}
		list = append(list, s)
	}
	return list
}

// bare says whether a sample has no circumstances of its own: one machine serves
// all of these.
func (s pasted) bare() bool {
	for _, key := range []string{"listens", "socket", "exists", "installed", "agent"} {
		if s.head[key] != "" {
			return false
		}
	}
	return !strings.Contains(s.text, "${")
}

// machines hands out the machines of samples.
type machines struct{ bare host.Reader }

// of is the machine of a sample, and its text there.
func (m *machines) of(t *testing.T, s pasted) (host.Reader, string) {
	t.Helper()
	if !s.bare() {
		return s.on(t)
	}
	if m.bare == nil {
		m.bare, _ = s.on(t)
	}
	return m.bare, s.text
}

// on is the machine of a sample, and its text there.
func (s pasted) on(t *testing.T) (host.Reader, string) {
	t.Helper()
	l := newLab(t)
	l.project = filepath.Join(l.home, "project")
	l.put("project/README.md", "")
	l.put("project/.claude/settings.json", `{"sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/", "**/.env", "**/*.pem", "**/*.key"]}, "network": {"strictAllowlist": true}}}`)
	fill := strings.NewReplacer("${HOME}", l.home)
	if s.head["listens"] != "" {
		server, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Close() })
		_, port, _ := net.SplitHostPort(server.Addr().String())
		fill = strings.NewReplacer("${HOME}", l.home, "${PORT}", port)
	}
	if s.head["socket"] != "" {
		dir, err := os.MkdirTemp("/tmp", "s") // the path of a socket has to be short
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		server, err := net.Listen("unix", filepath.Join(dir, "docker.sock"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Close() })
		fill = strings.NewReplacer("${HOME}", l.home, "${SOCKET}", server.Addr().String())
	}
	if path := s.head["exists"]; path != "" {
		rel, err := filepath.Rel(l.home, fill.Replace(path))
		if err != nil || strings.HasPrefix(rel, "..") {
			t.Fatalf("%s: %s lies outside of the home", s.name, path)
		}
		l.put(rel, "")
	}
	vars := testenv.Env(t, l.home)
	if path := fill.Replace(s.head["installed"]); path != "" {
		l.put(strings.TrimPrefix(path, l.home+"/"), "")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
		for i, v := range vars {
			if rest, ok := strings.CutPrefix(v, "PATH="); ok {
				vars[i] = "PATH=" + filepath.Dir(path) + ":" + rest
			}
		}
	}
	if s.head["agent"] != "" {
		l.put("agent.sock", "")
		vars = append(vars, "SSH_AUTH_SOCK="+l.path("agent.sock"))
	}
	h, err := host.New(env.System{Env: env.New(vars), GOOS: "linux", GOARCH: "amd64", UID: os.Getuid(), GID: os.Getgid(),
		Cwd: l.project, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return h, fill.Replace(s.text)
}

// byCommand are samples whose text alone does not tell: the command does, or
// when the file was made. Somebody who pastes them is told what the text says.
var byCommand = map[string]string{
	"ordinary/access-log":                "a log that was printed",
	"ordinary/cat-quotes-denials":        "a document that was printed",
	"ordinary/cat-quotes-hidden":         "a document that was printed",
	"ordinary/program-prints-violations": "a program that prints what only the runtime should",
	"ordinary/git-log-quotes-denials":    "a history that was printed",
	"ordinary/grep-quotes-denials":       "a document that was searched",
	"ordinary/command-remote":            "a program of another machine",
	"ordinary/docker-run-path":           "a path in a container",
	"ordinary/ssh-remote-path":           "a path of another machine",
	"ordinary/server-down-outside":       "it ran outside",
	"ordinary/ssh-agent-refused-outside": "it ran outside",
	"ordinary/ssh-publickey-outside":     "it ran outside",
	"denials/python-af-unix-inline":      "the family of the socket stands in the command",
	"denials/nested-bwrap":               "the command is bwrap itself",
	"denials/urllib-host-server":         "the port stands in the command",
}

func TestNoOrdinaryOutputIsExplainedByTheSandbox(t *testing.T) {
	testenv.Need(t, "bwrap", "socat") // or there is no sandbox
	entries := all(t)
	var m machines
	for _, s := range texts(t, "ordinary") {
		r, text := m.of(t, s)
		a, known := catalog.Recognise(entries, text, "linux", Look(t.Context(), r, ""))
		if known && a.Verdict == catalog.Sandboxed && byCommand[s.name] == "" {
			t.Errorf("%s: false alarm: %s: %q (%s)", s.name, a.Entry.ID, a.Line, a.Looked)
		}
	}
}

func TestDenialsAreExplained(t *testing.T) {
	testenv.Need(t, "bwrap", "socat")
	entries := all(t)
	var m machines
	for _, s := range texts(t, "denials") {
		r, text := m.of(t, s)
		a, known := catalog.Recognise(entries, text, "linux", Look(t.Context(), r, ""))
		if byCommand[s.name] != "" || s.head["entry"] == "ssh-config-owner" && !ownersShow(t) {
			continue
		}
		if !known || a.Entry.ID != s.head["entry"] || a.Verdict == catalog.Ordinary {
			t.Errorf("%s: taken for %s (%s, %q: %s)", s.name, a.Entry.ID, a.Verdict, a.Line, a.Looked)
		}
	}
}

// TestWhatPeopleReportIsExplained: texts of public threads, in circumstances in
// which the sandbox made them. What the machine cannot show is said to be
// unknown, with the right entry.
func TestWhatPeopleReportIsExplained(t *testing.T) {
	testenv.Need(t, "bwrap", "socat")
	entries := all(t)
	var m machines
	for _, s := range texts(t, "pasted") {
		if s.head["as"] == "user" && os.Getuid() == 0 ||
			s.head["entry"] == "ssh-config-owner" && !ownersShow(t) {
			continue
		}
		r, text := m.of(t, s)
		a, known := catalog.Recognise(entries, text, "linux", Look(t.Context(), r, ""))
		want := catalog.Undecided
		if v := s.head["verdict"]; v != "" {
			want = catalog.Verdict(v)
		}
		if !known || a.Entry.ID != s.head["entry"] || a.Verdict != want {
			t.Errorf("%s: want %s, %s, taken for %s (%s, %q: %s)", s.name, s.head["entry"], want, a.Entry.ID, a.Verdict, a.Line,
				a.Looked)
		}
	}
}

// TestAnyWitnessExplains: one of several files of a witness is enough.
func TestAnyWitnessExplains(t *testing.T) {
	r, _ := pasted{name: "bare"}.on(t)
	l := looker{ctx: t.Context(), r: r, outside: true}
	for witness, want := range map[string]catalog.Verdict{
		"/srv/gone /srv/missing": catalog.Undecided, // it may have been there
		"/dev/gone /dev/missing": catalog.Undecided, // the text may be of a machine that has it
		"/dev/gone /dev/null":    catalog.Sandboxed,
		"/dev/null /dev/gone":    catalog.Sandboxed,
	} {
		if v, words := l.witness(witness); v != want || v != catalog.Sandboxed && !strings.Contains(words, "/gone") {
			t.Errorf("%s: %s (%s), want %s", witness, v, words, want)
		}
	}
}

// ownersShow says whether root's files are root's here: in the namespace that
// an ordinary user's tests run in they look like nobody's, as in the sandbox.
func ownersShow(t *testing.T) bool {
	t.Helper()
	info, err := os.Stat("/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && owner.Uid == 0
}

func all(t *testing.T) []catalog.Entry {
	t.Helper()
	entries, err := catalog.Load("troubleshooting.toml", []byte(manifests.Troubleshooting))
	if err != nil {
		t.Fatal(err)
	}
	return entries
}
