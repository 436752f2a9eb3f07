// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever becomes of the program and of the shared
// directory while git works, a hook runs once, and git is told how it ended.

package scripts_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestTheSharedHooksLastWhateverHappens(t *testing.T) {
	testenv.Need(t, "git", "bash")
	const own = `printf '#!/bin/sh\necho ran once\nexit 5\n' >.git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; mkdir .claude
`
	const checkout = `git checkout -q -b x; echo "code $?"`
	for name, c := range map[string]struct{ program, script, want string }{
		"the program replaces itself and the hook": {"#!/bin/sh\nrm \"$0\"; echo '#!/bin/sh' >\"$0\"; chmod +x \"$0\"; cp " +
			"\"$0\" \"$SHARED/new\"; mv \"$SHARED/new\" \"$SHARED/post-checkout\"\n",
			own + checkout, "ran once\ncode 1\n"},
		"the program fails, and talks": {"#!/bin/sh\necho noise; echo noise >&2; cat; exit 9\n", own + checkout,
			"ran once\ncode 1\n"},
		"the program cannot be started": {"#!/no/such/interpreter\n", own + checkout, "ran once\ncode 1\n"},
		"the program is a directory": {"", "rm \"$PROGRAM\"; mkdir \"$PROGRAM\"\n" + own + checkout,
			"ran once\ncode 1\n"},
		"there is no program": {"", "rm \"$PROGRAM\"\n" + own + checkout, "ran once\ncode 1\n"},
		"it is told what git tells": {"#!/bin/sh\n[ \"$1 $2 $#\" = 'hook post-checkout 5' ] && : >\"$HOME/told\"\n",
			"mkdir .claude\n" + checkout + "; ls ~/told", "code 0\n/told\n"},
		"without .claude it is not": {"#!/bin/sh\n: >\"$HOME/told\"\n", checkout + "; ls ~/told 2>/dev/null",
			"code 0\n"},
		"nor for single files": {"#!/bin/sh\n: >\"$HOME/told\"\n", "mkdir .claude; git checkout -q -- file; echo " +
			"$?; ls ~/told 2>/dev/null", "0\n"},
		"a hook links to the shared one": {"", `ln -s "$SHARED/post-checkout" .git/hooks/post-checkout; ` + checkout,
			"code 0\n"},
		"all hooks link to the shared": {"", `rm -r .git/hooks; ln -s "$SHARED" .git/hooks; ` + checkout, "code 0\n"},
		"a copy of the shared one":     {"", `cp "$SHARED/post-checkout" .git/hooks/; ` + checkout, "code 0\n"},
		"a hook that uses git itself":  {"", `printf '#!/bin/sh\necho outer\ngit update-ref refs/heads/inner HEAD\n' >.git/hooks/post-checkout; printf '#!/bin/sh\necho inner "$1" >&2\n' >.git/hooks/reference-transaction; chmod +x .git/hooks/*; ` + checkout + " 2>&1", "outer\ninner prepared\ninner committed\ncode 0\n"},
		"git is not on PATH": {"", own + `PATH=/nowhere "$SHARED/post-checkout" a b 1; echo "code $?"`,
			"ran once\ncode 5\n"},
		"outside of any repository": {"", `cd /; "$SHARED/post-checkout" a b 1; echo "code $?"`, "code 0\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := testenv.Home(t)
			shared, program := filepath.Join(home, "shared"), filepath.Join(home, "it's the program")
			fillShared(t, shared, "/bin/sh", scripts.Dispatcher{Binary: program})
			if err := os.WriteFile(program, []byte(c.program), 0o755); err != nil { // a program
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "bash", "-c",
				`set -e; git init -q "$HOME/p"; cd "$HOME/p"; echo x >file; git add file
git -c core.hooksPath=/dev/null commit -q -m x; git config --global core.hooksPath "$SHARED"; set +e
`+c.script)
			cmd.Env = testenv.Env(t, home, "SHARED="+shared, "PROGRAM="+program)
			out, err := cmd.CombinedOutput()
			if got := strings.ReplaceAll(string(out), home, ""); !strings.HasSuffix(got, c.want) ||
				strings.Contains(got, "noise") || strings.Count(got, "ran once") > 1 || ctx.Err() != nil {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}
