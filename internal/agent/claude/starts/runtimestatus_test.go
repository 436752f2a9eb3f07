// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package starts

import "testing"

func FuzzParseRuntimeSays(f *testing.F) {
	f.Add([]byte(`{"statusVersion":3,"available":false,"installed":false,"policyLocked":false,"reasons":["Windows sandbox install is only available on native Windows."],"supported":true,"enabled":false,"enabledSource":"off","unavailableReason":null,"strictMode":false,"strictModeSource":"off","filesystemPolicy":"strict","autoAllowBashIfSandboxed":false,"autoAllowBashIfSandboxedSource":"default"}` + "\n"))
	f.Add([]byte("a warning\n{\"statusVersion\":3}\n"))
	f.Add([]byte("{}"))
	f.Add([]byte("Not logged in · Please run /login\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		says, err := ParseRuntimeSays(out)
		if (err == nil) == (says == RuntimeSays{}) || err == nil && (len(out) > maxSaid || says.FilesystemPolicy == "") {
			t.Fatalf("%+v, %v", says, err)
		}
	})
}
