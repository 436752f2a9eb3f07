// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a section is carried out here as the user would carry it
// out, and the machine is asked again afterwards.

package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
	"github.com/steward-setup/steward-setup/steps/install"
)

// write puts the section's one change on disk, as the engine would.
func (h toolHost) write(t *testing.T, s report.Section) report.Change {
	t.Helper()
	c, ok := s.Items[0].(report.Change)
	if !ok || c.Path != h.overrideFile() {
		t.Fatalf("the first item is %+v", s.Items[0])
	}
	testenv.Write(t, c.Target, string(c.After), 0o644)
	return c
}

func TestTheDistributionsVersionsAreTaken(t *testing.T) {
	h := onHost(t, "ubuntu-24.04", nil)
	s, questions := h.tools(t, "", "use-distro-versions=yes")
	// Neither tool works here: without them nothing is sandboxed.
	if !slices.Equal(questions[0].Default, []string{"yes"}) ||
		!strings.HasPrefix(questions[0].Reason, "not working here: bubblewrap and socat;") ||
		!strings.Contains(questions[0].Title, "Ubuntu 24.04.3 LTS") ||
		!strings.Contains(questions[0].Help, "bubblewrap 0.9.0-1ubuntu0.1 in place of 0.11.2 and socat 1.8.0.0-4build3 in "+
			"place of 1.8.1.3") || questions[0].Price == "" {
		t.Errorf("asks %+v", questions[0])
	}
	if len(s.Exposes) != 2 || !strings.Contains(s.Exposes[0], "0.9.0-1ubuntu0.1") {
		t.Errorf("exposes %q", s.Exposes)
	}
	c := h.write(t, s)
	tables := string(c.After)[strings.Index(string(c.After), "\n[")+1:]
	if diff := cmp.Diff(`[tools.bubblewrap]
version = "0.9.0-1ubuntu0.1"
install.apt = "apt-get install --no-install-recommends bubblewrap=0.9.0-1ubuntu0.1"

[tools.socat]
version = "1.8.0.0-4build3"
install.apt = "apt-get install --no-install-recommends socat=1.8.0.0-4build3"
`, tables); diff != "" || c.Before != nil || c.Mode != 0o644 {
		t.Errorf("before %q, mode %v: %s", c.Before, c.Mode, diff)
	}
	// Before the commands are run: they are what is left, and nothing else.
	s, questions = h.tools(t, "")
	want := []string{"! sudo apt-get install --no-install-recommends bubblewrap=0.9.0-1ubuntu0.1 socat=1.8.0.0-4build3",
		" " + claudeLine}
	if diff := cmp.Diff(want, lines(s)); diff != "" || len(questions) != 0 || len(s.Items) != 2 {
		t.Errorf("the second time: %v %s", questions, diff)
	}
	// After them: nothing is left.
	h2 := onHost(t, "ubuntu-24.04", map[string]string{"bwrap.--version": "bubblewrap 0.9.0",
		"socat.-V":         "socat version 1.8.0.0 on x",
		"claude.--version": pinned.ClaudeSays(pinned.Claude())})
	h2.write(t, report.Section{Items: []report.Item{report.Change{Path: h2.overrideFile(), Target: h2.overrideFile(),
		After: c.After}}})
	s, questions = h2.tools(t, "")
	if diff := cmp.Diff([]string{"✓ bubblewrap", "✓ socat", "✓ claude-code"}, states(s)); diff != "" ||
		len(s.Items)+len(questions) != 0 {
		t.Errorf("when all is done: %v %v %s", s.Items, questions, diff)
	}
}

func TestTheUsersOverrideIsKept(t *testing.T) {
	h := onHost(t, "debian-12", nil)
	mine := "# mine\n[tools.socat] # for work\nversion = '1.7.4.3' # old\ncooldown_days = 30\n"
	real := filepath.Join(h.home, "dotfiles", "pins.toml")
	for _, dir := range []string{filepath.Dir(real), filepath.Dir(h.overrideFile())} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(real, []byte(mine), 0o600), os.Symlink(real, h.overrideFile())); err != nil {
		t.Fatal(err)
	}
	s, _ := h.tools(t, "", "use-distro-versions=yes")
	c := h.write(t, s)
	if c.Target != real || string(c.Before) != mine || c.ModeBefore != 0o600 {
		t.Errorf("would write %s (was %q, %v)", c.Target, c.Before, c.ModeBefore)
	}
	if diff := cmp.Diff("# mine\n[tools.socat] # for work\ninstall.apt = \"apt-get install --no-install-recommends "+
		"socat=1.7.4.4-2\"\n"+
		"version = \"1.7.4.4-2\" # old\ncooldown_days = 30\n\n[tools.bubblewrap]\nversion = \"0.8.0-2+deb12u1\"\n"+
		"install.apt = \"apt-get install --no-install-recommends bubblewrap=0.8.0-2+deb12u1\"\n",
		string(c.After)); diff != "" {
		t.Error(diff)
	}
}

