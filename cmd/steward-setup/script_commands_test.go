// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a script can say beyond testscript's own commands,
// kept to what several scripts need.

package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// scriptCommands are, with their arguments:
//
//	asuser                      leave the script to the ordinary user, where both run the tests
//	need PROGRAM...             skip where one is missing, fail where CI=true
//	exits CODE PROGRAM ARG...   run it and want exactly this exit code
//	gitrepo DIR                 a repository with DIR's files as first commit
//	worktree REPO DIR BRANCH    a linked worktree on a new branch
//	mode FILE 0644              want these permission bits
//	snapshot DIR                remember everything below DIR
//	unchanged DIR [PATH...]     want it as remembered, but for these paths below it
//	json FILE QUERY VALUE       want this value in a JSON file (or stdout)
//	jsonenv NAME FILE QUERY     put a value into the script's environment
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"asuser":    cmdAsUser,
	"need":      cmdNeed,
	"exits":     cmdExits,
	"gitrepo":   cmdGitrepo,
	"worktree":  cmdWorktree,
	"mode":      cmdMode,
	"snapshot":  cmdSnapshot,
	"unchanged": cmdUnchanged,
	"json":      cmdJSON,
	"jsonenv":   cmdJSONEnv,
}

// wantArgs stops the script unless the command was called as it should be.
func wantArgs(ts *testscript.TestScript, ok bool, usage string) {
	if !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

func cmdAsUser(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, !neg && len(args) == 0, "asuser")
	testenv.AsUser(ts.Value(testKey{}).(testing.TB))
}

func cmdNeed(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, !neg && len(args) > 0, "need PROGRAM...")
	testenv.Need(ts.Value(testKey{}).(testing.TB), args...)
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, !neg && len(args) > 1, "exits CODE PROGRAM ARG...")
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != code {
		ts.Fatalf("%s: exit code %d, want %d", args[1], got, code)
	}
}

func scriptGit(ts *testscript.TestScript, args ...string) { ts.Check(ts.Exec("git", args...)) }

func cmdGitrepo(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, !neg && len(args) == 1, "gitrepo DIR")
	dir := ts.MkAbs(args[0])
	scriptGit(ts, "init", "-q", dir)
	scriptGit(ts, "-C", dir, "add", "-A")
	scriptGit(ts, "-C", dir, "commit", "-q", "--allow-empty", "-m", "first")
}

func cmdWorktree(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, !neg && len(args) == 3, "worktree REPO DIR BRANCH")
	scriptGit(ts, "-C", ts.MkAbs(args[0]), "worktree", "add", "-q", "-b", args[2], ts.MkAbs(args[1]))
}

func cmdMode(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, len(args) == 2, "mode FILE 0644")
	bits, err := strconv.ParseUint(args[1], 8, 32)
	ts.Check(err)
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if (info.Mode().Perm() == os.FileMode(bits)) == neg {
		ts.Fatalf("%s has mode %04o", args[0], info.Mode().Perm())
	}
}

func cmdSnapshot(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, !neg && len(args) == 1, "snapshot DIR")
	dir := ts.MkAbs(args[0])
	seen, err := readTree(dir)
	ts.Check(err)
	ts.Value(snapshotsKey{}).(map[string]tree)[dir] = seen
}

func cmdUnchanged(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, len(args) > 0, "unchanged DIR [PATH...]")
	dir := ts.MkAbs(args[0])
	before, ok := ts.Value(snapshotsKey{}).(map[string]tree)[dir]
	wantArgs(ts, ok, "snapshot DIR before unchanged DIR")
	after, err := readTree(dir)
	ts.Check(err)
	differences := before.compare(after, args[1:])
	for _, d := range differences {
		ts.Logf("%s", d)
	}
	if (len(differences) == 0) == neg {
		ts.Fatalf("%s: %d differences", args[0], len(differences))
	}
}

func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, len(args) == 3, "json FILE QUERY VALUE")
	if got := jsonValue(ts, args[0], args[1]); (got == args[2]) == neg {
		ts.Fatalf("%s: %s is %q", args[0], args[1], got)
	}
}

func cmdJSONEnv(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, !neg && len(args) == 3, "jsonenv NAME FILE QUERY")
	ts.Setenv(args[0], jsonValue(ts, args[1], args[2]))
}

// jsonValue looks a gjson path up in a file that must be JSON and have it.
func jsonValue(ts *testscript.TestScript, file, query string) string {
	text := ts.ReadFile(file)
	if !gjson.Valid(text) {
		ts.Fatalf("%s is not JSON", file)
	}
	got := gjson.Get(text, query)
	if !got.Exists() {
		ts.Fatalf("%s: nothing at %s", file, query)
	}
	return got.String()
}
