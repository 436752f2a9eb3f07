// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the order is the package manager's own: dpkg is asked where
// it is there, and RPM's is that of its manual.

package pins

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// Each list is in ascending order; what stands in one string is the same.
var ordered = map[Scheme][]string{
	Debian: {"0.8.0~~", "0.8.0~rc1-1", "0.8.0 0.8.0-0 00.8.00", "0.8.0-1~bpo12+1", "0.8.0-1", "0.8.0-2 0:0.8.0-02",
		"0.8.0-2build1", "0.8.0-2ubuntu0.1", "0.8.0-2+b1",
		"0.8.0-2+deb12u1", "0.8.0-2+deb12u2", "0.8.0-2+deb12u10", "0.8.0-10", "0.8.0a", "0.8.0+dfsg-1", "0.8.0+dfsg-2",
		"0.8.0-1-1", "0.8.0.1", "0.11.2-1", "18446744073709551616",
		"1:0.1-1", "2:0.0.1", "18446744073709551616:0"},
	RPM: {"1.0~", "1.0~rc1", "1.0~rc1^git1", "1.0~rc2-1.fc43", "1.0 1.00 1.0.", "1.0-1.el9", "1.0-1.fc43 0:1.0-01.fc43",
		"1.0-1.fc43.1", "1.0-2.fc43", "1.0-2.1.fc43", "1.0-10.fc43",
		"1.0^", "1.0^20260101~pre", "1.0^20260101", "1.0^20260101.a", "1.0^20260102-1", "1.0a", "1.0b", "1.0.1", "1.10 1_10",
		"18446744073709551616", "1:0.1-1.fc43"},
}

func TestPackagesAreOrdered(t *testing.T) {
	for s, list := range ordered {
		for i, as := range list {
			for j, bs := range list {
				for a := range strings.FieldsSeq(as) {
					for b := range strings.FieldsSeq(bs) {
						if c, err := s.Compare(a, b); err != nil || sign(c) != sign(i-j) {
							t.Errorf("%s: %s against %s is %d (%v)", s, a, b, c, err)
						}
					}
				}
			}
		}
		for _, bad := range []string{"", "-", "1-", ":1", "a:1", "1:", "v1", "~1", "1.2 3", "1;x", "1.2\x1b[m", "1/2",
			strings.Repeat("1", 200)} {
			if c, err := s.Compare(bad, "1"); err == nil {
				t.Errorf("%s: %q compares as %d", s, bad, c)
			}
			if _, err := s.Compare("1", bad); err == nil {
				t.Errorf("%s: %q is taken on the right", s, bad)
			}
		}
	}
	if _, err := Debian.Compare("1^git", "1"); err == nil {
		t.Error("Debian has no caret")
	}
	if _, err := RPM.Compare("1-1-1", "1"); err == nil {
		t.Error("a version of RPM's has no hyphen")
	}
	if s, ok := SchemeOf("apt"); s != Debian || !ok {
		t.Error(s, ok)
	}
	if s, ok := SchemeOf("brew"); ok {
		t.Error(s)
	}
}

// TestDpkgOrdersAlike asks dpkg itself, neighbour by neighbour: the rest follows
// from the order being one.
func TestDpkgOrdersAlike(t *testing.T) {
	testenv.Need(t, "dpkg")
	list := ordered[Debian]
	for i, as := range list {
		same := strings.Fields(as)
		pairs := [][3]string{{same[0], "eq", same[len(same)-1]}}
		if i > 0 {
			pairs = append(pairs, [3]string{strings.Fields(list[i-1])[0], "lt", same[0]})
		}
		for _, p := range pairs {
			// dpkg's epoch is an int: it refuses the last one.
			if out, err := exec.Command("dpkg", "--compare-versions", p[0], p[1], p[2]).CombinedOutput(); err != nil &&
				!strings.Contains(string(out), "epoch") {
				t.Errorf("dpkg: not %s: %v %s", strings.Join(p[:], " "), err, out)
			}
		}
	}
}

// FuzzPackages holds that both orders are total: antisymmetric, transitive, and
// the same for what is the same.
func FuzzPackages(f *testing.F) {
	for _, list := range ordered {
		for i := 2; i < len(list); i++ {
			f.Add(list[i-2], list[i-1], list[i])
		}
	}
	f.Add("1.a^", "1.^a", "1~.")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		for _, s := range []Scheme{Debian, RPM} {
			ab, err1 := s.Compare(a, b)
			bc, err2 := s.Compare(b, c)
			if err1 != nil || err2 != nil {
				continue
			}
			ba, _ := s.Compare(b, a)
			aa, _ := s.Compare(a, a)
			ac, _ := s.Compare(a, c)
			if sign(ab) != -sign(ba) || aa != 0 {
				t.Errorf("%s: %q against %q: %d and %d", s, a, b, ab, ba)
			}
			if ab <= 0 && bc <= 0 && (ac > 0 || ac == 0 && ab+bc != 0) {
				t.Errorf("%s: %q, %q, %q: %d, %d, but %d", s, a, b, c, ab, bc, ac)
			}
			if strings.ContainsAny(a, " ;$`'\"\n\x1b/") {
				t.Errorf("%s takes %q for a version", s, a)
			}
		}
	})
}
