// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what reaches the machine, the terminal or the user's
// files does so through the rooms named here, each with its reason.

package archtest

import (
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// What touches the machine: the host's rooms, the one file that describes the
// machine to everything else, and test support.
const (
	hostRoom = "internal/host/..."
	mainFile = "cmd/steward-setup/main.go"
	hookMain = "cmd/steward-hook/main.go"
	testRoom = "internal/testenv/..."
)

// TestHooksStartWithoutALoader: what imports net is linked to the system's C
// library where a C compiler is found, and is loaded with it at every start
// (docs/performance.md).
func TestHooksStartWithoutALoader(t *testing.T) {
	testenv.AsRoot(t) // whose go is on PATH
	out, err := exec.Command("go", "list", "-deps", module+"/cmd/steward-hook").Output()
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Fields(string(out))
	if !slices.Contains(list, module+"/internal/agent/claude/hookcmd") {
		t.Fatal("go list says nothing of the program")
	}
	for _, name := range []string{"net", "os/user", "runtime/cgo"} {
		if slices.Contains(list, name) {
			t.Errorf("steward-hook links %s", name)
		}
	}
}

// TestTestsDoNotAskTheGoCommand: tests that passed are not run again while they are given the same,
// and nobody writes down what the go command reads (tools/tested). This package reads all sources,
// and testenv.Build asks only where test.sh has not.
func TestTestsDoNotAskTheGoCommand(t *testing.T) {
	asks := regexp.MustCompile(`exec\.Command(?:Context\([^,]+, |\()"go"`)
	for _, s := range program(t) {
		if s.room() != "internal/archtest" && s.path != "internal/testenv/testenv.go" && asks.MatchString(s.text) {
			t.Errorf("%s asks the go command", s.path)
		}
	}
}

// TestWhatRunsInASessionIsNamed: recordings are read while what runs in a session is what
// it was (docs/tests.md), and the launch, the hooks and what git's post-checkout does are made of
// what test.sh names, beside their own files.
func TestWhatRunsInASessionIsNamed(t *testing.T) {
	testenv.AsRoot(t)
	root := filepath.Join("..", "..")
	script, err := os.ReadFile(filepath.Join(root, "test.sh"))
	if err != nil {
		t.Fatal(err)
	}
	_, named, _ := strings.Cut(string(script), "\nin_sessions=(")
	named, _, found := strings.Cut(named, ")\n")
	list := exec.Command("go", append([]string{"list", "-deps"}, strings.Fields(named)...)...)
	list.Dir = root
	out, err := list.Output()
	if err != nil || !found {
		t.Fatalf("in_sessions of test.sh: %q: %v", named, err)
	}
	deps := strings.Fields(string(out))
	const types = module + "/steps/install" // of a plan's sections
	for _, s := range sources(t) {
		if !slices.Contains([]string{"cmd/steward-setup/iso.go", "cmd/steward-setup/iso_banner.go",
			"cmd/steward-setup/hook.go", "internal/agent/claude/setup/roots.go"}, s.path) {
			continue
		}
		for _, spec := range s.ast.Imports {
			taken, _ := strconv.Unquote(spec.Path.Value)
			if strings.HasPrefix(taken, module) && taken != types && !slices.Contains(deps, taken) {
				t.Errorf("%s takes %s into a session, and in_sessions of test.sh does not name it", s.path, taken)
			}
		}
	}
}

// border keeps imports, or some names of them, inside rooms or files. A path
// that ends in /... takes those below it too. Test files are not bound: they set the
// machine up from outside.
type border struct {
	imports, names, inside []string
	reason                 string
}

var borders = []border{
	{imports: []string{"os"}, inside: []string{hostRoom, mainFile, hookMain, testRoom},
		reason: "files, environment and standard streams are handed down, so that a test can hand down others"},
	{imports: []string{"os/signal"}, inside: []string{hostRoom, mainFile},
		reason: "a signal becomes a cancelled context once, in main"},
	{imports: []string{"syscall"}, inside: []string{hostRoom, mainFile, testRoom},
		reason: "the operating system is asked in one place"},
	{imports: []string{"os/exec"}, inside: []string{hostRoom, testRoom},
		reason: "law 1: only named programs with constant argument shapes are started"},
	{imports: []string{"os/user", "golang.org/x/sys/...", "io/ioutil", "plugin", "unsafe", "C"},
		inside: []string{hostRoom},
		reason: "the operating system is asked in one place"},
	{imports: []string{"net", "net/textproto", "crypto/tls"}, inside: []string{hostRoom, "internal/model", testRoom},
		reason: "the program speaks to no network; the scripted model, and what a scripted call tries on a stage, stay on " +
			"the machine"},
	{imports: []string{"net/http/...", "net/rpc/...", "net/smtp"},
		inside: []string{"internal/host/web", "internal/model", testRoom},
		reason: "the program speaks to the network in internal/host/web alone; internal/model answers on the machine"},
	{imports: []string{"golang.org/x/net/..."}, inside: []string{"internal/agent/claude/policy"},
		reason: "only the list of public suffixes is used of it, about hosts of a policy"},
	{imports: []string{"time"}, names: []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer",
		"NewTicker", "Tick"},
		inside: []string{hostRoom, testRoom}, reason: "the clock is env.System's, so that a test can stop it"},
	{imports: []string{"runtime"}, names: []string{"GOOS", "GOARCH"}, inside: []string{hostRoom},
		reason: "the platform is env.System's, so that every platform is tested on one"},
	{imports: []string{"path/filepath"}, names: []string{"Abs", "Glob", "Walk", "WalkDir"},
		inside: []string{hostRoom, testRoom},
		reason: "these read the disk, or a working directory that is not env.System's"},
	{imports: []string{"path/filepath"}, names: []string{"EvalSymlinks"}, inside: []string{hostRoom, testRoom},
		reason: "this reads the disk"},
	{imports: []string{"fmt"}, names: []string{"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
		reason: "a renderer writes to the writer that it was given"},
	{imports: []string{"log/..."}, reason: "what is worth saying is a finding or an event, not a log line"},
	{imports: []string{"testing/..."}, inside: []string{testRoom}, reason: "only test support is built on testing"},
	{imports: []string{module + "/" + testRoom}, inside: []string{testRoom},
		reason: "test support does not reach the program"},
	{imports: []string{"charm.land/bubbletea/v2"}, names: []string{"Exec", "ExecProcess"},
		reason: "law 1: no program is started from a screen"},
	{imports: []string{"charm.land/..."}, inside: []string{"internal/ui/..."},
		reason: "what draws is a renderer; a hook that draws nothing must not pay for it"},
	{imports: []string{"github.com/spf13/cobra"}, inside: []string{"cmd/steward-setup"},
		reason: "the command line is translated into options in one place"},
}

// within says whether a path is one of list.
func within(p string, list []string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		base, below := strings.CutSuffix(entry, "/...")
		return p == base || below && strings.HasPrefix(p, base+"/")
	})
}

