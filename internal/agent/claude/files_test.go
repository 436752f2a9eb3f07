// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package claude_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestEveryFileOfAProjectIsClassified: the runtime's code names them behind
// the name of their directory.
func TestEveryFileOfAProjectIsClassified(t *testing.T) {
	testenv.AsRoot(t)
	// A name with a dot in front stands beside the directory, in a list of such names.
	inDirectory := regexp.MustCompile(`"\.claude","(\w[\w.-]*)"`)
	runtimes(t, func(t *testing.T, b []byte) {
		found := map[string]bool{}
		for _, m := range inDirectory.FindAllSubmatch(b, -1) {
			found[string(m[1])] = true
		}
		if len(found) < 20 || !found["skills"] || !found["scheduled_tasks.json"] {
			t.Fatalf("only %d files: they are not where they were", len(found))
		}
		for name := range found {
			if claude.ProjectFile(name).Class == claude.Unknown {
				t.Errorf("the runtime knows the file .claude/%s, the table does not: what does it do to protection?", name)
			}
		}
	})
}

func TestEveryKeyOfAManifestIsClassified(t *testing.T) {
	testenv.AsRoot(t)
	manifest := regexp.MustCompile(`\(\{\$schema:\(\)=>[\w$]+\(\)\.shape\.\$schema,name:`)
	runtimes(t, func(t *testing.T, b []byte) {
		kinds := map[claude.Manifest][]string{
			claude.Market: claude.Around(b, "When true, plugins removed from this marketplace", "plugins"),
			claude.Entry:  claude.Around(b, "Custom HTTP headers for fetching this plugin's archive", "source"),
		}
		if at := manifest.FindIndex(b); at != nil {
			kinds[claude.Plugin] = claude.KeysOf(b[:min(len(b), at[0]+100_000)], at[0]+1)
		}
		for kind, least := range map[claude.Manifest]int{claude.Plugin: 25, claude.Market: 8, claude.Entry: 6} {
			if len(kinds[kind]) < least {
				t.Errorf("%d keys of a %s: they are not where they were: %q", len(kinds[kind]), kind, kinds[kind])
			}
			for _, k := range kinds[kind] {
				if claude.OfManifest(kind, k).Class == claude.Unknown {
					t.Errorf("the runtime knows the key %s of a %s, the table does not", k, kind)
				}
			}
		}
	})
}

// TestEveryHookEventIsKnown, and which of them guard the permissions beside them.
func TestEveryHookEventIsKnown(t *testing.T) {
	testenv.AsRoot(t)
	events := regexp.MustCompile(`\["PreToolUse",("[A-Za-z]+",?){20,}\]`)
	guards := regexp.MustCompile(`new Set\(\["PreToolUse","PermissionRequest"(?:,"(PreSkill\w+)")?\]\)`)
	runtimes(t, func(t *testing.T, b []byte) {
		var longest []string
		for _, m := range events.FindAll(b, -1) {
			if list := strings.Split(strings.Trim(string(m), `["]`), `","`); len(list) > len(longest) {
				longest = list
			}
		}
		if len(longest) < 30 {
			t.Fatalf("%d events: they are not where they were", len(longest))
		}
		for _, e := range longest {
			if !slices.Contains(claude.HookEvents, e) {
				t.Errorf("the runtime knows the hook event %s, the list does not: does its hook run outside the sandbox too?", e)
			}
		}
		m := guards.FindSubmatch(b)
		if m == nil || len(m[1]) > 0 && !slices.Contains(claude.GuardEvents, string(m[1])) {
			t.Errorf("the events that guard permissions are others: %q", m)
		}
	})
}
