// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a directory that ignores the case of names is named, and one in which a second
// spelling is a file of its own is not.

package checks_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// folding is a machine on which what lies below a directory has no case.
type folding struct {
	host.Reader
	below string
}

// spelt is a path as it is on disk.
func (f folding) spelt(path string) string {
	if !pathname.Within(path, f.below) {
		return path
	}
	at := f.below
	for name := range strings.SplitSeq(strings.Trim(strings.TrimPrefix(path, f.below), "/"), "/") {
		entries, _ := os.ReadDir(at)
		for _, e := range entries {
			if strings.EqualFold(e.Name(), name) {
				name = e.Name()
			}
		}
		at = filepath.Join(at, name)
	}
	return at
}

func (f folding) Stat(path string) (fs.FileInfo, error)  { return f.Reader.Stat(f.spelt(path)) }
func (f folding) Lstat(path string) (fs.FileInfo, error) { return f.Reader.Lstat(f.spelt(path)) }

func TestADirectoryThatIgnoresCaseIsNamed(t *testing.T) {
	usual := build(t, usualSetup)
	for _, tt := range []struct {
		name, below string
		change      func(*Machine)
		want        report.Status
	}{
		{"the project", "code/tracker", nil, report.Fail},
		{"what it lies in", "code", nil, report.Fail},
		{"no directory", "other", nil, report.Pass},
		{"no directory, and other files of these spellings", "other", func(m *Machine) {
			m.write(m.Project+"/.GIT", "", 0o644)
			m.write(m.Project+"/.CLAUDE", "", 0o644)
			m.write("~/CODE", "", 0o644)
		}, report.Pass},
	} {
		m := copyOf(t, usual)
		if tt.change != nil {
			tt.change(m)
		}
		m.approve()
		r := folding{m.host(), filepath.Join(m.Home, tt.below)}
		f := find(engine.RunChecks(context.Background(), r, checksOf("policy-invariants", m.Project), func(engine.Event) {}),
			"policy-invariants")
		if f.Status != tt.want || f.Voids != (tt.want == report.Fail) {
			t.Errorf("%s: %s (%v) %s", tt.name, f.Status, f.Voids, f.Summary)
		}
		launch, err := iso.Survey(r, m.Project)
		if err != nil {
			t.Fatal(err)
		}
		err = launch.Refuse(iso.Options{})
		if names := err != nil && strings.Contains(err.Error(), "ignores the case"); names != (tt.want == report.Fail) {
			t.Errorf("%s: claude-iso: %v", tt.name, err)
		}
	}
}

// checksOf is one check of the project.
func checksOf(id report.ID, project string) (list []engine.Check) {
	for _, c := range verify.Checks(verify.Options{Agent: checks.Claude{}, Project: project}) {
		if c.ID == id {
			list = append(list, c)
		}
	}
	return list
}
