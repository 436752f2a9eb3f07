// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the home of a session has what the session needs of the
// user's, field by field; what is not named here is not there.

package rehearsal

import (
	"encoding/json"
	iofs "io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// environ is the environment of the stage's own process and of the agent: the
// least that it needs, and what the session plants.
func (t *Theatre) environ(path string, s Session) []string {
	list := []string{"HOME=" + filepath.Clean(t.Host.System().Get("HOME")), "PATH=" + path, "USER=stage", "LOGNAME=stage",
		"SHELL=" + t.shell(s), "TERM=xterm-256color", "LANG=C.UTF-8",
		claude.KeyVariable + "=sk-ant-" + t.Run, claude.QuietVariable + "=1", "DISABLE_AUTOUPDATER=1"}
	for _, name := range append([]string{claude.ConfigDirVariable}, keptVariables...) {
		if value := t.Host.System().Get(name); value != "" && (s.Mode != Twin || name == claude.ConfigDirVariable) {
			list = append(list, name+"="+value)
		}
	}
	if s.Terminal {
		// Else it looks how it was installed, and asks GitHub for a list of plugins,
		// by ssh and then by git (measured with 2.1.330).
		list = append(list, "DISABLE_INSTALLATION_CHECKS=1", claude.NoMarketplaceVariable+"=1")
	}
	return append(list, s.Env...)
}

// shell is what a session's SHELL says. On a terminal it is the user's own, if
// the runtime takes a snapshot of it (bash and zsh) and it is to be seen on the
// stage, with a start file that does nothing; else a plain one.
func (t *Theatre) shell(s Session) string {
	own := t.Host.System().Get("SHELL")
	real, err := t.Host.Resolve(own)
	if !s.Terminal || err != nil || !slices.Contains([]string{"bash", "zsh"}, filepath.Base(real)) {
		return "/bin/sh"
	}
	for _, dir := range []string{"/usr/bin", "/bin", "/usr/local/bin"} { // what else there is may be memory there
		if filepath.Dir(real) == dir {
			return own
		}
	}
	return "/bin/sh"
}

// key is the key of the session: it opens nothing.
func (t *Theatre) key() string { return "sk-ant-" + t.Run }

// home lists the files of the home that a session has, and the files of the
// host that stay where they are for it.
func (t *Theatre) home(s Session) (files []fs.Laid, keep []string, err error) {
	places := t.Host.Places()
	files = settingsOf(t.Host, t.starts(s), s.Mode)
	if s.Terminal {
		files = withHook(files, places.UserSettings(), s.StatusLine)
	} else {
		files = afterThePlan(files)
	}
	state, err := t.trust(s)
	if err != nil {
		return nil, nil, err
	}
	files = append(files,
		fs.Laid{Path: inforce.StateFile(t.Host), Mode: 0o600, Data: state},
		fs.Laid{Path: filepath.Join(places.Home, ".gitconfig"), Mode: 0o644,
			Data: []byte("[user]\n\tname = Stage\n\temail = stage@example.invalid\n")})
	if s.Mode == Hooks {
		var scripts []fs.Laid
		scripts, keep = t.hookFiles()
		files = append(files, scripts...)
	}
	if s.Launch == report.Iso {
		files = append(files, approved(t.Host, near(t.Host, s.Dir)))
	}
	return files, keep, nil
}

// starts are the directories whose settings are the session's own.
func (t *Theatre) starts(s Session) []string {
	var dirs []string
	for _, tree := range t.Trees {
		dirs = append(dirs, tree.Root)
	}
	if !slices.Contains(dirs, s.Dir) {
		dirs = append(dirs, s.Dir)
	}
	if s.Launch == report.Iso { // the project that is approved may lie around it
		l, err := iso.Consider(t.Host, near(t.Host, s.Dir))
		if err == nil && !slices.Contains(dirs, l.Place.Project) {
			dirs = append(dirs, l.Place.Project)
		}
	}
	return dirs
}

// project is what is kept of the runtime's memory of a project.
type project struct {
	Trusted bool     `json:"hasTrustDialogAccepted"`
	Allowed []string `json:"allowedTools,omitempty"`
}

// trust is the runtime's state for a session: which of the directories in and
// above its own the user trusts, and what is allowed there. Everything else in
// that file stays unread: it holds tokens.
func (t *Theatre) trust(s Session) ([]byte, error) {
	var own struct {
		Projects map[string]json.RawMessage `json:"projects"`
	}
	if b, err := t.Host.Read(inforce.StateFile(t.Host)); err == nil {
		_ = json.Unmarshal(b, &own) // the runtime starts anew with a file that it cannot read
	}
	kept := map[string]project{}
	for _, dir := range t.starts(s) {
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
		"oauthAccount": map[string]any{"canary": stage.Nonce(t.Run, inforce.StateFile(t.Host))}}
	if s.Terminal {
		maps.Copy(state, answered(t.key()))
	}
	return json.Marshal(state)
}

// approved approves on the stage what the project's policy is now: whether
// the user has approved it is another check's question. A policy that is not
// understood is approved by nobody: the launch refuses, here as elsewhere.
func approved(r host.Reader, dir string) fs.Laid {
	set := approval.Set{SchemaVersion: 1}
	if l, err := iso.Consider(r, dir); err == nil && !l.Policy.Empty() {
		set = l.ApprovedIn(set)
	}
	return fs.Laid{Path: approval.Path(r.Places().State), Mode: 0o600, Data: set.Bytes()}
}

// near is the nearest directory at or above dir that is there on the host.
func near(r host.Reader, dir string) string {
	for dir != "/" {
		if info, err := r.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// executable says whether a file may be started by somebody.
func executable(info iofs.FileInfo) bool { return info.Mode().IsRegular() && info.Mode()&0o111 != 0 }
