// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what both launches rest upon, and what they hide, has no
// second name where commands may write: what protects it names a path. A rule
// of the user's own settings with a relative path begins where the session
// starts (measured with 2.1.324 and 2.1.329): below the root of a project it
// closes nothing above. The launch, which opens the root, repeats it for the
// project.

package iso

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// OwnFile is a file of the user's that no command may write, or, with Secret,
// read. What says what it is: "what your shell runs".
type OwnFile struct {
	Path, What string
	Secret     bool
}

// maxInPlace bounds how many files of one directory count.
const maxInPlace = 256

// OwnFiles lists the files of the user's that decide about every session:
// approvals, settings, texts, scripts, start files of shells, git's configuration; and
// credentials: the files of the usual places, those in directories below them
// left out. Many of them need not be there. No file is opened.
func OwnFiles(r host.Reader) []OwnFile {
	return host.Found(r, ownFilesKey{}, func() []OwnFile { return ownFiles(r) })
}

type ownFilesKey struct{}

func ownFiles(r host.Reader) (list []OwnFile) {
	places := r.Places()
	add := func(what string, paths ...string) {
		for _, path := range paths {
			list = append(list, OwnFile{Path: path, What: what})
		}
	}
	add("your approvals", ownState(r)...)
	add("a hook of yours", filesIn(r, places.Scripts())...)
	add("the launch of claude-iso", filesIn(r, places.Isolation())...)
	add("the settings of every session", places.UserSettings())
	add("what your keys do at a prompt", filepath.Join(filepath.Dir(places.UserSettings()), claude.KeysFile))
	add("skills, agents, commands and rules of every session", TextFiles(r, filepath.Dir(places.UserSettings()))...)
	add("plugins of every session", InstalledFiles(r, filepath.Dir(places.UserSettings()))...)
	state := inforce.StateFiles(r)
	add("the servers and the approvals of the runtime", state[:]...)
	user := shellrc.Of(r, places.Home, r.System().Get)
	for _, kind := range Shells(r) {
		add(ShellRuns, user.Loads(r, kind)...)
	}
	add("what git runs", host.GitConfigs(r)...)
	credentials := sensitive.CredentialPlaces()
	for _, place := range slices.Sorted(maps.Keys(credentials)) {
		path, _ := pathname.Expand(place, places.Home)
		for _, file := range slices.Concat([]string{path}, filesIn(r, path)) {
			list = append(list, OwnFile{Path: file, What: credentials[place], Secret: true})
		}
	}
	return list
}

// Shells are those whose start files count: the user's login shell, and bash, zsh and fish
// whatever that is. A line of a start file, the configuration of a terminal, tmux or an
// editor, or a word of the user makes any of them the shell of a window; the runtime starts
// bash or zsh where $SHELL is neither (measured).
func Shells(r host.Reader) []shellrc.Shell {
	kinds := []shellrc.Shell{shellrc.Bash, shellrc.Zsh, shellrc.Fish}
	if kind, ok := shellrc.ShellAt(host.LoginShell(r), r.Resolve); ok && !slices.Contains(kinds, kind) {
		kinds = append(kinds, kind)
	}
	return kinds
}

// ownState lists the files that hold the user's approvals: what was approved,
// the copies of it, and the key that signs results.
func ownState(r host.Reader) []string {
	state := r.Places().State
	list := append([]string{approval.Path(state)}, filesIn(r, state)...)
	list = append(list, filesIn(r, filepath.Join(state, "policies"))...)
	approved := filepath.Join(state, "approved")
	entries, _ := r.ReadDir(approved) // none, if it cannot be read
	for _, e := range entries[:min(len(entries), maxInPlace)] {
		list = append(list, filesIn(r, filepath.Join(approved, e.Name()))...)
	}
	return slices.Compact(list)
}

