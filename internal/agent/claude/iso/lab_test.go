// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a throwaway machine with a repository, a secret, and a
// way to start the real runtime on it, with and without the launch of this
// package.

package iso_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == withKey {
		fmt.Fprintln(os.Stderr, startWithKey(os.Args[2:]))
		os.Exit(1)
	}
	os.Exit(testenv.Offline(sessions.Recorded(m)))
}

// withKey makes this binary a shell with a key in its keyring; see
// TestTheSessionKeyring.
const withKey = "with-key"

var startWithKey func(args []string) error

// secret is what no command of the agent's may print.
const secret = "CANARY-SECRET"

// policy hides the home and keeps .env closed by a rule; it is what the user
// has approved.
const policy = `{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"],"allowRead":["."]}},
"permissions":{"deny":["Read(**/.env)","Edit(.claude/settings.json)"]}}`

type lab struct {
	t                         *testing.T
	home, project, marks, bin string
	// runtime is the agent that is started, the pinned one if not set.
	runtime string
	// server is the model of a session that a test plays by itself, url where
	// that of the next one is.
	server *model.Server
	url    string
	vars   []string
	// beside is sessions.Session.Beside.
	beside string
	// root holds system files of the machine, "" if they are the real ones.
	root string
}

// newLab makes the machine: a repository ~/p whose settings are the policy.
func newLab(t *testing.T) *lab {
	t.Helper()
	testenv.Need(t, "git")
	home := testenv.Home(t)
	l := &lab{t: t, home: home, project: filepath.Join(home, "p"), marks: testenv.Home(t), bin: testenv.Home(t)}
	l.put("secret.txt", secret+"\n")
	l.put("p/README.md", "README\n")
	l.put("p/.env", "TOKEN="+secret+"\n")
	l.put("p/sub/.env", "TOKEN="+secret+"\n")
	l.put("p/.gitignore", ".env\n.claude/settings.local.json\n")
	l.put("p/.claude/settings.json", policy)
	l.put(".claude.json", `{"hasCompletedOnboarding":true}`)
	l.git("init", "-q")
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "x")
	return l
}

func (l *lab) put(name, text string) string {
	l.t.Helper()
	path := filepath.Join(l.home, name)
	testenv.Write(l.t, path, text, 0o755)
	return path
}

// furnish puts into a directory of the home what 2.1.141 would make in .claude, which
// the launch keeps read-only: without it no command of that version starts.
func (l *lab) furnish(dir string) {
	l.t.Helper()
	for _, name := range []string{"commands", "agents"} {
		testenv.OK(l.t, os.Mkdir(filepath.Join(l.home, dir, ".claude", name), 0o755))
	}
}

