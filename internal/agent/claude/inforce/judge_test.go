// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime does not know of itself is judged all
// the same: a sandbox that does not start, or one that the project could
// replace.

package inforce_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// reader is a home whose user settings are given, with these variables.
func reader(t *testing.T, user, goos string, vars ...string) (h host.Reader, home string) {
	t.Helper()
	home = testenv.Home(t)
	put(t, filepath.Join(home, ".claude", "settings.json"), user)
	h, err := host.New(env.System{Env: env.New(append([]string{"HOME=" + home}, vars...)), GOOS: goos, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return h, home
}

func TestATrialThatFailsCounts(t *testing.T) {
	testenv.Need(t, "bwrap", "socat")
	h, home := reader(t, on, "linux", "PATH=/usr/bin:/bin")
	in := inforce.Gather(h, inforce.Invocation{Start: home})
	if s := inforce.Judge(in); s.Mode != inforce.On || len(s.Broken) > 0 {
		t.Fatalf("%+v", s)
	}
	in.Trial = inforce.Trial{Line: "bwrap true", Failed: "no namespaces"}
	if s := inforce.Judge(in); len(s.Broken) != 1 || !strings.Contains(s.Broken[0].What, "no namespaces") {
		t.Errorf("%+v", s)
	}
}

func TestASandboxFromTheProjectIsNone(t *testing.T) {
	h, home := reader(t, on, "linux")
	for _, name := range []string{"bwrap", "socat"} {
		path := filepath.Join(home, "p", "bin", name)
		put(t, path, "#!/bin/sh\n")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(home, "p", ".git", "HEAD"), "")
	testenv.Link(t, "p/bin", filepath.Join(home, "link"))
	project := filepath.Join(home, "p")
	for _, path := range []string{filepath.Join(project, "bin"), "bin", "./bin", filepath.Join(home, "link"),
		"/nowhere::bin"} {
		// The judge may stand in the project, or elsewhere.
		for _, cwd := range []string{project, home} {
			h, err := host.New(env.System{Env: env.New([]string{"HOME=" + home, "PATH=" + path}), GOOS: "linux", Cwd: cwd,
				Now: h.System().Now})
			if err != nil {
				t.Fatal(err)
			}
			if s := inforce.Judge(inforce.Gather(h, inforce.Invocation{Start: project})); len(s.Broken) == 0 ||
				s.Broken[0].Short != "bwrap lies in the project" {
				t.Errorf("PATH=%s in %s: %+v", path, cwd, s)
			}
			if !strings.HasPrefix(path, home) {
				continue // it leads elsewhere then
			}
			if s := inforce.Judge(inforce.Gather(h, inforce.Invocation{Start: home})); len(s.Broken) > 0 {
				t.Errorf("PATH=%s, started elsewhere: %+v", path, s)
			}
		}
	}
}

// TestOtherPlatformsNeedNoBwrap: macOS brings its sandbox along.
func TestOtherPlatformsNeedNoBwrap(t *testing.T) {
	h, home := reader(t, on, "darwin", "PATH=/nowhere")
	if s := inforce.Judge(inforce.Gather(h, inforce.Invocation{Start: home})); s.Mode != inforce.On || len(s.Broken) > 0 {
		t.Errorf("%+v", s)
	}
}

// TestOlderRuntimesApproveByThemselves where no setting says so.
func TestOlderRuntimesApproveByThemselves(t *testing.T) {
	h, home := reader(t, on, "darwin")
	for version, want := range map[string]inforce.Mode{"2.1.141": inforce.OnAutoAllow, "2.1.328": inforce.OnAutoAllow,
		"2.1.329": inforce.On,
		"2.2.0":   inforce.On, "3.0.0": inforce.On, "1.0.99": inforce.OnAutoAllow, "": inforce.On, "dev": inforce.On} {
		if s := inforce.Judge(inforce.Gather(h, inforce.Invocation{Start: home, Version: version})); s.Mode != want {
			t.Errorf("%q: mode %d, want %d", version, s.Mode, want)
		}
	}
}

// TestUnreadableSettingsAreNamed, as whoever may read everything cannot be
// refused a file: by a directory in its place.
func TestUnreadableSettingsAreNamed(t *testing.T) {
	h, home := reader(t, on, "darwin")
	testenv.Mkdir(t, filepath.Join(home, "p", ".claude", "settings.json"))
	s := inforce.Judge(inforce.Gather(h, inforce.Invocation{Start: filepath.Join(home, "p")}))
	if len(s.Broken) != 1 || s.Broken[0].Short != "settings.json is unreadable" {
		t.Errorf("%+v", s)
	}
}

// FuzzGather: whatever stands in .git, settings and arguments, the judgement
// ends, and never says more than the documents.
func FuzzGather(f *testing.F) {
	f.Add("gitdir: ../x", on, "--settings={}")
	f.Add("gitdir: /", `{"sandbox":{"enabled":[]}}`, "--setting-sources")
	f.Add("", broken, "--settings\x00"+on)
	home := f.TempDir()
	h, err := host.New(env.System{Env: env.New([]string{"HOME=" + home, "PATH=/nowhere"}), GOOS: "darwin", Now: time.Now})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, link, text, args string) {
		dir := t.TempDir()
		put(t, filepath.Join(dir, ".git"), link)
		put(t, filepath.Join(dir, ".claude", "settings.json"), text)
		s := inforce.Judge(inforce.Gather(h, inforce.Invocation{Start: filepath.Join(dir, "sub"),
			Args: strings.Split(args, "\x00")}))
		if s.Mode != inforce.Off && !strings.Contains(text+args, "enabled") {
			t.Fatalf("on, though nothing says so: %+v", s)
		}
	})
}

