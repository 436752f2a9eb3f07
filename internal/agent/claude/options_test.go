// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a runtime that takes an option which nobody has looked at is a
// failure here; many are not in its --help. What has no place in the lists of the
// package although it was looked at stands in testdata/options.txt.

package claude_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// declared is an option where the runtime's code declares it, for itself or for
// one of its commands: .option("-n, --name <name>", …) or new Option("--name").
var declared = regexp.MustCompile(
	`(?s)^.*?(?:\.option|new [A-Za-z0-9_$]+)\("(?:-[A-Za-z0-9]+, )?(--[a-z][a-z0-9-]+)((?:, --[a-z-]+)*)(?:"| [<\[])`)

// options lists the names of the options that a runtime takes.
func options(_ *testing.T, b []byte) (names []string) {
	const before, length = 12, 100 // of what stands before the name, and of all
	for at := 0; ; at++ {
		i := bytes.Index(b[at:], []byte(`("-`))
		if i < 0 {
			return names
		}
		at += i
		if m := declared.FindSubmatch(b[max(0, at-before):min(at+length, len(b))]); m != nil {
			names = append(names, strings.Split(string(m[1])+string(m[2]), ", ")...)
		}
	}
}

// leastOptions is how many each of these versions takes: fewer mean that they were
// not found.
const leastOptions = 100

func TestEveryOptionIsLookedAt(t *testing.T) {
	lookAt(t, options, leastOptions, strings.Fields(testenv.Read(t, "testdata/options.txt")), placed)
}

// placed says whether a list of the package has an option.
func placed(name string) bool {
	args := []string{name, "x"}
	return claude.Elsewhere(args) == name || len(claude.Starting(args))+len(claude.AddedDirs(args))+
		len(claude.FileArguments(args)) > 0
}
