// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fake stands in for a test, so that one that fails can be watched.
type fake struct {
	testing.TB
	t        *testing.T
	outcome  string // "skip" or "fatal", "" if it went on
	reported string
	cleanups []func()
}

var errStop = errors.New("stop")

func (f *fake) Helper()                      {}
func (f *fake) TempDir() string              { return f.t.TempDir() }
func (f *fake) Cleanup(done func())          { f.cleanups = append(f.cleanups, done) }
func (f *fake) Fatal(...any)                 { f.outcome = "fatal"; panic(errStop) }
func (f *fake) Fatalf(string, ...any)        { f.outcome = "fatal"; panic(errStop) }
func (f *fake) Skip(...any)                  { f.outcome = "skip"; panic(errStop) }
func (f *fake) Errorf(_ string, args ...any) { f.reported += fmt.Sprintf("%s", args...) }

// watch runs body and its cleanups with a fake test.
func watch(t *testing.T, body func(testing.TB)) *fake {
	f := &fake{t: t}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(errStop) {
				panic(p)
			}
		}()
		body(f)
	}()
	for _, done := range f.cleanups {
		done()
	}
	return f
}

func TestNeedSkipsHereAndFailsInCI(t *testing.T) {
	for _, c := range []struct{ ci, program, want string }{
		{"", "sh", ""}, {"true", "sh", ""},
		{"", "no-such-program", "skip"}, {"false", "no-such-program", "skip"},
		{"true", "no-such-program", "fatal"},
	} {
		t.Setenv("CI", c.ci)
		if f := watch(t, func(t testing.TB) { Need(t, "sh", c.program) }); f.outcome != c.want {
			t.Errorf("CI=%q, %s: %q, want %q", c.ci, c.program, f.outcome, c.want)
		}
	}
}

func TestClaudeIsTheNamedRuntimeOrNothing(t *testing.T) {
	for name, claude := range map[string]func(testing.TB) string{"STEWARD_TEST_CLAUDE": Claude,
		"STEWARD_TEST_CLAUDE_OLD": ClaudeOld, "STEWARD_TEST_CLAUDE_FLOOR": ClaudeFloor} {
		for _, c := range []struct{ ci, value, want string }{
			{"", "/bin/sh", ""}, {"", "", "skip"}, {"true", "", "fatal"}, {"", "/no/such/claude", "fatal"},
		} {
			t.Setenv("CI", c.ci)
			t.Setenv(name, c.value)
			got := ""
			f := watch(t, func(t testing.TB) { got = claude(t) })
			if f.outcome != c.want || c.want == "" && got != c.value {
				t.Errorf("CI=%q, %s=%q: %q %q, want %q", c.ci, name, c.value, f.outcome, got, c.want)
			}
		}
	}
}

func TestEnvTrapsPrivilegedPrograms(t *testing.T) {
	for _, name := range privileged {
		f := watch(t, func(tb testing.TB) {
			cmd := exec.Command("/bin/sh", "-c", name+" apt-get install x || true")
			cmd.Env = Env(tb, "/nowhere")
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
		})
		if want := name + " apt-get install x\n"; f.reported != want {
			t.Errorf("%s: the test is told %q, want %q", name, f.reported, want)
		}
	}
}

func TestEnvIsCleanAndKeepsTheTrapsFirst(t *testing.T) {
	t.Setenv("GH_TOKEN", "secret")
	home := Home(t)
	vars := Env(t, home, "PATH=/opt/bin", "EXTRA=1")
	for _, kv := range vars {
		if strings.HasPrefix(kv, "GH_TOKEN=") {
			t.Error("the machine's environment leaks into the test's")
		}
	}
	for _, want := range []string{"HOME=" + home, "EXTRA=1"} {
		if !slices.Contains(vars, want) {
			t.Errorf("no %s in %q", want, vars)
		}
	}
	path, _ := strings.CutPrefix(vars[len(vars)-1], "PATH=")
	dirs := filepath.SplitList(path)
	if _, err := os.Stat(filepath.Join(dirs[0], "sudo")); err != nil || len(dirs) != 2 || dirs[1] != "/opt/bin" {
		t.Errorf("PATH is %q (%v), want the traps, then /opt/bin", path, err)
	}
}

func TestEnvGivesGitAnAuthor(t *testing.T) {
	Need(t, "git")
	home := Home(t)
	for _, args := range [][]string{{"init", "-q"}, {"commit", "-q", "--allow-empty", "-m", "x"}, {"rev-parse", "main"}} {
		Git(t, Env(t, home), home, args...)
	}
}

// TestTheProgramIsGivenByWhatRunsInASession: tests that start the program in sessions are not run
// again because of another commit (tools/tested).
func TestTheProgramIsGivenByWhatRunsInASession(t *testing.T) {
	const again = "STEWARD_ASKED_AGAIN"
	if os.Getenv(again) != "" {
		Build(t, filepath.Join(t.TempDir(), "steward-setup"))
		return
	}
	dir := t.TempDir()
	program, log := filepath.Join(dir, "built"), filepath.Join(dir, "log")
	OK(t, os.WriteFile(program, nil, 0o755))
	cmd := exec.Command(Must(os.Executable())(t), "-test.run=^"+t.Name()+"$", "-test.testlogfile="+log)
	cmd.Env = append(os.Environ(), again+"=1", "STEWARD_TEST_BINARY="+program)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	asked := string(Must(os.ReadFile(log))(t))
	if strings.Contains(asked, "STEWARD_TEST_BINARY") || !strings.Contains(asked, "getenv STEWARD_TEST_PROGRAM\n") {
		t.Errorf("it asked for\n%s", asked)
	}
}
