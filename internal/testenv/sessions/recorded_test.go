// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestARecordingIsReadOnAnotherMachine: where the kernel, the packages and what
// everything is built from are others.
func TestARecordingIsReadOnAnotherMachine(t *testing.T) {
	keeping(t)
	judging = true
	t.Cleanup(func() { judging = false })
	t.Setenv(testenv.Recording, t.TempDir())
	l := layoutOf("text" + part(ofMachine, "one") + part(ofPlayer, "one"))
	l.settle(t, nil, answer{Test: "TestX", Played: time.Now().Add(-10 * age), Out: "out"}, playedJudged)
	l.tell(t, *l.settled)
	l.end(t)
	t.Setenv(testenv.Recordings, os.Getenv(testenv.Recording))
	t.Setenv(keptIn, t.TempDir())
	t.Setenv(common, "another")
	other := layoutOf("text" + part(ofMachine, "two") + part(ofPlayer, "two"))
	a := other.known(t)
	if a == nil || a.Out != "out" || a.from() != readRecorded || other.name == l.name {
		t.Fatalf("another machine reads %+v", a)
	}
	for text, l := range map[string]*layout{"another session": layoutOf("text2"),
		"one of the program": layoutOf("text" + part(ofProgram, "one"))} {
		if l.known(t) != nil {
			t.Errorf("%s is read", text)
		}
	}
	other.settle(&noting{TB: t}, a, answer{Results: map[string]model.Result{"call": {Error: true}}}, playedJudged)
	if other.settled != nil {
		t.Error("an answer that differs from its recording is kept")
	}
	t.Run("anew", func(t *testing.T) {
		Anew(t)
		if other.known(t) != nil {
			t.Error("a test that proves something reads a recording")
		}
	})
	apart.Clear()
	judging = false
	if other.known(t) != nil {
		t.Error("a package that does not say so reads a recording")
	}
	t.Run("reads", func(t *testing.T) {
		Reads(t)
		if other.known(t) == nil {
			t.Error("a test that may reads none in such a package")
		}
	})
	apart.Clear()
}

// TestTheProgramUnderTestCountsWithItsSources, however it was built: what a machine has of
// its own has no part in the name of a recording.
func TestTheProgramUnderTestCountsWithItsSources(t *testing.T) {
	keeping(t)
	binary := filepath.Join(t.TempDir(), "binary")
	testenv.Write(t, binary, elf, 0o755)
	t.Setenv("STEWARD_TEST_BINARY", binary)
	dir := t.TempDir()
	record := func() string {
		var out strings.Builder
		tree(&out, dir, false)
		return layoutOf(out.String()).record
	}
	if err := os.Symlink("/bin/true", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	one := record()
	if err := os.Remove(filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if one == "" || record() == one {
		t.Errorf("the name of a link's recording: %q, without it %q", one, record())
	}
	testenv.Write(t, filepath.Join(dir, "hook"), elf, 0o755)
	t.Setenv(programSources, "")
	if record() != "" {
		t.Error("a session with the program under test has a recording, of whatever sources")
	}
	t.Setenv(programSources, "one")
	built := record()
	t.Setenv(program, "built on another machine")
	if again := record(); built == "" || again != built {
		t.Errorf("the same sources, built twice, have the recordings %q and %q", built, again)
	}
	t.Setenv(programSources, "two")
	if record() == built {
		t.Error("other sources have the same recording")
	}
	testenv.Write(t, filepath.Join(dir, "hook"), elf+"another", 0o755)
	if record() == "" {
		t.Error("one with another program has none")
	}
}

// TestASessionWithoutAStageIsRecordedByWhatItsCallsGotBack, and by whether the model was
// sent the words that its test asks for, but not if it looks at more of that.
func TestASessionWithoutAStageIsRecordedByWhatItsCallsGotBack(t *testing.T) {
	testenv.Need(t, "curl")
	counted := keeping(t)
	judging = true
	t.Cleanup(func() { judging = false })
	t.Setenv(testenv.Recording, t.TempDir())
	play := func(t testing.TB) Played {
		home := testenv.Home(t)
		runtime := filepath.Join(home, "claude")
		testenv.Write(t, runtime, `#!/bin/sh
echo "by $HOME" >left
mkdir -p .claude/projects/p
echo VENDOR >.claude/projects/p/1.jsonl
exec curl -s "$URL/v1/messages" -d '{"system":"VENDOR","messages":[{"role":"user","content":[
{"type":"tool_result","tool_use_id":"toolu_0_0","content":"at '"$HOME"'","is_error":true}]}]}'
`, 0o755)
		p := Play(t, Session{Claude: runtime, Home: home, Script: []model.Turn{{model.Bash("true")}},
			Start: func(url string) (string, []string, []string) {
				return runtime, []string{"claude"}, []string{"HOME=" + home, "URL=" + url, "PATH=/usr/bin:/bin"}
			}})
		if r, made := p.Result(0, 0); !made || !r.Error || r.Text != "at "+home {
			t.Errorf("the call got back %+v, %v", r, made)
		}
		if got := testenv.Read(t, filepath.Join(home, "left")); got != "by "+home+"\n" {
			t.Errorf("it left %q", got)
		}
		return p
	}
	recorded := func() []os.DirEntry {
		list, err := os.ReadDir(os.Getenv(testenv.Recording))
		testenv.OK(t, err)
		return list
	}
	t.Run("looked at", func(t *testing.T) { play(t).Requests() })
	if list := recorded(); len(list) > 0 {
		t.Errorf("recorded although its test looks at what the model was sent: %v", list)
	}
	told := func(t testing.TB, p Played) {
		t.Helper()
		if !p.Told("VENDOR") || p.Told("NOBODY") {
			t.Errorf("the model was sent VENDOR: %v, NOBODY: %v", p.Told("VENDOR"), p.Told("NOBODY"))
		}
	}
	t.Run("recorded", func(t *testing.T) { told(t, play(t)) })
	list := recorded()
	if len(list) != 1 {
		t.Fatalf("recorded: %v", list)
	}
	var a answer
	testenv.OK(t, json.Unmarshal([]byte(testenv.Read(t, filepath.Join(os.Getenv(testenv.Recording), list[0].Name()))), &a))
	if len(a.Requests) > 0 || len(a.Results) != 1 {
		t.Errorf("recorded are %d requests and what %d calls got back", len(a.Requests), len(a.Results))
	}
	for _, l := range a.Left {
		if strings.Contains(string(l.Data), "VENDOR") {
			t.Errorf("a transcript is recorded: %s", l.Path)
		}
	}
	t.Setenv(testenv.Recordings, os.Getenv(testenv.Recording))
	t.Setenv(keptIn, t.TempDir())
	t.Run("read", func(t *testing.T) {
		n := &noting{TB: t}
		p := play(n)
		for _, end := range n.at {
			t.Cleanup(end)
		}
		if strings.HasSuffix(testenv.Read(t, counted), playedBy+"\t"+testenv.Whole(t)+"\n") {
			return // it is due today
		}
		told(t, p)
		if p.Told("never asked for"); len(n.said) != 1 || !strings.Contains(n.said[0], "--record") {
			t.Errorf("a test that asks for words that nobody asked for is told %q", n.said)
		}
		n.said = nil
		if p.Requests(); len(n.said) != 1 || !strings.Contains(n.said[0], "--record") {
			t.Errorf("a test that looks at what a recording lacks is told %q", n.said)
		}
	})
}
