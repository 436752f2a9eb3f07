// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git on a stage learns from a repository's configuration
// how it is stored, and nothing else: no program to run, no file to include,
// no address with a password in it.

package stage

import (
	"bufio"
	"bytes"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// stored are the keys that a copy keeps, in lower case (git-config(1)).
var stored = map[string][]string{
	"core": {"repositoryformatversion", "filemode", "bare", "ignorecase", "precomposeunicode", "symlinks", "autocrlf",
		"eol", "safecrlf",
		"sparsecheckout", "sparsecheckoutcone", "worktree"},
	"extensions": {"objectformat", "compatobjectformat", "refstorage", "worktreeconfig", "relativeworktrees", "noop",
		"noop-v1"},
}

var (
	gitSection = lazy.Regexp(`^\[\s*([A-Za-z0-9.-]+)\s*\](.*)$`)
	gitValue   = lazy.Regexp(`^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*([\w./ @+-]*?))?\s*$`)
)

// storage is the part of a git configuration that a copy keeps, ended by what
// keeps git from running anything of the project's. A line that is not
// understood is left out.
func storage(config []byte) []byte {
	var out strings.Builder
	section := ""
	scan := bufio.NewScanner(bytes.NewReader(config))
	continued := false
	for scan.Scan() { // a line of more than 64 kB ends it
		text := strings.TrimSpace(scan.Text())
		inside := continued
		continued = strings.HasSuffix(text, `\`)
		if inside || continued {
			continue
		}
		if strings.HasPrefix(text, "[") {
			section = ""
			if m := gitSection().FindStringSubmatch(text); m != nil {
				section, text = strings.ToLower(m[1]), strings.TrimSpace(m[2])
			}
		}
		m := gitValue().FindStringSubmatch(text)
		if m == nil || !slices.Contains(stored[section], strings.ToLower(m[1])) {
			continue
		}
		line := "\t" + strings.ToLower(m[1])
		if strings.Contains(text, "=") {
			line += " = " + m[2]
		}
		out.WriteString("[" + section + "]\n" + line + "\n")
	}
	return []byte(out.String() + "[core]\n\tfsmonitor = false\n\thooksPath = /dev/null\n")
}
