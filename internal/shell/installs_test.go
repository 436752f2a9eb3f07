// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import "testing"

// TestInstalls: what is installed from a directory or a file is code, a name alone is not.
func TestInstalls(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"pipx install black", ""},
		{"pipx install --python python3 -e .", "decides /h/p/sub"},
		{"pipx install git+https://x.example/y", ""},
		{"pipx inject x ../lib", "decides /h/p/lib"},
		{"uv tool install ruff", ""},
		{"uv tool install --python 3.12 .", "decides /h/p/sub"},
		{"uv tool install x-1.whl", "decides /h/p/sub/x-1.whl"},
		{"go install ./...", "decides /h/p/sub"},
		{"go install", "decides /h/p/sub"},
		{"go -C ~/q install .", "decides /h/q"},
		{"go install x.example/y@latest", ""},
		{"gem install rails", ""},
		{"gem install -v 1 ./x.gem", "decides /h/p/sub/x.gem"},
		{"gem install x.gem", "decides /h/p/sub/x.gem"},
		{"gh extension install x/y", ""},
		{"gh ext install .", "decides /h/p/sub"},
		{"/lib64/ld-linux-x86-64.so.2 ./x", "runs /lib64/ld-linux-x86-64.so.2, runs /h/p/sub/x"},
		{"/lib/ld-musl-x86_64.so.1 --preload ./x.so /bin/ls",
			"runs /lib/ld-musl-x86_64.so.1, decides /h/p/sub/x.so, runs /bin/ls"},
	} {
		if got := said(place.Line(c.line)); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}
