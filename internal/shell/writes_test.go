// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is written is found with what it is a copy of.

package shell

import (
	"strings"
	"testing"
)

func TestWrites(t *testing.T) {
	for line, want := range map[string]string{
		"cp x ~/b/y":               "/h/b/y</h/p/sub/x",
		"cp -t ~/b x y":            "/h/b</h/p/sub/x /h/b</h/p/sub/y",
		"install -m 755 tools/* ~": "/h</h/p/sub/tools",
		"cat x >> ~/.bashrc":       "/h/.bashrc<",
		"echo a > ~/.bashrc":       "",
		"jq . | tee -a ~/l":        "/h/l<",
		"ls > /dev/null 2>&1":      "/dev/null<",
	} {
		var got []string
		for _, u := range place.Line(line).Uses {
			if u.Kind == Writes {
				got = append(got, u.Path+"<"+u.By)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %q, want %q", line, s, want)
		}
	}
}
