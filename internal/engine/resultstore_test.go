// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

var found = []report.Finding{{Check: "denials", Layer: report.LayerSandbox, Status: report.Pass,
	Summary:  "14 of 14 held",
	Evidence: []report.Evidence{report.CommandEvidence("cat", "denied")},
	Remedies: []report.Remedy{report.Command{Line: "true"}}}}

func TestAResultIsFoundUnderItsOwnKey(t *testing.T) {
	state, cache, at := t.TempDir(), filepath.Join(t.TempDir(), "cache"), time.Unix(1_000_000, 0).UTC()
	testenv.OK(t, engine.KeepResult(state, cache, "k1", at, found))
	got, when, ok := engine.KeptResult(state, cache, "k1", at.Add(time.Hour))
	if diff := cmp.Diff(found, got); diff != "" || !ok || !when.Equal(at) {
		t.Errorf("found %v, at %v:\n%s", ok, when, diff)
	}
	for _, key := range []string{"k2", "1", ""} {
		if _, _, ok := engine.KeptResult(state, cache, key, at); ok {
			t.Errorf("the result of k1 is found under %q", key)
		}
	}
	if _, _, ok := engine.KeptResult(state, cache, "k1", at.Add(-time.Second)); ok {
		t.Error("a result from a time to come is believed")
	}
	info, err := os.Stat(filepath.Join(cache, "verify", "19700112-134640.000-k1"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is not private: %v, %v", info, err)
	}
}

func TestANewResultTakesThePlaceOfTheOldOneAndOthersAreBounded(t *testing.T) {
	state, cache := t.TempDir(), t.TempDir()
	for i := range 60 {
		testenv.OK(t, engine.KeepResult(state, cache, fmt.Sprintf("k%d", i%30), time.Unix(int64(i), 0), found))
	}
	names, err := os.ReadDir(filepath.Join(cache, "verify"))
	if err != nil || len(names) != 20 {
		t.Fatalf("%d results are kept, %v", len(names), err)
	}
	if _, at, ok := engine.KeptResult(state, cache, "k29", time.Unix(100, 0)); !ok || at.Unix() != 59 {
		t.Errorf("found %v, of %d", ok, at.Unix())
	}
}

// TestWhatAClockThatWasAheadKeptMakesRoom for what is kept once the clock is right: it
// sorts behind all of that.
func TestWhatAClockThatWasAheadKeptMakesRoom(t *testing.T) {
	state, cache, now := t.TempDir(), t.TempDir(), time.Unix(1_000_000, 0)
	of := func(i int) report.Plan {
		c := report.Command{ID: "c", Line: fmt.Sprintf("true %d", i)}
		return report.NewPlan([]report.Section{{Items: []report.Item{c}}})
	}
	for i := range 30 {
		ahead := now.AddDate(80, 0, i)
		testenv.OK(t, engine.KeepResult(state, cache, fmt.Sprintf("ahead%d", i), ahead, found))
		engine.Remember(cache, ahead, "/p", of(i))
	}
	for i := range 20 {
		testenv.OK(t, engine.KeepResult(state, cache, fmt.Sprintf("k%d", i), now.Add(time.Duration(i)), found))
		engine.Remember(cache, now.Add(time.Duration(i)), "/p", of(100+i))
	}
	for i := range 20 {
		if _, _, ok := engine.KeptResult(state, cache, fmt.Sprintf("k%d", i), now.Add(time.Hour)); !ok {
			t.Errorf("the result %d is gone", i)
		}
		if _, known := engine.WhatChanged(cache, of(100+i).ID, "/p", of(1)); !known {
			t.Errorf("the plan %d is forgotten", i)
		}
	}
}

func TestAResultThatIsNotWholeIsNotThere(t *testing.T) {
	state, cache, at := t.TempDir(), t.TempDir(), time.Unix(1_000_000, 0)
	testenv.OK(t, engine.KeepResult(state, cache, "k1", at, found))
	path := filepath.Join(cache, "verify", "19700112-134640.000-k1")
	whole := testenv.Read(t, path)
	_, body, _ := strings.Cut(whole, "\n")
	for name, text := range map[string]string{
		"empty": "", "cut": whole[:len(whole)-9], "another key": strings.Replace(whole, `"k1"`, `"k2"`, 1),
		"another version": strings.Replace(whole, `"version":2`, `"version":1`, 1), "no signature": body,
		"an empty signature": "\n" + body, "no findings": strings.Replace(whole, `"findings"`, `"x"`, 1),
		"an unknown status":          strings.Replace(whole, `"pass"`, `"fine"`, 1),
		"a better status":            strings.Replace(whole, `"pass"`, `"skip"`, 1),
		"signed with a key of nulls": forged(make([]byte, 32), body),
		"signed with no key":         forged(nil, body),
	} {
		testenv.Write(t, path, text, 0o600)
		if got, _, ok := engine.KeptResult(state, cache, "k1", at.Add(time.Hour)); ok {
			t.Errorf("%s: believed as %d findings", name, len(got))
		}
	}
}

// forged is what somebody writes who knows the format, and not the key.
func forged(key []byte, body string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("steward-setup result\n" + body))
	return hex.EncodeToString(mac.Sum(nil)) + "\n" + body
}

