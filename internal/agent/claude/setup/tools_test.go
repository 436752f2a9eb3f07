// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the section says is judged on what a person would
// then do: run the commands as they are printed, one after another, and look
// again.

package setup

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// toolHost is a machine of testdata/hosts with a throwaway home.
type toolHost struct {
	*host.Host
	home string
}

// onHost plays the distribution name; answers are those of testenv.Distro.
// Where the runtime is installed it is the pinned one, unless they say else.
func onHost(t *testing.T, name string, answers map[string]string) toolHost {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("../../../../testdata/hosts", name))
	if err != nil {
		t.Fatal(err)
	}
	const runtime = "claude.--version"
	if _, err := os.Stat(filepath.Join(dir, "answers", runtime)); err == nil && answers[runtime] == "" {
		answers = maps.Clone(answers)
		if answers == nil {
			answers = map[string]string{}
		}
		answers[runtime] = pinned.ClaudeSays(pinned.Claude())
	}
	home, goos := testenv.Home(t), "linux"
	if name == "macos" {
		goos = "darwin"
	}
	bin, uid := testenv.Distro(t, dir, answers), os.Getuid()
	if uid == 0 { // an ordinary user, whose programs these are
		if uid = 1000; os.Chown(bin, uid, uid) != nil {
			t.Fatal("root cannot give a directory away")
		}
	}
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, home, "PATH="+bin)),
		GOOS: goos, GOARCH: "amd64", UID: uid, Cwd: home, Root: dir,
		Now: pinned.Noon})
	if err != nil {
		t.Fatal(err)
	}
	return toolHost{h, home}
}

// overrideFile is the user's own override on the host.
func (h toolHost) overrideFile() string { return pins.LocalPath(h.Places().Config) }

// tools makes the section for the answers given ("use-distro-versions=yes").
func (h toolHost) tools(t *testing.T, framework string, answers ...string) (report.Section, []report.Question) {
	t.Helper()
	set, err := pins.Load(h, h.Places().Config, framework)
	if err != nil {
		t.Fatal(err)
	}
	survey, given := surveyTools(context.Background(), h, set), report.Answers{}
	for _, a := range answers {
		id, value, _ := strings.Cut(a, "=")
		given = given.With(report.ID(id), value)
	}
	s, err := proposeTools(h, survey, given)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Findings {
		if len(f.Evidence) == 0 {
			t.Errorf("%q has no evidence", f.Summary)
		}
	}
	return s, toolQuestions(survey)
}

// lines are the section's commands: "!" for privileged, "?" for optional.
func lines(s report.Section) []string {
	var list []string
	for _, it := range s.Items {
		if c, ok := it.(report.Command); ok {
			mark := ""
			if c.Privileged {
				mark += "!"
			}
			if c.Optional {
				mark += "?"
			}
			list = append(list, mark+" "+c.Line)
		}
	}
	return list
}

// states are the section's findings: sign, first word, "decide" where the user
// has to.
func states(s report.Section) []string {
	var list []string
	for _, f := range s.Findings {
		tool, _, _ := strings.Cut(f.Summary, " ")
		text := f.Status.Symbol() + " " + tool
		if f.Decide {
			text += " decide"
		}
		list = append(list, text)
	}
	return list
}

var claudeLine = "npm install -g --no-save @anthropic-ai/claude-code@" + pinned.Claude()

