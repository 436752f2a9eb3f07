// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// keeping makes this test keep what it plays, and returns the file that counts.
func keeping(t *testing.T) (counted string) {
	t.Helper()
	dir := t.TempDir()
	counted = filepath.Join(t.TempDir(), "sessions")
	testenv.Write(t, counted, "", 0o644)
	for name, value := range map[string]string{keptIn: dir, common: "common", player: "player", program: "program",
		testenv.Live: "", "STEWARD_TEST_SESSIONS": counted} {
		t.Setenv(name, value)
	}
	return counted
}

// canary has the form of stage.Nonce.
func canary(run string) string { return fmt.Sprintf("canary%026x", run) }

const self = "/run/stage/bin/steward-setup" // stage.Self

// staging is a session on a stage of a machine at dir.
func staging(t *testing.T, dir, run string, change func(job map[string]any)) proc.Spec {
	t.Helper()
	canary := canary(run)
	job := map[string]any{"session": map[string]any{"Mode": "policy", "Launch": "plain", "Dir": dir, "Text": canary},
		"environ": []string{"ANTHROPIC_API_KEY=sk-ant-" + run},
		"files":   []map[string]any{{"path": dir + "/f", "data": []byte("see " + dir + " " + canary)}}}
	change(job)
	b, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	return proc.Stage([]string{"--ro-bind", "/", "/", "--ro-bind", dir, dir, "--ro-bind", "/bin/true", self},
		[][]byte{[]byte(canary)},
		self, "{}", b)
}

