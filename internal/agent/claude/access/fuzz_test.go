// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package access

import "testing"

func FuzzForms(f *testing.F) {
	for _, line := range []string{"env -u X A=1 timeout 3 git -C . push", "bash -c 'eval x | xargs -n 1 y'",
		"find . -exec rm {} +", "nice", "timeout", "sh -c"} {
		f.Add(line)
	}
	f.Fuzz(func(_ *testing.T, line string) {
		for _, c := range commandsOf(line, "/home/me") {
			c.forms()
			c.plain()
			c.handed("/home/me")
		}
	})
}
