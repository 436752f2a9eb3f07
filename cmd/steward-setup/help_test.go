// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: help shows how a command is typed.

package main

import (
	"testing"

	"github.com/spf13/cobra"
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

func TestNearWordsAreNamed(t *testing.T) {
	for word, want := range map[string]string{"instal": "install", "githb": "github", "vrify": "verify", "xyzzy": "", "": ""} {
		got := near(word, []string{"install", "github", "verify", "undo"})
		if want == "" && got != nil || want != "" && (len(got) != 1 || got[0] != want) {
			t.Errorf("near %q is %q, want %q", word, got, want)
		}
	}
}
