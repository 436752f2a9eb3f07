// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the home of a session has what the session needs of the
// user's, field by field; what is not named here is not there.

package rehearsal

import (
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/sensitive"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// environ is the environment of the stage's own process and of the agent: the
// least that it needs, and what the session plants.
func (t *Theatre) environ(path string, s Session, own []string) []string {
	list := []string{"HOME=" + filepath.Clean(t.Host.System().Get("HOME")), "PATH=" + path, "USER=stage", "LOGNAME=stage",
		"SHELL=" + t.shell(s), "TERM=xterm-256color", "LANG=C.UTF-8"}
	return slices.Concat(list, own, s.Env)
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
	// What else there is may be memory on the stage, a symlink to the shell too.
	seen := []string{"/usr/bin", "/bin", "/usr/local/bin"}
	switch {
	case !slices.Contains(seen, filepath.Dir(real)):
		return "/bin/sh"
	case !slices.Contains(seen, filepath.Dir(own)):
		return real
	}
	return own
}

// home lists the files of the home that a session has, and the files of the
// host that stay where they are for it.
func (t *Theatre) home(s Session, started agent.Started) (files []fs.Laid, keep []string) {
	files = append(started.Files, fs.Laid{Path: filepath.Join(t.Host.Places().Home, ".gitconfig"), Mode: 0o644,
		Data: []byte("[user]\n\tname = Stage\n\temail = stage@example.invalid\n")})
	hooks, keep := t.hookFiles(started)
	files = append(files, hooks...)
	if s.Launch == report.Iso {
		_, approval := t.Agent.Clean(t.Host, host.StandingDir(t.Host, s.Dir))
		files = append(files, approval)
	}
	return files, keep
}

// starts are the directories whose settings are the session's own.
func (t *Theatre) starts(s Session) (dirs []string) {
	for _, tree := range t.Trees {
		dirs = append(dirs, tree.Root)
	}
	dirs = report.Union(dirs, s.Dir)
	if s.Launch == report.Iso { // the project that is approved may lie around it
		if project, _ := t.Agent.Clean(t.Host, host.StandingDir(t.Host, s.Dir)); project != "" {
			dirs = report.Union(dirs, project)
		}
	}
	return dirs
}

// Bounds of what hooks bring along, in bytes and files.
const (
	maxHookFile  = 1 << 20
	maxHookFiles = 200
)

// hookFiles are the files in the home that hooks name; keep are the programs that
// our own scripts start.
func (t *Theatre) hookFiles(started agent.Started) (files []fs.Laid, keep []string) {
	places := t.Host.Places()
	of := t.Agent.Layout(places)
	var paths []string
	for _, path := range started.Hooks {
		if !slices.Contains(paths, path) && len(paths) < maxHookFiles {
			paths = append(paths, path)
		}
	}
	secrets := stage.Secrets(t.Run, places.Home, of, t.Paths)
	for _, path := range paths {
		real, err := t.Host.Resolve(path)
		inTree := func(tree host.Tree) bool { return pathname.Within(path, tree.Root) } // mounted or laid already
		if err != nil || slices.ContainsFunc(t.Trees, inTree) ||
			!pathname.Within(path, places.Home) && !pathname.Within(path, of.Own) ||
			slices.ContainsFunc(started.Files, func(f fs.Laid) bool { return f.Path == path }) ||
			stage.Covers(secrets, path) || stage.Covers(secrets, real) {
			continue
		}
		if _, secret := sensitive.Credential(t.Host, "", path); secret {
			continue
		}
		info, err := t.Host.Stat(real)
		switch {
		case err != nil || !info.Mode().IsRegular():
		case info.Size() <= maxHookFile:
			b, err := t.Host.Read(real)
			if err != nil {
				continue
			}
			files = append(files, fs.Laid{Path: path, Mode: info.Mode().Perm(), Data: b})
			if script, ours := scripts.Recognize(b); ours {
				keep = append(keep, script.Binary)
			}
		case info.Mode().IsRegular() && info.Mode()&0o111 != 0: // a program: too large to be copied
			keep = append(keep, path)
		}
	}
	slices.Sort(keep)
	return files, slices.Compact(keep)
}
