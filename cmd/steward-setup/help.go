// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: help for what is no command is no help, it says so.

package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// unknown is the error of words that are no command of cmd, with what is near.
func unknown(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage(cmd, fmt.Sprintf("there is no command %q", args[0])+orMeant(commandsNear(cmd, args[0])))
}

// addHelp gives root a help command and a --help that refuse what is no
// command; cobra's own print the help of root, and end well.
func (a *app) addHelp(root *cobra.Command) {
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			if a.helpless = unknown(root, cmd.Flags().Args()); a.helpless != nil {
				return
			}
		}
		width := min(a.columns(), maxHelp)
		if width <= 0 { // a pipe gets lines that are never broken
			show(cmd, args)
			return
		}
		fmt.Fprint(a.out, helpText(cmd, width))
	})
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command", ValidArgsFunction: completeCommands,
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknown(cmd, rest)
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	})
}

// maxHelp bounds the width of help, in cells: longer lines are hard to read.
const maxHelp = 100

// helpText is the help of cmd with no line wider than width cells: paragraphs are
// filled, flags keep their columns, and other lines go on below themselves.
func helpText(cmd *cobra.Command, width int) string {
	flags := func(fs *pflag.FlagSet) string { return fs.FlagUsagesWrapped(width) }
	cobra.AddTemplateFunc("wrapped", flags)
	cmd.SetUsageTemplate(strings.ReplaceAll(cmd.UsageTemplate(), ".FlagUsages", " | wrapped"))
	whole := cmd.UsageString()
	about := cmp.Or(cmd.Long, cmd.Short)
	return folded(about, width) + "\n\n" + folded(strings.TrimRight(whole, "\n"), width) + "\n"
}

// folded is help with its paragraphs filled to width cells, and lines with an
// indent as text.Fold has them.
func folded(help string, width int) string {
	var rows []string
	prose := ""
	end := func() {
		rows = append(rows, text.Wrap(prose, width)...)
		prose = ""
	}
	for line := range strings.SplitSeq(help, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, " "):
			end()
			words := strings.TrimLeft(line, " ")
			indent := line[:len(line)-len(words)]
			if head, note, ok := strings.Cut(words, "  "); ok && text.Width(line) > width { // a line, and what it does
				rows = append(rows, text.Fold(indent+head, width)...)
				line = indent + "    " + strings.TrimSpace(note)
			}
			rows = append(rows, text.Fold(line, width)...)
		default:
			prose += " " + line
		}
	}
	end()
	return strings.Join(rows, "\n")
}
