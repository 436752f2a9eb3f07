// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package sessions plays sessions of the real runtime for tests: by itself against
// the scripted model, or, for the program under test, on a stage. Where nothing that
// an answer depends on has changed it is read from an earlier run (docs/tests.md).
//
// Contract: only _test files import it. Each session is counted for the closing
// lines of test.sh. A session whose sandbox came too late says something of the
// machine's load and nothing else, and is played again.
package sessions

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// Session is one start of the runtime in print mode.
type Session struct {
	// Claude is the runtime; Home its home, Dir where it starts below that.
	Claude, Home, Dir string
	// Args follow "-p go --model …", Vars are added to the environment.
	Args, Vars []string
	Script     []model.Turn
	// Start works out another start, with the model at url: a launch of this
	// program. Then a call may be missing.
	Start func(url string) (path string, argv, environ []string)
	// Late says that the test keeps the sandbox from coming up: what the
	// runtime then does is what is looked at.
	Late bool
	// Beside says what the answer depends on that does not lie in files, "" for
	// nothing: then none is kept.
	Beside string
}

// Played is a session that has come to its end.
type Played struct {
	*model.Server
	// Out is what the runtime printed.
	Out string
	// looked is called when a test looks at what a recording does not have.
	looked func()
	// told answers Told from a recording, and records the answer of what was played.
	told func(words string, answer func() bool) bool
}

// Requests are what the model was sent. A session is not recorded of which a test asks it.
func (p Played) Requests() []model.Request {
	if p.looked != nil {
		p.looked()
	}
	return p.Server.Requests()
}

// Told says whether the model was sent words, as they stand in the JSON of a request.
func (p Played) Told(words string) bool {
	answer := func() bool {
		return slices.ContainsFunc(p.Server.Requests(), func(r model.Request) bool {
			return strings.Contains(string(r.Body), words)
		})
	}
	if p.told != nil {
		return p.told(words, answer)
	}
	return answer()
}

// started is a model, and the runtime that is to ask it.
type started struct {
	*model.Server
	cmd *exec.Cmd
}

func (s Session) start(t testing.TB) started {
	t.Helper()
	server, err := play.Serve(s.Script...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	ctx, stop := context.WithTimeout(t.Context(), testenv.Patience)
	t.Cleanup(stop)
	var cmd *exec.Cmd
	if s.Start == nil {
		cmd = exec.CommandContext(ctx, s.Claude, append([]string{"-p", "go", "--model", "claude-sonnet-4-5"}, s.Args...)...)
		cmd.Env = testenv.Env(t, s.Home, append(Environ(server.URL()), s.Vars...)...)
	} else {
		path, argv, environ := s.Start(server.URL())
		cmd = exec.CommandContext(ctx, path)
		cmd.Args, cmd.Env = argv, environ
	}
	cmd.Dir = filepath.Join(s.Home, s.Dir)
	return started{server, cmd}
}

// play has the runtime come to its end.
func (s Session) play(t testing.TB, p started) Played {
	t.Helper()
	if s.Start == nil { // no test is about how its engine goes about it, and no digest of one
		p.cmd.Env = append(p.cmd.Env, play.Claude{}.Light()...)
	}
	out, err := p.cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for turn, calls := range s.Script {
		for i := range calls {
			if _, made := p.Result(turn, i); !made && s.Start == nil {
				t.Fatalf("call %d of turn %d was not made:\n%s", i, turn, out)
			}
		}
	}
	return Played{Server: p.Server, Out: string(out)}
}

// Play plays a session, or reads what it answered in an earlier run; a call that
// was not made fails the test.
func Play(t testing.TB, s Session) Played {
	t.Helper()
	var l *layout
	t.Cleanup(func() { l.end(t) }) // runs after what the session's own things are looked at with (testenv.Env)
	next := s.start(t)
	play := func() Played {
		p := s.play(t, next)
		if tooLate(p.Requests()) {
			next = s.start(t)
		}
		return p
	}
	if s.Late {
		count(t, "its sandbox is kept from coming up")
		return s.play(t, next)
	}
	l, roots, why := s.layout(next)
	if l == nil {
		return steady(t, why, play)
	}
	kept := l.known(t)
	if kept != nil && !l.due(*kept, time.Now()) {
		count(t, kept.from())
		p := kept.played(t, next.Server, l.words)
		l.tell(t, kept.brief())
		p.looked, p.told = l.looked(t, kept), l.asked(t, kept)
		return p
	}
	before, err := states(roots)
	if err != nil {
		t.Fatal(err)
	}
	p := steady(t, kept.why(), play)
	if tooLate(p.Requests()) {
		return p
	}
	if a := answerOf(t, s, p, before, roots, l.words); a != nil {
		l.settle(t, kept, *a, playedJudged)
		l.tell(t, a.brief())
		p.looked, p.told = l.looked(t, nil), l.asked(t, nil)
	}
	return p
}

// Environ is what the runtime needs to speak to the scripted model at url.
func Environ(url string) []string {
	return []string{claude.QuietVariable + "=1", "DISABLE_AUTOUPDATER=1", claude.KeyVariable + "=sk-fake-000",
		claude.AddressVariable + "=" + url}
}

// tries is how often a session is played whose sandbox came too late.
const tries = 4

// Steady plays a session again while its sandbox came too late. In the end what
// came last counts: a test that breaks the sandbox sees that.
func Steady[S interface{ Requests() []model.Request }](t testing.TB, play func() S) S {
	t.Helper()
	return steady(t, byItself, play)
}

func steady[S interface{ Requests() []model.Request }](t testing.TB, why string, play func() S) S {
	t.Helper()
	for i := 1; ; i++ {
		count(t, why)
		s := play()
		if i == tries || !tooLate(s.Requests()) {
			return s
		}
		t.Logf("the runtime's sandbox came too late: played again")
	}
}

func tooLate(requests []model.Request) bool {
	for _, r := range requests {
		if claude.SandboxCameLate(string(r.Body)) {
			return true
		}
	}
	return false
}

// Count counts one session that a test starts by itself.
func Count(t testing.TB) { t.Helper(); count(t, byItself) }

// Why a session is played, where no word of its own says it; the first two are not.
const (
	read         = "read"
	readRecorded = "recorded"
	byItself     = "the test starts it by itself"
	notKept      = "nothing is kept"
	unknown      = "no answer of it is kept"
	playedBy     = "one in twenty is played again"
)

// count counts one session, for the test that it is part of, with why it is played.
func count(t testing.TB, why string) {
	t.Helper()
	path := os.Getenv("STEWARD_TEST_SESSIONS") // test.sh
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(why + "\t" + testenv.Whole(t) + "\n")
		_ = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
