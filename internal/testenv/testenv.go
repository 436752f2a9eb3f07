// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package testenv is what tests need of the machine: programs, the real
// runtime, a throwaway home, and an environment in which a call of sudo or
// one of its relatives fails the test.
//
// Contract: only _test files import it. A program that is missing skips the
// test on a developer's machine and fails it where CI=true, so that a test
// can be missing from a laptop but never from the record.
package testenv

import (
	"crypto/hmac"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Need skips the test, or fails it where CI=true, unless every one of the
// programs is on PATH.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, program+" is not installed")
		}
	}
}

// Claude returns the path of the pinned agent runtime, which test.sh installs
// and names in STEWARD_TEST_CLAUDE. A name that leads nowhere fails the test
// everywhere.
func Claude(t testing.TB) string { t.Helper(); return runtime(t, "STEWARD_TEST_CLAUDE") }

// ClaudeOld returns, in the same way from STEWARD_TEST_CLAUDE_OLD, the path of
// Claude Code 2.1.141, the oldest version that anything here is claimed for.
func ClaudeOld(t testing.TB) string { t.Helper(); return runtime(t, "STEWARD_TEST_CLAUDE_OLD") }

// ClaudeFloor returns, in the same way from STEWARD_TEST_CLAUDE_FLOOR, the path
// of the oldest version that verify accepts: the manifest's min_version.
func ClaudeFloor(t testing.TB) string { t.Helper(); return runtime(t, "STEWARD_TEST_CLAUDE_FLOOR") }

// Lefthook returns the path of the hook manager, in the same way from
// STEWARD_TEST_LEFTHOOK.
func Lefthook(t testing.TB) string { t.Helper(); return runtime(t, "STEWARD_TEST_LEFTHOOK") }

// NPMTools returns the directory of pnpm and yarn, in the same way from
// STEWARD_TEST_PNPM. Tests of an ordinary user have none.
func NPMTools(t testing.TB) string { t.Helper(); return filepath.Dir(runtime(t, "STEWARD_TEST_PNPM")) }

// EachClaude runs a test with the pinned and the oldest version, at the same
// time; old says that it is ClaudeOld.
func EachClaude(t *testing.T, test func(t *testing.T, claude string, old bool)) {
	t.Run("pinned", func(t *testing.T) {
		t.Parallel()
		test(t, Claude(t), false)
	})
	t.Run("2.1.141", func(t *testing.T) {
		t.Parallel()
		test(t, ClaudeOld(t), true)
	})
}

// Version is one of the versions that tests run with.
type Version string

// The versions.
const (
	Pinned Version = "pinned"
	Floor  Version = "floor"
	Old    Version = "2.1.141"
)

// EachVersion runs a test with each of the three versions, at the same time.
func EachVersion(t *testing.T, test func(t *testing.T, claude string, v Version)) {
	for v, path := range map[Version]func(testing.TB) string{Pinned: Claude, Floor: ClaudeFloor, Old: ClaudeOld} {
		t.Run(string(v), func(t *testing.T) {
			t.Parallel()
			test(t, path(t), v)
		})
	}
}

func runtime(t testing.TB, name string) string {
	t.Helper()
	path := os.Getenv(name)
	if path == "" {
		missing(t, name+" does not name the runtime (test.sh sets it)")
	}
	if _, err := exec.LookPath(path); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return path
}

func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// Home returns an empty throwaway home. Links in its path are resolved, so
// that it compares equal to what git and the runtime print.
func Home(t testing.TB) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return home
}

// Short returns an empty throwaway directory with a short path: sockets lie below it
// (unix(7): 107 bytes). Below one TMPDIR it has always the same length, since how many
// calls of a rehearsal share a command depends on it, and so does the name of a
// session's recording. Links in it are resolved.
func Short(t testing.TB, name string) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		dir := filepath.Join(top, fmt.Sprintf("%s%010d", name, rand.Uint32()))
		if err = os.Mkdir(dir, 0o700); err == nil {
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			return dir
		}
	}
	t.Fatal(err)
	return ""
}

// gitConfig is the configuration that git reads in place of the user's.
const gitConfig = `[user]
	name = Test
	email = test@example.invalid
[init]
	defaultBranch = main
`

// Env returns a complete environment for a program under test: home as HOME,
// a TMPDIR of its own, nothing of the machine's but what is named here, and a
// PATH whose first directory holds the traps. Each of extra is "NAME=value"; a PATH among them
// stands behind the traps in place of the system's.
func Env(t testing.TB, home string, extra ...string) []string {
	t.Helper()
	config := filepath.Join(t.TempDir(), "gitconfig")
	if err := os.WriteFile(config, []byte(gitConfig), 0o644); err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: programs make sockets in here, whose whole path may
	// have 107 bytes (unix(7)), and the test's name would be part of it.
	tmp, err := os.MkdirTemp("", "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(tmp) })
	path := "/usr/local/bin:/usr/bin:/bin"
	vars := []string{
		"HOME=" + home, "TMPDIR=" + tmp, "USER=tester", "LOGNAME=tester", "SHELL=/bin/sh",
		"TERM=xterm-256color", "LANG=C.UTF-8", "TZ=UTC",
		"GIT_CONFIG_GLOBAL=" + config, "GIT_CONFIG_NOSYSTEM=1",
	}
	for _, kv := range extra {
		if p, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = p
		} else {
			vars = append(vars, kv)
		}
	}
	first := traps(t)
	askOnce(t, first, path)
	return append(vars, "PATH="+first+":"+path)
}

