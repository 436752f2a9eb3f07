// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of every settings file that the runtime would read, a
// session gets what a policy is made of and nothing that runs, redirects or
// names a key. A file that the runtime drops whole becomes one that every
// version drops. Of the runtime's state a session has what the user trusts;
// everything else in that file holds tokens, and stays unread.

package play

import (
	"bytes"
	"encoding/json"
	"errors"
	iofs "io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/sensitive"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// keys of a settings file that a session keeps.
var keptKeys = []string{claude.KeySandbox.Leaf(), claude.KeyPermissions.Leaf(),
	claude.KeyAllowManagedPermissionRulesOnly.String()}

// hookKeys are kept besides, of user and managed settings, where hooks are
// rehearsed; switching hooks off counts in every scope (measured: a project
// switches off the user's).
var hookKeys = []string{claude.KeyHooks.Leaf(), claude.KeyDisableAllHooks.String(),
	claude.KeyAllowManagedHooksOnly.String(), claude.KeyStrictPluginOnly.String()}

// Which settings a session keeps.
type keep int

const (
	policy keep = iota // sandbox and permissions
	hooks              // and the user's hooks
	whole              // everything, to see what a reduction takes away
)

// settingsOf lists the settings files of a session: the user's, the managed
// ones, and those of the directories in which one could start.
func settingsOf(r host.Reader, s agent.Start) []fs.Laid {
	kept := policy
	if s.Hooks {
		kept = hooks
	}
	places := r.Places()
	var files []fs.Laid
	add := func(path string, own bool) {
		read := r.Read
		if !own { // a project's file is not opened where it leads to a credential
			read = func(path string) ([]byte, error) {
				return sensitive.ReadProject(r, filepath.Dir(filepath.Dir(path)), path)
			}
		}
		b, err := read(path)
		if errors.Is(err, iofs.ErrNotExist) {
			return
		}
		content := []byte("{}\n")
		if err == nil && s.Settings {
			content = reduced(path, b, kept, own)
		}
		files = append(files, fs.Laid{Path: path, Mode: 0o644, Data: content})
	}
	add(places.UserSettings(), true)
	add(filepath.Join(places.AgentDir, claude.CoworkFile), true)
	add(places.Managed, true)
	for _, path := range inforce.DropIns(r, places.Managed) {
		add(path, true)
	}
	for _, dir := range s.Dirs {
		for _, name := range projectSettings {
			add(filepath.Join(dir, claude.Dir, name), false)
		}
	}
	return files
}

// reduced is a settings file without what is not rehearsed. own says that it
// is not a project's.
func reduced(path string, b []byte, which keep, own bool) []byte {
	if _, err := settings.Check(path, b); err != nil {
		return []byte(dropped)
	}
	all := members(bytes.TrimPrefix(b, []byte("\ufeff")))
	if all == nil && len(bytes.TrimSpace(b)) > 0 {
		return []byte(dropped)
	}
	kept := map[string]json.RawMessage{}
	for key, value := range all {
		switch {
		case which == whole:
			kept[key] = value
		case key == claude.KeyEnv.Leaf():
			if value = onlySwitches(value); value != nil {
				kept[key] = value
			}
		case key == claude.KeySandbox.Leaf() && !own:
			kept[key] = withoutPrograms(value)
		case slices.Contains(keptKeys, key):
			kept[key] = value
		case which == hooks && slices.Contains(hookKeys, key) && (own || key != claude.KeyHooks.Leaf()):
			kept[key] = value
		}
	}
	return model.Encode(kept)
}

// members are those of a JSON object, nil if the text is none.
func members(text []byte) (all map[string]json.RawMessage) {
	_ = json.Unmarshal(text, &all) // nothing is read of what is none
	return all
}

// keptVariables are variables of "env" that a session keeps: switches that take
// something from the agent, or choose between settings, and lead nowhere.
// keptOfShell are kept of the shell besides.
var (
	keptVariables = []string{claude.MentionsVariable, claude.CoworkVariable}
	keptOfShell   = []string{claude.RulesVariable, claude.SessionKindVariable}
)

// onlySwitches are the variables of "env" that a session keeps, nil if there
// are none.
func onlySwitches(variables json.RawMessage) json.RawMessage {
	all := members(variables)
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return !slices.Contains(keptVariables, name) })
	if len(all) == 0 {
		return nil
	}
	return model.Encode(all)
}

// dropped is a file that 2.1.141 and 2.1.329 drop whole (measured). What they
// drop differs: a file that only one of them drops must not bring its hooks
// along in the other.
const dropped = "{\n"

