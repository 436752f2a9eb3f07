// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the line that mends an agent which does not start puts the
// pinned version where the shell finds it first, and loses nothing of what was
// there.

package verify

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// MendAgent is the command that brings the agent, if it is missing or does not
// start. framework is as in Options.
func MendAgent(ctx context.Context, r host.Reader, framework string) (c report.Command, ok bool) {
	res := r.Run(ctx, proc.Version(proc.ClaudeCode))
	set, err := pins.Load(r, r.Places().Config, framework)
	if err != nil {
		return c, false
	}
	for _, pin := range set.Pins {
		if pin.Tool == string(proc.ClaudeCode) {
			_, _, first := startsWith(ctx, r, pin, res)
			c, ok = first.(report.Command)
			return c, ok
		}
	}
	return c, false
}

// mendTool is the same for a tool that npm installs, and that does not start.
// npm installs a package again whose postinstall script was left out, and
// refuses to replace a program that is not its own (measured with npm 11.19).
func mendTool(ctx context.Context, r host.Reader, pin pins.Pin) (c report.Command, ok bool) {
	prefix, pkg := pin.Package("npm")
	if pkg == "" || pin.BelowFloor() {
		return c, false
	}
	first, ok := NpmFirst(r)
	if !ok {
		return c, false
	}
	aside := first + Aside(r, pin.Tool)
	option, then := NpmPlace(ctx, r)
	return report.Command{ID: report.MendAgent, Line: aside + prefix + option + " " + scripts.Quote(pkg) + then,
		Privileged: strings.HasPrefix(aside, "sudo "),
		Why:        "install " + pin.Tool + " in place of the one that does not start"}, true
}

// Aside is the beginning of a line that moves a program of a tool aside, where
// it is first on PATH and npm did not install it; else "". It begins with sudo
// where the directory belongs to somebody else, and replaces no file.
func Aside(r host.Reader, tool string) string {
	path := ForeignTo(r, tool)
	if path == "" {
		return ""
	}
	free := path + ".broken"
	for n := 2; there(r, free); n++ {
		free = path + ".broken" + strconv.Itoa(n)
	}
	line := "mv " + scripts.Quote(path) + " " + scripts.Quote(free) + " && "
	if info, err := r.Stat(filepath.Dir(path)); err == nil {
		if uid, _, ok := host.OwnerOf(info); ok && uid != r.System().UID && r.System().UID != 0 {
			return "sudo " + line
		}
	}
	return line
}

// there says whether anything has that name, also a symlink that leads nowhere.
func there(r host.Reader, path string) bool {
	_, err := r.Lstat(path)
	return err == nil
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
	if err != nil || strings.Contains(target, "/node_modules/") || managerOf(r, path) != "" {
		return "" // npm installs behind the shim of a version manager
	}
	return path
}
