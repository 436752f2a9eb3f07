// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a tool says of its version counts only in the form
// that the tool is known to use; anything else is not a version.

package pins

import "strings"

// Reported finds the version in what a tool printed when it was asked for it:
//
//	bubblewrap 0.11.2
//	socat version 1.8.1.3 on 26 Jun 2026 10:00:00
//	2.1.329 (Claude Code)
//	ripgrep 13.0.0
//
// (bwrap --version, socat -V, claude --version, rg --version.) ok is false for
// another tool and for other words.
func Reported(tool, output string) (version string, ok bool) {
	for line := range strings.Lines(output) {
		words := strings.Fields(line)
		switch {
		case tool == claudeCode && len(words) == 3 && words[1]+" "+words[2] == "(Claude Code)":
			version = words[0]
		case (tool == bubblewrap || tool == ripgrep) && len(words) >= 2 && words[0] == tool:
			version = words[1]
		case tool == socat && len(words) >= 3 && words[0]+" "+words[1] == "socat version":
			version = words[2]
		default:
			continue
		}
		if _, err := Compare(tool, version, version); err != nil {
			return "", false
		}
		return version, true
	}
	return "", false
}

// Known says whether this program can ask the tool for its version.
func Known(tool string) bool {
	return tool == bubblewrap || tool == socat || tool == claudeCode || tool == ripgrep
}

// LinuxOnly says whether only Linux needs the tool: macOS confines commands
// with Seatbelt, which is part of it.
func LinuxOnly(tool string) bool { return tool == bubblewrap || tool == socat }
