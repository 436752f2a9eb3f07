// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of the runtime's state a session has what the user trusts;
// everything else in that file holds tokens, and stays unread.

package play

import (
	"encoding/json"
	"maps"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// key is the key of the session: it opens nothing.
func key(s agent.Start) string { return "sk-ant-" + s.Run }

// project is what is kept of the runtime's memory of a project.
type project struct {
	Trusted bool     `json:"hasTrustDialogAccepted"`
	Allowed []string `json:"allowedTools,omitempty"`
}

// trust is the runtime's state for a session: which of the directories in and
// above its own the user trusts, and what is allowed there. Everything else in
// that file stays unread: it holds tokens.
func trust(r host.Reader, s agent.Start) ([]byte, error) {
	var own struct {
		Projects map[string]json.RawMessage `json:"projects"`
	}
	if b, err := r.Read(inforce.StateFile(r)); err == nil {
		_ = json.Unmarshal(b, &own) // the runtime starts anew with a file that it cannot read
	}
	kept := map[string]project{}
	for _, dir := range s.Dirs {
		for ; ; dir = filepath.Dir(dir) {
			var p project
			if text, ok := own.Projects[dir]; ok && json.Unmarshal(text, &p) == nil {
				kept[dir] = p
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	if s.Terminal { // nobody works in a project before this screen is answered
		p := kept[s.Dir]
		p.Trusted = true
		kept[s.Dir] = p
	}
	state := map[string]any{"hasCompletedOnboarding": true, "projects": kept,
		"oauthAccount": map[string]any{"canary": stage.Nonce(s.Run, inforce.StateFile(r))}}
	if s.Terminal {
		maps.Copy(state, answered(key(s)))
	}
	return json.Marshal(state)
}

// answered are the keys of the runtime's state that keep its first screens
// from asking: the key of the environment is accepted (the last 20 characters
// name it), and the notices of auto mode have been seen (read in 2.1.324 and
// 2.1.329).
func answered(key string) map[string]any {
	return map[string]any{
		"customApiKeyResponses": map[string]any{"approved": []string{key[max(0, len(key)-20):]},
			"rejected": []string{}},
		"hasSeenAutoModeEntryWarning":      true,
		"hasSeenAutoModeOutsideReadPrompt": true,
		"hasSeenAutoDefaultNotice":         true,
	}
}
