// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a session is what permission rules are for. As an MCP server
// the runtime answers calls of its tools without them.

package claude

import (
	"slices"
	"strings"
)

// Serves says whether arguments of the runtime make it an MCP server: `mcp serve`,
// options left out. Measured with 2.1.330, with the policy of install, plain and
// by the launch: Read opens ~/.ssh/id_rsa and Write makes files in the home
// without a rule or a prompt; commands are sandboxed.
func Serves(args []string) bool {
	words := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	for i := range words {
		if words[i] == "mcp" && i+1 < len(words) && words[i+1] == "serve" {
			return true
		}
	}
	return false
}
