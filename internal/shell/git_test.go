// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import "testing"

func TestGitInADirectoryThatCommandsChoose(t *testing.T) {
	moving := place
	moving.Dir, moving.Moves = "/h/p", true // the project
	for line, want := range map[string]string{
		// Harmless in every repository.
		"git rev-parse --show-toplevel":     "",
		"git rev-parse --abbrev-ref HEAD":   "",
		"git branch --show-current":         "",
		"git symbolic-ref --short HEAD":     "",
		"git config user.name":              "",
		"git remote get-url origin":         "",
		"git --version":                     "",
		`git -C "$X" branch --show-current`: "",
		"gh pr view":                        "",
		// Another machine's repository is cloned: nothing of this one is read.
		"git clone --depth 1 -b v2 https://x.invalid/y.git /h/z": "",
		`git clone --quiet git@x.invalid:y.git "/h/z"`:           "",
		"git clone ../other":                               "repository /h/p, repository moves",
		"git clone file:///h/p /h/z":                       "repository /h/p, repository moves",
		"git clone --template=tpl https://x.invalid/y.git": "repository /h/p, repository moves",
		"git clone --config core.fsmonitor=./x https://x.invalid/y": "repository /h/p, " +
			"repository moves",
		"git rev-parse HEAD^{tree}":                        "repository /h/p, repository moves",
		"git branch -vv":                                   "repository /h/p, repository moves",
		"git log --oneline":                                "repository /h/p, repository moves",
		"git -c core.fsmonitor=false log":                  "repository /h/p, repository moves",
		"git wip":                                          "repository /h/p, repository moves",
		"gh pr create":                                     "repository /h/p, repository moves",
		"claude -p hello":                                  "repository /h/p, repository moves",
		"git status --ignore-submodules":                   "repository /h/p, repository moves",
		"git diff --cached":                                "repository /h/p, repository moves",
		"cd tools && git log":                              "repository /h/p/tools, repository moves",
		"cd \"$(pwd)\"/tools && git log":                   "repository /h/p/tools, repository moves",
		"git -C tools log":                                 "repository /h/p/tools, repository moves",
		`cd "$(git rev-parse --show-toplevel)" && git log`: "repository /h/p, repository moves",
		`cd "$CLAUDE_PROJECT_DIR" && git log`:              "repository /h/p",
		`git -C "$CLAUDE_PROJECT_DIR" log`:                 "repository /h/p",
		`git -C "$X" log`:                                  "repository ?",
		`cd "$X" && git log`:                               "repository ?",
		"git --git-dir=x/.git log":                         "repository /h/p/x/.git, repository moves",
		// git starts itself in the repositories that the index names.
		"git status --short":                  "decides /h/p, decides moves",
		"git diff":                            "decides /h/p, decides moves",
		"git --namespace x status":            "decides /h/p, decides moves",
		"git add -A":                          "decides /h/p, decides moves",
		"git commit -qm x":                    "decides /h/p, decides moves",
		"git describe --dirty":                "decides /h/p, decides moves",
		`git -C "$CLAUDE_PROJECT_DIR" status`: "decides /h/p",
		`git -C "$CLAUDE_PROJECT_DIR" status -s --ignore-submodules`:                 "repository /h/p",
		`GIT_COMMON_DIR="$CLAUDE_PROJECT_DIR/.git" git -C "$CLAUDE_PROJECT_DIR" log`: "",
		`GIT_COMMON_DIR="$CLAUDE_PROJECT_DIR/.git" git log`:                          "repository /h/p, repository moves",
		`GIT_COMMON_DIR=/h/p/n/.git git -C "$CLAUDE_PROJECT_DIR" log`:                "decides /h/p/n/.git, repository /h/p",
		"git -c core.pager=./x log":                                                  "runs /h/p/x, runs moves, gap",
		"git bisect run ./x":                                                         "runs /h/p/x, runs moves, gap",
		"git rebase -x ./x main":                                                     "runs /h/p/x, runs moves, gap",
		"git difftool -y --extcmd=./x":                                               "runs /h/p/x, runs moves, gap",
		"git submodule foreach --recursive './x'":                                    "runs /h/p/x, runs moves, gap",
		"git fetch ext::./x": "runs /h/p/x, runs moves, repository " +
			"/h/p, repository moves",
		"git grep -O./x word":                  "runs /h/p/x, runs moves, repository /h/p, repository moves",
		"./x":                                  "runs /h/p/x, runs moves",
		`"$(git rev-parse --show-toplevel)"/x`: "runs /h/p/x, runs moves",
		`"$CLAUDE_PROJECT_DIR"/x`:              "runs /h/p/x",
		"make":                                 "decides /h/p, decides moves",
	} {
		reach := moving.Line(line)
		for i, u := range reach.Uses {
			switch {
			case u.Moves:
				reach.Uses[i].Path = "moves"
			case u.Path == "":
				reach.Uses[i].Path = "?"
			}
		}
		if got := said(reach); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
