// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a flag that is refused says in one sentence what it takes.

package main

import (
	"errors"
	"testing"

	"github.com/spf13/pflag"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
)

func TestARefusedFlagSaysWhatItTakes(t *testing.T) {
	for arg, want := range map[string]string{
		"--status-line=foo":      `--status-line takes plain, rich or keep, not "foo"`,
		"--status-line=keep,foo": `--status-line takes plain, rich or keep, not "keep,foo"`,
		"--status-line=none":     `--status-line takes plain, rich or keep, not "none"`,
		"--ignore-with=":         `--ignore-with takes gitignore, exclude or no, not ""`,
		"--alias=perhaps":        `--alias takes yes or no, not "perhaps"`,
	} {
		flags := pflag.NewFlagSet("install", pflag.ContinueOnError)
		addAnswerFlags(flags, install.Questions(), report.Answers{})
		err := flags.Parse([]string{arg})
		var e *report.Error
		if !errors.As(err, &e) || e.Code != report.ExitUsage || e.Error() != want {
			t.Errorf("%s: %v, want %s", arg, err, want)
		}
	}
	several := answerFlag{q: report.Question{ID: "skip", Kind: report.Multi,
		Options: []report.Option{{Value: "tools"}, {Value: "roots"}, {Value: "hooks"}}}}
	if err := several.Set("tools,foo"); err == nil ||
		err.Error() != `--skip takes any of tools, roots and hooks, or none, not "foo"` {
		t.Errorf("got %v", err)
	}
}
