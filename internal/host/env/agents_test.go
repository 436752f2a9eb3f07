// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"slices"
	"testing"
)

// TestAgents: the places are those of the agent that is named, and state may change in
// no session of any.
func TestAgents(t *testing.T) {
	defer func(before []Agent) { known = before }(known)
	known = nil
	Add(Agent{Names: []string{"one", ""}, Dir: ".one", Settings: "rules", Session: "ONE",
		Temporary: func(func(string) string, int) []string { return []string{"/tmp/one"} }})
	Add(Agent{Names: []string{"two"}, Dir: ".two", Variable: "TWO_DIR", Settings: "set", Sandboxed: "TWO_BOX",
		Managed: func(goos string) string { return "/etc/two/" + goos }})
	for _, c := range []struct {
		system            System
		settings, managed string
		session           string
	}{
		{System{Env: New([]string{"HOME=/h"})}, "/h/.one/rules", "", ""},
		{System{Env: New([]string{"HOME=/h", "ONE=1"}), Agent: "two", GOOS: "x"}, "/h/.two/set", "/etc/two/x", "ONE"},
		{System{Env: New([]string{"HOME=/h", "TWO_DIR=/t/", "TWO_BOX=1"}), Agent: "two", Root: "/r"}, "/t/set",
			"/r/etc/two", "TWO_BOX"},
	} {
		p, err := c.system.Places()
		session, in := c.system.AgentSession()
		if err != nil || p.UserSettings() != c.settings || p.Managed != c.managed || session != c.session ||
			in != (session != "") {
			t.Errorf("%v: %q %q %q %v", c.system, p.UserSettings(), p.Managed, session, err)
		}
		if list := c.system.Temporary(); !slices.Equal(list, []string{"/tmp/one"}) {
			t.Errorf("temporary: %q", list)
		}
	}
}
