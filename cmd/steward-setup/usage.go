// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is wrong with a line is said with the word that is, what
// stands there instead, and what to type next.

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/steward-setup/steward-setup/internal/nearest"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// usage is the error of a line that means nothing; its command's help says more.
func usage(cmd *cobra.Command, what string) *report.Error {
	return &report.Error{Code: report.ExitUsage, What: what, Lines: []report.Line{{Words: words(cmd, "--help")}}}
}

// words are a line of cmd without the name of the program.
func words(cmd *cobra.Command, flag string) string {
	return strings.TrimPrefix(cmd.CommandPath()+" "+flag, report.Program+" ")
}

// badFlag says in our words what pflag refuses about the flags of cmd.
func badFlag(cmd *cobra.Command, err error) error {
	var (
		own     *report.Error
		missing *pflag.ValueRequiredError
		unknown *pflag.NotExistError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &own): // the flag's own words need no others around them
		return usage(cmd, own.What)
	case errors.As(err, &missing):
		return needs(cmd, missing.GetFlag())
	case errors.As(err, &invalid):
		what := "a whole number"
		if f := invalid.GetFlag(); f.NoOptDefVal != "" {
			what = "no value"
		}
		return usage(cmd, takes("--"+invalid.GetFlag().Name, what, invalid.GetValue(), nil))
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return usage(cmd, err.Error()+didYouMean("--"+unknown.GetSpecifiedName(), names))
	}
	return usage(cmd, err.Error())
}

// needs is the error of a flag without a value, or with the empty one of a script's
// variable.
func needs(cmd *cobra.Command, f *pflag.Flag) *report.Error {
	value, use := pflag.UnquoteUsage(f)
	e := usage(cmd, "--"+f.Name+" needs a value")
	e.Why = "--" + f.Name + " " + strings.Trim(value, "[]") + ": " + use
	if f.Name == applyFlag && !strings.HasPrefix(use, "with ") { // other flags, which the help names
		e.Next = "print the plan with your other flags; it ends with the line that applies it:  "
		e.Lines = []report.Line{{Words: words(cmd, "--plan")}}
	}
	return e
}

// empty refuses a flag of a plain text whose value is empty.
func empty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && strings.TrimSpace(f.Value.String()) == "" && err == nil {
			err = needs(cmd, f)
		}
	})
	return err
}

// oneOf is the error of a command that takes one of some words, and got none of them;
// nil stands for the names of its own commands.
func oneOf(cmd *cobra.Command, args, words []string) error {
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	known := words
	for _, sub := range cmd.Commands() {
		words = append(words, sub.Name())
	}
	switch {
	case len(args) == 0 && len(words) == 1:
		return usage(cmd, name+" needs its subcommand "+words[0])
	case len(args) == 0:
		return usage(cmd, name+" needs one of "+inWords(words, "or"))
	}
	return usage(cmd, takes(name, inWords(words, "or"), args[0], known)+orMeant(commandsNear(cmd, args[0])))
}

// commandsNear are the commands of cmd that word may have meant.
func commandsNear(cmd *cobra.Command, word string) (near []string) {
	for _, sub := range cmd.Commands() {
		meant := slices.ContainsFunc(sub.SuggestFor, func(s string) bool { return strings.EqualFold(s, word) })
		if sub.IsAvailableCommand() && (meant || nearest.All(strings.ToLower(word), []string{sub.Name()}) != nil) {
			near = append(near, sub.Name())
		}
	}
	return near
}

// takes refuses a value: `--status-line takes plain, rich or keep, not "foo"`. known
// are the words that may have been meant.
func takes(who, what, value string, known []string) string {
	return fmt.Sprintf("%s takes %s, not %q", who, what, value) + didYouMean(value, known)
}

// didYouMean is the end of a complaint about a word, "" if no other is near.
func didYouMean(word string, words []string) string { return orMeant(nearest.All(word, words)) }

// orMeant asks whether one of some words was meant.
func orMeant(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// inWords is a list as a sentence has it: "a, b or c".
func inWords(list []string, joint string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " " + joint + " " + list[last]
}

var liveModes = []string{string(verify.Auto), string(verify.Always), string(verify.Never)}

type liveFlag struct{ mode *verify.LiveMode }

func (f liveFlag) String() string {
	if f.mode == nil {
		return ""
	}
	return string(*f.mode)
}

func (liveFlag) Type() string { return "string" }

// Set implements pflag.Value.
func (f liveFlag) Set(value string) error {
	if *f.mode = verify.LiveMode(value); !slices.Contains(liveModes, value) {
		return &report.Error{Code: report.ExitUsage, What: takes("--live", inWords(liveModes, "or"), value, liveModes)}
	}
	return nil
}
