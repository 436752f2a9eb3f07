// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the whole program on a real terminal, from the first page
// to the last, as a newcomer would walk it.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
)

// newcomer is a home with one repository and the tools at their pins.
type newcomer struct {
	t             *testing.T
	home, project string
	environ       []string
}

func newNewcomer(t *testing.T) *newcomer {
	testenv.Need(t, "git")
	home := testenv.Home(t)
	n := &newcomer{t: t, home: home, project: filepath.Join(home, "code", "tracker")}
	tools := t.TempDir()
	for name, says := range map[string]string{"bwrap": "bubblewrap 0.11.2",
		"socat":  "socat version 1.8.1.3 on 26 Jun 2026",
		"claude": pinned.ClaudeSays(pinned.Claude())} {
		path := filepath.Join(tools, name)
		if name == "claude" { // where npm puts it
			path = filepath.Join(tools, "node_modules", "@anthropic-ai", "claude-code", "cli.js")
			testenv.OK(t, os.Symlink(path, filepath.Join(tools, name)))
		}
		n.write(path, "#!/bin/sh\necho '"+says+"'\n", 0o755)
	}
	n.environ = testenv.Env(t, home, "SHELL=/bin/bash", "PATH="+tools+":/usr/bin:/bin")
	n.write(filepath.Join(n.project, ".gitignore"), ".claude/settings.local.json\n", 0o644)
	n.write(filepath.Join(n.project, "go.mod"), "module example.invalid/tracker\n", 0o644)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "first"}} {
		n.git(args...)
	}
	return n
}

func (n *newcomer) write(path, text string, mode os.FileMode) {
	n.t.Helper()
	testenv.Write(n.t, path, text, mode)
}

// start runs the program, which this test binary is under another name.
func (n *newcomer) start(args ...string) *testenv.Terminal {
	n.t.Helper()
	return n.startIn(100, 30, args...)
}

// startIn is start in a terminal of this size.
func (n *newcomer) startIn(width, height int, args ...string) *testenv.Terminal {
	n.t.Helper()
	exe := testenv.Must(os.Executable())(n.t)
	cmd := exec.Command(exe, args...)
	cmd.Args[0] = "steward-setup" // testscript.Main looks at this name
	cmd.Env, cmd.Dir = n.environ, n.project
	return testenv.NewTerminal(n.t, cmd, width, height)
}

// run runs the program without a terminal and returns what it prints.
func (n *newcomer) run(args ...string) string {
	n.t.Helper()
	exe := testenv.Must(os.Executable())(n.t)
	cmd := exec.Command(exe, args...)
	cmd.Args[0] = "steward-setup"
	cmd.Env, cmd.Dir = n.environ, n.project
	out, _ := cmd.CombinedOutput() // how it ends is not what is asked
	return string(out)
}