func (l *lab) git(args ...string) {
	l.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = l.project, append(testenv.Env(l.t, l.home), testenv.GitDates...)
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// settings merges top-level keys into the policy, as ~/p/.claude/settings.json.
func (l *lab) settings(keys string) {
	l.t.Helper()
	var doc, more map[string]any
	if err := json.Unmarshal([]byte(policy), &doc); err != nil {
		l.t.Fatal(err)
	}
	keys = strings.NewReplacer("HOME", l.home, "MARKS", l.marks).Replace(keys)
	if err := json.Unmarshal([]byte(keys), &more); err != nil {
		l.t.Fatalf("%v: %s", err, keys)
	}
	maps.Copy(doc, more)
	b, err := json.Marshal(doc)
	if err != nil {
		l.t.Fatal(err)
	}
	l.put("p/.claude/settings.json", string(b))
}

// mark is a script that leaves a mark of this name when it runs, then does
// what follows.
func (l *lab) mark(name, then string) string {
	return "#!/bin/sh\ntouch '" + l.marks + "/" + name + "'\n" + then + "\n"
}

func (l *lab) marked(name string) bool {
	_, err := os.Stat(filepath.Join(l.marks, name))
	return err == nil
}

// environ is the user's environment, with what the runtime needs to speak to
// the scripted model.
func (l *lab) environ() []string {
	vars := []string{"SHELL=/bin/bash",
		"CLAUDE_ISO_ALLOW=CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC DISABLE_AUTOUPDATER ANTHROPIC_API_KEY ANTHROPIC_BASE_URL",
		"PATH=" + l.bin + ":/usr/local/bin:/usr/bin:/bin"}
	vars = append(vars, sessions.Environ(cmp.Or(l.url, "http://127.0.0.1:9"))...)
	return testenv.Env(l.t, l.home, append(vars, l.vars...)...)
}

func (l *lab) host(dir string) host.Reader {
	l.t.Helper()
	h, err := host.New(env.System{Env: env.New(l.environ()), GOOS: "linux", Cwd: dir, UID: os.Getuid(), Root: l.root,
		Now: time.Now})
	if err != nil {
		l.t.Fatal(err)
	}
	return h
}

// approve approves what is there now, as iso --approve writes it.
func (l *lab) approve(items ...iso.Kind) {
	l.t.Helper()
	h := l.host(l.project)
	launch, err := iso.Survey(h, l.project)
	if err != nil {
		l.t.Fatal(err)
	}
	var load []iso.Item
	for _, i := range launch.Items {
		if slices.Contains(items, i.Kind) {
			load = append(load, i)
		}
	}
	p, err := launch.Approval(h, load)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, c := range p.Changes() {
		rel, err := filepath.Rel(l.home, c.Target)
		if err != nil {
			l.t.Fatal(err)
		}
		l.put(rel, string(c.After))
	}
}

// prepare works out a launch in a directory below the home.
func (l *lab) prepare(dir string, o iso.Options) (iso.Launch, error) {
	l.t.Helper()
	launch, _, err := iso.Prepare(context.Background(), l.host(filepath.Join(l.home, dir)), o)
	if err == nil {
		err = launch.Refuse(o)
	}
	return launch, err
}

// headless are the arguments of a session without a person.
var headless = []string{"-p", "go", "--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-4-5",
	"--allowedTools", "Bash", "Read"}

// session is a finished session of the real runtime.
type session struct {
	sessions.Played
	out string
}

// plain starts the runtime as it is, in a directory below the home.
func (l *lab) plain(dir string, script ...model.Turn) session {
	l.t.Helper()
	return l.plainWith(dir, nil, script...)
}

// plainWith starts it with these arguments before those of a session.
func (l *lab) plainWith(dir string, args []string, script ...model.Turn) session {
	l.t.Helper()
	return l.play(dir, script, func() (string, []string, []string) {
		return filepath.Join(l.bin, "claude"), slices.Concat([]string{"claude"}, args, headless), l.environ()
	})
}

// hardened starts it as iso does, with the arguments of o before those of a
// session; the test ends if it is refused.
func (l *lab) hardened(dir string, o iso.Options, script ...model.Turn) session {
	l.t.Helper()
	o.Args = slices.Concat(o.Args, headless)
	return l.play(dir, script, l.launch(dir, o))
}

// launch works out the start that iso makes.
func (l *lab) launch(dir string, o iso.Options) func() (path string, argv, environ []string) {
	return func() (string, []string, []string) {
		l.t.Helper()
		launch, err := l.prepare(dir, o)
		if err != nil {
			l.t.Fatal(err)
		}
		return launch.Runtime.Path, launch.Argv, launch.Environ
	}
}

// play plays a session below the home, or reads what it answered in an earlier
// run.
func (l *lab) play(dir string, script []model.Turn, start func() (path string, argv, environ []string)) session {
	l.t.Helper()
	l.install()
	p := sessions.Play(l.t, sessions.Session{Claude: l.runtime, Home: l.home, Dir: dir, Script: script, Beside: l.beside,
		Start: func(url string) (string, []string, []string) {
			l.url = url
			return start()
		}})
	return session{p, p.Out}
}

// install puts the real runtime on PATH.
func (l *lab) install() {
	l.t.Helper()
	testenv.Need(l.t, "bwrap", "socat")
	if l.runtime == "" {
		l.runtime = testenv.Claude(l.t)
	}
	name := filepath.Join(l.bin, "claude")
	if _, err := os.Lstat(name); err != nil {
		if err := os.Symlink(l.runtime, name); err != nil {
			l.t.Fatal(err)
		}
	}
}

// claude puts the real runtime on PATH and the scripted model behind it.
func (l *lab) claude(script []model.Turn) string {
	l.t.Helper()
	l.install()
	server, err := play.Serve(script...)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(server.Close)
	l.server, l.url = server, server.URL()
	return filepath.Join(l.bin, "claude")
}

// text is what a call got back; a call that was not made fails the test.
func (s session) text(t *testing.T, turn int) string {
	t.Helper()
	r, ok := s.Result(turn, 0)
	if !ok {
		t.Fatalf("call %d was not made:\n%s", turn, s.out)
	}
	return r.Text
}

// calls is a script of one call a turn.
func calls(list ...model.Call) []model.Turn {
	var script []model.Turn
	for _, c := range list {
		script = append(script, model.Turn{c})
	}
	return script
}

// open is a call that prints a file without naming it to lexical rules.
func open(path string) model.Call {
	return model.Bash(`python3 -c "print(open('` + path + `').read())"`)
}

// openAny prints each of the files that can be opened, in one command.
func openAny(paths ...string) model.Call {
	return model.Bash(`python3 -c "
for path in ['` + strings.Join(paths, `', '`) + `']:
    try: print(open(path).read())
    except OSError as e: print(e)"`)
}

func readTool(path string) model.Call {
	return model.Call{Tool: "Read", Input: map[string]any{"file_path": path}}
}
