// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the line that mends an agent which does not start puts the
// pinned version where the shell finds it first, and loses nothing of what was
// there. The line that installs the agent works for an ordinary user: npm puts
// it where that user may write.

package startfailure

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/platform"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// Mends is the command that brings the agent, if it is missing or does not
// start. framework is as in Options.
func Mends(ctx context.Context, r host.Reader, framework string) (c report.Command, ok bool) {
	res := r.Run(ctx, proc.Version(claude.Name))
	set, err := pins.Load(r, r.Places().Config, framework)
	pin, pinned := set.Pin(claude.Name)
	if err != nil || !pinned {
		return c, false
	}
	_, _, first := StartsWith(ctx, r, pin, res)
	c, ok = first.(report.Command)
	return c, ok
}

// mendTool is the same for a tool that npm installs, and that does not start.
// npm installs a package again whose postinstall script was left out, and
// refuses to replace a program that is not its own (measured with npm 11.19).
func mendTool(ctx context.Context, r host.Reader, pin pins.Pin) (c report.Command, ok bool) {
	if path := unmarked(r, pin.Tool); path != "" {
		return report.Command{ID: report.MendAgent, Line: "chmod +x " + scripts.Quote(path),
			Why: "make " + pin.Tool + " executable"}, true
	}
	prefix, pkg := pin.Package("npm")
	if pkg == "" || pin.BelowFloor() {
		return c, false
	}
	first, ok := NpmFirst(r)
	if !ok {
		return c, false
	}
	first = first.Then(Aside(r, pin.Tool))
	option, then := NpmPlace(ctx, r)
	return report.Command{ID: report.MendAgent, Line: first.Line + prefix + option + " " + scripts.Quote(pkg) + then,
		Privileged: first.Privileged, Why: "install " + pin.Tool + " in place of the one that does not start"}, true
}

// unmarked is the user's own file of a tool that lacks nothing but its mode, "" if
// there is none.
func unmarked(r host.Reader, tool string) string {
	_, err := r.Look(proc.Version(proc.Tool(tool)).Program())
	not := (*proc.NotStarted)(nil)
	if !errors.As(err, &not) {
		return ""
	}
	info, err := r.Stat(not.Path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Mode()&0o111 != 0 {
		return ""
	}
	if b, err := r.Read(not.Path); err == nil && placeholder(string(b)) {
		return ""
	}
	if uid, _, ok := host.OwnerOf(info); !ok || uid != r.System().UID {
		return ""
	}
	return not.Path
}

// Beginning is the beginning of a line: "" or commands that end in "&& ". Privileged
// says that one of them needs root, who the user is not.
type Beginning struct {
	Line       string
	Privileged bool
}

// Then is b and then what follows it.
func (b Beginning) Then(next Beginning) Beginning {
	return Beginning{b.Line + next.Line, b.Privileged || next.Privileged}
}

// Aside is the beginning of a line that moves a program of a tool aside, where
// it is first on PATH and npm did not install it; else "". It begins with sudo
// where the directory belongs to somebody else, and replaces no file.
func Aside(r host.Reader, tool string) Beginning {
	path := ForeignTo(r, tool)
	if path == "" {
		return Beginning{}
	}
	free := path + ".broken"
	for n := 2; host.There(r, free); n++ {
		free = path + ".broken" + strconv.Itoa(n)
	}
	line := "mv " + scripts.Quote(path) + " " + scripts.Quote(free) + " && "
	if info, err := r.Stat(filepath.Dir(path)); err == nil {
		if uid, _, ok := host.OwnerOf(info); ok && uid != r.System().UID && r.System().UID != 0 {
			return Beginning{"sudo " + line, true}
		}
	}
	return Beginning{line, false}
}

// ForeignTo is the program of a tool that is first on PATH, if npm did not
// install it; else "". npm puts a link into PATH that leads to its own
// directory.
func ForeignTo(r host.Reader, tool string) string {
	path, err := r.Look(proc.Version(proc.Tool(tool)).Program())
	if not := (*proc.NotStarted)(nil); errors.As(err, &not) {
		path = not.Path
	} else if err != nil {
		return ""
	}
	target, err := r.Resolve(path)
	if err != nil { // a symlink that leads nowhere
		target, err = r.Readlink(path)
	}
	if err != nil || strings.Contains(target, "/node_modules/") || commandline.ManagerOf(r, path) != "" {
		return "" // npm installs behind the shim of a version manager
	}
	return path
}

// ownBin is where programs of the user's own lie.
const ownBin = ".local/bin"

// distroPrefix is where a distribution's npm installs (npm 9.2 of Debian 12), and
// where one that is not installed yet would.
const distroPrefix = "/usr/local"

// NpmFirst is the beginning of a line that calls npm, where npm is missing: it
// installs the package of the system's package manager that has it; ok is false
// where no such package is known. A distribution's own version will do: npm only
// fetches the runtime, which is no script for node (2.1.330).
func NpmFirst(r host.Reader) (first Beginning, ok bool) {
	if _, err := r.Look("npm"); err == nil {
		return first, true
	}
	switch platform.Here(r).Manager {
	case platform.Apt:
		first = Beginning{"apt-get install --no-install-recommends npm", r.System().UID != 0}
	case platform.Dnf:
		first = Beginning{"dnf install npm", r.System().UID != 0}
	case platform.Brew:
		first.Line = "brew install node"
	}
	program, _, known := strings.Cut(first.Line, " ")
	if _, err := r.Look(program); !known || err != nil {
		return Beginning{}, false
	}
	if first.Privileged {
		first.Line = "sudo " + first.Line
	}
	first.Line += " && "
	return first, true
}

// NpmPlace says how npm install -g is called and what has to come after it. A
// distribution's npm installs below /usr or /usr/local, where an ordinary user
// gets EACCES (npm 9.2 of Debian 12, 11.19); such a user's own place is
// ~/.local, where the native installer puts the agent too. option is "" where
// npm can write as it is. then puts ~/.local/bin on PATH if it is not.
func NpmPlace(ctx context.Context, r host.Reader) (option, then string) {
	if r.System().UID == 0 || r.System().Get("NPM_CONFIG_PREFIX") != "" || r.System().Get("npm_config_prefix") != "" {
		return "", ""
	}
	prefix := distroPrefix
	if _, err := r.Look("npm"); err == nil {
		res := r.Run(ctx, proc.NpmPrefix())
		if prefix = strings.TrimSpace(string(res.Stdout)); !res.OK() || !filepath.IsAbs(prefix) {
			return "", ""
		}
	} else if r.System().GOOS == "darwin" { // Homebrew's, whose place is the user's
		return "", ""
	}
	if mayFill(r, filepath.Join(prefix, "lib", "node_modules")) && mayFill(r, filepath.Join(prefix, "bin")) {
		return "", ""
	}
	if !slices.Contains(filepath.SplitList(r.System().Get("PATH")), filepath.Join(r.Places().Home, ownBin)) {
		then = ` && export PATH="$HOME/` + ownBin + `:$PATH"`
	}
	return ` --prefix "$HOME/.local"`, then
}

// mayFill says whether this user may add to a directory, or make it.
func mayFill(r host.Reader, dir string) bool { return fs.Accessible(host.Standing(r, dir), true) }
