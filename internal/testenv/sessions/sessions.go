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
	// Late says that the test keeps the sandbox from coming up: what the
	// runtime then does is what is looked at.
	Late bool
}

// Played is a session that has come to its end.
type Played struct {
	*model.Server
	// Out is what the runtime printed.
	Out string
}

// Play plays a session, or reads what it answered in an earlier run; a call that
// was not made fails the test.
func Play(t testing.TB, s Session) Played {
	t.Helper()
	play := func() Played {
		server, err := play.Serve(s.Script...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Close)
		ctx, stop := context.WithTimeout(t.Context(), testenv.Patience)
		defer stop()
		cmd := exec.CommandContext(ctx, s.Claude, append([]string{"-p", "go", "--model", "claude-sonnet-4-5"}, s.Args...)...)
		cmd.Dir, cmd.Env = filepath.Join(s.Home, s.Dir), testenv.Env(t, s.Home, append(Environ(server.URL()), s.Vars...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for turn, calls := range s.Script {
			for i := range calls {
				if _, made := server.Result(turn, i); !made {
					t.Fatalf("call %d of turn %d was not made:\n%s", i, turn, out)
				}
			}
		}
		return Played{server, string(out)}
	}
	if s.Late {
		Count(t)
		return play()
	}
	l, roots := s.layout()
	if l == nil {
		return Steady(t, play)
	}
	kept := l.find()
	if kept != nil && !l.due(time.Now()) {
		countRead(t)
		return kept.played(t, s, l.words)
	}
	l.atEnd(t)
	before, err := states(roots)
	if err != nil {
		t.Fatal(err)
	}
	p := Steady(t, play)
	if tooLate(p.Requests()) {
		return p
	}
	if a := answerOf(t, s, p, before, roots, l.words); a != nil {
		l.settle(t, kept, *a, playedJudged)
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
	for i := 1; ; i++ {
		Count(t)
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

// Count counts one session that is played, for the test that it is part of.
func Count(t testing.TB) { t.Helper(); count(t, "") }

// countRead counts one that is read from an earlier run.
func countRead(t testing.TB) { t.Helper(); count(t, "read\t") }

func count(t testing.TB, how string) {
	t.Helper()
	path := os.Getenv("STEWARD_TEST_SESSIONS") // test.sh
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(how + testenv.Whole(t) + "\n")
		_ = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
