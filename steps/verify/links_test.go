// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: no check opens a credential file because a project leads
// there.

package verify_test

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
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
		options := verify.Options{Project: m.Project}
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