// TestWhichFileIsTheUsers: each row was measured with 2.1.330 and 2.1.324; where one
// place switches the variable on and another off the worse is assumed.
func TestWhichFileIsTheUsers(t *testing.T) {
	const name = "CLAUDE_CODE_USE_COWORK_PLUGINS"
	set := func(value string) string { return `{"env":{"` + name + `":"` + value + `"}}` }
	for _, c := range []struct {
		shell, user, state string
		other              bool
	}{
		{"", "{}", "{}", false}, {"0", "{}", "{}", false}, {"2", "{}", "{}", false}, {"", set("false"), "{}", false},
		{"1", "{}", "{}", true}, {"", set("yes"), "{}", true}, {"", "{}", set("1"), true}, {"0", set("1"), "{}", true},
		{"1", set("0"), "{}", true}, {"", set("0"), set("1"), true},
	} {
		h, home := reader(t, c.user, "linux", name+"="+c.shell)
		put(t, filepath.Join(home, ".claude.json"), c.state)
		put(t, filepath.Join(home, ".claude", "cowork_settings.json"), on)
		in := inforce.Gather(h, inforce.Invocation{Start: home})
		s := inforce.Judge(in)
		broken := slices.ContainsFunc(s.Broken, func(r inforce.Reason) bool { return strings.Contains(r.What, name) })
		read := slices.ContainsFunc(in.Layers, func(l settings.ScopedDoc) bool {
			return filepath.Base(l.Doc.Path) == "cowork_settings.json"
		})
		if broken != c.other || read != c.other {
			t.Errorf("%+v: broken %v, read %v", c, broken, read)
		}
	}
}

func TestRulesOfTheShellCountInTheBackgroundOnly(t *testing.T) {
	for kind, counts := range map[string]bool{"bg": true, " bg ": true, "interactive": false, "BG": false, "": false} {
		h, home := reader(t, on, "darwin", claude.RulesVariable+`={"allow":[],"deny":[]}`, claude.SessionKindVariable+"="+kind)
		s := inforce.Judge(inforce.Gather(h, inforce.Invocation{Start: home}))
		if got := strings.Contains(fmt.Sprintf("%+v", s), "rules of the environment"); got != counts {
			t.Errorf("%q: %+v", kind, s)
		}
	}
}
