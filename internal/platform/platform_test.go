// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package platform

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

func recorded(t testing.TB, path string) []byte {
	t.Helper()
	return []byte(testenv.Read(t, filepath.Join("../../testdata/hosts", path)))
}

func TestDistributionsAreRecognised(t *testing.T) {
	for file, want := range map[string]Platform{
		"debian-12":    {"linux", "debian", "12", "Debian GNU/Linux 12 (bookworm)", Apt},
		"ubuntu-24.04": {"linux", "ubuntu", "24.04", "Ubuntu 24.04.3 LTS", Apt},
		"linuxmint-22": {"linux", "linuxmint", "22.1", "Linux Mint 22.1", Apt},
		"fedora-43":    {"linux", "fedora", "43", "Fedora Linux 43 (Workstation Edition)", Dnf},
		"almalinux-9":  {"linux", "almalinux", "9.6", "AlmaLinux 9.6 (Sage Margay)", Dnf},
		"arch":         {"linux", "arch", "", "Arch Linux", "pacman"},
	} {
		if got := Detect("linux", recorded(t, file+"/etc/os-release")); got != want {
			t.Errorf("%s: %+v", file, got)
		}
	}
	for text, want := range map[string]Manager{
		"ID=pop\nID_LIKE=\"ubuntu debian\"\n":                   "apt",
		"ID=nobara\nID_LIKE=fedora\n":                           "dnf",
		"ID=rhel\n":                                             "dnf",
		"ID=rocky\nID_LIKE=\"rhel centos fedora\"\n":            "dnf",
		"ID=fedora\nOSTREE_VERSION='43.20261101.0'\n":           "rpm-ostree",
		"ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"": "zypper",
		"ID=manjaro\nID_LIKE=arch\n":                            "pacman",
		"ID=alpine\n":                                           "apk",
		"ID=nixos\n":                                            "nix",
		"ID=void\n":                                             "xbps-install",
		"ID=gentoo\n":                                           "emerge",
		"ID=plan9\nID_LIKE=unix\n":                              "",
		"":                                                      "",
	} {
		if got := Detect("linux", []byte(text)); got.Manager != want {
			t.Errorf("%q has %q, want %q", text, got.Manager, want)
		}
	}
	if got := Detect("darwin", nil); got.Manager != Brew || got.Name != "macOS" {
		t.Errorf("macOS: %+v", got)
	}
}

