// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"os"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// told is a test of its own whose errors are counted.
type told struct {
	testing.TB
	errors int
	last   []func()
}

func (d *told) Errorf(string, ...any) { d.errors++ }
func (d *told) Failed() bool          { return d.errors > 0 }
func (d *told) Cleanup(f func())      { d.last = append(d.last, f) }

func TestWhatIsRecordedIsNotAsked(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(testenv.Recordings, dir)
	t.Setenv(testenv.Recording, dir)
	t.Setenv(testenv.Live, "")
	// asks says whether a question was asked, and whether its test failed.
	asks := func(question, answer string) (asked, failed bool) {
		d := &told{TB: t}
		got := testenv.Recorded(d, question, func() string { asked = true; return answer })
		if !d.Failed() && got != answer {
			t.Errorf("%s: %q, want %q", question, got, answer)
		}
		for _, f := range d.last {
			f()
		}
		return asked, d.Failed()
	}
	known, again := 0, 0
	for _, question := range []string{"a", "b", "c", "d", "e", "f"} {
		if asked, failed := asks(question, "1"); !asked || failed {
			t.Errorf("%s, the first time: asked %v, failed %v", question, asked, failed)
		}
		if asked, failed := asks(question, "1"); failed {
			t.Errorf("%s failed", question)
		} else if !asked {
			known++
		}
	}
	if known == 0 {
		t.Error("no answer is read")
	}
	t.Setenv(testenv.Live, "1")
	if asked, failed := asks("a", "2"); !asked || !failed {
		t.Errorf("another answer: asked %v, failed %v", asked, failed)
	}
	if asked, failed := asks("a", "1"); !asked || failed {
		t.Errorf("what failed was recorded: asked %v, failed %v", asked, failed)
	}
	t.Setenv(testenv.Live, "")
	day := time.Now()
	for i := range 100 {
		if testenv.Due("a", day.AddDate(0, 0, i)) {
			again++
		}
	}
	if again == 0 || again > 20 {
		t.Errorf("asked again on %d of 100 days", again)
	}
	testenv.OK(t, os.RemoveAll(dir))
	t.Setenv(testenv.Recordings, "")
	t.Setenv(testenv.Recording, "")
	if asked, failed := asks("a", "1"); !asked || failed {
		t.Errorf("without recordings: asked %v, failed %v", asked, failed)
	}
}
