// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: help shows how a command is typed.

package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

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

// TestArgumentsAreRefusedInOurWords, and those of a command below another, too.
func TestArgumentsAreRefusedInOurWords(t *testing.T) {
	for line, want := range map[string]string{
		"history x":        `history does not take the argument "x"`,
		"sync status x":    `sync status does not take the argument "x"`,
		"undo a b":         `undo does not take the argument "b"`,
		"completion":       "completion needs one of bash, zsh or fish",
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
