// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule names a path. Where that is a symlink, the file has
// another path, which the agent's Read tool opens.

package verify

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// secretLinks lists the .env files of the project that are symlinks to files of
// the project which no rule names. The sandbox hides what they lead to from
// commands; the Read tool of both launches opens it by its own name (measured
// with 2.1.329).
func secretLinks(r host.Reader, s SessionSettings) (found []opening) {
	root := s.dirs.Start
	if pathname.Within(s.dirs.Home, root) {
		return nil
	}
	seen := 0
	for queue := []string{root}; len(queue) > 0; queue = queue[1:] {
		entries, err := r.ReadDir(queue[0])
		if err != nil {
			continue // nor does the agent read files there
		}
		if seen += len(entries); seen > maxNested {
			return found // project-code says how far was looked
		}
		for _, e := range entries {
			at := filepath.Join(queue[0], e.Name())
			if e.IsDir() && !slices.Contains(bulky, e.Name()) {
				queue = append(queue, at)
			}
			if e.IsDir() || !ruledEnv(e.Name()) {
				continue
			}
			to := realPath(r, at)
			rel, inside := pathname.Below(to, root)
			if !inside || to == at || ruledEnv(filepath.Base(to)) || deniesRead(r, s, to) {
				continue
			}
			found = append(found, opening{status: report.Warn, where: at, what: at,
				opens: fmt.Sprintf("This symlink points to %s, which no rule covers: the agent's Read tool can read it.", rel),
				remedy: report.DocLink{Title: fmt.Sprintf("add %q to permissions.deny", "Read(./"+rel+")"), Target: root +
					"/.claude/settings.json"}})
		}
	}
	return found
}

// ruledEnv says whether the policy's rules name files of that name anywhere.
func ruledEnv(base string) bool { return base == ".env" || dotenvNamed(base) }

// deniesRead says whether a deny rule names a file or a directory above it by
// its path.
func deniesRead(r host.Reader, s SessionSettings, path string) bool {
	for _, rule := range s.inForce().Rules() {
		tool, content, call, _ := claude.SplitRule(rule.Value.Text)
		if rule.List != "deny" || rule.Ignored != "" || tool != "Read" || !call {
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
