// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a throwaway machine with a repository, the policy that
// install writes, and real-looking secrets; and a theatre on it whose stage
// program is this test binary.

package rehearsal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	claudecode "github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// On a stage this binary is the program: the entry, the player, the tool, and
// the clean-env launch.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		var err error
		switch os.Args[1] {
		case "stage":
			err = Inside(context.Background(), os.Stdin, os.Stdout, env.New(os.Environ()), os.Args[2:])
		case "iso":
			err = launch(os.Args[3:])
		case "hook":
			_, err = fmt.Println(`{"systemMessage":"the program's own hook ran"}`)
		case "verifying": // see TestNothingIsLeft
			err = verifying(os.Args[2:])
		default:
			os.Exit(testenv.Offline(m))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(testenv.Offline(m))
}

// launch is "steward-setup iso -- ARGS".
func launch(args []string) error {
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	h, err := host.New(env.System{Env: env.New(os.Environ()), GOOS: "linux", UID: os.Getuid(), GID: os.Getgid(), Cwd: cwd,
		Executable: stage.Self, Now: time.Now})
	if err != nil {
		return err
	}
	o := iso.Options{Args: args}
	l, _, err := iso.Prepare(context.Background(), h, o)
	if err == nil {
		err = l.Refuse(o)
	}
	if err != nil {
		return err
	}
	return proc.Exec(l.Runtime.Path, l.Argv, l.Environ)
}

// secret stands in every file that no rehearsal may read.
const secret = "REAL-SECRET-OF-THE-USER"

// lab is the machine.
type lab struct {
	t             testing.TB
	home, project string
	environ       []string
	// live says that the test looks at the machine beside the stage.
	live bool
}

func newLab(t testing.TB) *lab {
	t.Helper()
	testenv.Need(t, "bwrap", "socat", "git")
	l := &lab{t: t, home: testenv.Home(t)}
	l.project = filepath.Join(l.home, "code", "p")
	l.environ = testenv.Env(t, l.home)
	l.put("code/p/.claude/settings.json", testenv.Read(t, "../../templates/settings.json"), 0o644)
	l.put("code/p/README.md", "hello\n", 0o600) // private: nobody, who plays for root, may read it too
	l.put("code/p/.env", "TOKEN="+secret+"\n", 0o600)
	l.put("code/p/sub/file", "deep\n", 0o644)
	l.put("unlisted.txt", secret+"\n", 0o644)
	l.put(".claude/settings.json", "{}\n", 0o644)
	for _, dir := range []string{"commands", "agents"} { // 2.1.141 makes them, where the policy keeps it from that
		testenv.OK(t, os.Mkdir(filepath.Join(l.project, ".claude", dir), 0o755))
	}
	l.git(l.project, "init", "-q")
	l.git(l.project, "add", ".")
	l.git(l.project, "commit", "-qm", "x")
	return l
}

// put writes a file below the home.
func (l *lab) put(name, text string, mode os.FileMode) string {
	l.t.Helper()
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(l.home, name)
	}
	testenv.Write(l.t, path, text, mode)
	return path
}

func (l *lab) git(dir string, args ...string) {
	l.t.Helper()
	testenv.Git(l.t, l.environ, dir, args...)
}

// host is the machine as the program sees it.
func (l *lab) host(extra ...string) host.Reader { return l.machine("", extra...) }

// rooted is the machine with its system files below root.
func (l *lab) rooted(root string) host.Reader { return l.machine(root) }

func (l *lab) machine(root string, extra ...string) host.Reader {
	l.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		l.t.Fatal(err)
	}
	h, err := host.New(env.System{Env: env.New(append(slices.Clone(l.environ), extra...)), GOOS: "linux", UID: os.Getuid(),
		GID: os.Getgid(),
		Cwd: l.project, Executable: exe, Root: root, Now: time.Now})
	if err != nil {
		l.t.Fatal(err)
	}
	if l.live {
		return sessions.Live(l.t, h)
	}
	return sessions.Counted(l.t, h)
}

// nonce is that of every run here.
const nonce = "nonce"

// theatre plays with the runtime at claude.
func (l *lab) theatre(claude string, extra ...string) *Theatre {
	h := l.host(extra...)
	return &Theatre{Host: h, Agent: claudecode.Claude{}, Run: nonce, Trees: []host.Tree{host.FindTree(h, l.project)},
		Names:    []string{"denied.example"},
		Programs: []string{"python3", "curl"}, Runtime: claude}
}

// play plays one session, whose name the test's is.
func (l *lab) play(p Player, s Session) Raw {
	l.t.Helper()
	if s.Launch == "" {
		s.Launch = report.Plain
	}
	if s.Dir == "" {
		s.Dir = l.project
	}
	if s.Name == "" {
		s.Name = string(s.Mode)
	}
	raw, err := p.Play(context.Background(), s)
	if err != nil {
		l.t.Fatalf("%s: %v", s.Name, err)
	}
	if err := raw.Complete(); err != nil && len(s.Turns) > 0 {
		l.t.Fatalf("%s: %v\nstderr: %s\nstream: %.2000s", s.Name, err, raw.Stderr, raw.Stream)
	}
	return raw
}

// calls is one turn with the opaque tool, or any Bash command.
func calls(commands ...string) []model.Turn {
	var turn model.Turn
	for _, c := range commands {
		turn = append(turn, model.Bash(c))
	}
	return []model.Turn{turn}
}

// canary is the nonce of a path of this run.
func canary(path string) string { return stage.Nonce(nonce, path) }

// wantReply compares what a call got back.
func wantReply(t testing.TB, raw Raw, i int, want string) {
	t.Helper()
	if got := raw.Results[model.ID(0, i)]; !strings.Contains(got.Text, want) {
		t.Errorf("%s, call %d: %q, want %q in it", raw.Session, i, got.Text, want)
	}
}

func rejectReply(t testing.TB, raw Raw, i int, not string) {
	t.Helper()
	got, ok := raw.Results[model.ID(0, i)]
	if !ok || strings.Contains(got.Text, not) {
		t.Errorf("%s, call %d: %q (made: %v), want no %q in it", raw.Session, i, got.Text, ok, not)
	}
}

// verifying is a process that plays a session, for TestNothingIsLeft: its
// arguments are the project, the runtime and the command.
func verifying(args []string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	h, err := host.New(env.System{Env: env.New(os.Environ()), GOOS: "linux", UID: os.Getuid(), GID: os.Getgid(),
		Cwd: args[0], Executable: exe, Now: time.Now})
	if err != nil {
		return err
	}
	th := &Theatre{Host: h, Agent: claudecode.Claude{}, Run: nonce, Runtime: args[1],
		Trees: []host.Tree{host.FindTree(h, args[0])}}
	raw, err := th.Play(context.Background(), Session{Name: "killed", Launch: report.Plain, Mode: Policy, Dir: args[0],
		Turns: calls(args[2])})
	return fmt.Errorf("%v, %+v", err, raw) // it is killed before
}
