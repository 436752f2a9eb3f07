// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a test of what this program says of an answer may read what the
// runtime answered on a stage of another machine, from the recordings of this tree.
// A session in which this program takes part, but for the player, is read only where its sources
// are those of the recording; the player has tests of its own, which read none.

package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// judging says that the tests of this package may read recordings, apart which of
// them differ from that, by whether they may.
var (
	judging bool
	apart   sync.Map
)

// Recorded says, from TestMain, that the tests of a package are about this program's
// judgement of what the runtime answers: they may read recordings.
func Recorded(m *testing.M) *testing.M { judging = true; return m }

// Anew keeps the test that t is a part of from that: it proves something on the
// machine that it runs on.
func Anew(t testing.TB) { t.Helper(); apart.Store(testenv.Whole(t), false) }

// Reads lets the test that t is a part of read recordings in a package whose other tests
// may not: it is about what the runtime does, and others are about how it is played.
func Reads(t testing.TB) { t.Helper(); apart.Store(testenv.Whole(t), true) }

// judges says that t may read recordings.
func judges(t testing.TB) bool {
	if may, is := apart.Load(testenv.Whole(t)); is {
		return may.(bool) //nolint:forcetypeassert // nothing else is stored
	}
	return judging
}

// What takes part in a digest, but for recordings: the player, and what the machine has
// of its own. Of this program the name of a recording has the sources.
const (
	ofPlayer  = "player"
	ofMachine = "machine"
	ofProgram = "program"
	ofSources = "sources"
)

func part(of, what string) string { return "«of the " + of + ": " + what + "»" }

// begins and ends stand around a session's transcript in a home: no recording has it.
const (
	begins = "«transcript»"
	ends   = "«end of transcript»"
)

var parts = regexp.MustCompile(`(?s)«of the (?:` + ofPlayer + `|` + ofMachine + `): .*?»|` + begins + `.*?` + ends)

// once is what the runtime writes into a home and never again: when a session was, and the
// names that it gave out. A session that starts there later has none of it in its name.
var once = regexp.MustCompile(`\b(?:\d{4}-\d\d-\d\dT[0-9:.]+Z|1[0-9]{12}|[0-9a-f]{64}|` +
	`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b`)

// transcript is a session's own, which has all that the model was sent, or what the runtime
// has of its environment, which it may or may not take away at its end.
var transcript = regexp.MustCompile(`/` + claude.Records + `/[^/]+/.+\.jsonl$|/session-env/`)

// recordOf names the recording of a text, "" where there is none: where another program of
// this tree takes part than the one under test.
func recordOf(text string) string {
	if sources := os.Getenv(programSources); sources != "" {
		text = strings.ReplaceAll(text, part(ofProgram, os.Getenv(program)), part(ofSources, sources))
	}
	if strings.Contains(text, "«of the "+ofProgram+":") {
		return ""
	}
	text = once.ReplaceAllString(parts.ReplaceAllString(text, ""), "«once»")
	sum := sha256.Sum256([]byte(fmt.Sprintf("%v\n%s", os.Getuid() == 0, text)))
	return hex.EncodeToString(sum[:])
}

// ofSystem says that a path is none of the tests'.
func ofSystem(path string) bool {
	return !pathname.Within(path, temporary()) &&
		!slices.ContainsFunc(named(), func(v [2]string) bool { return v[1] == path })
}

// recorded is what is recorded of a session, nil if nothing is, or t may not read it.
func (l *layout) recorded(t testing.TB) *answer {
	if l == nil || l.record == "" || os.Getenv(testenv.Recordings) == "" || !judges(t) {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(os.Getenv(testenv.Recordings), l.record))
	if err != nil {
		return nil
	}
	var a answer
	if err := json.Unmarshal(b, &a); err != nil {
		t.Fatal(err)
	}
	a.recorded = true
	return &a
}

// instructed stands in what the runtime tells its model: its vendor's text, which is
// not for this tree.
const instructed = "You have been invoked in the following environment"

// brief is what is recorded of a session without a stage: what its calls got back, what
// it printed and left. Most of what the model was sent besides is its vendor's text.
func (a answer) brief() answer {
	a.Requests, a.Told = nil, maps.Clone(a.Told)
	a.Left = slices.DeleteFunc(slices.Clone(a.Left), func(l left) bool { return transcript.MatchString(l.Path) })
	return a
}

// back is a request of a session whose calls got back what is recorded.
func (a answer) back(t testing.TB) model.Request {
	t.Helper()
	var blocks []model.Object
	for _, id := range slices.Sorted(maps.Keys(a.Results)) {
		r := a.Results[id]
		blocks = append(blocks,
			model.Object{"type": "tool_result", "tool_use_id": id, "content": r.Text, "is_error": r.Error})
	}
	body, err := json.Marshal(model.Object{"messages": []model.Object{{"role": "user", "content": blocks}}})
	if err != nil {
		t.Fatal(err)
	}
	return model.Request{Method: "POST", Path: "/v1/messages", Body: body}
}

// looked is for a test that looks at what a model was sent: its session is not recorded,
// and if this one is a recording, the test fails.
func (l *layout) looked(t testing.TB, kept *answer) func() {
	return func() {
		t.Helper()
		if kept != nil && kept.recorded {
			t.Fatal("a recording does not have what the model was sent: ./test.sh --record")
		}
		l.told = nil
	}
}

// asked is Played.Told: a recording has the words that the test asked for when it was made.
func (l *layout) asked(t testing.TB, kept *answer) func(words string, answer func() bool) bool {
	return func(words string, answer func() bool) bool {
		t.Helper()
		word := l.out.Replace(words)
		var told bool
		if kept != nil && kept.recorded {
			var known bool
			if told, known = kept.Told[word]; !known {
				t.Fatalf("a recording does not have whether the model was sent %q: ./test.sh --record", words)
			}
		} else {
			told = answer()
		}
		if l.told != nil {
			if l.told.Told == nil {
				l.told.Told = map[string]bool{}
			}
			l.told.Told[word] = told
		}
		return told
	}
}

// tell has what a session answered recorded when its test has passed.
func (l *layout) tell(t testing.TB, a answer) {
	if l.record != "" && os.Getenv(testenv.Recording) != "" && judges(t) && !strings.Contains(a.Out, instructed) {
		l.told = &a
	}
}

// write records an answer.
func (a answer) write(path string) error {
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	own := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(own, b, 0o644); err != nil {
		return err
	}
	return os.Rename(own, path)
}