func TestTheToolsOfManyMachines(t *testing.T) {
	testenv.AsUser(t)
	for name, c := range map[string]struct {
		host    string
		changed map[string]string // answers
		given   []string
		states  []string
		lines   []string
		asked   bool
	}{
		"Ubuntu offers other versions": {host: "ubuntu-24.04",
			states: []string{"✗ bubblewrap", "✗ socat", "✗ claude-code"}, asked: true,
			lines: []string{"! sudo apt-get install --no-install-recommends bubblewrap=0.9.0-1ubuntu0.1 socat=1.8.0.0-4build3",
				" " + claudeLine}},
		"and its versions are taken": {host: "ubuntu-24.04", given: []string{"use-distro-versions=yes"},
			states: []string{"✗ bubblewrap", "✗ socat", "✗ claude-code"}, asked: true,
			lines: []string{"! sudo apt-get install --no-install-recommends bubblewrap=0.9.0-1ubuntu0.1 socat=1.8.0.0-4build3",
				" " + claudeLine}},
		"no, and nothing is decided for what is missing": {host: "ubuntu-24.04", given: []string{"use-distro-versions=no"},
			states: []string{"✗ bubblewrap decide", "✗ socat decide", "✗ claude-code"}, lines: []string{" " + claudeLine},
			asked: true},
		"Debian has older ones installed": {host: "debian-12",
			states: []string{"⚠ bubblewrap decide", "⚠ socat decide", "✓ claude-code"}, asked: true},
		"which the user keeps as they are": {host: "debian-12", given: []string{"use-distro-versions=no"},
			states: []string{"⚠ bubblewrap", "⚠ socat", "✓ claude-code"}, asked: true},
		"or takes for their own": {host: "debian-12", given: []string{"use-distro-versions=yes"},
			states: []string{"✓ bubblewrap", "✓ socat", "✓ claude-code"}, asked: true},
		"one is there, the other is not": {host: "debian-12", given: []string{"use-distro-versions=yes"},
			changed: map[string]string{"socat.-V": "-", "dpkg-query.socat": "-",
				"dpkg-query.socat.err1": "dpkg-query: no packages found matching socat\n"},
			states: []string{"✓ bubblewrap", "✗ socat", "✓ claude-code"}, asked: true,
			lines: []string{"! sudo apt-get install --no-install-recommends socat=1.7.4.4-2"}},
		"Debian with backports": {host: "debian-12",
			changed: map[string]string{"apt-cache.bubblewrap": "bubblewrap:\n  Installed: 0.8.0-2+deb12u1\n" +
				"  Candidate: 0.8.0-2+deb12u1\n  Version table:\n" +
				"     0.11.2-1~bpo12+1 100\n        100 http://deb.debian.org/debian bookworm-backports/main amd64 Packages\n" +
				" *** 0.8.0-2+deb12u1 500\n        500 http://deb.debian.org/debian bookworm/main amd64 Packages\n" +
				"        100 /var/lib/dpkg/status\n"},
			states: []string{"⚠ bubblewrap", "⚠ socat decide", "✓ claude-code"}, asked: true,
			lines: []string{"!? sudo apt-get install --no-install-recommends 'bubblewrap=0.11.2-1~bpo12+1'"}},
		"no package lists, nothing installed": {host: "ubuntu-24.04",
			changed: map[string]string{"apt-cache.bubblewrap": "", "apt-cache.socat": ""},
			states:  []string{"✗ bubblewrap", "✗ socat", "✗ claude-code"},
			lines:   []string{"! sudo apt-get update", " " + claudeLine}},
		"no package lists, old ones installed": {host: "linuxmint-22",
			changed: map[string]string{"bwrap.--version": "bubblewrap 0.8.0", "socat.-V": "socat version 1.7.4.4 on x",
				"claude.--version":      pinned.ClaudeSays(pinned.Claude()),
				"dpkg-query.bubblewrap": "install ok installed\t0.8.0-2+deb12u1\n",
				"dpkg-query.socat":      "install ok installed\t1.7.4.4-2\n",
				"apt-cache.bubblewrap": "bubblewrap:\n  Installed: 0.8.0-2+deb12u1\n  Candidate: 0.8.0-2+deb12u1\n" +
					"  Version table:\n *** 0.8.0-2+deb12u1 100\n        100 /var/lib/dpkg/status\n",
				"apt-cache.socat": "socat:\n  Installed: 1.7.4.4-2\n  Candidate: (none)\n  Version table:\n"},
			states: []string{"⚠ bubblewrap", "⚠ socat", "✓ claude-code"}, lines: []string{"!? sudo apt-get update"}},
		"lists, and no source has the package": {host: "debian-12",
			changed: map[string]string{"apt-cache.bubblewrap": "", "apt-cache.socat": "", "socat.-V": "-",
				"dpkg-query.socat": "-"},
			states: []string{"⚠ bubblewrap", "✗ socat decide", "✓ claude-code"}},
		"a source that offers a command": {host: "debian-12", given: []string{"use-distro-versions=yes"},
			changed: map[string]string{"apt-cache.bubblewrap": "bubblewrap:\n  Candidate: 0.11.2-1;reboot\n  Version table:\n" +
				"     0.11.2-1;reboot 500\n        500 http://x y Packages\n"},
			states: []string{"⚠ bubblewrap", "✓ socat", "✓ claude-code"}, asked: true},
		"Fedora offers the pins": {host: "fedora-43",
			states: []string{"✗ bubblewrap", "✗ socat", "✗ claude-code"},
			lines:  []string{"! sudo dnf install bubblewrap-0.11.2-1.fc43 socat-1.8.1.3-1.fc43", " " + claudeLine}},
		"one is old, the other is not there": {host: "fedora-43",
			changed: map[string]string{"bwrap.--version": "bubblewrap 0.11.0", "rpm.bubblewrap.out1": "-",
				"rpm.bubblewrap": "0.11.0-2.fc43\n"},
			states: []string{"⚠ bubblewrap", "✗ socat", "✗ claude-code"},
			lines: []string{"!? sudo dnf install bubblewrap-0.11.2-1.fc43", "! sudo dnf install socat-1.8.1.3-1.fc43", " " +
				claudeLine}},
		"Fedora without its lists": {host: "fedora-43",
			changed: map[string]string{"dnf.bubblewrap": "-", "dnf.socat": "-",
				"dnf.bubblewrap.err1": "Error: No matching Packages to list\n",
				"dnf.socat.err1":      "Error: No matching Packages to list\n"},
			states: []string{"✗ bubblewrap", "✗ socat", "✗ claude-code"},
			lines:  []string{"! sudo dnf makecache", " " + claudeLine}},
		"AlmaLinux offers older ones": {host: "almalinux-9", given: []string{"use-distro-versions=yes"},
			states: []string{"✗ bubblewrap", "⚠ socat", "✓ claude-code"}, asked: true,
			lines: []string{"! sudo dnf install bubblewrap-0.4.1-8.el9_5", "!? sudo dnf install socat-1.7.4.1-8.el9_6.1"}},
		"an older revision of what the distribution offers": {host: "debian-12", given: []string{"use-distro-versions=yes"},
			changed: map[string]string{"dpkg-query.bubblewrap": "install ok installed\t0.8.0-2\n"},
			states:  []string{"⚠ bubblewrap", "✓ socat", "✓ claude-code"}, asked: true,
			lines: []string{"!? sudo apt-get install --no-install-recommends bubblewrap=0.8.0-2+deb12u1"}},
		"Arch has a manager that is only named": {host: "arch",
			states: []string{"✗ bubblewrap decide", "⚠ socat", "✓ claude-code"}},
		"macOS needs only the runtime": {host: "macos",
			states: []string{"⊘ bubblewrap", "⊘ socat", "✓ claude-code"}},
		"macOS without it": {host: "macos", changed: map[string]string{"claude.--version": "-"},
			states: []string{"⊘ bubblewrap", "⊘ socat", "✗ claude-code"}, lines: []string{" " + claudeLine}},
		"a runtime below the floor": {host: "macos", changed: map[string]string{"claude.--version": "2.1.223 (Claude Code)"},
			states: []string{"⊘ bubblewrap", "⊘ socat", "✗ claude-code"}, lines: []string{" " + claudeLine}},
		"a runtime that is newer": {host: "macos", changed: map[string]string{"claude.--version": "2.1.400 (Claude Code)"},
			states: []string{"⊘ bubblewrap", "⊘ socat", "⚠ claude-code"}, lines: []string{"? " + claudeLine}},
		"a runtime that says something else": {host: "macos", changed: map[string]string{"claude.--version": "\x1b[2Jhello"},
			states: []string{"⊘ bubblewrap", "⊘ socat", "✗ claude-code"},
			lines:  []string{" mv CLAUDE CLAUDE.broken && " + claudeLine}},
		"a runtime that says a version in other words": {host: "macos",
			changed: map[string]string{"claude.--version": "Claude v9.0.1"},
			states:  []string{"⊘ bubblewrap", "⊘ socat", "? claude-code"}, lines: []string{"? " + claudeLine}},
		"no npm": {host: "macos", changed: map[string]string{"claude.--version": "-", "npm.--version": "-"},
			states: []string{"⊘ bubblewrap", "⊘ socat", "✗ claude-code"},
			lines:  []string{" brew install node && " + claudeLine}},
		"nothing that installs npm": {host: "macos", changed: map[string]string{"claude.--version": "-",
			"npm.--version": "-", "brew.socat": "-"}, states: []string{"⊘ bubblewrap", "⊘ socat", "✗ claude-code decide"}},
		"as pinned": {host: "debian-12", changed: map[string]string{"bwrap.--version": "bubblewrap 0.11.2",
			"socat.-V": "socat version 1.8.1.3 on x"},
			states: []string{"✓ bubblewrap", "✓ socat", "✓ claude-code"}},
		"a newer one that was built by hand": {host: "debian-12", given: []string{"use-distro-versions=yes"},
			changed: map[string]string{"bwrap.--version": "bubblewrap 0.10.0", "socat.-V": "socat version 1.9.0.0 on x"},
			states:  []string{"⚠ bubblewrap", "⚠ socat", "✓ claude-code"}},
		"a package whose program is elsewhere": {host: "debian-12", given: []string{"use-distro-versions=yes"},
			changed: map[string]string{"bwrap.--version": "-"},
			states:  []string{"✗ bubblewrap decide", "✓ socat", "✓ claude-code"}, asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := onHost(t, c.host, c.changed)
			s, questions := h.tools(t, "", c.given...)
			if diff := cmp.Diff(c.states, states(s)); diff != "" {
				t.Errorf("findings: %s", diff)
			}
			got := lines(s)
			for i, line := range got {
				if path, err := h.Look("claude"); err == nil {
					got[i] = strings.ReplaceAll(line, path, "CLAUDE")
				}
			}
			if diff := cmp.Diff(c.lines, got); diff != "" {
				t.Errorf("commands: %s", diff)
			}
			if (len(questions) > 0) != c.asked {
				t.Errorf("asks %v", questions)
			}
		})
	}
}