func (n *newcomer) git(args ...string) {
	n.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", n.project}, args...)...)
	cmd.Env = n.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		n.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (n *newcomer) has(name string) bool {
	_, err := os.Stat(filepath.Join(n.home, name))
	return err == nil
}

// written says whether anything of the setup is on disk.
func (n *newcomer) written() bool {
	return n.has("code/tracker/.claude") || n.has(".claude") || n.has(".local/bin")
}

// toReview walks from the first page to the review, taking every default.
func (n *newcomer) toReview(term *testenv.Terminal) {
	n.t.Helper()
	for range 60 {
		keys := term.SeesOneOf("enter apply", "a approve", "s later", "enter next", "enter continue")
		if keys == "enter apply" {
			return
		}
		before := term.Screen()
		switch keys {
		case "a approve":
			term.Type("a")
		case "s later":
			term.Type("s")
		default:
			term.Type("\r")
		}
		n.moves(term, before)
		if n.written() {
			n.t.Fatal("something was written before the last yes")
		}
	}
	n.t.Fatalf("the review was never reached:\n%s", term.Screen())
}

// moves waits until the page is another one, with its keys shown.
func (n *newcomer) moves(term *testenv.Terminal, before string) {
	n.t.Helper()
	term.Until("the next page", func(screen string) bool {
		return screen != before && !strings.Contains(screen, "making the plan")
	})
}

func TestTheWizardFromStartToEnd(t *testing.T) {
	testenv.AsUser(t)
	n := newNewcomer(t)
	term := n.start("install")
	n.toReview(term)
	term.Type("\r")
	term.Sees(" files changed")
	term.Sees("enter leave")
	term.Answer("d doctor", "d")
	term.Sees("steward-setup doctor")
	term.Sees("r run again") // the doctor has come to its end
	term.Type("q")
	term.Ends(1) // the line for ~/.bashrc is left, whatever the doctor found
	for _, name := range []string{"code/tracker/.claude/settings.json", "code/tracker/.claude/settings.local.json",
		".claude/settings.json", ".claude/scripts/sandbox-bypass-warn.sh", ".claude/agent-isolation/claude-iso.sh"} {
		if !n.has(name) {
			t.Errorf("%s is missing", name)
		}
	}
	if n.has(".bashrc") {
		t.Error("the rc file was written")
	}
	if raw := term.Raw(); !strings.Contains(raw, "\x1b[?1049l") ||
		strings.LastIndex(raw, "\x1b[?25h") < strings.LastIndex(raw, "\x1b[?25l") {
		t.Error("the terminal was not left as it was: alternate screen or hidden cursor")
	}

	// What was written is taken back on a screen of its own.
	term = n.start("undo")
	term.Answer("Undo 2", "\r")
	term.Sees("12 files changed")
}

// applied applies the plan of a command.
func (n *newcomer) applied(args ...string) {
	n.t.Helper()
	line := regexp.MustCompile(`--apply [0-9a-f-]+`).FindString(n.run(append(args, "--plan")...))
	if out := n.run(append(args, strings.Fields(line)...)...); line == "" || !strings.Contains(out, "Done.") {
		n.t.Fatalf("%v was not applied: %q\n%s", args, line, out)
	}
}

func TestEveryScreenNamesTheProjectAndTheRuntime(t *testing.T) {
	testenv.AsUser(t)
	n := newNewcomer(t)
	n.environ = slices.DeleteFunc(n.environ, func(kv string) bool { return strings.HasPrefix(kv, "GIT_CONFIG_GLOBAL=") })
	n.applied("install")
	for words, page := range map[string]string{"": "started as", "verify --live=never": "r again",
		"install": "Recommended", "scope": "Scope: per-project", "scope whole-user": "Where are your repositories?",
		"undo": "enter undo", "uninstall": "enter uninstall", "sync init": "enter write these files"} {
		term := n.startIn(80, 24, strings.Fields(words)...)
		term.Sees(page)
		rows := strings.Split(strings.TrimSpace(term.Screen()), "\n")
		if header := rows[0]; !strings.Contains(header, "~/code/tracker") || !strings.Contains(header, "claude 2.") {
			t.Errorf("%s: the header is %q", words, header)
		}
		keys := rows[len(rows)-1]
		if words == "" && (!strings.Contains(keys, "h history") || strings.Contains(keys, "t try")) {
			t.Errorf("after an install the keys of the home screen are %q", keys)
		}
		term.Type("\x03")
		term.Exit()
	}
}

func TestFiveKeysLeadToTheReview(t *testing.T) {
	testenv.AsUser(t)
	n := newNewcomer(t)
	n.write(filepath.Join(n.project, "package-lock.json"),
		`{"packages": {"a": {"resolved": "https://npm.example.org/a.tgz"}}}`+"\n", 0o644)
	n.write(filepath.Join(n.project, ".github", "workflows", "ci.yml"),
		"# https://commented.example.net\nrun: pip install -i https://pypi.org/simple x\n", 0o644)
	n.git("add", "-A")
	term := n.start("install")
	keys := 0
	for ; term.SeesOneOf("enter apply", "enter next") == "enter next"; keys++ {
		before := term.Screen()
		switch {
		case strings.Contains(before, "Which hosts may"):
			for _, want := range []string{"[✓] Go ", "[✓] Python"} {
				if !strings.Contains(before, want) {
					t.Errorf("%q is not preselected:\n%s", want, before)
				}
			}
		case strings.Contains(before, "Hosts of your own"):
			if !strings.Contains(before, "npm.example.org (package-lock.json)") || strings.Contains(before, "commented") {
				t.Errorf("the hosts that nobody allowed are not named:\n%s", before)
			}
		}
		term.Type("\r")
		n.moves(term, before)
	}
	if keys > 5 || n.written() {
		t.Errorf("%d keys to the review, want five at most; written: %v", keys, n.written())
	}
	term.Type("\r")
	term.Answer("enter leave", "\r")
	term.Exit()

	// What was answered is where the next run begins.
	out := n.run("install", "--plan", "--alias")
	if !strings.Contains(out, "alias                yes") {
		t.Errorf("%s", out)
	}
	out = n.run("install", "--plan")
	for _, want := range []string{"from your answer of ", "Decided", "allow-write          no"} {
		if !strings.Contains(out, want) {
			t.Errorf("the plan does not say %q:\n%s", want, out)
		}
	}
}

func TestCtrlCAnywhereBeforeTheLastYesHasWrittenNothing(t *testing.T) {
	testenv.AsUser(t)
	for name, walk := range map[string]func(*newcomer, *testenv.Terminal){
		"first page": func(_ *newcomer, term *testenv.Terminal) {
			term.SeesOneOf("enter next", "a approve", "y copy", "enter continue")
		},
		"review": func(n *newcomer, term *testenv.Terminal) { n.toReview(term) },
	} {
		t.Run(name, func(t *testing.T) {
			n := newNewcomer(t)
			term := n.start("install")
			walk(n, term)
			term.Type("\x03")
			term.Ends(130)
			if n.written() {
				t.Error("something was written")
			}
		})
	}
}

func TestTryDoesNotLookLikeTheInstallation(t *testing.T) {
	testenv.AsUser(t)
	n := newNewcomer(t)
	n.environ = append(n.environ, "TMPDIR="+t.TempDir())
	term := n.start("try")
	n.toReview(term)
	term.Answer("steward-setup try", "\r")
	term.Sees(" files changed")
	term.Sees("enter leave")
	if screen := term.Screen(); strings.Contains(screen, " undo ") || strings.Contains(screen, "Next") {
		t.Errorf("steps in a home that is removed:\n%s", screen)
	}
	term.Type("\r")
	term.Ends(0)
}

func TestCtrlCInTryEndsItAsInterruptedAndLeavesNothing(t *testing.T) {
	testenv.AsUser(t)
	n := newNewcomer(t)
	scratch := t.TempDir()
	n.environ = append(n.environ, "TMPDIR="+scratch)
	term := n.start("try")
	term.SeesOneOf("enter next", "a approve", "y copy", "enter continue")
	term.Type("\x03")
	term.Ends(130)
	left, err := os.ReadDir(scratch)
	if err != nil || len(left) > 0 || n.written() {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
