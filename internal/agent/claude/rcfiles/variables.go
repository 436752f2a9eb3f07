// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a variable that a start file sets is judged by what it means: to the
// shell, which runs or searches it, to a program, and to the runtime.

package rcfiles

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/dotfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/openpaths"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// hooks of shells are variables and functions that a shell runs by itself
// (bash(1), zshmisc(1), ksh(1) "Discipline Functions").
var (
	hookVariables = slices.Concat(bashPrompts, zshPrompts,
		[]string{"starship_precmd_user_func", "starship_preexec_user_func"})
	hookFunctions = []string{"*.get", "*.set",
		"command_not_found_handle", "command_not_found_handler", "precmd", "preexec", "chpwd",
		"periodic", "zshexit", "zshaddhistory", "TRAP*", "prompt_*", "spaceship_*",
		"fish_prompt", "fish_right_prompt", "fish_mode_prompt", "fish_title", "fish_greeting", "fish_command_not_found",
		"fish_user_key_bindings"}
	changers      = []string{"cd", "pushd", "popd"}
	functionPaths = []string{"fpath", "FPATH", "fish_function_path", "fish_complete_path"}
)

// customSegment begins the name of a variable with a command that powerlevel9k and
// powerlevel10k evaluate at each prompt (their README, "custom").
const customSegment = "POWERLEVEL9K_CUSTOM_"

// isHook says whether a variable holds what the shell, or a prompt, runs by itself.
func isHook(name string) bool {
	return slices.Contains(hookVariables, name) || strings.HasPrefix(name, customSegment)
}

// byItself says whether a shell runs a function of that name by itself, or in the place of
// its own command.
func byItself(name string) bool {
	return slices.Contains(changers, name) || pathname.Like(name, hookFunctions...)
}

// set judges a variable that the file sets.
func (j *rcJudge) set(d shellrc.Def) {
	value := strings.NewReplacer("${HOME}", j.Session.Dirs.Home, "$HOME", j.Session.Dirs.Home).Replace(d.Value)
	if claude.HoldsOf(d.Name) == claude.HoldsPathsOrHere { // it is not set yet, and ${X:+…} heeds that
		value = strings.ReplaceAll(unexpanded(strings.ReplaceAll(value, "${"+d.Name+"}", ""), ""), "$"+d.Name, "")
	}
	j.steers(d, strings.Trim(value, `"'`))
	switch {
	case j.confirms(d, value):
	case isHook(d.Name):
		d.Value = value
		for _, text := range promptTexts(d) { // of a prompt, what it substitutes: $PWD in it runs nothing
			for _, path := range shell.Paths(text, j.Session.Dirs.Home) {
				j.runs(d, path, "runs, from "+d.Name+",")
			}
			j.line(d, text, "runs, from "+d.Name+",")
		}
	case slices.Contains(searchPaths, d.Name):
		j.searchPath(d)
	case slices.Contains(functionPaths, d.Name):
		known, _ := withoutUnknown(strings.Trim(value, "()"))
		for _, path := range dotfiles.PathsIn(j.Host, j.Session.Dirs.Start, "", known) {
			j.runs(d, filepath.Join(path, "*"), "loads functions from")
		}
	case dotfiles.KnownEffect(d.Name) != "" && !claude.VariableOf(d.Name).Data:
		for _, path := range j.led(d.Name, value) {
			status := report.Fail
			if claude.VariableOf(d.Name).Indirect {
				status = report.Warn
			}
			switch {
			case !j.Leads(path):
			case path == j.Session.Dirs.Start && claude.HoldsOf(d.Name) == claude.HoldsPathsOrHere &&
				slices.Contains(strings.Split(strings.Trim(value, `"'`), ":"), ""):
				j.emptyEntry(d, status, path)
			default:
				j.add(status, d.Where(), path, commandline.WritableAnd(d.Name, path, dotfiles.KnownEffect(d.Name)))
			}
		}
	default:
		j.setHere(d, value)
	}
}

// led lists the paths that a variable leads to, and those of commands that print its value.
func (j *rcJudge) led(name, value string) []string {
	var inside []string
	if holds := claude.HoldsOf(name); holds != claude.HoldsLine && holds != claude.HoldsCommands {
		value, inside = withoutUnknown(strings.ReplaceAll(value, `"`, ""))
	}
	paths, _ := dotfiles.Led(j.Ground, commandline.Place(j.Ground), name, value)
	for _, word := range inside {
		paths = append(paths, dotfiles.PathsIn(j.Host, j.Session.Dirs.Start, "", word)...)
	}
	return paths
}

// steers judges what a variable means to the runtime itself.
func (j *rcJudge) steers(d shellrc.Def, value string) {
	o, yes := dotfiles.Steers(dotfiles.YourShell, d.Name, value, d.Where(), j.Session.ByRoot)
	if slices.Contains(claude.MemoryVariables, d.Name) {
		o, yes = openpaths.NewJudge(j.Host, j.Session).MemoryOf(d.Name, value, d.Where())
	}
	if _, passed := Allowed(j.Host); yes {
		o.Plain = !slices.Contains(passed, d.Name)
		j.found = append(j.found, o)
	}
}
