// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: help for what is no command is no help, it says so.

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// unknown is the error of words that are no command, with what is near.
func unknown(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	what := fmt.Sprintf("there is no command %q", args[0])
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		what += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usage(root, what)
}

// addHelp gives root a help command and a --help that refuse what is no
// command; cobra's own print the help of root, and end well.
func (a *app) addHelp(root *cobra.Command) {
	root.SuggestionsMinimumDistance = 2
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			if a.helpless = unknown(root, cmd.Flags().Args()); a.helpless != nil {
				return
			}
		}
		show(cmd, args)
	})
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknown(root, args)
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	})
}
