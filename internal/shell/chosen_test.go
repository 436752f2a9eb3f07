// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"strings"
	"testing"
)

func TestAShimRunsWhereTheLineIs(t *testing.T) {
	shims := place
	shims.Shim = func(path string) string {
		if strings.HasPrefix(path, "/h/shims/") || path == "/usr/bin/node" {
			return path
		}
		return ""
	}
	for _, c := range []struct{ line, want string }{
		{"~/shims/py ~/x.py", "runs /h/shims/py, chosen /h/p/sub, names /h/x.py"},
		{"node ~/x.js", "chosen /h/p/sub, runs /h/x.js"},
		{"timeout 5 env A=b node ~/x.js", "chosen /h/p/sub, runs /h/x.js"},
		{"cd / && node ~/x.js", "chosen /, runs /h/x.js"},
		{`cd "$X" && ~/shims/py`, "runs /h/shims/py, gap"},
		{"bash ~/x.sh", "runs /h/x.sh"},
	} {
		if got := said(shims.Line(c.line)); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
	if got := said(shims.Exec("node", []string{"/h/x.js"})); got != "chosen /h/p/sub, runs /h/x.js" {
		t.Errorf("without a shell: %q", got)
	}
}
