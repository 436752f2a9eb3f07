// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package journal_test

import (
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/journal"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

var when = time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)

func TestWhatIsAppendedIsReadBack(t *testing.T) {
	state := t.TempDir() + "/state"
	want := []journal.Record{
		{Time: when, Session: "s1", Project: "/home/dev/p", Kind: journal.Bypass, Command: "make && ls <x>",
			Reason: "needs the network"},
		{Time: when.Add(time.Minute), Session: "s1", Kind: journal.Denial, Entry: "ssh-agent", Command: "ssh-add -l"},
	}
	for _, r := range want {
		testenv.OK(t, fs.AppendLine(journal.Path(state), r.Line(), journal.MaxFile))
	}
	if diff := cmp.Diff(want, load(t, state)); diff != "" {
		t.Error(diff)
	}
}

func load(t *testing.T, state string) []journal.Record {
	t.Helper()
	var all []journal.Record
	for _, path := range journal.Generations(state) {
		data, err := fs.Read(path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		all = append(all, journal.Parse(data)...)
	}
	return all
}

func TestBothGenerationsAreRead(t *testing.T) {
	state := t.TempDir()
	for i := range 20 {
		r := journal.Record{Time: when.Add(time.Duration(i) * time.Second), Kind: journal.Bypass, Command: "true"}
		testenv.OK(t, fs.AppendLine(journal.Path(state), r.Line(), 1000))
	}
	got := load(t, state)
	if len(got) < 12 || !got[len(got)-1].Time.Equal(when.Add(19*time.Second)) {
		t.Fatalf("%d records", len(got))
	}
	for i := 1; i < len(got); i++ {
		if got[i].Time.Sub(got[i-1].Time) != time.Second {
			t.Errorf("record %d does not follow the one before", i)
		}
	}
}

func TestARecordHoldsNoSecretAndNoControl(t *testing.T) {
	hostile := "\x1b[2J\nGH_TOKEN=hunter2 " + strings.Repeat("\u202e<\"\\", 5000)
	line := string(journal.Record{Time: when, Kind: journal.Bypass, Session: hostile, Project: hostile, Entry: hostile,
		Command: hostile, Reason: hostile}.Line())
	if strings.Contains(line, "hunter2") {
		t.Error("the secret is stored")
	}
	for _, r := range line {
		if !unicode.IsPrint(r) {
			t.Fatalf("%U is stored", r)
		}
	}
	if len(line) > journal.MaxLine {
		t.Errorf("%d bytes", len(line))
	}
	if got := journal.Parse([]byte(line)); len(got) != 1 {
		t.Errorf("it is read back as %d records", len(got))
	}
}

func TestParsePassesOverWhatIsNoRecord(t *testing.T) {
	good := string(journal.Record{Time: when, Kind: journal.Bypass, Command: "ls"}.Line())
	for _, data := range []string{
		"{\"time\":\"20\n" + good, "\n\n" + good + "\n", good + "\n{\"kind\":\"bypass\"", "null\n[]\n1\n" + good,
		"{\"kind\":\"other\"}\n" + good, "{\"kind\":\"bypass\",\"command\":7}\n" + good, strings.Repeat("x", 3<<20) + "\n" +
			good,
		"{\"kind\":\"bypass\",\"command\":\"" + strings.Repeat("x", 2*journal.MaxLine) + "\"}\n" + good,
	} {
		if got := journal.Parse([]byte(data)); len(got) != 1 || got[0].Command != "ls" {
			t.Errorf("%.60q gives %v", data, got)
		}
	}
}

// TestBypassesAreThoseThatAreRead: of one session, and whatever else stands in the
// file.
func TestBypassesAreThoseThatAreRead(t *testing.T) {
	line := func(session string, kind journal.Kind) string {
		return string(journal.Record{Time: when, Session: session, Kind: kind, Command: "s1"}.Line()) + "\n"
	}
	data := line("s1", journal.Bypass) + line("s2", journal.Bypass) + line("s1", journal.Denial) +
		`{"session":"s1","kind":"bypass","command":"` + strings.Repeat("x", journal.MaxLine) + "\"}\n" +
		line("s1", journal.Bypass) + `{"session":"s1","kind":"bypass"`
	want := map[string]int{}
	for _, r := range journal.Parse([]byte(data)) {
		if r.Kind == journal.Bypass {
			want[r.Session]++
		}
	}
	if want["s1"] != 2 {
		t.Fatalf("%v", want)
	}
	for session, n := range want {
		if got := journal.Bypasses([]byte(data), session); got != n {
			t.Errorf("%s: %d, want %d", session, got, n)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(journal.Record{Time: when, Kind: journal.Bypass, Command: "ls"}.Line())
	f.Add([]byte("{\"kind\":\"denial\",\"command\":\"\\u001b\\u202e\",\"time\":\"2026-11-20T10:30:00Z\"}\n\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, r := range journal.Parse(data) {
			for _, c := range r.Session + r.Project + r.Entry + r.Command + r.Reason {
				if !unicode.IsPrint(c) {
					t.Errorf("%U comes out of the journal", c)
				}
			}
			if line := r.Line(); line != nil {
				if again := journal.Parse(line); len(again) != 1 {
					t.Errorf("%s is not read back", line)
				}
			}
		}
	})
}
