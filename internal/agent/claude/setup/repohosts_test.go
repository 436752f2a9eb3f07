// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a host is named by where something is installed from, and
// not by what a package says of itself.

package setup

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestHostsThatALockFileNames(t *testing.T) {
	testenv.AsUser(t)
	for _, c := range []struct{ file, text, want string }{
		{"package-lock.json", `{"packages":{"node_modules/a":{"resolved":"https://npm.example.com/a.tgz","funding":{"url":"https://github.com/sponsors/a"},` +
			`"deprecated":"see https://gitlab.com/a"}}}`, "npm.example.com"},
		{"npm-shrinkwrap.json", `{"dependencies":{"a":{"resolved":"https://npm.example.com/a.tgz","dependencies":{"b":{"resolved":"git+https://git.example.com/b.git"}}}}}`,
			"git.example.com npm.example.com"},
		{"package-lock.json", `{"packages": https://github.com`, ""},
		{"composer.lock", `{"packages":[{"dist":{"url":"https://api.example.com/zip"},"source":{"url":"https://git.example.com/a.git"},` +
			`"funding":[{"url":"https://github.com/sponsors"}],"homepage":"https://github.com","support":{"source":"https://github.com/a"}}]}`, "api.example.com git.example.com"},
		{"Pipfile.lock", `{"_meta":{"sources":[{"url":"https://pypi.example.com/simple"}]}}`, "pypi.example.com"},
		{"yarn.lock", "a@^1:\n  resolved \"https://yarn.example.com/a.tgz#1\"\n", "yarn.example.com"},
		{"yarn.lock", "\"a@npm:^1\":\n  resolution: \"a@npm:1.0.0\"\n  funding: https://github.com/sponsors\n", ""},
		{"pnpm-lock.yaml", "  a@1:\n    resolution: {integrity: x, tarball: https://npm.example.com/a.tgz}\n" +
			"    deprecated: see https://github.com/a\n", "npm.example.com"},
		{".npmrc", "# https://github.com\nregistry=https://npm.example.com/\n", "npm.example.com"},
	} {
		d := newDwelling(t, "/bin/bash")
		d.put("p/"+c.file, c.text, 0o644)
		var got []string
		for _, h := range d.inProject().namedHosts([]string{c.file}) {
			got = append(got, h.Host)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %s: %q, want %q", c.file, c.text, got, c.want)
		}
	}
}
