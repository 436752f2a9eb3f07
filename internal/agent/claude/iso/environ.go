// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is not named here, or by the user for one launch, is
// dropped; every name has its reason, and no value leaves this file but into
// the environment itself. A home that the project gave is not taken for the
// user's.

package iso

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// AllowVariable names further variables to pass, for one launch.
const AllowVariable = "CLAUDE_ISO_ALLOW"

// AllowedNames are the names in a value of AllowVariable.
func AllowedNames(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' })
}

// Reason is why variables of a name, or of a name that begins so ("LC_*"),
// are kept or dropped.
type Reason struct{ Name, Why string }

// Kept is the allow-list.
var Kept = []Reason{
	{"HOME", "holds the settings, the history and the configuration of every tool"},
	{"PATH", "finds programs; relative entries and entries that lead into the project are removed"},
	{"SHELL", "the runtime runs commands with this shell"},
	{"TERM", "the capabilities of the terminal"},
	{"COLORTERM", "whether the terminal has true colour"},
	{"TERM_PROGRAM", "which terminal it is: keys and links differ"},
	{"LANG", "language and encoding"},
	{"LC_*", "language and encoding, by category"},
	{"TZ", "the time zone"},
	{"USER", "the user's name"},
	{"LOGNAME", "the user's name (POSIX)"},
	{"PWD", "the working directory as typed, with symlinks"},
	{"XDG_*", "where tools keep configuration, caches and sockets"},
	{"DISPLAY", "opens the browser for a login, pastes images (X11)"},
	{"WAYLAND_DISPLAY", "the same (Wayland)"},
	{"SSH_AUTH_SOCK", "the path of the SSH agent's socket, not a key; on Linux the sandbox blocks unix sockets anyway"},
	{claude.ConfigDirVariable, "where the user's settings lie; without it other settings would be in force"},
}

// Dropped says why variables are dropped that people ask about. Whatever is
// in neither list is dropped too.
var Dropped = []Reason{
	{"LD_*", claude.LoadsCode},
	{"DYLD_*", claude.LoadsCode + " (macOS)"},
	{"NODE_OPTIONS", "loads code into every Node program, and once into the runtime"},
	{"BASH_ENV", "is run by every non-interactive bash"},
	{"ENV", "is run by every interactive sh"},
	{AllowVariable, "is read by this program only"},
	{claude.ScrubVariable, claude.ScrubEffect},
	{"CLAUDE*", "makes the runtime bypass its settings"},
	{"ANTHROPIC_*", "redirects the runtime, or is an API key; a login with claude needs none"},
	{"GIT_*", "redirects git, or names programs that it runs"},
}

// Variable is one variable of the environment and what becomes of it.
type Variable struct {
	Name string
	Kept bool
	Why  string
	// Named says that the user has named it in CLAUDE_ISO_ALLOW.
	Named bool
	// Credential says that a dropped name is shaped like a credential's.
	Credential bool
}

// Choose says what becomes of every variable, in the order of their names.
func Choose(e env.Env) []Variable {
	allowed := AllowedNames(e.Get(AllowVariable))
	var vars []Variable
	for _, name := range e.Names() {
		v := Variable{Name: name}
		shaped := redact.CredentialName(name)
		kept, found := lookup(Kept, name)
		switch {
		case slices.Contains(allowed, name) && name != AllowVariable:
			v.Kept, v.Named, v.Why = true, true, "named in "+AllowVariable
		case found && !(shaped && kept.Name != name):
			v.Kept, v.Why = true, kept.Why
		default:
			v.Credential = shaped
			v.Why = Unlisted
			if dropped, found := lookup(Dropped, name); found {
				v.Why = dropped.Why
			} else if shaped {
				v.Why = "named like a credential"
			}
		}
		vars = append(vars, v)
	}
	return vars
}

// mustLieOutside are kept variables that say which shell runs commands, or
// where git and others find their settings: not in the project.
var mustLieOutside = []string{"SHELL", "XDG_*", "SSH_AUTH_SOCK"}

