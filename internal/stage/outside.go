// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: secrets lie outside of the home too; a canary stands in
// the place of each kind, at the path that the session's own user has there.

package stage

import (
	"fmt"
)

// Places outside of the home in which programs keep secrets of a user; %d is
// the user id.
var outside = []struct{ path, before, after string }{
	{"/run/user/%d/containers/auth.json", `{"auths":{"registry.example.com":{"auth":"`, "\"}}}\n"},
	{"/tmp/krb5cc_%d", "\x05\x04 EXAMPLE.COM ", "\n"},
}

// Outside lists the canaries outside of the home. They lie in /run and /tmp,
// which are memory on a stage; a replica home has none.
func (s *Stage) Outside(run string) []Canary {
	uid, _ := s.Player()
	var list []Canary
	for _, o := range outside {
		path := fmt.Sprintf(o.path, uid)
		if !s.Hidden(path) {
			continue
		}
		n := Nonce(run, path)
		list = append(list, Canary{path, n, []byte(o.before + n + o.after), path})
	}
	return list
}

// LayOutside lays them.
func (s *Stage) LayOutside(run string) {
	for _, c := range s.Outside(run) {
		s.Files = append(s.Files, c.file())
	}
}
