// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rcfiles

import (
	"strings"
	"testing"
)

func TestAVariableBeginsAWholePath(t *testing.T) {
	for value, want := range map[string]string{
		"$XDG_CONFIG_HOME/x":                 "/-/x",
		"${X:-/run/user/$UID}/x":             "/-/x",
		"$A/lib:$B/lib":                      "/-/lib:/-/lib",
		"$(npm root -g)":                     "/-",
		"`brew --prefix`/lib":                "/-/lib",
		"$PWD/x":                             "./x",
		"$(pwd)/x":                           "./x",
		"$(git rev-parse --show-toplevel)/x": "./x",
		"./x/$A":                             "./x//-",
		"$(cat ./.modules)":                  "/- ./.modules",
		"`cat .env | grep X`":                "/- .env",
		"$([ -d \"$X/y\" ] && printf %s tools/x)": "/- tools/x",
	} {
		text, inside := withoutUnknown(value)
		if got := strings.Join(append([]string{text}, inside...), " "); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
