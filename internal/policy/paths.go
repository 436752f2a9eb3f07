// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path is judged by what it reaches, however it is
// spelled: with ~, with .., with a trailing slash, as a pattern, or as a
// directory above the thing itself.

package policy

import (
	"cmp"
	"path"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// OnPath is what the directories of PATH hold; InAgentDir begins what is said of a
// relative path in user settings.
const (
	OnPath     = "programs on your PATH"
	InAgentDir = "In user scope a path is relative to the agent's own directory: "
)

// outside are places whose content runs, or is trusted, outside the sandbox.
var outside = [][]string{
	{OnPath, ".local/bin", "bin", "go/bin", ".cargo/bin"},
	{"tools and Pythons that you run", ".local/share/uv"},
	{"tools that you run", ".local/share/pipx"},
	{"Pythons that you run", ".pyenv"},
	{"versions of Node that you run", ".nvm", ".volta"},
	{"compilers that you run", ".rustup"},
	{"toolchains that you run", "sdk"},
	{"hooks that run when you commit", ".cache/pre-commit", ".cache/prek"},
	{"what the go command builds into your programs", ".cache/go-build", "go/pkg/mod"},
	{"what cargo builds into your programs", ".cargo/registry", ".cargo/git"},
	{"packages that environments outside share", ".cache/uv"},
	{"packages that pip installs outside", ".cache/pip"},
	{"packages that npm installs outside", ".npm"},
	{"the agent's settings, hooks and scripts", claude.Dir},
	{"the folders and servers that the agent trusts", claude.StateFile},
	{"programs that git runs", ".gitconfig", ".config/git"},
	{"programs that ssh runs", ".ssh/config", ".ssh/rc"},
	{"variables of ssh sessions", ".ssh/environment"},
	{"who may log in as you", ".ssh/authorized_keys"},
	{"your shell's start", ".bashrc", ".bashrc.d", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile",
		".config/fish", ".bash_login", ".bash_aliases", ".zlogin", ".config/zsh", ".oh-my-zsh"},
	{"programs that start with your desktop", ".config/autostart"},
	{"services that run as you", ".config/systemd", "Library/LaunchAgents"},
	{"your shell's end", ".bash_logout", ".zlogout"},
	{"what your shell does when you press a key", ".inputrc"},
	{"the environment of your session", ".pam_environment", ".config/environment.d"},
	{"the start of your session", ".xprofile", ".xsession", ".xsessionrc", ".xinitrc", ".Xsession", ".gnomerc",
		".config/uwsm", ".config/labwc", ".config/openbox", ".vnc"},
	{"programs that your desktop starts", ".local/share/applications"},
	{"what your editor runs", ".vimrc", ".vim", ".config/nvim", ".local/share/nvim", ".emacs", ".emacs.d",
		".config/emacs", ".vscode", ".vscode-server", ".config/Code", ".cursor", ".cursor-server"},
	{"programs that tmux runs", ".tmux.conf", ".config/tmux"},
	{"what gdb runs", ".gdbinit", ".config/gdb"},
	{"your approvals, which decide what claude-iso starts", ".local/state/steward-setup"},
	{"which versions of the tools count as safe", ".config/steward-setup"},
}

// system are such places at the root.
var system = [][]string{
	{"the configuration of this machine", "etc"},
	{"programs of this machine", "usr", "bin", "sbin", "lib", "lib64", "Applications"},
	{OnPath, "opt/homebrew", "opt/local", "home/linuxbrew"},
	{"what runs at set times", "var/spool/cron", "var/spool/at"},
	{"services of this machine", "Library/LaunchDaemons", "Library/LaunchAgents"},
}

// CredentialPath says whether p reaches credentials, and which: a path inside
// one of the usual places, one of these places, or a directory above one. p is
// an entry of allowRead or allowWrite as it stands there, or an absolute path;
// home is the home directory.
func CredentialPath(p, home string) (which string, ok bool) {
	n := normal(p, home)
	if which, ok := whole(n, home); ok {
		return which, true
	}
	if rest, below := strings.CutPrefix(n, "~/"); below {
		if which, ok := reaches(rest, credentials); ok {
			return which, true
		}
	}
	return called(n)
}

// called says whether a part of a path is called like credentials.
func called(p string) (which string, ok bool) {
	for part := range strings.SplitSeq(p, "/") {
		if templatesOfEnv[part] || strings.Trim(part, "*") == "" {
			continue
		}
		for _, row := range names {
			for _, name := range row[1:] {
				if matches(name, part) || matches(part, strings.ReplaceAll(name, "*", "")) {
					known, _ := reaches(name, credentials)
					return cmp.Or(row[0], known), true
				}
			}
		}
	}
	return "", false
}

// Dotenv says whether the policy's entries for .env files name a file of this
// name, in whatever directory of a project (templates/settings.json).
func Dotenv(base string) bool {
	return base == ".env" || base == ".env.local" || strings.HasPrefix(base, ".env.") && strings.HasSuffix(base, ".local")
}

// runsOutside says whether what is written at p runs, or is trusted, outside
// the sandbox.
func runsOutside(p, home string) (which string, ok bool) {
	n := normal(p, home)
	if which, ok := whole(n, home); ok {
		return which, true
	}
	places := system
	rest, root := strings.CutPrefix(n, "/")
	if !root {
		places = outside
		if rest, ok = strings.CutPrefix(n, "~/"); !ok {
			return "", false
		}
	}
	return reaches(rest, places)
}

// whole says whether a normal path is a root: of the file system, or of
// everything that is yours.
func whole(n, home string) (which string, ok bool) {
	switch {
	case n == "/":
		return "everything", true
	case n == "~", strings.HasPrefix(n, "/") && home != "" && pathname.Within(path.Clean(home), n):
		return "the whole home directory", true
	case n == "..", strings.HasPrefix(n, "../"):
		return "directories above the project", true
	}
	return "", false
}

// EditPath returns the path that a rule of permissions.allow opens to
// sandboxed commands, to be read and written; the rule is no mere answer to a
// question. agent is the runtime's own directory for rules of user settings,
// "" for others. Measured with 2.1.141 and 2.1.329 on Linux, in user, project
// and local scope: Edit(PATH) alone does it, not Write, MultiEdit,
// NotebookEdit or Read; "PATH/**" and "PATH/" mean PATH, and any other
// wildcard keeps the rule from opening anything. "//x" is at the root, "/x" in
// the directory of the settings (that of the agent in user scope, else the
// start directory), and the rest in the start directory, also in user scope.
func EditPath(rule, agent string) (p string, ok bool) {
	tool, p := split(rule)
	if tool != claude.ToolEdit || p == "" {
		return "", false
	}
	if dir, all := strings.CutSuffix(p, "/**"); all {
		p = dir + "/"
	}
	switch {
	case strings.ContainsAny(p, "*?["):
		return "", false
	case strings.HasPrefix(p, "//"):
		return path.Clean(p[1:]), true
	case strings.HasPrefix(p, "/") && agent != "":
		return path.Clean(agent + p), true
	case strings.HasPrefix(p, "/"):
		p = "." + p
	}
	return path.Clean(p), true
}

// Writable says whether a command inside the sandbox could write p, and
// through which entry: start, the directory in which the session starts (shown
// as "."), or an entry of allowWrite. p is absolute and, like the entries,
// free of links; an entry that is a pattern counts as the directory above its
// first wildcard. A directory counts as writable when anything in it is.
func Writable(p string, allowWrite []string, home, start string) (entry string, yes bool) {
	p = path.Clean(p)
	for _, entry := range append([]string{"."}, allowWrite...) {
		at := opened(entry, home, start)
		if pathname.Within(p, at) || pathname.Within(at, p) {
			return entry, true
		}
	}
	return "", false
}

// opened is the directory that an entry opens, for a pattern the one above its
// first wildcard.
func opened(entry, home, start string) string {
	return pathname.BeforeWildcard(absolute(entry, home, start))
}

// Below returns the entry of allowWrite, in settings without a directory of their
// own, that opens a directory in which p lies: commands can then replace p.
func Below(p string, allowWrite []string, home string) (entry string, yes bool) {
	for _, entry := range allowWrite {
		at := opened(entry, home, "/")
		if relative := !path.IsAbs(entry) && !strings.HasPrefix(entry, "~"); relative || at == p {
			continue
		}
		if pathname.Within(p, at) {
			return entry, true
		}
	}
	return "", false
}

// normal spells p in one way: "~" and "~/x" for what is in the home directory,
// "/x" for what is elsewhere, "x" for what is relative to a start directory.
func normal(p, home string) string {
	if home == "" {
		home = "/~" // no such place: only the spelling is folded
	}
	home = path.Clean(home)
	a := directory(absolute(p, home, ""))
	if home == "/" && a != home {
		return a
	}
	return pathname.Tilde(a, home)
}

// directory takes the wildcards off a clean path that stand for all there is
// in a directory: "x/**" is x.
func directory(p string) string {
	for {
		cut := strings.TrimSuffix(strings.TrimSuffix(p, "/**"), "/*")
		switch cut {
		case p:
			return p
		case "":
			return "/"
		}
		p = cut
	}
}

// absolute resolves an entry as the runtime does (2.1.329): ~ is the home
// directory, // and / are the root, the rest is relative to start.
func absolute(p, home, start string) string {
	switch {
	case p == "~" || strings.HasPrefix(p, "~/"):
		return path.Join(home, strings.TrimPrefix(p, "~"))
	case strings.HasPrefix(p, "/"):
		return path.Clean("/" + strings.TrimLeft(p, "/"))
	}
	return path.Join(start, p)
}

// reaches says what is at the first place that rest, a path below the home
// directory that may be a pattern, lies in, is, or lies above.
func reaches(rest string, places [][]string) (which string, ok bool) {
	parts := strings.Split(rest, "/")
	for _, row := range places {
		for _, place := range row[1:] {
			if meets(parts, strings.Split(place, "/")) {
				return row[0], true
			}
		}
	}
	return "", false
}

func meets(parts, place []string) bool {
	for i, want := range place {
		if i >= len(parts) || parts[i] == "**" {
			break
		}
		if !matches(parts[i], want) {
			return false
		}
	}
	return true
}

// matches compares one part of a path without regard to case: macOS does not
// know the difference, and elsewhere a doubt counts as a hit.
func matches(pattern, name string) bool {
	pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	ok, err := path.Match(pattern, name)
	return ok || err != nil && pattern == name
}
