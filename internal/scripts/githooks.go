// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: in whole-user scope there is one file for every hook that
// git looks for, all with the same bytes, each a file of its own: a tool that
// replaces one hook must not replace the others with it.

package scripts

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// gitDispatcher is the template of the files in the shared hooks directory.
const gitDispatcher = "git-hook.sh"

// GitHooks are the hooks that git looks for in core.hooksPath, as githooks(5)
// of git 2.39.5 lists them. fsmonitor-watchman is not among them: core.fsmonitor
// names it by its own path.
var GitHooks = []string{"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit",
	"prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push",
	"pre-receive",
	"update", "proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc",
	"post-rewrite", "sendemail-validate", "p4-changelist", "p4-prepare-changelist", "p4-post-changelist", "p4-pre-submit",
	"post-index-change"}

// Dispatcher is what the files of the shared hooks directory are filled with.
type Dispatcher struct {
	// Binary is the program that registers roots; Before the
	// core.hooksPath that would count without the directory, "" for none and
	// "/" for one that is set to nothing.
	Binary, Before string
	// Asks says that git is to be asked for Before each time, since it is
	// another one in some repositories.
	Asks bool
}

const beforeField, asksField = "@BEFORE@", "@ASKS@"

// Bytes renders the file. The error is a *report.Error.
func (d Dispatcher) Bytes() ([]byte, error) {
	if err := printable(d.Binary); err != nil {
		return nil, err
	}
	if strings.ContainsAny(d.Before, "\x00\n") {
		return nil, &report.Error{Code: report.ExitUsage, Where: "core.hooksPath", What: "has a newline in its value",
			Next: "give the directory another name"}
	}
	text, err := template(gitDispatcher)
	if err != nil {
		return nil, err
	}
	return fill(gitDispatcher, text, d.Binary, d), nil
}

// ReadDispatcher reads what a file that may be a dispatcher of ours is filled
// with, of another version too; false if it is not, byte for byte, what today's
// version writes.
func ReadDispatcher(b []byte) (Dispatcher, bool) {
	var d Dispatcher
	text, err := template(gitDispatcher)
	if err != nil {
		return d, false
	}
	asks := ""
	for _, field := range []struct {
		name string
		to   *string
	}{{binaryField, &d.Binary}, {beforeField, &d.Before}, {asksField, &asks}} {
		before, _, _ := strings.Cut(text, field.name)
		assignment := before[strings.LastIndexByte(before, '\n'):] // its line up to the value
		if _, rest, found := strings.Cut(string(b), assignment); found {
			*field.to, _ = unquote(rest, false) // what cannot be read is empty, and then the file is not today's
		}
	}
	d.Asks = asks == "yes"
	again, err := d.Bytes()
	return d, err == nil && string(again) == string(b)
}

// IsDispatcher says whether a file is a dispatcher of ours, of this version or
// another.
func IsDispatcher(b []byte) bool {
	s, ok := Recognize(b)
	return ok && s.Name == gitDispatcher
}
