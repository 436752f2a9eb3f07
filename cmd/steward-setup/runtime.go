// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a run with another runtime says so in every line that it
// prints, and takes no file for a runtime that PATH could not lead to.

package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// addRuntime adds --runtime to a command that starts the agent's runtime.
func (a *app) addRuntime(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.sys.Runtime, "runtime", "", "use the claude executable `PATH`, which need not be installed")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if cmd.Flags().Changed("runtime") {
			if a.sys.Runtime, err = a.runtimeAt(a.sys.Runtime); err != nil {
				return err
			}
		}
		return run(cmd, args)
	}
}

// again is a command of this program, given without its name, with the flags
// that lead to the same project, framework and runtime.
func (a *app) again(line string) string {
	command, _, _ := strings.Cut(line, " ")
	line += a.globals()
	if a.sys.Runtime != "" && (command == "verify" || command == "doctor") {
		line += " --runtime " + scripts.Quote(a.sys.Runtime)
	}
	return line
}

// runtimeAt is the executable at path, absolute. The error is a *report.Error.
func (a *app) runtimeAt(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.sys.Cwd, path)
	}
	info, err := fs.Stat(path)
	if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
		return path, nil
	}
	return "", &report.Error{Code: report.ExitUsage, Where: path, What: "is not an executable file",
		Why: "the runtime is started to see what it blocks", Next: "give the path of a claude executable"}
}