func TestAShortNameIsWhatAPersonCallsIt(t *testing.T) {
	for want, p := range map[string]Platform{"debian 12": {ID: "debian", VersionID: "12", Name: "Debian 12"},
		"arch": {ID: "arch", Name: "Arch Linux"}, "macOS": {Name: "macOS"}, "Own 3": {VersionID: "3", Name: "Own 3"}} {
		if got := p.Tag(); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
	for name, want := range map[string]string{"Debian GNU/Linux 12 (bookworm)": "Debian 12",
		"Fedora Linux 43 (Workstation Edition)": "Fedora Linux 43", "Ubuntu 24.04.3 LTS": "Ubuntu 24.04.3 LTS"} {
		if got := (Platform{Name: name}).Short(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestOSReleaseIsReadAsTheShellWould(t *testing.T) {
	got := parseOSRelease([]byte("# A=1\n A=one\nB='two # $x'\nC=\"a \\\"b\\\" \\$c\\\\\"\nD=\nE=x y\nnot one\nlower=1\n" +
		"F=\"open\n\r\nG=last\r\n"))
	want := map[string]string{"A": "one", "B": "two # $x", "C": `a "b" $c\`, "D": "", "E": "x", "F": "open", "G": "last"}
	if len(got) != len(want) {
		t.Errorf("%q", got)
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s is %q, want %q", k, got[k], v)
		}
	}
}

func TestAptPolicy(t *testing.T) {
	for name, c := range map[string]struct {
		out       string
		versions  []string
		candidate string
	}{
		"Ubuntu": {string(recorded(t, "ubuntu-24.04/answers/apt-cache.bubblewrap")),
			[]string{"0.9.0-1ubuntu0.1", "0.9.0-1build1"}, "0.9.0-1ubuntu0.1"},
		"Debian": {string(recorded(t, "debian-12/answers/apt-cache.bubblewrap")), []string{"0.8.0-2+deb12u1"},
			"0.8.0-2+deb12u1"},
		"installed and in no source": {"socat:\n  Installed: 9-1\n  Candidate: 9-1\n  Version table:\n *** 9-1 100\n" +
			"        100 /var/lib/dpkg/status\n" +
			"     1.8-1 500\n        500 http://x y Packages\n", []string{"1.8-1"}, ""},
		"a source that is pinned away": {"p:\n  Installed: (none)\n  Candidate: 1-1\n  Version table:\n     2-1 -32768\n" +
			"     -32768 https://esm x Packages\n" +
			"     1-1 500\n        500 http://x y Packages\n", []string{"1-1"}, "1-1"},
		"phased": {"p:\n  Installed: 1-1\n  Candidate: 1-1\n  Version table:\n     1-2 500 (phased 10%)\n" +
			"        500 http://x y Packages\n" +
			" *** 1-1 500\n        500 http://x y Packages\n        100 /var/lib/dpkg/status\n", []string{"1-2", "1-1"}, "1-1"},
		"virtual": {"mail-transport-agent:\n  Installed: (none)\n  Candidate: (none)\n  Version table:\n", nil, ""},
		"nothing": {"", nil, ""},
		"the first of two": {"a:\n  Candidate: 1-1\n     1-1 500\n        500 http://x y Packages\nb:\n  Candidate: 2-1\n" +
			"     2-1 500\n" +
			"        500 http://x y Packages\n", []string{"1-1"}, "1-1"},
	} {
		pkg, _, _ := strings.Cut(c.out, ":")
		if got := ParseAptPolicy(pkg, []byte(c.out)); !slices.Equal(got.Versions, c.versions) ||
			got.Candidate != c.candidate {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestDnfList(t *testing.T) {
	for name, c := range map[string]struct {
		pkg, out string
		versions []string
	}{
		"dnf 5": {"bubblewrap", string(recorded(t, "fedora-43/answers/dnf.bubblewrap")),
			[]string{"0.11.2-1.fc43", "0.11.0-2.fc43"}},
		"dnf 4, one installed": {"socat", string(recorded(t, "almalinux-9/answers/dnf.socat")),
			[]string{"1.7.4.1-8.el9_6.1", "1.7.4.1-6.el9_5.1"}},
		"only installed": {"socat", "Installed Packages\nsocat.x86_64 1-1 @x\n", nil},
		"wrapped": {"socat", "Available Packages\nsocat.x86_64\n          1-1.a.very.long.release\n" +
			"                  updates-testing\n", []string{"1-1.a.very.long.release"}},
		"another package":   {"cat", "Available Packages\nsocat.x86_64 1-1 x\n", nil},
		"two architectures": {"socat", "Available packages\nsocat.i686 1-1 x\nsocat.x86_64 1-1 x\n", []string{"1-1"}},
		"an error":          {"socat", "Error: No matching Packages to list\n", nil},
	} {
		if got := ParseDnfList(c.pkg, []byte(c.out)); !slices.Equal(got.Versions, c.versions) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestWhatIsInstalled(t *testing.T) {
	for _, c := range []struct{ what, got, want string }{
		{"dpkg", ParseDpkgQuery([]byte("install ok installed\t0.8.0-2+deb12u1\n")), "0.8.0-2+deb12u1"},
		{"dpkg, removed", ParseDpkgQuery([]byte("deinstall ok config-files\t0.8.0-2\n")), ""},
		{"dpkg, held and of two architectures",
			ParseDpkgQuery([]byte("unknown ok not-installed\t\nhold ok installed\t1-1\n")), "1-1"},
		{"rpm", ParseRpmQuery([]byte("0.11.0-2.fc43\n")), "0.11.0-2.fc43"},
		{"rpm, absent", ParseRpmQuery([]byte("package bubblewrap is not installed\n")), ""},
		{"rpm, two", ParseRpmQuery([]byte("1-1\n2-1\n")), "1-1"},
		{"brew", ParseBrewVersions("socat", []byte("socat 1.8.0.3 1.8.1.3\n")), "1.8.1.3"},
		{"brew, absent", ParseBrewVersions("socat", nil), ""},
		{"brew, a warning", ParseBrewVersions("socat", []byte("Warning: x\n")), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
}

// shown holds that a text has only bytes of its source and is one word.
func shown(t *testing.T, from []byte, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if strings.ContainsAny(s, " \t\n") || !strings.Contains(string(from), s) {
			t.Errorf("%q out of %q", s, from)
		}
	}
}

func FuzzOSRelease(f *testing.F) {
	f.Add([]byte("ID=a\\\nB=\"\\"))
	f.Add([]byte("PRETTY_NAME='x\nID_LIKE=debian"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p := Detect("linux", b)
		if p.Name == "" || p != Detect("linux", b) {
			t.Errorf("%+v", p)
		}
		for k, v := range parseOSRelease(b) {
			if k == "" || strings.Contains(v, "\n") {
				t.Errorf("%q=%q", k, v)
			}
		}
	})
}

func FuzzAptPolicy(f *testing.F) {
	f.Add([]byte("p:\n  Candidate: 1\n *** 1 5\n        5 x\n     \n      \n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		o := ParseAptPolicy("p", b)
		shown(t, b, o.Versions...)
		if o.Candidate != "" && !slices.Contains(o.Versions, o.Candidate) {
			t.Errorf("%+v", o)
		}
	})
}

func FuzzDnfList(f *testing.F) {
	f.Add("p", []byte("Available Packages\np.x 1-1 r\np.\np.y\n"))
	f.Fuzz(func(t *testing.T, pkg string, b []byte) { shown(t, b, ParseDnfList(pkg, b).Versions...) })
}

func FuzzInstalled(f *testing.F) {
	f.Add("p", []byte("install ok installed\t1\n"))
	f.Fuzz(func(t *testing.T, pkg string, b []byte) { shown(t, b, ParseRpmQuery(b), ParseBrewVersions(pkg, b)) })
}
