// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: PATH in settings decides which program is the sandbox. It
// is looked up as the runtime would, and compared with the one that is used
// without it.

package verify

import (
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// otherSandbox says how PATH in settings puts another program in the place of
// the sandbox's, "" if it does not. Values are not shown.
func otherSandbox(r host.Reader, s Session) string {
	if r.System().GOOS != "linux" {
		return ""
	}
	path := s.inForce().Scalar("env", "PATH")
	if path.Value == nil || path.Value.Kind != settings.Str {
		return ""
	}
	var writable []string
	for _, e := range entriesIn(r, s, allowWriteKey) {
		writable = append(writable, beforeWildcard(e.real))
	}
	writable = append(writable, startAt(r, s.dirs.Start))
	for _, program := range []string{"bwrap", "socat"} {
		outside, err := r.Look(program)
		if err != nil {
			continue // another check says that it is missing
		}
		want := realPath(r, outside)
		if why := foundOn(r, path.Value.Text, program, want, writable); why != "" {
			return "PATH decides which program is the sandbox: " + why
		}
	}
	return ""
}

// foundOn looks a program up on a PATH and says why it is not the one at want,
// or may become another.
func foundOn(r host.Reader, path, program, want string, writable []string) string {
	for dir := range strings.SplitSeq(path, ":") {
		if !filepath.IsAbs(dir) {
			return program + " is looked for in a directory that is not absolute before it is found."
		}
		real := realPath(r, dir)
		if under(real, writable) {
			return program + " is looked for in " + real + ", where commands in the sandbox may write, before it is found."
		}
		at := filepath.Join(dir, program)
		info, err := r.Stat(at)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		if found := realPath(r, at); found != want {
			return at + " is run in place of " + want + "."
		}
		return ""
	}
	return program + " is not found on it, so that the sandbox does not start."
}
