// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what follows iso and hook is for the agent and for git, so that
// flags of every command stand before the name, and what is none is refused there
// and never handed on (docs/adr/0030-what-iso-and-hook-take.md).

package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// handing are the commands that hand on what follows their name.
var handing = []string{"iso", "hook"}

// ahead takes the flags off that such a command has before its name.
func (a *app) ahead(args []string) []string {
	n := slices.IndexFunc(args, func(s string) bool { return !slices.Contains([]string{"--json", "--plain"}, s) })
	if n < 0 || !slices.Contains(handing, args[n]) {
		return args
	}
	a.named, a.before = true, args[:n]
	return args[n:]
}

// handed is a command that hands on what follows its name; its help names no flags
// but its own.
func (a *app) handed(cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !a.named {
			return onlyAhead(cmd)
		}
		a.json, a.plain = slices.Contains(a.before, "--json"), slices.Contains(a.before, "--plain")
		return run(cmd, args)
	}
	return ownFlags(cmd)
}

func onlyAhead(cmd *cobra.Command) error {
	return usage(cmd, "only --json and --plain can be given with "+cmd.Name()+", before its name")
}

// ownFlags is a command whose help names no flags but its own.
func ownFlags(cmd *cobra.Command) *cobra.Command {
	cmd.SetUsageTemplate(strings.Replace(cmd.UsageTemplate(), ".HasAvailableInheritedFlags", "false", 1))
	return cmd
}
