// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: help shows how a command is typed.

package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

func TestEveryCommandHasAnExample(t *testing.T) {
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		if cmd.Example == "" && cmd.Name() != "help" {
			t.Errorf("%s --help has no example", cmd.CommandPath())
		}
		for _, c := range cmd.Commands() {
			look(c)
		}
	}
	look(newRoot(&app{}))
}

// TestHelpFitsTheTerminal: a line is wider only if one word of it is, such as a
// path or a plan's id.
func TestHelpFitsTheTerminal(t *testing.T) {
	var look func(cmd *cobra.Command, width int)
	look = func(cmd *cobra.Command, width int) {
		for line := range strings.Lines(helpText(cmd, width)) {
			line = strings.TrimRight(line, "\n")
			if words := strings.Fields(line); text.Width(line) > width && len(words) > 1 {
				t.Errorf("%s --help at %d: %q", cmd.CommandPath(), width, line)
			}
		}
		for _, c := range cmd.Commands() {
			look(c, width)
		}
	}
	for _, width := range []int{40, 80, 100} {
		look(newRoot(&app{}), width)
	}
}

// TestHelpSaysExitCodes: of what writes, by a plan or in a throwaway home.
func TestHelpSaysExitCodes(t *testing.T) {
	for _, line := range []string{"install", "scope whole-user", "scope per-project", "sync init", "sync link",
		"sync pull", "sync push", "undo", "uninstall", "try"} {
		cmd, _, err := newRoot(&app{}).Find(strings.Fields(line))
		if err != nil || strings.Count(helpText(cmd, 100), "Exit code: 0 done") != 1 {
			t.Errorf("%s --help: %v\n%s", line, err, helpText(cmd, 100))
		}
	}
}

// TestArgumentsAreRefusedInOurWords, and those of a command below another, too.
func TestArgumentsAreRefusedInOurWords(t *testing.T) {
	for line, want := range map[string]string{
		"history x":        `history does not take the argument "x"`,
		"sync status x":    `sync status does not take the argument "x"`,
		"undo a b":         `undo does not take the argument "b"`,
		"completion":       "completion needs one of bash, zsh or fish",
		"evidence":         "evidence needs its subcommand check",
		"completion zsh y": `completion does not take the argument "y"`,
	} {
		root := newRoot(&app{})
		cmd, rest, err := root.Find(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Args(cmd, rest); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

func TestPlainLinesFitANarrowTerminal(t *testing.T) {
	testenv.AsUser(t)
	testenv.Need(t, "git")
	n := newNewcomer(t)
	receipt := filepath.Join(n.home, ".local/state/steward-setup/receipts/20261120-120000.000-aaaa/receipt.json")
	n.write(receipt, `{"schema_version":1,"id":"20261120-120000.000-aaaa","command":"install","tool_version":"1.2.3",`+
		`"started_at":"2026-11-20T12:00:00Z","finished":true,"changes":[{"id":"policy/settings","path":"`+
		n.home+`/code/a directory with a long name/.claude/settings.json","target":"`+n.home+
		`/code/a directory with a long name/.claude/settings.json","before":"absent","after":"sha256:00"}]}`, 0o600)
	const width = 40
	for _, args := range []string{"scope show", "history", "sync status"} {
		var out, said bytes.Buffer
		sys := env.System{Env: env.New(n.environ), GOOS: "linux", GOARCH: runtime.GOARCH, Cwd: n.home, Now: time.Now,
			StdoutTTY: true, Columns: width, UID: 1000}
		run(context.Background(), sys, strings.NewReader(""), &out, &said, append(strings.Fields(args), "--plain"))
		if out.Len() == 0 {
			t.Errorf("%s prints nothing: %s", args, said.String())
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if text.Width(line) > width && !strings.Contains(line, "undo RECEIPT") {
				t.Errorf("%s: %d cells: %q", args, text.Width(line), line)
			}
		}
	}
}

// TestTitlesOfTryFold: the titles of try's parts break between words.
func TestTitlesOfTryFold(t *testing.T) {
	var out strings.Builder
	a := &app{out: &out, sys: env.System{StdoutTTY: true, Columns: 40}}
	run := tryRun{in: &installation{a: a}, out: &output{}}
	run.title("The throwaway home is removed; yours was not touched. For your own home:  steward-setup install")
	const want = "\n== The throwaway home is removed;\n  yours was not touched. For your own\n  home:\n" +
		"  steward-setup install\n"
	if got := out.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestARefusedFlagSaysWhatItTakes(t *testing.T) {
	for arg, want := range map[string]string{
		"--status-line=foo":      `--status-line takes plain, rich or keep, not "foo"`,
		"--status-line=keep,foo": `--status-line takes plain, rich or keep, not "keep,foo"`,
		"--status-line=none":     `--status-line takes plain, rich or keep, not "none"`,
		"--ignore-with=":         `--ignore-with takes gitignore, exclude or no, not ""`,
		"--alias=perhaps":        `--alias takes yes or no, not "perhaps"`,
	} {
		flags := pflag.NewFlagSet("install", pflag.ContinueOnError)
		addAnswerFlags(flags, setup.Questions(), report.Answers{})
		err := flags.Parse([]string{arg})
		var e *report.Error
		if !errors.As(err, &e) || e.Code != report.ExitUsage || e.Error() != want {
			t.Errorf("%s: %v, want %s", arg, err, want)
		}
	}
	several := answerFlag{q: report.Question{ID: "skip", Kind: report.Multi,
		Options: []report.Option{{Value: "tools"}, {Value: "roots"}, {Value: "hooks"}}}}
	if err := several.Set("tools,foo"); err == nil ||
		err.Error() != `--skip takes any of tools, roots and hooks, or none, not "foo"` {
		t.Errorf("got %v", err)
	}
}

// TestATerminalWithBillionsOfCellsGetsLines: the library would make them all.
func TestATerminalWithBillionsOfCellsGetsLines(t *testing.T) {
	for _, c := range []struct {
		columns, rows int
		screen        bool
	}{{0, 0, true}, {300, 100, true}, {65535, 24, false}, {80, 65535, false}} {
		a := &app{sys: env.System{Env: env.New(nil), StdinTTY: true, StdoutTTY: true, Columns: c.columns, Rows: c.rows}}
		if a.screen() != c.screen {
			t.Errorf("%d times %d: a screen: %v", c.columns, c.rows, !c.screen)
		}
	}
}
