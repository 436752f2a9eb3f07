// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package settings

import "testing"

func TestAScopeIsReadByItsName(t *testing.T) {
	for name, want := range map[string]Scope{"user": User, "project": Project, "local": Local, "--settings": 0,
		"managed": 0, "User": 0, "": 0} {
		got := Managed
		if err := got.UnmarshalText([]byte(name)); got != want || (err == nil) != (want != 0) {
			t.Errorf("%q is %s (%v), want %s", name, got, err, want)
		}
	}
}