func TestALayoutIsTheSameInTwoRunsAndChangesWithEverythingInIt(t *testing.T) {
	keeping(t)
	none := func(map[string]any) {}
	name := func(s proc.Spec) string {
		text, why := staged(s)
		if why != "" {
			return "nothing is kept"
		}
		return layoutOf(text).name
	}
	machine := func(text string) string {
		dir := filepath.Join(t.TempDir(), "home")
		testenv.Write(t, filepath.Join(dir, "p/settings.json"), strings.ReplaceAll(text, "HOME", dir), 0o644)
		return dir
	}
	one := machine("HOME")
	want := name(staging(t, one, "0123456789ab", none))
	if got := name(staging(t, machine("HOME"), "ba9876543210", none)); got != want {
		t.Error("another machine that is the same has another name")
	}
	changed := map[string]string{}
	for _, part := range []string{common, player} {
		was := os.Getenv(part)
		t.Setenv(part, "another")
		changed[part] = name(staging(t, one, "0123456789ab", none))
		t.Setenv(part, was)
	}
	changed["a file"] = name(staging(t, machine("other"), "0123456789ab", none))
	changed["the script"] = name(staging(t, one, "0123456789ab", func(j map[string]any) {
		j["session"].(map[string]any)["Turns"] = []string{"other"}
	}))
	changed["what is laid"] = name(staging(t, one, "0123456789ab", func(j map[string]any) { j["files"] = nil }))
	changed["a clock"] = name(staging(t, one, "0123456789ab", func(j map[string]any) {
		j["session"].(map[string]any)["Timed"] = true
	}))
	if err := os.Chmod(filepath.Join(one, "p/settings.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	changed["a mode"] = name(staging(t, one, "0123456789ab", none))
	testenv.Write(t, filepath.Join(one, "program"), elf, 0o755)
	changed["a program"] = name(staging(t, one, "0123456789ab", none))
	testenv.Write(t, filepath.Join(one, "program"), elf+"2", 0o755)
	changed["another program"] = name(staging(t, one, "0123456789ab", none))
	seen := map[string]string{want: "nothing"}
	for what, got := range changed {
		if seen[got] != "" {
			t.Errorf("%s and %s have one name", what, seen[got])
		}
		seen[got] = what
	}
	if changed["a clock"] != "nothing is kept" {
		t.Error("a session with a clock is kept")
	}
}

func TestWordsAreReadBackInAnotherRun(t *testing.T) {
	text := func(dir, nonce string) string {
		return fmt.Sprintf("%s/p %s-p %x %s %x %x", dir, noLetter.ReplaceAllString(dir, "-"), dir+"/p", canary(nonce),
			canary(nonce), canary("another"+nonce))
	}
	a, b := filepath.Join(temporary(), "d1"), filepath.Join(temporary(), "d1234")
	was, is := wordsOf(text(a, "1")), wordsOf(text(b, "2"))
	if got := is.in.Replace(was.out.Replace(text(a, "1"))); got != text(b, "2") {
		t.Errorf("%s, want %s", got, text(b, "2"))
	}
}

// TestADirectoryOfATestIsOneWord, also where the testing package cut the test's name off.
func TestADirectoryOfATestIsOneWord(t *testing.T) {
	for _, name := range []string{"TestX1/001", "TestX_a,_b1/001", "TestX_a,3932532753/001", "TestX#01%=.2/002"} {
		dir := filepath.Join(temporary(), name)
		if got := random("'" + dir + "/f', " + dir + ",/etc"); !slices.Equal(got, []string{dir, dir}) {
			t.Errorf("of %s: %q", dir, got)
		}
	}
}

func TestTheIndexOfGitCountsWithoutItsTimes(t *testing.T) {
	testenv.Need(t, "git")
	repository := func(text, date string) string {
		home := testenv.Home(t)
		testenv.Write(t, filepath.Join(home, "p/f"), text, 0o644)
		at, err := time.Parse(time.DateOnly, date)
		if err == nil {
			err = os.Chtimes(filepath.Join(home, "p/f"), at, at)
		}
		if err != nil {
			t.Fatal(err)
		}
		environ := testenv.Env(t, home)
		testenv.Git(t, environ, filepath.Join(home, "p"), "init", "-q")
		testenv.Git(t, environ, filepath.Join(home, "p"), "add", ".")
		return string(index([]byte(testenv.Read(t, filepath.Join(home, "p/.git/index")))))
	}
	one := repository("a\n", "2020-01-01")
	if repository("a\n", "2021-01-01") != one {
		t.Error("times make a difference")
	}
	if repository("b\n", "2020-01-01") == one {
		t.Error("content makes none")
	}
}

// fake is a runtime that tells its home and leaves files.
const fake = `#!/bin/sh
echo "home $HOME"
echo "by $HOME" >"$HOME/p/left"
rm -f "$HOME/p/gone"
`

// TestATrapIsSeenBeforeAnAnswerIsKept: what a test's environment looks at when it
// ends comes first.
func TestATrapIsSeenBeforeAnAnswerIsKept(t *testing.T) {
	keeping(t)
	home := testenv.Home(t)
	runtime := filepath.Join(home, "claude")
	testenv.Write(t, runtime, "#!/bin/sh\nexit 0\n", 0o755)
	s := Session{Claude: runtime, Home: home}
	l, _, _ := s.layout(s.start(t))
	n := &noting{TB: t}
	Play(n, s)
	// The last that was made looks first.
	for i, f := range slices.Backward(n.at) {
		if l.find() != nil {
			t.Errorf("the answer is kept, and %d are to look yet", i+1)
		}
		f()
	}
	if l.find() == nil || len(n.at) < 2 {
		t.Errorf("kept: %v; %d looked", l.find(), len(n.at))
	}
}

// noting is a test that notes what it is told.
type noting struct {
	testing.TB
	said   []string
	at     []func()
	failed bool
}

func (n *noting) Errorf(format string, args ...any) {
	n.failed = true
	n.said = append(n.said, fmt.Sprintf(format, args...))
}
func (n *noting) Fatal(args ...any)                 { n.Errorf("%s", fmt.Sprint(args...)) }
func (n *noting) Fatalf(format string, args ...any) { n.Errorf(format, args...) }
func (n *noting) Helper()                           {}
func (n *noting) Failed() bool                      { return n.failed }
func (n *noting) Cleanup(f func())                  { n.at = append(n.at, f) }
func (n *noting) ends()                             { n.at[0]() }

func TestAnAnswerThatDiffersFailsAndIsForgotten(t *testing.T) {
	keeping(t)
	l := layoutOf("text")
	raw := func(failed bool) answer {
		return answer{Test: "TestX", Played: time.Now(),
			Out: fmt.Sprintf(`{"results":{"toolu_0_0":{"Text":%q,"Error":%v}}}`, time.Now(), failed)}
	}
	settle := func(failed bool, a answer) *noting {
		n := &noting{TB: t, failed: failed}
		l.settled = nil
		n.Cleanup(func() { l.end(n) })
		kept := l.find()
		l.settle(n, kept, a, stagedJudged)
		n.ends()
		return n
	}
	if settle(true, raw(true)); l.find() != nil {
		t.Error("the answer to a test that failed is kept")
	}
	if settle(false, raw(true)); l.find() == nil {
		t.Fatal("nothing is kept")
	}
	if same := settle(false, raw(true)); same.failed {
		t.Errorf("the same answer differs: %q", same.said)
	}
	if other := settle(false, raw(false)); len(other.said) != 1 || !strings.Contains(other.said[0], "TestX") ||
		!strings.Contains(other.said[0], "toolu_0_0") || l.find() != nil {
		t.Errorf("another answer: %q, kept %v", other.said, l.find())
	}
	past := raw(true)
	past.Played = time.Now().Add(-age - time.Hour)
	if err := l.keep(past); err != nil || l.find() != nil {
		t.Errorf("an answer of more than a week counts: %v", err)
	}
}

func TestWhatIsJudgedOnAStageIsCompared(t *testing.T) {
	stream := func(lines ...string) answer {
		b, err := json.Marshal(map[string]any{"stream": strings.Join(lines, "\n")})
		if err != nil {
			t.Fatal(err)
		}
		return answer{Out: string(b)}
	}
	end := func(id string) string {
		return `{"type":"result","subtype":"success","uuid":"` + id + `","permission_denials":[{"tool_use_id":"` + id + `"}]}`
	}
	hook := `{"subtype":"hook_response","hook_event":"PreToolUse","uuid":"%s","exit_code":%d}`
	for name, c := range map[string]struct {
		a, b answer
		same bool
	}{
		"a text":      {answer{Out: `{"results":{"t":{"Text":"a"}}}`}, answer{Out: `{"results":{"t":{"Text":"b"}}}`}, true},
		"a call":      {answer{Out: `{"results":{"t":{}}}`}, answer{Out: `{"results":{}}`}, false},
		"its end":     {answer{Out: `{"exit":1}`}, answer{Out: `{"exit":0}`}, false},
		"a hit twice": {answer{Out: `{"hits":["/a","/b"]}`}, answer{Out: `{"hits":["/b","/a","/a"]}`}, true},
		"no hit":      {answer{Out: `{"hits":["/a"]}`}, answer{Out: `{}`}, false},
		"a canary":    {answer{Out: `{"sent":["«c1»"]}`}, answer{Out: `{"sent":["«c2»"]}`}, false},
		"a file":      {answer{Out: `{"files":{"/a":"x"}}`}, answer{Out: `{"files":{}}`}, false},
		"denied":      {stream(end("1")), stream(end("2")), false},
		"a hook's id": {stream(fmt.Sprintf(hook, "a", 0)), stream("", fmt.Sprintf(hook, "b", 0)), true},
		"a hook":      {stream(fmt.Sprintf(hook, "a", 0)), stream(fmt.Sprintf(hook, "a", 2)), false},
	} {
		if d := differ(c.a, c.b, stagedJudged); (d == "") != c.same {
			t.Errorf("%s: %q", name, d)
		}
	}
	if d := differ(answer{Out: "{}"}, answer{Out: "torn"}, stagedJudged); d == "" {
		t.Error("what cannot be read is as before")
	}
}

func TestAccountsOfOthersChangeNothing(t *testing.T) {
	const own = "root:x:0:0:root:/root:/bin/bash\nme:x:1000:1000::/home/me:/bin/sh\n"
	if got := accounts("daemon:x:1:1::/:/bin/false\n"+own+"new:x:1001:1001::/home/new:/bin/sh\n", "1000"); got != own {
		t.Errorf("of all accounts these count:\n%s", got)
	}
}

func TestSomeArePlayedAgainEachDay(t *testing.T) {
	keeping(t)
	const all, days = 400, 5
	due := 0
	for i := range all {
		l := layoutOf(fmt.Sprint(i))
		for day := range days {
			now := time.Now().AddDate(0, 0, day)
			if l.due(answer{Played: now.AddDate(0, 0, -1)}, now) {
				due++
				if l.due(answer{Played: now}, now) || !l.due(answer{Played: now, recorded: true}, now) {
					t.Error("what was played today is played again, or a recording of today is not")
				}
			}
		}
	}
	if share := float64(due) / (all * days); share < 0.03 || share > 0.07 {
		t.Errorf("%.2f are due", share)
	}
	t.Setenv(testenv.Live, "1")
	if now := time.Now(); !layoutOf("x").due(answer{Played: now}, now) {
		t.Error("not all are played")
	}
}

func TestAProgramThatIsNamedCountsWithItsContent(t *testing.T) {
	keeping(t)
	named, binary := filepath.Join(t.TempDir(), "lefthook"), filepath.Join(t.TempDir(), "binary")
	testenv.Write(t, binary, "binary", 0o755)
	t.Setenv("STEWARD_TEST_LEFTHOOK", named)
	t.Setenv("STEWARD_TEST_BINARY", binary)
	s := Session{Claude: "/bin/sh", Home: testenv.Home(t), Vars: []string{"PROGRAM=" + named}}
	var names []string
	for _, c := range []struct{ text, program string }{
		{"a", "program"}, {"b", "program"}, {"binary", "program"}, {"binary", "another"}} {
		testenv.Write(t, named, c.text, 0o755)
		at := time.Now().Add(time.Duration(len(names)) * time.Hour) // another file
		if err := os.Chtimes(named, at, at); err != nil {
			t.Fatal(err)
		}
		t.Setenv(program, c.program)
		l, _, _ := s.layout(s.start(t))
		names = append(names, l.name)
	}
	if slices.Sort(names); len(slices.Compact(names)) != len(names) {
		t.Errorf("two of four programs are one: %q", names)
	}
}
