// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule names a path. Where that is a symlink, the file has
// another path, which the agent's Read tool opens; where it has a second name, or
// the path is not UTF-8, commands open it.

package verify

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/report"
)

func removeLink(path string) report.Remedy {
	return report.DocLink{Title: "remove the hard link", Target: path}
}

// secretLinks lists the .env files of the project that can be read all the same.
// Those that are symlinks to files of the project which no rule names: the sandbox
// hides what they lead to from commands; the Read tool of both launches opens it
// by its own name (measured with 2.1.329). Those whose path is not UTF-8: the
// runtime hides a path with U+FFFD in it, which is not there, and commands read
// the file (measured with 2.1.330). Those with a second name that is no .env.
func secretLinks(r host.Reader, s SessionSettings) (found []opening) {
	root := s.dirs.Start
	if pathname.Within(s.dirs.Home, root) {
		return nil
	}
	var named []string
	hidden := hiddenIn(r, s, root)
	for _, at := range iso.Dotenv(r, root) {
		if iso.Unspelled(at) && !hidden.hides(at) {
			found = append(found, opening{status: report.Fail, voids: true, where: at, what: at,
				opens:  "Commands can read this file: its path is not UTF-8, and the runtime hides another path instead.",
				remedy: report.DocLink{Title: iso.RenameUTF8, Target: filepath.Dir(at)}})
			continue
		}
		named = append(named, at)
		to := realPath(r, at)
		rel, inside := pathname.Below(to, root)
		if !inside || to == at || policy.Dotenv(filepath.Base(to)) || deniesRead(r, s, to) {
			continue
		}
		found = append(found, opening{status: report.Warn, where: at, what: at,
			opens: fmt.Sprintf("This symlink points to %s, which no rule covers: the agent's Read tool can read it.", rel),
			remedy: report.DocLink{Title: fmt.Sprintf("add %q to permissions.deny", "Read(./"+rel+")"), Target: root +
				"/.claude/settings.json"}})
	}
	others, unseen := host.OtherNames(r, named, groundOf(r, s).places(), func(_, at string) bool {
		return policy.Dotenv(filepath.Base(at)) || hidden.hides(at) || deniesRead(r, s, at)
	})
	for _, at := range named {
		if other := others[at]; other != "" {
			found = append(found, opening{status: report.Fail, voids: true, where: at, what: at,
				opens:  fmt.Sprintf("Commands can read %s, a hard link to %s, which no rule covers.", other, at),
				remedy: removeLink(other)})
		}
	}
	for _, at := range unseen {
		found = append(found, unknownNames(at))
	}
	return found
}

// deniesRead says whether a deny rule names a file or a directory above it by
// its path.
func deniesRead(r host.Reader, s SessionSettings, path string) bool {
	for _, rule := range s.inForce().Rules() {
		tool, content, call, _ := claude.SplitRule(rule.Value.Text)
		if rule.List != claude.Deny || rule.Ignored != "" || tool != claude.ToolRead || !call {
			continue
		}
		dir, all := strings.CutSuffix(content, "/**")
		if base, anywhere := strings.CutPrefix(content, "**/"); anywhere && base == filepath.Base(path) {
			return true
		}
		named := meant(s.dirs, allowKey, "Edit("+dir+")", rule.Scope) // places of rules are the same for all tools
		if named = realPath(r, named); named == path || all && pathname.Within(path, named) {
			return true
		}
	}
	return false
}
