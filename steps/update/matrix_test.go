// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a drift turns exactly the check that is about it, to the
// status it deserves and with the exit code of the contract; the report itself
// changes nothing outside cache and state.

package update_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/update"
)

// drift is one thing that has drifted.
type drift struct {
	name  string
	check report.ID
	want  report.Status
	exit  int
	// says, if set, is a part of an evidence's text; the page has the summary.
	says string
	// also are other checks that answer otherwise, each for a reason.
	also map[report.ID]report.Status
	do   func(*machine)
	// only compares no other check: another policy, such as a framework's, is
	// another setup.
	only bool
}

func TestMatrix(t *testing.T) {
	testenv.AsUser(t)
	rows := make([]string, len(drifts))
	healthy := newMachine(t)
	if got := healthy.report(); report.Judge(got, true) != report.Protected {
		t.Fatalf("the healthy machine has drifted:\n%s", told(got))
	}
	if healthy.plays != 0 {
		t.Error("it was rehearsed although nothing changed")
	}
	t.Run("drift", func(t *testing.T) {
		for i, d := range drifts {
			t.Run(d.name, func(t *testing.T) {
				t.Parallel()
				rows[i] = d.try(t)
			})
		}
	})
	if !t.Failed() && !slices.Contains(rows, "") {
		comparePage(t, rows)
	}
}

func (d drift) try(t *testing.T) string {
	m := newMachine(t)
	d.do(m)
	before := m.tree()
	got := m.report()
	want := map[report.ID]report.Status{update.Denials: report.Pass, update.Framework: report.Pass,
		update.Tools: report.Pass, update.Scripts: report.Pass, update.Settings: report.Pass}
	want[d.check] = d.want
	maps.Copy(want, d.also)
	is := map[report.ID]report.Status{}
	for _, f := range got {
		is[f.Check] = f.Status
	}
	if d.only {
		want = map[report.ID]report.Status{d.check: d.want}
		is = map[report.ID]report.Status{d.check: is[d.check]}
		got = []report.Finding{find(got, d.check)}
	}
	if diff := gocmp.Diff(want, is); diff != "" {
		t.Errorf("%s\n%s", diff, told(got))
	}
	f := find(got, d.check)
	if !slices.ContainsFunc(f.Evidence, func(e report.Evidence) bool { return strings.Contains(e.Text, d.says) }) {
		t.Errorf("nothing says %q:\n%s", d.says, told(got))
	}
	if code := report.Judge(got, true).Exit(); code != d.exit {
		t.Errorf("exit %d, want %d:\n%s", code, d.exit, told(got))
	}
	if diff := gocmp.Diff(before, m.tree()); diff != "" {
		t.Errorf("the report changed something:\n%s", diff)
	}
	summary := strings.NewReplacer(m.home, "~", m.server.URL, "http://upstream").Replace(f.Summary)
	return fmt.Sprintf("| %s | `%s` | %s %s | %d | %s |\n", d.name, d.check, f.Status.Symbol(), f.Status, d.exit,
		strings.ReplaceAll(summary, "|", "\\|"))
}

// tree is every file of the home, with its bytes and mode, but those of cache
// and state.
func (m *machine) tree() map[string]string {
	m.t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(m.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(m.home, path)
		switch info, err := d.Info(); {
		case err != nil:
			return err
		case rel == ".cache" || rel == ".local/state":
			return filepath.SkipDir
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			tree[rel] = "-> " + to
		case info.Mode().IsRegular():
			b, _ := os.ReadFile(path)
			tree[rel] = info.Mode().String() + string(report.DigestOf(b)) + info.ModTime().String()
		}
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return tree
}

const page = "../../docs/update-matrix.md"

// comparePage holds the page to what was seen.
func comparePage(t *testing.T, rows []string) {
	want := `# What ` + "`update`" + ` finds

Every row is seeded into an installed machine by a test (` + "`steps/update`, `go test -run TestMatrix -update`" +
		` writes this page). Each turns the check that it names and no other, unless the test says why.

| Drift | Check | Status | Exit | What the user reads |
|---|---|---|---|---|
` + strings.Join(rows, "")
	testenv.Golden(t, page, want, "go test ./steps/update -run TestMatrix -update")
}