func TestAnOverrideThatCannotBeAddedToStopsTheSection(t *testing.T) {
	h := onHost(t, "debian-12", nil)
	text := "[tools]\nsocat = { cooldown_days = 9 }\n"
	h.write(t, report.Section{Items: []report.Item{report.Change{Path: h.overrideFile(), Target: h.overrideFile(),
		After: []byte(text)}}})
	set, err := pins.Load(h, h.Places().Config, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = proposeTools(h, surveyTools(context.Background(), h, set), report.Answers{questionDistro: {"yes"}})
	var e *report.Error
	if !errors.As(err, &e) || e.Code != report.ExitMalformed ||
		!strings.Contains(e.Next, `tools.socat.version = "1.7.4.4-2"`) {
		t.Errorf("%v", err)
	}
}

// A framework may pin what does not protect, name a package manager's line
// that is none, and pin tools that are not of this setup.
func TestAFrameworksPinsAreNotTakenOnTrust(t *testing.T) {
	h := onHost(t, "ubuntu-24.04", nil)
	framework := filepath.Join(h.home, "framework")
	dir := filepath.Join(framework, "tools/agent-isolation")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	yesterday := pinned.Noon().AddDate(0, 0, -1)
	manifest := `[tools.claude-code]
version = "2.1.196"
install.npm = "npm install -g --no-save @anthropic-ai/claude-code@2.1.196"
[tools.bubblewrap]
version = "0.9.0"
install.apt = "apt-get install x; curl example.invalid bubblewrap=0.9.0"
[tools.socat]
version = "1.8.0.0"
install.apt = "rm -rf / socat=1.8.0.0"
[tools.kubectl]
version = "1.30.0"
[tools.ripgrep]
version = "14.1.0"
released = "` + yesterday.Format(time.DateOnly) + `"
upstream_releases = "https://example.invalid/rg"
`
	if err := os.WriteFile(filepath.Join(dir, "pinned-versions.toml"), []byte(manifest), 0o644); err != nil {
		t.Fatal(err)
	}
	s, questions := h.tools(t, framework)
	want := []string{"✗ claude-code decide", "✗ bubblewrap decide", "✗ socat decide", "⊘ kubectl", "✗ ripgrep decide",
		"⚠ ripgrep"}
	if diff := cmp.Diff(want, states(s)); diff != "" || len(questions)+len(s.Items) != 0 {
		t.Errorf("%v %v %s", questions, s.Items, diff)
	}
	if f := s.Findings[0]; !strings.Contains(f.Summary, "below the floor 2.1.324") ||
		!strings.Contains(f.Summary, "renaming .claude") {
		t.Errorf("the floor is not explained: %s", f.Summary)
	}
	if link, ok := s.Findings[4].Remedies[0].(report.DocLink); !ok || link.Target != "https://example.invalid/rg" {
		t.Errorf("ripgrep: %+v", s.Findings[4].Remedies)
	}
	if young := s.Findings[5].Summary; !strings.Contains(young, yesterday.AddDate(0, 0, 7).Format(time.DateOnly)) {
		t.Errorf("a release of yesterday passes: %s", young)
	}
}

func TestAnUnknownDistributionIsNamedAndNotGuessed(t *testing.T) {
	s, _ := onHost(t, "arch", nil).tools(t, "")
	f := s.Findings[0]
	if !strings.Contains(f.Summary, "Arch Linux is pacman") {
		t.Error(f.Summary)
	}
	if link, ok := f.Remedies[0].(report.DocLink); !ok ||
		link.Target != "https://github.com/containers/bubblewrap/releases" {
		t.Errorf("%+v", f.Remedies)
	}
	s, _ = onHost(t, "nowhere", nil).tools(t, "")
	if f := s.Findings[0]; !strings.Contains(f.Summary, "linux without an os-release file is unknown") || !f.Decide {
		t.Errorf("%+v", f)
	}
}

// A line of the user's own for another package manager is no guess.
func TestTheUsersOwnLineIsPrinted(t *testing.T) {
	h := onHost(t, "arch", map[string]string{"pacman.-V": "Pacman v7.0.0"})
	text := "[tools.bubblewrap]\ninstall.pacman = 'sudo pacman -S bubblewrap'\n"
	h.write(t, report.Section{Items: []report.Item{report.Change{Path: h.overrideFile(), Target: h.overrideFile(),
		After: []byte(text)}}})
	s, _ := h.tools(t, "")
	if diff := cmp.Diff([]string{"! sudo pacman -S bubblewrap"}, lines(s)); diff != "" {
		t.Error(diff)
	}
}

func TestRootNeedsNoSudo(t *testing.T) {
	c := toolCommands{root: true}
	tool := toolSeen{Package: install.Package{Pin: pinOf(t, "socat"), Manager: "apt"}}
	c.add(&tool, "1.8.1.3-1", false)
	if got := c.items()[0].(report.Command); got.Line != "apt-get install --no-install-recommends socat=1.8.1.3-1" ||
		!got.Privileged {
		t.Errorf("%+v", got)
	}
}

// A program does not know the revision of its package: the package manager does. One
// of another version is not the package's.
func TestAnOlderRevisionThanTheOverrideNames(t *testing.T) {
	for installed, want := range map[string]string{"0.8.0-2": "⚠ bubblewrap", "0.8.0-2+deb12u1": "✓ bubblewrap",
		"0.8.0-2+deb12u2": "✓ bubblewrap", "0.7.0-1": "✓ bubblewrap"} {
		h := onHost(t, "debian-12", map[string]string{"dpkg-query.bubblewrap": "install ok installed\t" + installed + "\n",
			"socat.-V": "socat version 1.8.1.3 on x"})
		over := "[tools.bubblewrap]\nversion = '0.8.0-2+deb12u1'\n"
		h.write(t, report.Section{Items: []report.Item{report.Change{Path: h.overrideFile(), Target: h.overrideFile(),
			After: []byte(over)}}})
		s, _ := h.tools(t, "")
		if got := states(s)[0]; got != want || (got[:len("⚠")] == "⚠") != (len(lines(s)) == 1) {
			t.Errorf("%s: %s, and %q", installed, s.Findings[0].Summary, lines(s))
		}
	}
}

// An older revision of the package is not the one that an override takes.
func TestTheRevisionThatIsOfferedIsInstalled(t *testing.T) {
	h := onHost(t, "debian-12", map[string]string{"dpkg-query.bubblewrap": "install ok installed\t0.8.0-2\n",
		"socat.-V": "socat version 1.8.1.3 on x"})
	h.write(t, report.Section{Items: []report.Item{report.Change{Path: h.overrideFile(), Target: h.overrideFile(),
		After: []byte("[tools.bubblewrap]\nversion = '0.8.0-2+deb12u0'\n")}}})
	s, _ := h.tools(t, "", "use-distro-versions=yes")
	want := "sudo apt-get install --no-install-recommends bubblewrap=0.8.0-2+deb12u1"
	if got := lines(s); len(got) != 1 || !strings.HasSuffix(got[0], want) {
		t.Errorf("%q, and %s", got, s.Findings[0].Summary)
	}
}

func pinOf(t *testing.T, tool string) pins.Pin {
	t.Helper()
	h := onHost(t, "debian-12", nil)
	set, err := pins.Load(h, h.Places().Config, "")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := set.Pin(tool)
	return p
}

// The runtime was not installed by npm: the user is told that the command puts
// a second one beside it.
func TestASecondRuntimeIsAnnounced(t *testing.T) {
	s, _ := onHost(t, "macos", map[string]string{"claude.--version": "2.1.400 (Claude Code)"}).tools(t, "")
	if f := s.Findings[2]; !strings.Contains(f.Summary, "was not installed by npm") {
		t.Error(f.Summary)
	}
}

func TestHomebrewIsAsked(t *testing.T) {
	s, _ := onHost(t, "macos", nil).tools(t, "")
	last := s.Findings[1].Evidence[len(s.Findings[1].Evidence)-1]
	if want := report.CommandEvidence("brew list --versions socat", "1.8.1.3"); last != want {
		t.Errorf("%+v", last)
	}
}

// On a real Debian the section must agree with what apt itself would do.
func TestTheRealPackageManager(t *testing.T) {
	testenv.Need(t, "apt-cache", "dpkg-query")
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, testenv.Home(t))), GOOS: "linux", UID: 1000})
	if err != nil {
		t.Fatal(err)
	}
	set, err := pins.Load(h, h.Places().Config, "")
	if err != nil {
		t.Fatal(err)
	}
	s := surveyTools(context.Background(), h, set)
	if s.platform.Manager != "apt" {
		t.Skipf("%s has apt as a guest", s.platform.Name)
	}
	for _, tool := range s.tools {
		if tool.Manager == npm {
			continue
		}
		for _, e := range tool.Evidence {
			t.Log(tool.Pin.Tool, e.Where, "->", e.Text)
		}
		if tool.Lacks == "" && tool.Installed != "" && tool.Version != "" && pins.Upstream(tool.Installed) != tool.Version {
			t.Errorf("%s says %s, its package is %s", tool.Pin.Tool, tool.Version, tool.Installed)
		}
		if tool.Offered == "" && !tool.Stale && tool.Standing != pins.AsPinned {
			t.Errorf("%s: apt has lists and offers nothing", tool.Pin.Tool)
		}
	}
}
