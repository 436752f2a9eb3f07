// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"strings"
	"testing"
)

func TestStartOf(t *testing.T) {
	for text, want := range map[string]string{
		"X=1\nexec claude \"$@\"":                           "X claude",
		"set -e\nexport Y=2\nenv Z=3 claude --settings ~/s": "Y Z claude --settings /h/s",
		"set -x\nclaude":                                    "",
		"if a; then claude; fi":                             "",
		"cd /x && claude":                                   "",
		"{ :; nohup claude \"$@\"; }":                       "claude",
	} {
		l, _, ok := StartOf(text, "/h")
		got := ""
		if ok {
			got = strings.Join(append(l.Env, l.Words...), " ")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
