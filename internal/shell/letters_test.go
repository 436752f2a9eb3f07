// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"fmt"
	"testing"
)

// TestLettersTakeOneValue: whoever reads the words of a program takes the same ones
// for values. Each was tried (curl 7.88, wget 1.21, ripgrep 13, xxd 2022, bash 5.2).
func TestLettersTakeOneValue(t *testing.T) {
	paths := func(kind Kind, line string) (list []string) {
		for _, u := range place.Line(line).Uses {
			if u.Kind == kind {
				list = append(list, u.Path)
			}
		}
		return list
	}
	gaps := func(line string) (n int) { return len(place.Line("x=$(jq .x); " + line).Gaps) }
	keeps := func(line string) int {
		p, _ := Prints(line, "")
		return len(p.Loose)
	}
	for _, tt := range []struct{ got, want any }{
		{paths(Writes, "wget -qO ~/out u"), []string{"/h/out"}},
		{paths(Writes, "curl -so ~/out u"), []string{"/h/out"}},
		{paths(Writes, "curl -hO u"), []string(nil)},
		{paths(Writes, "xxd -ps a ~/out"), []string{"/h/out"}},
		{paths(Writes, "cp -rt ~/b a"), []string{"/h/b"}},
		{paths(Writes, "install -Dm 755 a ~/b"), []string{"/h/b"}},
		{paths(Writes, "tar cfv ~/out a"), []string{"/h/out"}},
		{paths(Writes, "tar cfb ~/out 20 a"), []string{"/h/out"}},
		{paths(Writes, "tar cCf d ~/out a"), []string{"/h/out"}},
		{paths(Writes, "tar --concatenate -f ~/out a"), []string{"/h/out"}},
		{paths(Writes, "zip -tt 2024-01-01 ~/out a"), []string{"/h/out"}},
		{paths(Writes, "wget -qi ~/list"), []string{"/h/p/sub"}},
		{gaps(`rg -r "$x" a`), 0},
		{gaps(`rg -q "$x"`), 1},
		{gaps(`wget -nH "$x"`), 1},
		{gaps(`curl -sG "$x"`), 1},
		{gaps(`curl -so "$x"`), 0},
		{keeps("curl -Hfoo u"), 1},
		{keeps("curl --output-dir d u"), 1},
		{keeps("curl -fsSLo f u"), 0},
		{PrintedFiles("xxd", []string{"-g", "1", "f"}), []int{2}},
		{PrintedFiles("jq", []string{"--rawfile", "x", "v", ".y", "f"}), []int{2, 4}},
		{PrintedFiles("grep", []string{"-d", "skip", "x", "f"}), []int{3}},
		{paths(Runs, "bash -oO pipefail extglob x.sh"), []string{"/h/p/sub/x.sh"}},
	} {
		if got, want := fmt.Sprint(tt.got), fmt.Sprint(tt.want); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