// withoutPrograms is a project's sandbox without the programs that it names:
// they are code of the project.
func withoutPrograms(sandbox json.RawMessage) json.RawMessage {
	all := members(sandbox)
	for _, key := range claude.SandboxPrograms {
		delete(all, key)
	}
	return model.Encode(all)
}

// withHook adds the hook of a session on a terminal to the user's settings, that
// nothing on the screen need move, and that no desktop is told of the runtime
// (xdg-mime and what it starts, measured with 2.1.330). A
// file that is dropped whole stays as it is: the runtime asks about it at the
// start, and the session has no result.
func withHook(files []fs.Laid, user, statusLine string) []fs.Laid {
	at := slices.IndexFunc(files, func(f fs.Laid) bool { return f.Path == user })
	if at < 0 {
		at, files = len(files), append(files, fs.Laid{Path: user, Mode: 0o644, Data: []byte("{}")})
	}
	all := members(files[at].Data)
	if all == nil {
		return files
	}
	asking := claude.CommandHook(claude.PermissionRequest, "echo "+scripts.Quote(refusal))
	all[claude.KeyHooks.Leaf()] = json.RawMessage(asking)
	all[claude.KeyPrefersReducedMotion.String()] = json.RawMessage("true") // nobody looks
	all[claude.KeyDisableDeepLinkRegistration.String()] = json.RawMessage(`"disable"`)
	if statusLine != "" {
		all[claude.KeyStatusLine.String()] = json.RawMessage(`{"type":"command","command":"cat > ` + statusLine + `"}`)
	}
	files[at].Data = model.Encode(all)
	return files
}

// allowed are the tools that a session in print mode is not asked about.
var allowed = []string{claude.ToolBash, claude.ToolEdit, claude.ToolWrite, claude.ToolSkill}

// inPrint are settings files for print mode. The default mode stands in the place of
// plan mode; which file decides stays as it is: in plan mode 2.1.329 answers "Cannot
// write to … while in plan mode" to the Write tool, whatever the rules say (measured).
// Managed settings that count no rules but their own, those of the command line
// included (measured with 2.1.330), have what is allowed.
func inPrint(files []fs.Laid) []fs.Laid {
	for i, f := range files {
		all := members(f.Data)
		permissions := members(all[claude.KeyPermissions.Leaf()])
		var mode string
		plan := json.Unmarshal(permissions[claude.KeyDefaultMode.Leaf()], &mode) == nil && mode == claude.ModePlan
		alone := string(all[claude.KeyAllowManagedPermissionRulesOnly.String()]) == "true"
		if !plan && !alone {
			continue
		}
		if permissions == nil {
			permissions = map[string]json.RawMessage{}
		}
		if plan {
			permissions[claude.KeyDefaultMode.Leaf()] = json.RawMessage(`"` + claude.ModeDefault + `"`)
		}
		if alone {
			var rules []string
			_ = json.Unmarshal(permissions[claude.Allow], &rules) // what is no list holds none
			permissions[claude.Allow] = model.Encode(append(rules, allowed...))
		}
		all[claude.KeyPermissions.Leaf()] = model.Encode(permissions)
		files[i].Data = model.Encode(all)
	}
	return files
}

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
		Env      json.RawMessage            `json:"env"`
	}
	if b, err := r.Read(inforce.StateFile(r)); err == nil {
		_ = json.Unmarshal(b, &own) // the runtime starts anew with a file that it cannot read
	}
	kept := map[string]project{}
	for _, dir := range s.Dirs {
		for dir := range pathname.Upward(dir) {
			var p project
			if text, ok := own.Projects[dir]; ok && json.Unmarshal(text, &p) == nil {
				kept[dir] = p
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
	if kept := onlySwitches(own.Env); kept != nil && s.Settings {
		state[claude.KeyEnv.Leaf()] = kept
	}
	if s.Terminal {
		// These keep its first screens from asking: the key of the environment is accepted (the last 20 characters
		// name it), and the notices of auto mode have been seen (read in 2.1.324 and 2.1.329).
		key := key(s)
		maps.Copy(state, map[string]any{
			"customApiKeyResponses": map[string]any{"approved": []string{key[max(0, len(key)-20):]},
				"rejected": []string{}},
			"hasSeenAutoModeEntryWarning":      true,
			"hasSeenAutoModeOutsideReadPrompt": true,
			"hasSeenAutoDefaultNotice":         true,
		})
	}
	return json.Marshal(state)
}
