// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: update changes nothing of the user's.

package main

import "github.com/spf13/cobra"

func newUpdate(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "update",
		Short: "What would an upgrade take away?",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage(cmd, "say what to do: --try, --bisect or --forget")
		},
	}
	cmd.Flags().SortFlags = false
	a.addTry(cmd)
	return cmd
}
