// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the command line is tested as a user types it. Each
// script under testdata/script/<command>/ runs the whole program as a process
// of its own, in a throwaway home, where calling a program that grants
// privileges fails the script.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
)

func TestMain(m *testing.M) {
	testscript.Main(offline{m}, map[string]func(){"steward-setup": scriptProgram, dialer: dial, deaf: stayDeaf})
}

// offline are tests that have no network but loopback.
type offline struct{ *testing.M }

func (o offline) Run() int { return testenv.Offline(o.M) }

// scriptProgram is main, except that TEST_ROOT can put other system files in place
// of the machine's, that its file is the small one that scripts call, and that it
// does not say how long it takes: that depends on the machine's load.
func scriptProgram() {
	ctx, stop := untilSignal()
	defer stop()
	called := os.Getenv(calledAs)
	_ = os.Unsetenv(calledAs) // only this process is called so
	sys := env.Here()
	sys.Root, sys.Every = os.Getenv("TEST_ROOT"), nil
	if called != "" { // else another test starts the program's own file
		sys.Executable = called
	}
	os.Exit(run(ctx, sys, os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
}

// bothUsers are the commands whose scripts both users run, but for those that begin
// with asuser: rights and owners of files decide about what they do. The others say the same to everyone.
var bothUsers = []string{"install", "uninstall", "verify", "iso", "root"}

func TestScript(t *testing.T) {
	const dir = "../../testdata/script"
	commands := testenv.Must(os.ReadDir(dir))(t)
	for _, c := range commands {
		t.Run(c.Name(), func(t *testing.T) {
			if !slices.Contains(bothUsers, c.Name()) {
				testenv.AsUser(t)
			}
			t.Parallel()
			testscript.Run(t, testscript.Params{
				Dir:                filepath.Join(dir, c.Name()),
				Setup:              setupScript,
				Cmds:               scriptCommands,
				Condition:          scriptCondition,
				RequireUniqueNames: true,
			})
		})
	}
}

// A script's commands find its test, and its snapshots by directory, under
// these keys.
type (
	testKey      struct{}
	snapshotsKey struct{}
)

// setupScript gives a script an empty home in $WORK/home, and a PATH of the traps,
// the script's own programs in bin/, the program under test, and the system's.
// In its files @CLAUDE@ is the pinned version of the runtime, as $PINNED_CLAUDE
// is in the script.
func setupScript(e *testscript.Env) error {
	t, ok := e.T().(testing.TB)
	if !ok {
		return errors.New("the script was not started by testscript.Run")
	}
	e.Values[testKey{}], e.Values[snapshotsKey{}] = t, map[string]tree{}
	home, bin := filepath.Join(e.WorkDir, "home"), filepath.Join(e.WorkDir, "bin")
	for _, dir := range []string{home, bin} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	// An archive cannot say that its files are executable, nor what is pinned.
	if err := filepath.WalkDir(e.WorkDir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (path == bin || filepath.Dir(path) == bin) {
			err = os.Chmod(path, 0o755)
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if told := bytes.ReplaceAll(b, []byte("@CLAUDE@"), []byte(pinned.Claude())); err == nil && !bytes.Equal(told, b) {
			err = os.WriteFile(path, told, 0o644)
		}
		return err
	}); err != nil {
		return err
	}
	// testscript.Main puts the program's directory first on our own PATH.
	bins := filepath.SplitList(os.Getenv("PATH"))[0]
	program := filepath.Join(bins, "steward-setup")
	called := calledFor(program)
	if err := writeCalled(called, program); err != nil {
		return err
	}
	e.Vars = append(e.Vars, testenv.Env(t, home, "PATH="+bin+":"+filepath.Dir(called)+":"+bins+":/usr/bin:/bin",
		"PINNED_CLAUDE="+pinned.Claude())...)
	return nil
}

// calledAs is the variable by which that file says which it is.
const calledAs = "TEST_CALLED_AS"

// calledFor is the file of the program as scripts call it, a small one that starts
// the test binary: a plan of install that copies the program reads, digests and
// writes its file, which is no longer 40 MB.
func calledFor(program string) string {
	return filepath.Join(filepath.Dir(filepath.Dir(program)), "called", "steward-setup")
}

// askedNpm asks npm once for all scripts where install --global puts packages, which
// takes 0.1 s of a processor and more; a .npmrc of the home can say otherwise.
const askedNpm = `#!/bin/sh
[ "$1 $2" = 'prefix --global' ] && [ ! -e "$HOME/.npmrc" ] || exec /usr/bin/npm "$@"
[ -e '%[1]s' ] || { /usr/bin/npm "$@" >'%[1]s'.$$ && mv '%[1]s'.$$ '%[1]s'; } || exit
exec /bin/cat '%[1]s'
`

// writeCalled writes it, and beside it npm where the system has one, once for all
// scripts. A zero byte makes the program's file a binary, as it is one; the shell
// does not come that far.
var writeCalled = func() func(called, program string) error {
	var once sync.Once
	var err error
	return func(called, program string) error {
		once.Do(func() {
			dir := filepath.Dir(called)
			err = errors.Join(os.MkdirAll(dir, 0o755),
				os.WriteFile(called, fmt.Appendf(nil, "#!/bin/sh\n%s='%s' exec '%s' \"$@\"\n\x00", calledAs, called, program),
					0o755))
			if _, none := os.Stat("/usr/bin/npm"); err == nil && none == nil {
				err = os.WriteFile(filepath.Join(dir, "npm"), fmt.Appendf(nil, askedNpm, filepath.Join(dir, "npm.prefix")), 0o755)
			}
		})
		return err
	}
}()

// scriptCondition answers [root]: whether permissions do not bind this process.
func scriptCondition(name string) (bool, error) {
	if name == "root" {
		return os.Getuid() == 0, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}