// TestAnAgentThatIsThereIsNotInstalledAgain: the plan has the line that verify has.
func TestAnAgentThatIsThereIsNotInstalledAgain(t *testing.T) {
	h := onHost(t, "debian-12", map[string]string{"claude.--version": "-", "npm.--version": "9.2.0"})
	at := filepath.Join(h.home, ".local", "bin", "claude")
	testenv.Write(t, at, "#!/bin/sh\necho '"+pinned.ClaudeSays(pinned.Claude())+"'\n", 0o755)
	s, _ := h.tools(t, "")
	got, want := lines(s), ` export PATH=`+filepath.Dir(at)+`:"$PATH"`
	if !slices.Contains(got, want) || strings.Contains(strings.Join(got, "\n"), "npm install") {
		t.Errorf("the plan has %q, want %q and no second agent", got, want)
	}
	if last := s.Findings[len(s.Findings)-1]; !strings.Contains(last.Summary, "~/.local/bin/claude is not on PATH") {
		t.Errorf("it says %q", last.Summary)
	}
}

// TestOneStepTakesTheDistributionsVersions: what install's section offers and what verify
// offers after it are one line.
func TestOneStepTakesTheDistributionsVersions(t *testing.T) {
	testenv.AsUser(t)
	s, _ := onHost(t, "debian-12", nil).tools(t, "")
	proved := report.Finding{Status: report.Warn, Remedies: []report.Remedy{verify.DistroTools()}}
	before, after := report.Steps(s.Findings, nil), report.Steps(append(s.Findings, proved), nil)
	if len(before) == 0 || len(before) != len(after) {
		t.Errorf("%v\n%v", before, after)
	}
}
