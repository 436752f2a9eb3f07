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