func TestAKeyThatIsNotPrivateIsNone(t *testing.T) {
	at := time.Unix(1_000_000, 0)
	for name, spoil := range map[string]func(path string) error{
		"missing":            os.Remove,
		"short":              func(path string) error { return os.Truncate(path, 31) },
		"empty":              func(path string) error { return os.Truncate(path, 0) },
		"readable by others": func(path string) error { return os.Chmod(path, 0o644) },
		"another": func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("x", 32)), 0o600)
		},
		"a link": func(path string) error {
			if err := os.Rename(path, path+".moved"); err != nil {
				return err
			}
			return os.Symlink(path+".moved", path)
		},
		"a directory": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o700)
		},
	} {
		state, cache := t.TempDir(), t.TempDir()
		testenv.OK(t, engine.KeepResult(state, cache, "k1", at, found))
		info, err := os.Stat(engine.ResultKey(state))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("the key is not private: %v, %v", info, err)
		}
		testenv.OK(t, spoil(engine.ResultKey(state)))
		if _, _, ok := engine.KeptResult(state, cache, "k1", at); ok {
			t.Errorf("%s: the result is believed", name)
		}
		if err := engine.KeepResult(state, cache, "k1", at, found); (err == nil) != (name != "a directory") {
			t.Errorf("%s: the next result: %v", name, err)
		} else if _, _, ok := engine.KeptResult(state, cache, "k1", at); ok != (err == nil) {
			t.Errorf("%s: the next result is believed: %v", name, ok)
		}
	}
}

// TestARecordIsNoResult: a file of one kind in the directory of the other is
// not believed, though the same key signed it.
func TestARecordIsNoResult(t *testing.T) {
	state, cache, at := t.TempDir(), t.TempDir(), time.Unix(1_000_000, 0)
	testenv.OK(t, engine.Records.Keep(state, cache, "k", at, []byte(`[{"check":"denials","status":"pass"}]`)))
	if b, _, ok := engine.Records.Kept(state, cache, "k", at); !ok || !strings.Contains(string(b), "denials") {
		t.Fatalf("%q, %v", b, ok)
	}
	from := filepath.Join(cache, "rehearsals")
	names, err := os.ReadDir(from)
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range []string{names[0].Name(), "19700112-134640.000-k"} {
		b := testenv.Read(t, filepath.Join(from, names[0].Name()))
		testenv.OK(t, os.MkdirAll(filepath.Join(cache, "verify"), 0o700))
		testenv.Write(t, filepath.Join(cache, "verify", name), b, 0o600)
	}
	if list, _, ok := engine.KeptResult(state, cache, "k", at); ok {
		t.Errorf("a record is believed as a result: %v", list)
	}
}

// TestTheKeyIsMadeOnce: of runs that begin together without a key, each keeps a
// result that is found again.
func TestTheKeyIsMadeOnce(t *testing.T) {
	for range 20 {
		state, cache := t.TempDir(), t.TempDir()
		var runs sync.WaitGroup
		for i := range 8 {
			runs.Go(func() {
				if err := engine.KeepResult(state, cache, fmt.Sprint("k", i), time.Unix(int64(i), 0), found); err != nil {
					t.Error(err)
				}
			})
		}
		runs.Wait()
		for i := range 8 {
			if _, _, ok := engine.KeptResult(state, cache, fmt.Sprint("k", i), time.Unix(9, 0)); !ok {
				t.Fatalf("result %d is not signed with the key that is kept", i)
			}
		}
	}
}

