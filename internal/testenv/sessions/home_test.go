// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestASessionIsReadFromAnEarlierRun has six sessions: one or the other may be due.
func TestASessionIsReadFromAnEarlierRun(t *testing.T) {
	counted := keeping(t)
	read := 0
	for _, text := range strings.Split("abcdef", "") {
		for _, first := range []bool{true, false} {
			testenv.Write(t, counted, "", 0o644)
			t.Run(text, func(t *testing.T) {
				home := testenv.Home(t)
				runtime := filepath.Join(home, "claude")
				testenv.Write(t, runtime, fake, 0o755)
				testenv.Write(t, filepath.Join(home, "p/gone"), text, 0o644)
				p := Play(t, Session{Claude: runtime, Home: home, Dir: "p"})
				if p.Out != "home "+home+"\n" {
					t.Errorf("it said %q", p.Out)
				}
				if got := testenv.Read(t, filepath.Join(home, "p/left")); got != "by "+home+"\n" {
					t.Errorf("it left %q", got)
				}
				if _, err := os.Stat(filepath.Join(home, "p/gone")); err == nil {
					t.Error("what was removed is there")
				}
			})
			if strings.HasPrefix(testenv.Read(t, counted), "read\t") {
				read++
				if first {
					t.Error("a session that was never played is read")
				}
			}
		}
	}
	if read == 0 {
		t.Error("nothing was read")
	}
}

// TestAnotherStartIsReadFromAnEarlierRun: its model has another port in each run, and
// what is approved another name, also where the names are in another order.
func TestAnotherStartIsReadFromAnEarlierRun(t *testing.T) {
	counted := keeping(t)
	for run := range 2 {
		t.Run(fmt.Sprint(run), func(t *testing.T) {
			home := testenv.Home(t)
			runtime := filepath.Join(home, "claude")
			testenv.Write(t, runtime, "#!/bin/sh\necho \"$URL $PLACE\"\n", 0o755)
			place := fmt.Sprintf("policies/%016x", run)
			testenv.Write(t, filepath.Join(home, place+".json"), home, 0o644)
			for i, text := range []string{"one", "two"} {
				copied := fmt.Sprintf("approved/%032x", (i+run)%2)
				testenv.Write(t, filepath.Join(home, copied, "file"), text+" in "+home, 0o644)
				place += " " + copied
			}
			s := Session{Claude: runtime, Home: home, Script: []model.Turn{{model.Bash("true")}}}
			s.Start = func(url string) (string, []string, []string) {
				return runtime, []string{"claude"}, []string{"URL=" + url, "PLACE=" + place}
			}
			if p := Play(t, s); p.Out != p.URL()+" "+place+"\n" {
				t.Errorf("it said %q, with the model at %s", p.Out, p.URL())
			}
		})
	}
	if got := testenv.Read(t, counted); os.Getenv(testenv.Live) == "" && !strings.Contains(got, "\nread\t") {
		t.Errorf("it was played twice:\n%s", got)
	}
}