// GitDates give every commit of a test one date, so that a machine that is set
// up in the same way has the same repository in every run.
var GitDates = []string{"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"}

// Git runs git in dir and returns what it printed, without the newline at its
// end. An error fails the test.
func Git(t testing.TB, environ []string, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(slices.Clone(GitDates), environ...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// Built is where test.sh left the program of this tree, built just before; "" without it. It is
// another with each commit, so the testing package, which notes what os.Getenv is asked for, is not
// to note it: a test in whose sessions it takes part is given what runs there, which has a digest of
// its own (tools/tested). Tests of all of the program are those of its own package.
func Built() string {
	_ = os.Getenv("STEWARD_TEST_PROGRAM") // that digest
	path, _ := syscall.Getenv("STEWARD_TEST_BINARY")
	return path
}

// Build puts the program at path, for a session that it takes part in: what is built already (Built),
// since there may be no go command for the user who runs the tests.
func Build(t testing.TB, path string) {
	t.Helper()
	if built := Built(); built != "" {
		b, err := os.ReadFile(built)
		if err == nil {
			err = os.WriteFile(path, b, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if out, err := exec.Command("go", "build", "-o", path,
		"github.com/steward-setup/steward-setup/cmd/steward-setup").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// privileged are the programs that law 1 names.
var privileged = []string{"sudo", "su", "doas", "pkexec", "run0"}

// traps returns a directory of programs with those names. Each writes down
// how it was called and exits 99; when the test ends, the note fails it.
func traps(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	note := filepath.Join(dir, "called")
	for _, name := range privileged {
		trap := "#!/bin/sh\nprintf '%s\\n' '" + name + "'\" $*\" >>'" + note + "'\nexit 99\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(trap), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if calls, err := os.ReadFile(note); err == nil {
			t.Errorf("a privileged program was called:\n%s", calls)
		}
	})
	return dir
}

// halves is set where root runs the tests and an ordinary user runs them again
// (test.sh). Elsewhere every test is run.
const halves = "STEWARD_TEST_HALVES"

// OtherHalf is what a test says that is left to the other user. It is not
// counted as skipped: it is run.
const OtherHalf = "run by the other user"

// AsRoot leaves a test to root where both users run the tests: it compares
// this program with the runtime, bytes with bytes, or one weakness with
// another, which is the same for everyone.
func AsRoot(t testing.TB) { t.Helper(); leave(t, os.Getuid() != 0) }

// AsUser leaves a test to the ordinary user where both run the tests: what a
// machine is seeded with, attacks on a launch, and whatever says the same for
// everyone is theirs, since that is who uses the program.
func AsUser(t testing.TB) { t.Helper(); leave(t, os.Getuid() == 0) }

// UserRuns runs a package's tests, from its TestMain, and returns their exit
// code. Where both run the tests it leaves all of them to the ordinary user.
func UserRuns(m *testing.M) int {
	if os.Getuid() == 0 && os.Getenv(halves) != "" {
		return 0
	}
	return m.Run()
}

// MostlyWait says, from a package's TestMain, that its tests wait more than they
// compute: eight run at once, and ./test.sh runs them first, beside other packages.
func MostlyWait() {
	flag.Parse()
	_ = flag.Set("test.parallel", "8")
}

func leave(t testing.TB, other bool) {
	t.Helper()
	if other && os.Getenv(halves) != "" {
		t.Skip(OtherHalf)
	}
}

// Whole names the test that t is, or is a part of, and who runs it, as the
// closing lines of test.sh do.
func Whole(t testing.TB) string {
	name, _, _ := strings.Cut(t.Name(), "/")
	if os.Getuid() == 0 {
		return "root: " + name
	}
	return "user: " + name
}

// Sealed is a receipt with the seal of the key in the state directory state. Its
// bytes have a member "seal" with any value.
func Sealed(t testing.TB, state string, receipt []byte) []byte {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(state, "result.key"))
	if err != nil {
		t.Fatal(err)
	}
	seal := regexp.MustCompile(`"seal": "[0-9a-f]*"`)
	if len(seal.FindAll(receipt, -1)) != 1 {
		t.Fatalf("there is not one seal in %s", receipt)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(append([]byte("steward-setup receipt\n"), seal.ReplaceAll(receipt, []byte(`"seal": ""`))...))
	return seal.ReplaceAll(receipt, fmt.Appendf(nil, `"seal": "%x"`, mac.Sum(nil)))
}