// LeavesOut says whether a launch leaves a kept variable out since its value
// leads through dirs, the project's (host.ProjectDirs), or is no whole path.
// One that the user names in CLAUDE_ISO_ALLOW stays.
func LeavesOut(h host.Reader, v Variable, dirs []string, value string) bool {
	outside := pathname.Like(v.Name, mustLieOutside...)
	return v.Kept && !v.Named && outside && slices.ContainsFunc(strings.Split(value, ":"), func(p string) bool {
		return p != "" && strings.Contains(p, "/") && (!filepath.IsAbs(p) || h.Through(p, dirs))
	})
}

func withoutProject(h host.Reader, e env.Env, vars []Variable, dirs []string) []Variable {
	vars = slices.Clone(vars)
	for i, v := range vars {
		if LeavesOut(h, v, dirs, e.Get(v.Name)) {
			vars[i].Kept, vars[i].Why = false, "leads to where commands may write"
		}
	}
	return vars
}

// lookup finds the first entry for a name.
func lookup(list []Reason, name string) (Reason, bool) {
	for _, r := range list {
		if prefix, ok := strings.CutSuffix(r.Name, "*"); r.Name == name || ok && strings.HasPrefix(name, prefix) {
			return r, true
		}
	}
	return Reason{}, false
}

// environ returns the variables that are kept, as exec wants them; programs is
// what becomes of PATH, which is always set: without one, bash looks for
// programs in the working directory too (measured with bash 5.2).
func environ(e env.Env, vars []Variable, programs string, more ...string) []string {
	var list []string
	searched := false
	for _, v := range vars {
		switch {
		case !v.Kept:
		case v.Name == "PATH":
			list, searched = append(list, "PATH="+programs), true
		default:
			list = append(list, v.Name+"="+e.Get(v.Name))
		}
	}
	if !searched {
		list = append(list, "PATH="+programs)
	}
	return append(list, more...)
}

// systemPath is the PATH of a launch where nothing is left of the user's: an
// empty one is the working directory (measured with bash, dash and env(1)).
const systemPath = "/usr/local/bin:/usr/bin:/bin"

// ownPath leaves out of a PATH what the project could fill: the runtime starts
// the sandbox, git and others by name, outside the sandbox (measured). A
// relative entry names other programs in every directory; one that leads
// through dirs, the project's (host.ProjectDirs), names what an agent at work
// there has written.
func ownPath(h host.Reader, list string, dirs []string) string {
	kept := slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool {
		return !filepath.IsAbs(dir) || h.Through(dir, dirs)
	})
	return cmp.Or(strings.Join(kept, ":"), systemPath)
}

// homeOfAnother says that HOME is the project or lies in it, and is not the home
// of the account: the project's settings would count as the user's own, and ~
// in every rule would leave the user's home open. The error is a *report.Error,
// nil if that is not so. An account without a home that is there has none that
// could be left open.
func homeOfAnother(h host.Reader, p Place) error {
	own := host.AccountsHome(h)
	info, err := h.Stat(own)
	if there := err == nil && info.IsDir(); own == "" || !there || host.Real(h, own) == p.Home {
		return nil
	}
	tree := host.FindTree(h, p.Start) // the place's own leaves out what the home lies in
	if !slices.ContainsFunc([]string{p.Start, p.Project, tree.Root, tree.Main}, func(dir string) bool {
		return dir != "" && pathname.Within(p.Home, host.Real(h, dir))
	}) {
		return nil
	}
	return &report.Error{Code: report.ExitLeft, Where: p.Home,
		What: "HOME is in the project, and is not your account's home (" + own + ")",
		Why:  "the project's settings would count as yours, and rules for ~ would leave " + own + " open",
		Next: "HOME=" + own + " claude-iso"}
}

// ignoresCase says that what the sandbox keeps from commands has a second
// spelling (host.IgnoringCase). The error is a *report.Error, nil if it has not.
func ignoresCase(h host.Reader, p Place) error {
	path, other := host.IgnoringCase(h, p.Start, ".git", claude.Dir)
	if path == "" {
		return nil
	}
	return &report.Error{Code: report.ExitLeft, Where: filepath.Dir(path),
		What: "ignores the case of names: " + other + " is " + path,
		Why:  "commands could write .git/config and settings, and read .env, in another spelling",
		Next: "move the project to a file system that tells upper from lower case"}
}
