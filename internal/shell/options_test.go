// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"slices"
	"testing"
)

func TestConfigurationInOptions(t *testing.T) {
	for line, want := range map[string]string{
		"ssh -F ~/p/cfg host":                             "/h/p/cfg",
		"ssh -F/h/p/cfg host":                             "/h/p/cfg",
		"ssh -o ProxyCommand='/h/p/x %h' host":            "/h/p/x",
		"ssh -oProxyCommand=/h/p/x host":                  "/h/p/x",
		"scp -o 'Include /h/p/cfg' a host:b":              "/h/p/cfg",
		"less --lesskey-src=/h/p/keys":                    "/h/p/keys",
		"less -R --lesskey-file ~/p/keys":                 "/h/p/keys",
		"vim -u ~/p/vimrc":                                "/h/p/vimrc",
		"nano --rcfile=/h/p/nanorc":                       "/h/p/nanorc",
		"gpg --options /h/p/gpg.conf --sign x":            "/h/p/gpg.conf",
		"tar -I /h/p/x -cf a.tar b":                       "/h/p/x",
		"rsync -e '/h/p/ssh -4' a host:b":                 "/h/p/ssh",
		"wget --use-askpass=/h/p/x http://a":              "/h/p/x",
		"wget -q --use-askpass ~/p/x http://a":            "/h/p/x",
		"sqlite3 -init /h/p/x.sql a.db":                   "/h/p/x.sql",
		"psql -d a --file=/h/p/x.sql":                     "/h/p/x.sql",
		"compgen -C /h/p/x":                               "/h/p/x",
		"env LESS=-R less --lesskey-src /h/p/keys":        "/h/p/keys",
		"ssh -i ~/.ssh/id -p 22 -o BatchMode=yes host ls": "",
		"ssh -F none host":                                "",
		"rsync -az -e ssh a host:b":                       "",
		"vim -u NONE":                                     "",
		"less -FRX":                                       "",
		"tar -czf a.tar b":                                "",
	} {
		got := ""
		for _, u := range place.Line(line).Uses {
			if u.Kind == Runs && !slices.Contains([]string{"/usr/bin/env"}, u.Path) {
				got = u.Path
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
