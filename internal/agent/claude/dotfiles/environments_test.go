// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package dotfiles

import "testing"

// TestAUniversalVariableIsOneLine whatever its value holds, so that the line that is
// named is the file's.
func TestAUniversalVariableIsOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"# VERSION: 3.0\nSETUVAR --export EDITOR:vim\n": "# VERSION: 3.0\nEDITOR=vim\n",
		`SETUVAR fish_user_paths:/a\x2fb\x1e/c`:         "PATH=/a/b:/c",
		`SETUVAR x:one\x0aBASH_ENV\x3dtwo`:              "x=one BASH_ENV=two",
		`SETUVAR`:                                       "SETUVAR",
		`SETUVAR --`:                                    "=",
	} {
		if got := universal(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}