// TestAPlaceInACompressedFileIsNotKept: nothing could stand for it in another run.
func TestAPlaceInACompressedFileIsNotKept(t *testing.T) {
	home := testenv.Home(t)
	for text, fails := range map[string]bool{"nothing": false, home: true} {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, err := z.Write([]byte(text))
		if err := cmp.Or(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		testenv.Write(t, filepath.Join(home, "object"), b.String(), 0o644)
		if _, err := lefts(nil, []string{home}, wordsOf(home)); (err != nil) != fails {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestADirectoryInThePlaceOfASymlinkIsLaid where the symlink was, not where it led.
func TestADirectoryInThePlaceOfASymlinkIsLaid(t *testing.T) {
	home := testenv.Home(t)
	other := t.TempDir()
	testenv.Link(t, other, filepath.Join(home, "d"))
	for _, l := range []left{{Path: home + "/d", Mode: fs.ModeDir | 0o755}, {Path: home + "/d/f", Mode: 0o644}} {
		testenv.OK(t, l.lay(wordsOf(home)))
	}
	if info, err := os.Lstat(filepath.Join(home, "d")); err != nil || !info.IsDir() {
		t.Errorf("d is %v, %v", info, err)
	}
	if list, err := os.ReadDir(other); err != nil || len(list) > 0 {
		t.Errorf("%v lies where the symlink led: %v", list, err)
	}
}

func TestCallsAndFilesThatAreLeftAreCompared(t *testing.T) {
	of := func(name, text string) answer {
		return answer{Left: []left{{Path: "«p1»/" + name, Mode: 0o600, Data: []byte(text)}}}
	}
	for _, c := range []struct {
		a, b answer
		same bool
	}{
		{of("p/mark", "x"), of("p/mark", "y"), true},
		{of("p/mark", "x"), answer{}, false},
		{answer{}, of("p/mark", "x"), false},
		{of("dotfiles/claude/backups/own.backup.179", "x"), of("dotfiles/claude/backups/own.backup.180", "y"), true},
		{of("dotfiles/projects/«p1-»-p/1fe-ab.jsonl", "x"), of("dotfiles/projects/«p1-»-p/2c-d.jsonl", "x"), true},
		{of(".claude/history.jsonl", "x"), answer{}, true},
		{of("p/.git/index", "x"), answer{}, true},
		{of("p/index", "x"), answer{}, false},
		{answer{Results: map[string]model.Result{"t": {Error: true}}},
			answer{Results: map[string]model.Result{"t": {}}}, false},
		{answer{Results: map[string]model.Result{"t": {}}}, answer{}, false},
	} {
		if d := differ(c.a, c.b, playedJudged); (d == "") != c.same {
			t.Errorf("%v and %v: %q", c.a, c.b, d)
		}
	}
}

func TestWhatATestListensOnIsNotKept(t *testing.T) {
	keeping(t)
	home := testenv.Home(t)
	s := Session{Claude: "/bin/sh", Home: home, Script: []model.Turn{{model.Bash("true")}}}
	if l, _, _ := s.layout(s.start(t)); l == nil {
		t.Fatal("a plain session is not kept")
	}
	refuse := func(want string) {
		t.Helper()
		if l, _, why := s.layout(s.start(t)); l != nil || why != want {
			t.Errorf("it is kept, or for another reason not: %q, want %q", why, want)
		}
	}
	s.Vars = []string{"HTTP_PROXY=http://127.0.0.1:8080"}
	refuse("the test listens on a port")
	s.Vars = []string{`SETTINGS={"httpProxyPort": 8080}`}
	refuse("the test listens on a port")
	for vars, name := range map[string]string{
		"HOST=localhost:443": "a port on which no test listens",
		fmt.Sprintf(`SETTINGS={"httpProxyPort": %d}`, testenv.Answers(t, "words")): "a port that says the same to everyone",
	} {
		s.Vars = []string{vars}
		if l, _, why := s.layout(s.start(t)); l == nil {
			t.Errorf("%s: it is not kept: %s", name, why)
		}
	}
	named := func(words string) string {
		s.Vars = []string{fmt.Sprintf("PROXY=http://127.0.0.1:%d", testenv.Answers(t, words))}
		l, _, _ := s.layout(s.start(t))
		return l.name
	}
	if first := named("words"); first != named("words") || first == named("others") {
		t.Error("it is not known by what the port says, and by nothing else")
	}
	s.Vars = []string{"FILE=" + sources() + "/go.mod"}
	refuse("it names a file of this tree")
	s.Vars = nil
	heard, err := model.ListenUnix(filepath.Join(home, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer heard.Close()
	refuse("a socket lies in its home")
}

// TestManagedSettingsTakePart: of the machine, they decide about every session.
func TestManagedSettingsTakePart(t *testing.T) {
	if managed() != "/etc/claude-code" {
		t.Errorf("looked for in %s", managed())
	}
}
