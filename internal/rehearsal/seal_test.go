// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/stage"
)

func TestPathsAreSealedForTheToolAlone(t *testing.T) {
	for _, path := range []string{"/home/u/.aws/credentials", "/home/ana müller/a b", "/x"} {
		line := Tool(ToolRead, path, path)
		got := seal(stage.Self, line)
		if words := strings.Fields(got); strings.Contains(got, path) || len(words) != 5 || unseal(words[3]) != path ||
			unseal(words[4]) != path {
			t.Errorf("%s became %s", line, got)
		}
	}
	for _, line := range []string{"cat /etc/passwd", Tool(ToolRead, "/a'b"), Tool(ToolGet, "http://x.example/p"),
		Tool(ToolEnv, "A"), Tool(ToolRead, "/a") + "; cat /b"} {
		if got := seal(stage.Self, line); got != line {
			t.Errorf("%s became %s", line, got)
		}
	}
}
