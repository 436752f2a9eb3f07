// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package play

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/sensitive"
	"github.com/steward-setup/steward-setup/internal/stage"
)

func TestReducedSettings(t *testing.T) {
	const all = `{"sandbox":{"enabled":true,"bwrapPath":"/x","ripgrep":{"command":"/x"}},"permissions":{"deny":["Read(x)"],"defaultMode":"plan"},
		"hooks":{"Stop":[]},"disableAllHooks":true,"env":{"PATH":"/x","CLAUDE_CODE_DISABLE_FILE_MENTIONS":"1"},"apiKeyHelper":"x","enabledPlugins":{"a":true},"a key of tomorrow":1}`
	for _, c := range []struct {
		keep keep
		own  bool
		want []string
		not  []string
	}{
		{policy, true, []string{"enabled", "deny", "defaultMode", "bwrapPath",
			`"env":{"CLAUDE_CODE_DISABLE_FILE_MENTIONS":"1"}`}, []string{"hooks", "Hooks", `"PATH"`, "Helper", "Plugins",
			"tomorrow"}},
		{policy, false, []string{"enabled", "deny"}, []string{"hooks", "Hooks", `"PATH"`, "Helper", "bwrapPath", "ripgrep",
			"Plugins", "tomorrow"}},
		{hooks, true, []string{"enabled", `"hooks"`, "disableAllHooks"}, []string{`"PATH"`, "Helper", "Plugins", "tomorrow"}},
		{hooks, false, []string{"enabled", "disableAllHooks"}, []string{`"hooks"`, `"PATH"`, "Helper", "bwrapPath"}},
	} {
		got := string(reduced("f", []byte(all), c.keep, c.own))
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%v, own %v: no %s in %s", c.keep, c.own, w, got)
			}
		}
		for _, n := range c.not {
			if strings.Contains(got, n) {
				t.Errorf("%v, own %v: %s in %s", c.keep, c.own, n, got)
			}
		}
	}
	for _, broken := range []string{"// x\n{}", `{"sandbox":{"enabled":"true"},"env":{}}`, "[]",
		`{"hooks":{"PreToolUse":"x"},"env":{"PATH":"/x"}}`} {
		if got := string(reduced("f", []byte(broken), policy, false)); got != dropped {
			t.Errorf("%q, which the runtime drops, becomes %q", broken, got)
		}
	}
	if got := string(reduced("f", nil, policy, false)); got != "{}" {
		t.Errorf("an empty file becomes %q", got)
	}
}

// TestPlanModeIsPlayedAsWhatFollowsIt: the default mode takes the place of plan
// mode alone, in whichever file, and nothing else changes.
func TestPlanModeIsPlayedAsWhatFollowsIt(t *testing.T) {
	for before, after := range map[string]string{
		`{"permissions":{"defaultMode":"plan","deny":["Read(x)"]},"sandbox":{"enabled":true}}`: `{"permissions":{"defaultMode":"default","deny":["Read(x)"]},"sandbox":{"enabled":true}}`,
		`{"permissions":{"defaultMode":"dontAsk"}}`:                                            `{"permissions":{"defaultMode":"dontAsk"}}`,
		`{"permissions":{"deny":["plan"]}}`:                                                    `{"permissions":{"deny":["plan"]}}`,
		dropped:                                                                                dropped,
	} {
		got := string(inPrint([]fs.Laid{{Path: "f", Data: []byte(before)}})[0].Data)
		if got != after {
			t.Errorf("%s becomes %s", before, got)
		}
	}
}

// TestOnlyManagedRulesArePlayed: a session has the key that makes the other rules void, and is
// then allowed its own tools where that counts.
func TestOnlyManagedRulesArePlayed(t *testing.T) {
	for before, after := range map[string]string{
		`{"allowManagedPermissionRulesOnly":true,"permissions":{"allow":["A"],"deny":["B"]}}`: `{"allowManagedPermissionRulesOnly":true,` +
			`"permissions":{"allow":["A","Bash","Edit","Write","Skill"],"deny":["B"]}}`,
		`{"allowManagedPermissionRulesOnly":true}`: `{"allowManagedPermissionRulesOnly":true,` +
			`"permissions":{"allow":["Bash","Edit","Write","Skill"]}}`,
		`{"allowManagedPermissionRulesOnly":false}`: `{"allowManagedPermissionRulesOnly":false}`,
		dropped: dropped,
	} {
		kept := before
		if before != dropped {
			kept = string(reduced("f", []byte(before), policy, true))
		}
		if got := string(inPrint([]fs.Laid{{Path: "f", Data: []byte(kept)}})[0].Data); got != after {
			t.Errorf("%s becomes %s", before, got)
		}
	}
}

func FuzzReduced(f *testing.F) {
	f.Add([]byte(`{"sandbox":{"ripgrep":1},"env":{"A":"b"}}`))
	f.Add([]byte("\ufeff{\"sandbox\":null}"))
	f.Add([]byte(`{"env":{"PATH":"/x","CLAUDE_CODE_DISABLE_FILE_MENTIONS":"1"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := reduced("f", b, policy, false)
		var keys map[string]json.RawMessage
		if string(got) != dropped && json.Unmarshal(got, &keys) != nil {
			t.Fatalf("%q becomes %q", b, got)
		}
		for key := range keys {
			var variables map[string]json.RawMessage
			if key == "env" && json.Unmarshal(keys[key], &variables) == nil && len(variables) == 1 &&
				variables["CLAUDE_CODE_DISABLE_FILE_MENTIONS"] != nil {
				continue
			}
			if key != "sandbox" && key != "permissions" {
				t.Fatalf("%q keeps %q", b, key)
			}
		}
	})
}

func TestEverySecretIsACredentialOfThePolicy(t *testing.T) {
	of := Claude{}.Layout(env.Places{AgentDir: "/home/me/.claude"})
	list := stage.Secrets("run", "/home/me", of, nil)
	if own := len(list) - len(stage.Secrets("run", "/home/me", agent.Layout{}, nil)); own != len(of.Secrets) || own == 0 {
		t.Errorf("%d canaries of %d", own, len(of.Secrets))
	}
	for _, c := range list {
		if _, ok := sensitive.CredentialPath(c.Path, "/home/me"); !ok {
			t.Errorf("%s is no place of credentials", c.Path)
		}
	}
}
