// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package pins

import (
	"os/exec"
	"strings"
	"testing"

	_ "github.com/steward-setup/steward-setup/internal/agent/claude" // whose versions are compared
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestVersionsAreOrdered(t *testing.T) {
	// Each line is in ascending order.
	for tool, lines := range map[string][]string{
		"claude-code": {"2.1.9", "2.1.141", "2.1.224", "2.1.329-beta.1", "2.1.329", "2.2.0", "10.0.0"},
		"socat": {"1.7.4.4-2", "1.8.0.0-4build3", "1.8.0.3-2.fc43", "1.8.1~rc1-1", "1.8.1-1", "1.8.1.3", "1.8.1.10",
			"2.0"},
		"bubblewrap": {"0.0", "0.4.1-8.el9_5", "0.8.0-2+deb12u1", "0.9.0-1ubuntu0.1", "0.11.2", "0.11.20", "1:0.12.0-1",
			"18446744073709551616.1"},
	} {
		for i, a := range lines {
			for j, b := range lines {
				c, err := Compare(tool, a, b)
				if err != nil || sign(c) != sign(i-j) {
					t.Errorf("%s: %s against %s is %d (%v)", tool, a, b, c, err)
				}
			}
		}
	}
	for _, same := range [][2]string{{"0.11.2", "0.11.2-1"}, {"1.8", "1.8.0.0"}, {"1.8.0", "1.08.0"},
		{"0.9.0-1ubuntu0.1", "0.9.0-1build1"}, {"2:1.8", "1.8"}} {
		if c, err := Compare("socat", same[0], same[1]); c != 0 || err != nil {
			t.Errorf("%s and %s are different upstream versions: %d, %v", same[0], same[1], c, err)
		}
	}
	for _, bad := range []string{"", "latest", "1..2", "1.2a", "v1.2", "-1", "1.2 3", "1.2;x", "1.2\x1b[m",
		strings.Repeat("1", 200)} {
		for _, tool := range []string{"socat", "claude-code"} {
			if c, err := Compare(tool, bad, "1.2.3"); err == nil {
				t.Errorf("%s: %q compares as %d", tool, bad, c)
			}
			if _, err := Compare(tool, "1.2.3", bad); err == nil {
				t.Errorf("%s: %q is taken on the right", tool, bad)
			}
		}
	}
}

func sign(n int) int { return min(1, max(-1, n)) }

// The order among upstream versions must be that of dpkg, since a distribution
// decides by dpkg's what is an update.
func TestDpkgAgrees(t *testing.T) {
	testenv.Need(t, "dpkg")
	list := []string{"0.8.0", "0.9.0", "0.11.2", "0.11.2~rc1", "0.11.10", "1.7.4.4", "1.8.0.0", "1.8.1.3", "1.10"}
	for _, a := range list {
		for _, b := range list {
			older := exec.Command("dpkg", "--compare-versions", a, "lt", b).Run() == nil
			if c, _ := Compare("socat", a, b); (c < 0) != older {
				t.Errorf("%s against %s is %d, dpkg says older: %v", a, b, c, older)
			}
		}
	}
}

func TestToolsSayTheirVersion(t *testing.T) {
	for _, c := range []struct{ tool, output, want string }{
		{"bubblewrap", "bubblewrap 0.8.0\n", "0.8.0"},
		{"socat", "socat by Gerhard Rieger and contributors - see www.dest-unreach.org\n" +
			"socat version 1.7.4.4 on 06 Nov 2022 08:15:51\n", "1.7.4.4"},
		{"claude-code", "2.1.329 (Claude Code)\n", "2.1.329"},
		{"ripgrep", "ripgrep 13.0.0\n-SIMD -AVX (compiled)\n", "13.0.0"},
		{"claude-code", "2.1.329\n", ""},
		{"claude-code", "99999999999999999999.1.330 (Claude Code)\n", ""},
		{"claude-code", "2.1.20261123 (Claude Code)\n", "2.1.20261123"},
		{"claude-code", "\x1b[1m2.1.329 (Claude Code)\n", ""},
		{"bubblewrap", "bubblewrap version unknown\n", ""},
		{"bubblewrap", "socat version 1.8\n", ""},
		{"git", "git version 2.39\n", ""},
		{"socat", "", ""},
	} {
		if got, ok := Reported(c.tool, c.output); ok != (c.want != "") || got != c.want {
			t.Errorf("%s: %q says %q, %v", c.tool, c.output, got, ok)
		}
	}
}

// FuzzCompare holds that Compare is a total order on what it takes for
// versions: antisymmetric, reflexive, transitive.
func FuzzCompare(f *testing.F) {
	f.Add("1.8.0.0-4build3", "1:1.8~rc1", "1.8", false)
	f.Add("2.1.329", "2.1.329-beta", "2.1", true)
	f.Add("0.00.1+x^y", "0.0.1~", "0", false)
	f.Fuzz(func(t *testing.T, a, b, c string, semantic bool) {
		tool := "socat"
		if semantic {
			tool = "claude-code"
		}
		compare := func(x, y string) int {
			n, err := Compare(tool, x, y)
			if err != nil {
				t.Skip()
			}
			return sign(n)
		}
		ab, ba, bc, ac := compare(a, b), compare(b, a), compare(b, c), compare(a, c)
		if ab != -ba || compare(a, a) != 0 {
			t.Errorf("%q against %q: %d and %d", a, b, ab, ba)
		}
		if ab <= 0 && bc <= 0 && (ac > 0 || ac == 0 && ab+bc != 0) {
			t.Errorf("%q, %q, %q: %d, %d, but %d", a, b, c, ab, bc, ac)
		}
		if strings.ContainsAny(a, " ;$`'\"\n\x1b") {
			t.Errorf("%q is taken for a version", a)
		}
	})
}

func FuzzReported(f *testing.F) {
	f.Add("socat", "socat version 1.8 on")
	f.Add("claude-code", "2.1.329 (Claude Code)")
	f.Fuzz(func(t *testing.T, tool, output string) {
		if v, ok := Reported(tool, output); ok {
			if _, err := Compare(tool, v, v); err != nil || !strings.Contains(output, v) || !Known(tool) {
				t.Errorf("%s: %q says %q", tool, output, v)
			}
		}
	})
}
