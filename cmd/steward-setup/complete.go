// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a shell offers is what the command takes, read from
// where the command reads it; completing starts nothing and writes nothing.

package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/runtimes"
	"github.com/steward-setup/steward-setup/internal/ui/text"
	"github.com/steward-setup/steward-setup/steps/doctor"
	"github.com/steward-setup/steward-setup/steps/update"
)

// completer answers what may follow on a command line.
type completer = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// only offers these and no files.
func only(offers ...cobra.Completion) completer {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return offers, cobra.ShellCompDirectiveNoFileComp
	}
}

// addCompletions gives every flag and argument of root what a shell may offer.
func (a *app) addCompletions(root *cobra.Command) {
	flag := func(cmd *cobra.Command, name string, f completer) {
		if cmd.Flag(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, f) // it fails for a flag that is not there
		}
	}
	_ = root.MarkPersistentFlagDirname("project")
	_ = root.MarkPersistentFlagDirname("framework")
	for _, cmd := range root.Commands() {
		flag(cmd, "live", only(liveModes...))
		flag(cmd, formatFlag, only(formats()...))
		flag(cmd, "apply", only())
		switch cmd.Name() {
		case "install", "try":
			for _, q := range setupQuestions() {
				flag(cmd, string(q.ID), completeAnswer(q))
			}
		case "doctor":
			cmd.ValidArgsFunction = completeProbes
			flag(cmd, "explain", completeErrors)
		case "update":
			cmd.ValidArgsFunction = only()
			flag(cmd, "try", a.completeRuntimes(runtimes.Latest))
			flag(cmd, "forget", a.completeRuntimes("all"))
			flag(cmd, "from", a.completeRuntimes())
			flag(cmd, "to", a.completeRuntimes())
			flag(cmd, "bisect", a.completeCalls)
		case "hook":
			cmd.ValidArgsFunction = only(hookNames...)
		case "undo":
			cmd.ValidArgsFunction = a.completeReceipts
		}
	}
}

// completeAnswer offers the answers of a question; of several, those that are
// not named yet.
func completeAnswer(q report.Question) completer {
	switch {
	case q.ID == "omit":
		return completeEntries
	case q.Kind == report.Confirm:
		return only("yes", "no")
	case q.Kind == report.Choice:
		return only(offers(q)...)
	case q.Kind == report.Multi:
		return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			before := begun[:strings.LastIndexByte(begun, ',')+1]
			var list []cobra.Completion
			for i, o := range q.Options {
				if !slices.Contains(strings.Split(before, ","), o.Value) {
					list = append(list, before+offers(q)[i])
				}
			}
			if before == "" {
				list = append(list, none)
			}
			return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
	}
	return only()
}

func offers(q report.Question) (list []cobra.Completion) {
	for _, o := range q.Options {
		list = append(list, cobra.CompletionWithDesc(o.Value, text.Line(o.Label)))
	}
	return list
}

func completeEntries(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return policyEntries(), cobra.ShellCompDirectiveNoFileComp
}

func completeProbes(_ *cobra.Command, given []string, _ string) (list []cobra.Completion, d cobra.ShellCompDirective) {
	for _, id := range doctor.IDs() {
		if !slices.Contains(given, string(id)) {
			list = append(list, cobra.CompletionWithDesc(string(id), doctor.Title(id)))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// completeErrors offers the ids of the catalog; a text is typed.
func completeErrors(*cobra.Command, []string, string) (list []cobra.Completion, d cobra.ShellCompDirective) {
	entries, _ := catalog.Load(agent.Catalog())
	for _, e := range entries {
		list = append(list, cobra.CompletionWithDesc(e.ID, e.Title))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// completeCommands offers what help is about.
func completeCommands(cmd *cobra.Command, given []string, _ string) (list []cobra.Completion,
	d cobra.ShellCompDirective) {
	about, _, _ := cmd.Root().Find(given)
	for _, c := range about.Commands() {
		if c.IsAvailableCommand() {
			list = append(list, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// completeRuntimes offers these words and the versions in the cache. Where latest is
// an answer, so is a path; one that is begun is for the shell to complete.
func (a *app) completeRuntimes(words ...cobra.Completion) completer {
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if slices.Contains(words, runtimes.Latest) && strings.ContainsAny(begun, "/~.") &&
			!strings.ContainsAny(begun[:1], "0123456789") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		list := slices.Clone(words)
		if h, err := a.host(); err == nil {
			for _, k := range runtimes.List(h) {
				list = append(list, k.Version)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeCalls offers the calls of the last rehearsal that is kept, or, where
// none is, those of the recorded one.
func (a *app) completeCalls(cmd *cobra.Command, _ []string, _ string) (list []cobra.Completion,
	d cobra.ShellCompDirective) {
	d = cobra.ShellCompDirectiveNoFileComp
	h, err := a.host()
	if err != nil {
		return nil, d
	}
	if list = update.Calls(cmd.Context(), h, a.verified()); list != nil {
		return list, d
	}
	recorded, err := recordedProof()
	if err != nil {
		return nil, d
	}
	for _, c := range recorded.Calls {
		list = append(list, c.ID)
	}
	return list, d
}

// completeReceipts offers the runs that can be taken back, newest first.
func (a *app) completeReceipts(_ *cobra.Command, given []string, _ string) (list []cobra.Completion,
	d cobra.ShellCompDirective) {
	d = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	h, err := a.host()
	if err != nil || len(given) > 0 {
		return nil, d
	}
	receipts, err := a.applier(h).History()
	if err != nil {
		return nil, d
	}
	for _, r := range receipts {
		if _, undone := engine.UndoneBy(receipts, r.ID); !undone && r.Undoes == "" {
			list = append(list, cobra.CompletionWithDesc(r.ID, text.Line(r.Command)))
		}
	}
	return list, d
}

// bashCompletion works in bash alone: cobra's own script for it needs
// bash-completion.
//
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
				var script strings.Builder
				err = cmd.Root().GenFishCompletion(&script, true)
				// A completion that begins with a flag would be an option of string.
				_, _ = fmt.Fprint(out, strings.ReplaceAll(script.String(), `(string split --max 1 \t $`,
					`(string split --max 1 -- \t $`))
			default:
				return oneOf(cmd, args, shells)
			}
			if err != nil {
				return &report.Error{Code: report.ExitInternal, What: "the script could not be printed", Err: err}
			}
			return nil
		},
	}
}
