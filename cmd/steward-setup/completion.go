// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a script works in the shell alone: bash needs no package
// besides (cobra's own script for it needs bash-completion).

package main

import (
	_ "embed"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/report"
)

//go:embed complete.bash
var bashCompletion string

func newCompletion() *cobra.Command {
	shells := []string{"bash", "zsh", "fish"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script for bash, zsh or fish",
		Long: `completion prints a script for your shell that completes commands, flags and
their values: hosts, policy entries, probes, runs to undo.`,
		Example: `  . <(steward-setup completion bash)                                          in ~/.bashrc
  . <(steward-setup completion zsh); compdef _steward-setup steward-setup     in ~/.zshrc, after compinit
  steward-setup completion fish > ~/.config/fish/completions/steward-setup.fish`,
		Args:      cobra.ExactArgs(1),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			var err error
			switch args[0] {
			case "bash":
				_, err = fmt.Fprint(out, bashCompletion)
			case "zsh":
				err = cmd.Root().GenZshCompletion(out)
			case "fish":
				err = cmd.Root().GenFishCompletion(out, true)
			default:
				return usage(cmd, fmt.Sprintf("no completion for %q: %s", args[0],
					"supported are "+inWords(shells, "and"))+didYouMean(args[0], shells))
			}
			if err != nil {
				return &report.Error{Code: report.ExitInternal, What: "the script could not be printed", Err: err}
			}
			return nil
		},
	}
}