// TestNothingBehindASymlinkInTheCacheIsWrittenOrRemoved: commands of the agent may be
// able to write the cache, and not what a symlink there leads to.
func TestNothingBehindASymlinkInTheCacheIsWrittenOrRemoved(t *testing.T) {
	home := newHome(t)
	_, _, plan := world(home)
	docs, cache := filepath.Join(home, "docs"), filepath.Join(home, "cache")
	testenv.OK(t, os.Mkdir(cache, 0o700))
	for i := range 30 {
		testenv.OK(t, os.MkdirAll(filepath.Join(docs, fmt.Sprint("a", i), "inside"), 0o755))
		testenv.OK(t, os.WriteFile(filepath.Join(docs, fmt.Sprint("f", i)), nil, 0o644))
	}
	for _, name := range []string{"plans", "verify", "upstream"} {
		testenv.OK(t, os.Symlink(docs, filepath.Join(cache, name)))
	}
	engine.Remember(cache, time.Unix(0, 0), "/p", plan)
	if engine.KeepResult(home, cache, "k", time.Unix(0, 0), found) == nil {
		t.Error("a result is kept where a symlink leads to")
	}
	if engine.KeepFetched(cache, "f1", "https://x", time.Unix(0, 0), []byte("true")) == nil {
		t.Error("an answer is kept where a symlink leads to")
	}
	left, err := os.ReadDir(docs)
	if err != nil || len(left) != 60 {
		t.Errorf("%d of 60 are there: %v", len(left), err)
	}
}

func TestWhatChangedNamesTheDifference(t *testing.T) {
	home := newHome(t)
	_, _, plan := world(home)
	cache := filepath.Join(home, "cache")
	engine.Remember(cache, time.Unix(0, 0), "/p", plan)
	c := plan.Changes()[0]
	c.Before = []byte("edited")
	other := report.NewPlan([]report.Section{{Items: []report.Item{c, report.Command{ID: "new", Line: "true"}}}})
	lines, known := engine.WhatChanged(cache, plan.ID, "/p", other)
	got := strings.Join(lines, "\n")
	if !known || !strings.Contains(got, "settings.json has changed on disk") ||
		!strings.Contains(got, "hook.sh is no longer proposed") || !strings.Contains(got, "`true` is new") {
		t.Errorf("known %v:\n%s", known, got)
	}
	if lines, _ := engine.WhatChanged(cache, plan.ID, "/q", other); len(lines) != 1 ||
		!strings.Contains(lines[0], "it is about /p, and this is /q") {
		t.Errorf("in another project: %q", lines)
	}
	testenv.OK(t, errors.Join(os.Mkdir(filepath.Join(home, ".claude", "scripts"), 0o755),
		os.WriteFile(filepath.Join(home, ".claude", "scripts", "hook.sh"), []byte("hook"), 0o644)))
	if lines, _ := engine.WhatChanged(cache, plan.ID, "/p", other); !strings.Contains(strings.Join(lines, "\n"),
		"hook.sh is written already") {
		t.Errorf("after half a run: %q", lines)
	}
	if _, known := engine.WhatChanged(cache, "0000-0000-0000-0000", "/p", other); known {
		t.Error("a plan that was never printed is known")
	}
}

// TestOnlyCommandsMayBeMissing: a plan holds without those that were run since, and
// what is remembered is believed by its digest alone.
func TestOnlyCommandsMayBeMissing(t *testing.T) {
	home := newHome(t)
	_, _, plan := world(home)
	changes := plan.Changes()
	run := []report.Item{report.Command{ID: "a", Line: "true"}, report.Command{ID: "b", Line: "false"}}
	of := func(items ...report.Item) report.Plan { return report.NewPlan([]report.Section{{Items: items}}) }
	shown := of(run[0], changes[0], run[1], changes[1])
	cache := filepath.Join(home, "cache")
	engine.Remember(cache, time.Unix(0, 0), "/p", shown)
	edited := changes[1]
	edited.After = []byte("edited")
	for name, c := range map[string]struct {
		now  report.Plan
		less int
		ok   bool
	}{
		"one was run":         {of(run[0], changes[0], changes[1]), 1, true},
		"all were run":        {of(changes[0], changes[1]), 2, true},
		"nothing is missing":  {shown, 0, false},
		"a change is missing": {of(run[0], changes[0], run[1]), 0, false},
		"another order":       {of(changes[1], changes[0]), 0, false},
		"a command is new":    {of(changes[0], changes[1], report.Command{ID: "c", Line: "true"}), 2, false},
		"another change":      {of(run[0], changes[0], edited), 0, false},
	} {
		if less, ok := engine.CommandsLess(cache, shown.ID, c.now); ok != c.ok || ok && less != c.less {
			t.Errorf("%s: %d, %v", name, less, ok)
		}
	}
	plans := testenv.Must(filepath.Glob(filepath.Join(cache, "plans", "*")))(t)
	remembered := testenv.Read(t, plans[0])
	testenv.Write(t, plans[0], strings.Replace(remembered, `"command","b","false"`, `"command","b","id"`, 1), 0o600)
	if _, ok := engine.CommandsLess(cache, shown.ID, of(changes[0], changes[1])); ok {
		t.Error("a plan that was remembered otherwise is believed")
	}
}
