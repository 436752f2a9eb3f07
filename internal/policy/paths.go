// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path is judged by what it reaches, however it is
// spelled: with ~, with .., with a trailing slash, as a pattern, or as a
// directory above the thing itself.

package policy

import (
	"path"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// outside are places whose content runs, or is trusted, outside the sandbox.
var outside = []place{
	{".local/bin", "programs on your PATH"}, {"bin", "programs on your PATH"},
	{"go/bin", "programs on your PATH"}, {".cargo/bin", "programs on your PATH"},
	{".local/share/uv", "tools and Pythons that you run"}, {".local/share/pipx", "tools that you run"},
	{".pyenv", "Pythons that you run"}, {".nvm", "versions of Node that you run"},
	{".volta", "versions of Node that you run"},
	{".rustup", "compilers that you run"}, {"sdk", "toolchains that you run"},
	{".cache/pre-commit", "hooks that run when you commit"}, {".cache/prek", "hooks that run when you commit"},
	{".cache/go-build", "what the go command builds into your programs"},
	{"go/pkg/mod", "what the go command builds into your programs"},
	{".cargo/registry", "what cargo builds into your programs"}, {".cargo/git", "what cargo builds into your programs"},
	{".cache/uv", "packages that environments outside share"}, {".cache/pip", "packages that pip installs outside"},
	{".npm", "packages that npm installs outside"},
	{claude.Dir, "the agent's settings, hooks and scripts"}, {claude.StateFile,
		"the folders and servers that the agent trusts"},
	{".gitconfig", "programs that git runs"}, {".config/git", "programs that git runs"},
	{".bashrc", "your shell's start"}, {".bash_profile", "your shell's start"}, {".profile", "your shell's start"},
	{".zshrc", "your shell's start"}, {".zshenv", "your shell's start"}, {".zprofile", "your shell's start"},
	{".config/fish", "your shell's start"},
	{".config/autostart", "programs that start with your desktop"}, {".config/systemd", "services that run as you"},
	{"Library/LaunchAgents", "services that run as you"},
	{".bash_login", "your shell's start"}, {".bash_logout", "your shell's end"}, {".bash_aliases", "your shell's start"},
	{".zlogin", "your shell's start"}, {".zlogout", "your shell's end"}, {".config/zsh", "your shell's start"},
	{".oh-my-zsh", "your shell's start"},
	{".inputrc", "what your shell does when you press a key"},
	{".pam_environment", "the environment of your session"}, {".config/environment.d", "the environment of your session"},
	{".xprofile", "the start of your session"}, {".xsession", "the start of your session"},
	{".xsessionrc", "the start of your session"}, {".xinitrc", "the start of your session"},
	{".Xsession", "the start of your session"}, {".gnomerc", "the start of your session"},
	{".config/uwsm", "the start of your session"},
	{".config/labwc", "the start of your session"}, {".config/openbox", "the start of your session"},
	{".vnc", "the start of your session"},
	{".local/share/applications", "programs that your desktop starts"},
	{".vimrc", "what your editor runs"}, {".vim", "what your editor runs"}, {".config/nvim", "what your editor runs"},
	{".local/share/nvim", "what your editor runs"},
	{".emacs", "what your editor runs"}, {".emacs.d", "what your editor runs"}, {".config/emacs", "what your editor runs"},
	{".vscode", "what your editor runs"}, {".vscode-server", "what your editor runs"},
	{".config/Code", "what your editor runs"},
	{".cursor", "what your editor runs"}, {".cursor-server", "what your editor runs"},
	{".tmux.conf", "programs that tmux runs"}, {".config/tmux", "programs that tmux runs"}, {".gdbinit", "what gdb runs"},
	{".config/gdb", "what gdb runs"},
	{".local/state/steward-setup", "your approvals, which decide what claude-iso starts"},
	{".config/steward-setup", "which versions of the tools count as safe"},
}

// system are such places at the root.
var system = []place{
	{"etc", "the configuration of this machine"}, {"usr", "programs of this machine"}, {"bin", "programs of this machine"},
	{"sbin", "programs of this machine"},
	{"lib", "programs of this machine"}, {"lib64", "programs of this machine"},
	{"opt/homebrew", "programs on your PATH"}, {"opt/local", "programs on your PATH"},
	{"home/linuxbrew", "programs on your PATH"},
	{"var/spool/cron", "what runs at set times"}, {"var/spool/at", "what runs at set times"},
	{"Library/LaunchDaemons", "services of this machine"}, {"Library/LaunchAgents", "services of this machine"},
	{"Applications", "programs of this machine"},
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
		if c, ok := reaches(rest, credentials); ok {
			return c.what, true
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
		for _, c := range names {
			if matches(c.path, part) || matches(part, strings.ReplaceAll(c.path, "*", "")) {
				return c.what, true
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
	c, ok := reaches(rest, places)
	return c.what, ok
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

// reaches finds the first place that rest, a path below the home directory
// that may be a pattern, lies in, is, or lies above.
func reaches(rest string, places []place) (place, bool) {
	parts := strings.Split(rest, "/")
	for _, c := range places {
		hit := true
		for i, want := range strings.Split(c.path, "/") {
			if i >= len(parts) || parts[i] == "**" {
				break
			}
			if !matches(parts[i], want) {
				hit = false
				break
			}
		}
		if hit {
			return c, true
		}
	}
	return place{}, false
}

// matches compares one part of a path without regard to case: macOS does not
// know the difference, and elsewhere a doubt counts as a hit.
func matches(pattern, name string) bool {
	pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	ok, err := path.Match(pattern, name)
	return ok || err != nil && pattern == name
}
