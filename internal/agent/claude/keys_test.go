// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package claude_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// runtimes runs a test with the pinned runtime and with the floor.
func runtimes(t *testing.T, f func(*testing.T, []byte)) {
	t.Run("pinned", func(t *testing.T) { f(t, binary(t, testenv.Claude(t))) })
	t.Run("floor", func(t *testing.T) { f(t, binary(t, testenv.ClaudeFloor(t))) })
}

// least is how many settings keys the oldest of these versions has: fewer
// mean that they were not found.
const least = 240

func TestEverySettingsKeyIsClassified(t *testing.T) {
	testenv.AsRoot(t)
	runtimes(t, func(t *testing.T, b []byte) {
		keys, err := claude.SettingsKeys(b)
		if err != nil {
			t.Fatal(err)
		}
		if len(keys) < least {
			t.Fatalf("only %d keys of the runtime were found", len(keys))
		}
		for _, k := range keys {
			if claude.Setting(k).Class == claude.Unknown {
				t.Errorf("the runtime knows the setting %s, the tables do not: what does it do to protection?", k)
			}
		}
	})
}

func TestEveryKeyOfFrontMatterIsClassified(t *testing.T) {
	testenv.AsRoot(t)
	runtimes(t, func(t *testing.T, b []byte) {
		kinds := frontKeys(t, b)
		for _, kind := range []claude.Text{claude.Skill, claude.Agent, claude.Style} {
			for _, k := range kinds[kind] {
				if claude.Front(kind, k).Class == claude.Unknown {
					t.Errorf("the runtime knows the key %s of the front matter of a %s, the tables do not", k, kind)
				}
			}
		}
	})
}

// TestEveryNamedKeyIsInTheTables, once.
func TestEveryNamedKeyIsInTheTables(t *testing.T) {
	text := []byte(testenv.Read(t, "keypath.go"))
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`KeyPath\{("[^}]+")\}`).FindAllSubmatch(text, -1) {
		key := strings.ReplaceAll(strings.Trim(string(m[1]), `"`), `", "`, ".")
		// These two are what the rows below them stand in.
		within := key == "permissions" || key == "sandbox" || strings.HasPrefix(key, "sandbox.") && claude.Nested(key)
		if claude.Setting(key).Class == claude.Unknown && !within {
			t.Errorf("%s has a name and no row", key)
		}
		if seen[key] {
			t.Errorf("%s has two names", key)
		}
		seen[key] = true
	}
	if len(seen) < 50 {
		t.Errorf("%d names: they are not where they were", len(seen))
	}
}

// TestTheTablesHoldNothingTwice, and every row says what its key does.
func TestTheTablesHoldNothingTwice(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range claude.Rows() {
		if seen[k.Path] || k.Class == claude.Unknown || k.Effect == "" {
			t.Errorf("the row of %s: class %d, effect %q, seen before %v", k.Path, k.Class, k.Effect, seen[k.Path])
		}
		seen[k.Path] = true
	}
	if len(seen) < least {
		t.Errorf("%d rows", len(seen))
	}
}

// TestNewestIsThePinnedRuntime: what the tables are said to know is what they
// were compared with.
func TestNewestIsThePinnedRuntime(t *testing.T) {
	testenv.AsRoot(t)
	if !bytes.Contains(binary(t, testenv.Claude(t)), []byte("// Version: "+claude.Newest+"\n")) {
		t.Errorf("the pinned runtime is not %s: compare the tables with it, then set Newest", claude.Newest)
	}
}

func TestTheHostsOfWebFetchAreTheRuntimes(t *testing.T) {
	testenv.AsRoot(t)
	runtimes(t, func(t *testing.T, b []byte) {
		_, list, found := bytes.Cut(b, []byte(`new Set(["`+claude.FetchedUnasked[0]+`",`))
		list, _, ends := bytes.Cut(list, []byte("]"))
		hosts := []string{claude.FetchedUnasked[0]}
		for host := range strings.SplitSeq(string(list), ",") {
			if host = strings.Trim(host, `"`); !slices.Contains(hosts, host) {
				hosts = append(hosts, host)
			}
		}
		if !found || !ends || !slices.Equal(hosts, claude.FetchedUnasked) {
			t.Errorf("the runtime's list is %q", hosts)
		}
	})
}
