// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a shell defines only where a session starts is seen.

package ownshell_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/ownshell"
)

// TestWhatIsDefinedWhereASessionStartsIsSeen: by what runs when the directory
// changes, at the prompt there, and by start files that are read there.
func TestWhatIsDefinedWhereASessionStartsIsSeen(t *testing.T) {
	const alias = "alias claude='" + skips + "'"
	for _, tt := range []struct {
		name, shell, file, text string
		// changed and started say which starts show it: those that change to
		// the directory, and that which begins there.
		changed, started bool
	}{
		{"bash: the prompt", "bash", ".bashrc", `PROMPT_COMMAND='[ "$PWD" != "$HOME" ] && eval "$(@HOME@/bin/init)"'`, true,
			true},
		{"bash: the start", "bash", ".bashrc", `case $PWD in */code/*) eval "$(@HOME@/bin/init)";; esac`, false, true},
		{"bash: cd", "bash", ".bashrc", `cd() { command cd "$@" && eval "$(@HOME@/bin/init)"; }`, true, false},
		{"bash: cd that goes nowhere", "bash", ".bashrc",
			`cd() { :; }; PROMPT_COMMAND='case $PWD in */code/*) eval "$(@HOME@/bin/init)";; esac'`, true, true},
		{"zsh: chpwd", "zsh", ".zshrc", `chpwd() { eval "$(@HOME@/bin/init)"; }`, true, false},
		{"zsh: precmd", "zsh", ".zshrc", `precmd() { [[ $PWD == */code/* ]] && eval "$(@HOME@/bin/init)" }`, true, true},
		{"fish: a change of the directory", "fish", ".config/fish/config.fish",
			"function there --on-variable PWD; @HOME@/bin/init | source; end", true, false},
		{"fish: the prompt", "fish", ".config/fish/config.fish", "function there --on-event fish_prompt; string match -q " +
			"'*/code/*' $PWD; and @HOME@/bin/init | source; end", true, true},
		{"fish: the prompt, after a start that takes its time", "fish", ".config/fish/config.fish",
			"sleep 1.5; function there --on-event fish_prompt; string match -q " +
				"'*/code/*' $PWD; and @HOME@/bin/init | source; end", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			login := map[string]string{"bash": ".bash_profile", "zsh": ".zprofile",
				"fish": ".config/fish/conf.d/a.fish"}[tt.shell]
			read := "" // what a login shell reads
			if tt.shell == "bash" {
				read = ". ~/.bashrc\n"
			}
			h := newHome(t, tt.shell, map[string]string{tt.file: tt.text + "\n", login: read, "bin/init": "#!/bin/sh\necho \"" +
				alias + "\"\n"})
			dir := filepath.Join(h.dir, "code", `it's a \"$x" dir`)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			starts := ownshell.Starts(h.r, "claude", dir)
			if len(starts) < 3 {
				t.Fatalf("starts are %v", starts)
			}
			for _, a := range ownshell.Ask(context.Background(), h.r, starts) {
				want := tt.changed
				if a.Dir != "" {
					want = tt.started
				}
				if !a.Own {
					continue // another shell that the system has
				}
				if got := len(a.Meanings) == 1; a.Why != "" || got != want {
					t.Errorf("%s: %v %s, want it to be seen: %v", a, a.Meanings, a.Why, want)
				}
			}
		})
	}
}
