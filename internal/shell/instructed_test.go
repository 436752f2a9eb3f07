// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import "testing"

func TestProgramsThatTakeInstructions(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"gnuplot -p x.gp", "names /h/p/sub/x.gp, runs /h/p/sub/x.gp"},
		{`gnuplot -e "set term png" ~/x.gp`, "names /h/p/sub/set term png, names /h/x.gp, runs /h/x.gp"},
		{"m4 -D A x.m4", "names /h/p/sub/A, names /h/p/sub/x.m4, runs /h/p/sub/x.m4"},
		{"npx --prefix /x -y y", "decides /x"}, // in front of the program's name alone
		{"npx -y y --prefix /x", "decides /h/p/sub"},
		{"echo '.shell ./x' | sqlite3 x.db", "names /h/p/sub/x.db, gap"},
		{"echo .dump | sqlite3 x.db", "names /h/p/sub/x.db"},
		{"echo .dump '.output |./x' | sqlite3 x.db", "names /h/p/sub/x.db, gap"},
		{`echo "$X" | sqlite3 x.db`, "names /h/p/sub/x.db, gap"},
		{"echo . ./x.sh | sh", "runs /h/p/sub/x.sh"},
		{"sqlite3 x.db '.dump'", "names /h/p/sub/x.db, names /h/p/sub/.dump"},
		{"sqlite3 x.db '.output |./x'", "names /h/p/sub/x.db, names /h/p/sub/.output |./x, gap"},
		{"batch < x", "runs /h/p/sub/x"},
		{"gh act", "unclear /h/p/sub"},
		{"gh run list", ""},
		{"git-lfs status", "repository /h/p/sub"},
		{"git-lfs clean -- f", ""},
		{"git-crypt smudge", ""},
		{"openssl engine ./x.so", "gap"},
	} {
		if got := said(place.Line(c.line)); got != c.want {
			t.Errorf("%q: %q, want %q", c.line, got, c.want)
		}
	}
}
