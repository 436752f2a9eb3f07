// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whoever can write the stored result, or read or replace
// the key that it is signed with, gains nothing by it, and the place that lets
// them is named.

package checks_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// forge writes a proof as somebody would who knows the format, the digest that
// it must carry and, where key is the real one, the key.
func forge(m *Machine, key []byte) {
	m.t.Helper()
	findings, err := report.EncodeFindings(proved[:1])
	if err != nil {
		m.t.Fatal(err)
	}
	at, digest := time.Now().Add(-time.Minute), keyOf(m)
	body, err := json.Marshal(map[string]any{"version": 2, "key": digest, "at": at, "findings": json.RawMessage(findings)})
	if err != nil {
		m.t.Fatal(err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(append([]byte("steward-setup result\n"), body...))
	name := filepath.Join(m.host().Places().Cache, "verify", at.UTC().Format("20060102-150405.000-")+digest)
	m.write(name, hex.EncodeToString(mac.Sum(nil))+"\n"+string(body), 0o600)
}

// keyBytes is the real key.
func keyBytes(m *Machine) []byte {
	m.t.Helper()
	if err := verify.Store(m.host().Places(), "other", proved, time.Now()); err != nil {
		m.t.Fatal(err)
	}
	b, err := os.ReadFile(engine.ResultKey(m.host().Places().State))
	if err != nil {
		m.t.Fatal(err)
	}
	return b
}

// TestAForgedProofIsNotBelieved: the forger knows the format and the digest,
// and has no key; with the key it would be believed, which shows that nothing
// else of it is wrong.
func TestAForgedProofIsNotBelieved(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, c := range map[string]struct {
		key  func(*Machine) []byte
		want report.Status
	}{
		"with the key": {keyBytes, report.Pass},
		"with a key of its own": {func(m *Machine) []byte { keyBytes(m); return []byte(strings.Repeat("k", 32)) },
			report.Unknown},
		"where there is no key": {func(*Machine) []byte { return nil }, report.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			m := copyOf(t, healthy)
			forge(m, c.key(m))
			if f := recalled(t, m); f.Status != c.want {
				t.Errorf("denials is %s: %s", f.Status, f.Summary)
			}
		})
	}
}

// TestAProofCountsOnlyWhereNoCommandWrites: even one with the real key.
func TestAProofCountsOnlyWhereNoCommandWrites(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, c := range map[string]struct {
		seed  func(*Machine)
		where string
	}{
		"XDG_CACHE_HOME in the project": {func(m *Machine) { m.Env["XDG_CACHE_HOME"] = m.Project + "/.cache" },
			"~/code/tracker/.cache/steward-setup lies in"},
		"XDG_CACHE_HOME in a worktree": {func(m *Machine) { m.Env["XDG_CACHE_HOME"] = m.Worktree },
			"tracker-fix/steward-setup lies in"},
		"XDG_STATE_HOME in the project": {func(m *Machine) { m.Env["XDG_STATE_HOME"] = m.Project },
			"~/code/tracker/steward-setup/result.key lies in"},
		"the cache is a link into the project": {func(m *Machine) {
			m.write("~/code/tracker/c/x", "",
				0o644)
			m.symlink(m.Project+"/c", "~/.cache")
		}, "~/.cache/steward-setup lies in"},
		"the cache by way of a project's link": {func(m *Machine) {
			m.write("~/.cache/x", "", 0o644)
			m.symlink(m.at("~/.cache"), "~/code/tracker/c")
			m.Env["XDG_CACHE_HOME"] = m.Project + "/c"
		}, "c/steward-setup lies in"},
		"an additional directory above it": {func(m *Machine) { m.add(localFile, directories, "~/.cache") }, localFile +
			`#"~/.cache"`},
		"an Edit rule above it": {func(m *Machine) { m.add(projectFile, allowRules, "Edit(~/.cache/**)") },
			projectFile + `#"Edit(~/.cache/**)"`},
		"an Edit rule with a wildcard": {func(m *Machine) {
			m.add(projectFile, allowRules,
				"Edit(~/.cache/*/verify/*)")
		}, projectFile + `#"Edit(~/.cache/*/verify/*)"`},
		"every Edit approved": {func(m *Machine) { m.add(userFile, allowRules, "Edit") }, userFile +
			`#"Edit"`},
		"every Write approved": {func(m *Machine) { m.add(userFile, allowRules, "Write(*)") }, userFile +
			`#"Write(*)"`},
		"allowWrite of a file in it": {func(m *Machine) {
			m.add(userFile, allowWrite,
				"~/.cache/steward-setup/verify/x")
		}, userFile + `#verify/x"`},
		"allowWrite of a directory above it": {func(m *Machine) { m.add(userFile, allowWrite, "~/.cache") }, userFile +
			`#"~/.cache"`},
		"allowWrite by another name of it": {func(m *Machine) {
			m.symlink(m.at("~/.cache"), "~/other")
			m.add(userFile,
				allowWrite, "~/other")
		}, userFile + `#"~/other"`},
		"allowWrite in a worktree's settings": {func(m *Machine) { m.add(worktreeFile, allowWrite, m.at("~/.cache")) },
			worktreeFile + `#.cache"`},
		"a worktree whose branch has no policy": {func(m *Machine) {
			if err := os.Remove(m.Worktree + "/.claude/settings.json"); err != nil {
				t.Fatal(err)
			}
		}, "in a session that starts in ~/code/tracker-fix"},
		"allowWrite of the key": {func(m *Machine) {
			m.add(userFile, allowWrite,
				"~/.local/state/steward-setup/result.key")
		}, userFile + `#result.key"`},
		"allowRead of the key": {func(m *Machine) { m.add(projectFile, allowRead, "~/.local/state") },
			projectFile + `#"~/.local/state"`},
		"a state directory that nothing hides": {func(m *Machine) { m.Env["XDG_STATE_HOME"] = m.dir + "/srv" },
			"no denyRead covers it"},
		"the home is not hidden, whoever reads": {func(m *Machine) {
			m.drop(projectFile, "sandbox.filesystem.denyRead",
				"~/")
		}, "no denyRead covers it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			c.seed(m)
			forge(m, keyBytes(m))
			f := recalled(t, m)
			if f.Status != report.Unknown || !m.names(f, c.where) {
				t.Errorf("denials is %s, want unknown and %s:\n%s", f.Status, c.where, told(m, []report.Finding{f}, nil))
			}
		})
	}
}

// TestARuleThatReachesNoProof: "**" is all below the start directory.
func TestARuleThatReachesNoProof(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, usualSetup)
	m.add(projectFile, allowRules, "Edit(**)")
	forge(m, keyBytes(m))
	if f := recalled(t, m); f.Status == report.Unknown {
		t.Error(told(m, []report.Finding{f}, nil))
	}
}