// filesIn lists the regular files of a directory; none if it is no directory.
func filesIn(r host.Reader, dir string) (list []string) {
	entries, _ := r.ReadDir(dir)
	for _, e := range entries[:min(len(entries), maxInPlace)] {
		if e.Type().IsRegular() {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}

// secondName says, as a *report.Error, which file of the user's has another name
// where commands of a session in start may write; nil if none is known. unseen
// are those that have other names of which it is not known where they are: there
// are too many files.
func secondName(r host.Reader, start string, files []OwnFile) (unseen []string, linked error) {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	found, unseen := host.OtherNames(r, paths, host.Written(r, start), func(string, string) bool { return false })
	for _, f := range files {
		other, linked := found[f.Path]
		if !linked {
			continue
		}
		can := "change"
		if f.Secret {
			can = "read"
		}
		return unseen, &report.Error{Code: report.ExitLeft, Where: f.Path, What: hardLink + other,
			Why:  fmt.Sprintf("commands could %s it there: %s", can, f.What),
			Next: "remove that name, or copy the file and rename the copy over it"}
	}
	return unseen, nil
}

// MountedInside lists the mounts where commands of a session in start may write that
// show a file of the user's, credentials, or what runs outside the sandbox: the
// policy names these by their other path. Other mounts are the user's choice.
func MountedInside(r host.Reader, start string) (list []host.Second) {
	for _, m := range decisive(r, host.ShownIn(r, host.Written(r, start))) {
		list = append(list, host.Second{Path: m.Path, Line: m.Line})
	}
	return list
}

// MountedOver lists the places of such files where a mount shows what commands of a
// session in start may write, as a container has a directory of the project for
// ~/.claude: the policy closes that path, and not the other.
func MountedOver(r host.Reader, start string) []host.Shown {
	written := host.Written(r, start)
	var list []host.Shown
	for _, dir := range written {
		for _, m := range host.Mounted(r, dir, written...) {
			list = append(list, host.Shown{Path: m.Path, Source: m.Path, Line: m.Line})
		}
	}
	return decisive(r, list)
}

// decisive are the mounts whose source is such a file, holds one, or lies in a place
// of one.
func decisive(r host.Reader, shown []host.Shown) []host.Shown {
	if len(shown) == 0 {
		return nil
	}
	files, home := OwnFiles(r), r.Places().Home
	return slices.DeleteFunc(shown, func(m host.Shown) bool {
		_, secret := sensitive.Reaches(m.Source, home, nil)
		_, runs := sensitive.RunsOutside(m.Source, home)
		return !secret && !runs && !slices.ContainsFunc(files, func(f OwnFile) bool {
			return pathname.Within(f.Path, m.Source) || pathname.Within(m.Source, f.Path)
		})
	})
}

// usersRules are the rules of the user's own settings that a launch repeats.
type usersRules struct {
	doc *settings.Doc
	// dirs are the directories of the project that they are repeated for:
	// each work tree that the start directory lies in, since an inner one may
	// have been made to hide the outer, and their other checkouts.
	dirs []string
}

// readUsersRules reads the user's settings. What is not understood there has
// no rules: the runtime drops it too, and the launch is judged by that.
func readUsersRules(h host.Reader, p Place) usersRules {
	u := usersRules{dirs: append(host.ProjectDirs(h, p.Start), p.Root)}
	path := h.Places().UserSettings()
	if b, err := h.Read(path); err == nil {
		u.doc, _ = settings.Parse(path, b)
	}
	return u
}

// inbound is what becomes of messages of other sessions in a launch: the user is
// asked, unless the user's own settings drop them.
func (u usersRules) inbound() string {
	if u.doc != nil {
		if set := u.doc.Get(claude.InboundKey); set != nil && set.Text == "refuse" {
			return set.Text
		}
	}
	return "hold"
}

// approve says that the user's own settings approve pages of some host, or
// resources of some server: a rule of the launch that asks would overrule that.
func (u usersRules) approve(asks string) bool {
	approves := func(rule *settings.Value) bool { return rule.Kind == settings.Str && claude.Approves(rule.Text, asks) }
	return u.doc != nil && slices.ContainsFunc(settings.ItemsOf(u.doc.Get(claude.KeyAllow...)), approves)
}

// of returns a list of rules, permissions.LIST, with those of the user that
// have a relative path added for each directory.
func (u usersRules) of(list string, rules *settings.Value) *settings.Value {
	if u.doc == nil {
		return rules
	}
	for _, rule := range settings.ItemsOf(u.doc.Get(claude.KeyPermissions.Below(list)...)) {
		if rule.Kind != settings.Str {
			continue
		}
		for _, dir := range u.dirs {
			if strings.ContainsAny(dir, patterns) {
				continue
			}
			if placed := ruleIn(rule.Text, dir); placed != rule.Text {
				rules = appended(orList(rules), settings.String(placed))
			}
		}
	}
	return rules
}
