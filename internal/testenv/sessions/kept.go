// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime answered is read back only where everything
// that the answer depends on is the same, for a week, and one in twenty is played
// again each day and compared.

package sessions

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// What test.sh says: where answers are kept; the digests of what takes part in every
// session (the model and these packages), of what does on a stage (rehearsal), and
// of what the program runs in a session, each with all that it is built from. Without them
// nothing is kept. The last is a digest of source files, which is the same on every machine.
const (
	keptIn         = "STEWARD_TEST_KEPT"
	common         = "STEWARD_TEST_COMMON"
	player         = "STEWARD_TEST_PLAYER"
	program        = "STEWARD_TEST_PROGRAM"
	programSources = "STEWARD_TEST_SOURCES"
)

// age is how long an answer counts.
const age = 7 * 24 * time.Hour

// answer is what came of a session, in words.
type answer struct {
	Test   string
	Played time.Time
	// Out and Err are what was printed, Requests what the model was asked.
	Out, Err string
	Requests []model.Request `json:",omitempty"`
	// Results are what the calls of a session without a stage got back.
	Results map[string]model.Result `json:",omitempty"`
	// Told says of words that the test asked for whether the model was sent them (Played.Told).
	// Only a recording has it: another answer has the requests.
	Told map[string]bool `json:",omitempty"`
	// Left are the files that the session made, changed or removed.
	Left []left `json:",omitempty"`
	// recorded says that it was found among the recordings.
	recorded bool
}

// layout is everything that a session's answer depends on.
type layout struct {
	words
	// name is that of what is kept, record that of a recording, if there can be one.
	name, record string
	// settled is what is kept when the test ends well, told what is recorded.
	settled, told *answer
}

// layoutOf is nil where nothing is kept. own are words of this session alone.
func layoutOf(text string, own ...[2]string) *layout {
	for _, name := range []string{keptIn, common, player, program} {
		if os.Getenv(name) == "" {
			return nil
		}
	}
	w := wordsOf(text, own...)
	text = w.out.Replace(text)
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s\n%d\n%s\n%s", os.Getenv(common), os.Getuid(), system(), text)))
	return &layout{words: w, name: hex.EncodeToString(sum[:]), record: recordOf(text)}
}

// known is what t may read: what is kept, or else what is recorded.
func (l *layout) known(t testing.TB) *answer {
	if a := l.find(); a != nil {
		return a
	}
	return l.recorded(t)
}

// find returns what is kept, nil if that is nothing or too old.
func (l *layout) find() *answer {
	if l == nil {
		return nil
	}
	f, err := os.Open(filepath.Join(os.Getenv(keptIn), l.name))
	if err != nil {
		return nil
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil
	}
	var a answer
	if err := json.NewDecoder(z).Decode(&a); err != nil || time.Since(a.Played) > age {
		return nil
	}
	return &a
}

// why says why a session is played that can be kept.
func (a *answer) why() string {
	if a == nil {
		return unknown
	}
	return playedBy
}

// from says where an answer is read from.
func (a *answer) from() string {
	if a.recorded {
		return readRecorded
	}
	return read
}

// due says that a session is to be played although a is what it answered: not if that was today, here.
func (l *layout) due(a answer, day time.Time) bool {
	today := !a.recorded && a.Played.Format(time.DateOnly) == day.Format(time.DateOnly)
	return testenv.Due(l.name, day) && (!today || os.Getenv(testenv.Live) != "")
}

// end keeps what is settled, if anything is, when its test has passed.
func (l *layout) end(t testing.TB) {
	if l == nil || t.Failed() {
		return
	}
	if l.settled != nil {
		if err := l.keep(*l.settled); err != nil {
			t.Error(err)
		}
	}
	if l.told != nil {
		if err := l.told.write(filepath.Join(os.Getenv(testenv.Recording), l.record)); err != nil {
			t.Error(err)
		}
	}
}

// settle compares what was played with what is kept of it, if anything is, by what is
// judged of both.
func (l *layout) settle(t testing.TB, kept *answer, played answer, judged func(answer) (map[string]string, error)) {
	t.Helper()
	if kept != nil {
		if d := differ(*kept, played, judged); d != "" {
			t.Errorf("the session answered otherwise than on %s (%s): %s", kept.Played.Format(time.DateTime), kept.Test, d)
			_ = os.Remove(filepath.Join(os.Getenv(keptIn), l.name)) // the next run plays it, whichever was right
			return
		}
	}
	l.settled = &played
}

// differ says in what of that which is judged two answers differ.
func differ(kept, played answer, judged func(answer) (map[string]string, error)) string {
	was, err := judged(kept)
	if err != nil {
		return err.Error()
	}
	is, err := judged(played)
	if err != nil {
		return err.Error()
	}
	for _, m := range []map[string]string{was, is} {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if a, b := was[name], is[name]; a != b {
				return fmt.Sprintf("%s: it was %q, it is %q", name, a, b)
			}
		}
	}
	return ""
}

// keep writes beside the place and then renames: others read.
func (l *layout) keep(a answer) error {
	f, err := os.CreateTemp(os.Getenv(keptIn), "new")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it is renamed by then, or was not written
	z := gzip.NewWriter(f)
	for _, do := range []func() error{func() error { return json.NewEncoder(z).Encode(a) }, z.Close,
		func() error { return f.Chmod(0o644) }, f.Close,
		func() error { return os.Rename(f.Name(), filepath.Join(os.Getenv(keptIn), l.name)) }} {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}
