// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: no check opens a credential file because a project leads
// there.

package checks_test

import (
	"bytes"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// openings notes which files are read, links followed.
type openings struct {
	host.Reader
	mu   sync.Mutex
	read []string
}

func (o *openings) note(path string) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.read = append(o.read, real)
	}
}

func (o *openings) Read(path string) ([]byte, error) {
	o.note(path)
	return o.Reader.Read(path)
}

func (o *openings) ReadIn(root, rel string) ([]byte, error) {
	o.note(filepath.Join(root, rel))
	return o.Reader.ReadIn(root, rel)
}

func TestNoLinkOfAProjectOpensACredentialFile(t *testing.T) {
	testenv.AsUser(t)
	for _, link := range []string{projectFile, localFile, "~/code/tracker/.mcp.json",
		"~/code/tracker/.claude/skills/x/SKILL.md", "~/code/tracker/.claude/agents/x.md",
		"~/code/tracker/.git/rebase-merge/git-rebase-todo"} {
		m := build(t, usualSetup)
		m.write("~/.aws/credentials", "[default]\naws_secret_access_key = CANARY\nexec CANARY\n", 0o600)
		m.write(link, "", 0o644) // the directories
		m.remove(link)
		m.symlink(m.at("~/.aws/credentials"), link)
		o := &openings{Reader: m.host()}
		options := verify.Options{Agent: checks.Claude{}, Project: m.Project}
		for _, check := range verify.Checks(options) {
			f := check.Run(context.Background(), o)
			for _, e := range f.Evidence {
				if bytes.Contains([]byte(e.Text), []byte("CANARY")) || bytes.Contains([]byte(e.Text), []byte(`'['`)) {
					t.Errorf("%s: %s says what stands in the file: %s", link, check.ID, e.Text)
				}
			}
			if slices.Contains(o.read, m.at("~/.aws/credentials")) {
				t.Errorf("%s: %s opened the credential file", link, check.ID)
				o.read = nil
			}
		}
		verify.Key(context.Background(), o, options)
		if slices.Contains(o.read, m.at("~/.aws/credentials")) {
			t.Errorf("%s: the key opened the credential file", link)
		}
	}
}

// TestASecondNameThatNobodyLookedForIsUnknown: of a .env with two names, where there
// are more files than are looked through.
func TestASecondNameThatNobodyLookedForIsUnknown(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, usualSetup)
	m.write("~/code/tracker/sub/.env", "TOKEN=1\n", 0o600)
	m.write("~/elsewhere/x", "", 0o600)
	m.hardLink("~/code/tracker/sub/.env", "~/elsewhere/env")
	for _, many := range []bool{false, true} {
		r := host.Reader(m.host())
		if many {
			r = manyFiles{r, m.at("~/code/tracker/.git")}
		}
		var f report.Finding
		for _, check := range verify.Checks(verify.Options{Agent: checks.Claude{}, Project: m.Project}) {
			if check.ID == "policy-invariants" {
				f = check.Run(context.Background(), r)
			}
		}
		if said := told(m, []report.Finding{f}, nil); (f.Status == report.Unknown) != many ||
			strings.Contains(said, "sub/.env has hard links") != many {
			t.Errorf("many files: %v: %s", many, said)
		}
	}
}

// TestNamesBesideEachOtherAreNoDoubt: of a file whose names all lie in one directory, as those of
// rustup's programs do, none can be among the files that are not looked through.
func TestNamesBesideEachOtherAreNoDoubt(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, usualSetup)
	m.hardLink("~/.bashrc", "~/.bashrc.was")
	for _, check := range verify.Checks(verify.Options{Agent: checks.Claude{}, Project: m.Project}) {
		if check.ID == "policy-invariants" {
			f := check.Run(context.Background(), manyFiles{m.host(), m.at("~/code/tracker/.git")})
			if f.Status == report.Unknown {
				t.Error(told(m, []report.Finding{f}, nil))
			}
		}
	}
}

// manyFiles has more entries in dir than are looked through.
type manyFiles struct {
	host.Reader
	dir string
}

func (m manyFiles) ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := m.Reader.ReadDir(dir)
	if dir == m.dir && len(entries) > 0 {
		entries = slices.Repeat(entries[:1], host.MaxEntries+1)
	}
	return entries, err
}
