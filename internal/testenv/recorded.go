// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime answers without a session is read from the
// recordings of this tree where the question is the same, and one in twenty is asked
// again each day and compared.

package testenv

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What test.sh says: where the recordings are, where those of this run are left, if they
// are to be made anew, and that everything is to be asked.
const (
	Recordings = "STEWARD_TEST_RECORDED"
	Recording  = "STEWARD_TEST_RECORD"
	Live       = "STEWARD_TEST_LIVE"
)

// again is one in how many is asked again each day although it is recorded.
const again = 20

// Due says that what is known by a name is to be asked or played on a day all the same.
func Due(name string, day time.Time) bool {
	sum := sha256.Sum256([]byte(name + day.Format(time.DateOnly)))
	return os.Getenv(Live) != "" || sum[0] < 256/again
}

// Recorded is what ask answers, read from the recordings if it is there. question has
// everything that the answer depends on, and neither it nor the answer a place of this
// run. An answer is recorded when its test has passed.
func Recorded(t testing.TB, question string, ask func() string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(fmt.Sprintf("asked: %v\n%s", os.Getuid() == 0, question)))
	name := hex.EncodeToString(sum[:])
	answer := ""
	kept, err := os.ReadFile(filepath.Join(os.Getenv(Recordings), name))
	known := os.Getenv(Recordings) != "" && err == nil
	if known {
		answer = string(kept)
	}
	if !known || Due(name, time.Now()) {
		answer = ask()
		if known && answer != string(kept) {
			t.Errorf("it was recorded that the answer is %q, it is %q", kept, answer)
		}
	}
	if dir := os.Getenv(Recording); dir != "" {
		t.Cleanup(func() {
			if t.Failed() {
				return
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(answer), 0o644); err != nil {
				t.Error(err)
			}
		})
	}
	return answer
}

// RecordedAt is Recorded for a question, in words, whose answer depends on what lies in
// directories of this run. git's index has times, and does not count.
func RecordedAt(t testing.TB, words string, ask func() string, dirs ...string) string {
	t.Helper()
	var out, in []string
	for i, dir := range dirs {
		name := fmt.Sprintf("«%d»", i)
		out, in = append(out, dir, name), append(in, name, dir)
	}
	anywhere, here := strings.NewReplacer(out...), strings.NewReplacer(in...)
	question := words + "\n"
	for _, dir := range dirs {
		OK(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			var text []byte
			target := ""
			switch {
			case err != nil:
				return err
			case d.Type()&fs.ModeSymlink != 0:
				target, err = os.Readlink(path)
			case d.Type().IsRegular() && d.Name() != "index":
				text, err = os.ReadFile(path)
			}
			question += fmt.Sprintf("%s %v %q %q\n", path, d.Type(), target, text)
			return err
		}))
	}
	return here.Replace(Recorded(t, anywhere.Replace(question), func() string { return anywhere.Replace(ask()) }))
}