// crossings lists what the borders do not allow.
func crossings(srcs []source) []string {
	var bad []string
	for _, s := range srcs {
		if s.test() {
			continue
		}
		check := func(b border, at ast.Node, what string) {
			if !within(s.room(), b.inside) && !within(s.path, b.inside) {
				bad = append(bad, fmt.Sprintf("%s: %s may not be used here: %s", s.at(at), what, b.reason))
			}
		}
		for _, spec := range s.ast.Imports {
			p := strings.Trim(spec.Path.Value, `"`)
			if spec.Name != nil && spec.Name.Name == "." {
				bad = append(bad, s.at(spec)+": a dot import hides where a name comes from")
			}
			for _, b := range borders {
				if b.names == nil && within(p, b.imports) {
					check(b, spec, p)
				}
			}
		}
		s.uses(func(pkg, name string, at ast.Node) {
			for _, b := range borders {
				if slices.Contains(b.names, name) && within(pkg, b.imports) {
					check(b, at, pkg+"."+name)
				}
			}
		})
	}
	return bad
}

func TestBorders(t *testing.T) { report(t, crossings(program(t))) }

func TestTheBordersFind(t *testing.T) {
	for _, c := range []struct {
		path, src string
		bad       int
	}{
		{"internal/x/a.go", `package x; import "os"`, 1},
		{"internal/x/a.go", `package x; import _ "golang.org/x/sys/unix"`, 1},
		{"internal/x/a.go", `package x; import . "strings"`, 1},
		{"internal/x/a_test.go", `package x; import "os"`, 0},
		{"internal/host/fs/a.go", `package fs; import ("os"; "syscall"; "time"); var t = time.Now()`, 0},
		{"internal/hostile/a.go", `package hostile; import "os"`, 1},
		{mainFile, `package main; import ("os"; "os/exec")`, 1},
		{"cmd/steward-setup/a.go", `package main; import ("os"; "github.com/spf13/cobra")`, 1},
		{"internal/x/a.go", `package x; import "time"; var now = time.Now`, 1},
		{"internal/x/a.go", `package x; import clock "time"; func f() { clock.Sleep(clock.Second) }`, 1},
		{"internal/x/a.go", `package x; import "time"; func f(t struct{ Now int }) int { return t.Now }`, 0},
		{"internal/x/a.go", `package x; type s struct{ Now int }; func f(time s) int { return time.Now }`, 0},
		{"internal/ui/tui/a.go", `package tui; import tea "charm.land/bubbletea/v2"; var c = tea.ExecProcess`, 1},
		{"internal/ui/tui/a.go", `package tui; import "charm.land/bubbletea/v2"; var c = tea.Exec`, 1},
		{"steps/x/a.go", `package x; import "charm.land/lipgloss/v2"`, 1},
		{"steps/x/a.go", `package x; import "` + module + `/internal/testenv"`, 1},
	} {
		if got := crossings(example(t, c.path, c.src)); len(got) != c.bad {
			t.Errorf("%s: %s\ngives %q, want %d complaints", c.path, c.src, got, c.bad)
		}
	}
}
