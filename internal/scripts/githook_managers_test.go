// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the hooks that real hook managers install get the same
// calls with the shared directory as without it, wherever they were installed.

package scripts_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// placed are the places of a repository; each leaves the shell in it, with
// $PLACE set. What is committed in work is pushed, so that clones have it.
var placed = map[string]string{
	"plain":             `PLACE=$HOME/work`,
	"linked worktree":   `git -C work worktree add -q "$HOME/linked" -b linked; PLACE=$HOME/linked`,
	"submodule":         `git init -q super; git -C super -c protocol.file.allow=always submodule --quiet add "$HOME/origin.git" part; PLACE=$HOME/super/part`,
	"previously global": `mkdir team; command git config --global core.hooksPath "$HOME/team"; PLACE=$HOME/work`,
}

// managed makes git run every hook that a manager installs.
const managed = `
cd "$PLACE"
git checkout -q -b topic
echo two >two.bin; git add two.bin
git commit -q -m two
for FAIL in pre-commit commit-msg; do export FAIL; git commit -q --allow-empty -m "fails in $FAIL"; done; unset FAIL
git commit -q --amend --allow-empty -m amended
git checkout -q -b side HEAD~1
echo three >three; git add three; git commit -q -m three
git merge -q --no-edit topic
FAIL=pre-push git push -q origin HEAD:refs/heads/new
git push -q origin HEAD:refs/heads/new
git worktree add -q "$HOME/more" -b more
(cd "$HOME/more" && git commit -q --allow-empty -m 'in a new worktree')
git log --all --format='%H %D %s'
`

// managedBriefly is a part of that, for places beside the first: they differ only in
// where hooks are found.
const managedBriefly = `
cd "$PLACE"
git checkout -q -b topic
echo two >two.bin; git add two.bin
git commit -q -m two
FAIL=commit-msg git commit -q --allow-empty -m fails
git push -q origin HEAD:refs/heads/new
git worktree add -q "$HOME/more" -b more
git log --all --format='%H %D %s'
`

// managers install their hooks in the directory that they are started in.
var managers = []struct {
	name string
	// commit is what the repository needs, committed before anything is
	// placed; install installs.
	commit, install string
	// hooks are those that the play shows to run in the first of its places, at least.
	hooks []string
	// only is the place of a manager whose every hook takes long: the others show
	// the rest.
	only string
}{
	{name: "lefthook", commit: `for name in $LEFTHOOKS; do printf '%s:\n  commands:\n    seen:\n      use_stdin: true\n      run: "%s {0}"\n' "$name" "$HOME/seen/$name"; done >lefthook.yml
printf 'output: false\n' >>lefthook.yml`, install: `lefthook install`,
		hooks: []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-merge",
			"pre-merge-commit", "post-rewrite", "pre-push"}},
	{name: "pre-commit", commit: `cat >.pre-commit-config.yaml <<'END'
default_install_hook_types: [commit-msg, post-checkout, post-commit, post-merge, post-rewrite, pre-commit, pre-merge-commit, pre-push, prepare-commit-msg]
repos:
- repo: local
  hooks:
  - {id: seen, name: seen, language: system, entry: sh -c 'exec "$HOME/seen/managed" "$@"' seen, always_run: true, verbose: true}
END`, install: `GIT_CONFIG_GLOBAL=/dev/null pre-commit install`, hooks: []string{"managed"},
		only: "linked worktree"},
	{name: "git-lfs", commit: `printf '*.bin filter=lfs diff=lfs merge=lfs -text\n' >.gitattributes`,
		install: `git lfs install`,
		hooks:   []string{"lfs pre-push", "lfs post-checkout", "lfs post-commit", "lfs post-merge"}},
}

// lefthooks are the hooks that lefthook.yml names.
var lefthooks = []string{"applypatch-msg", "commit-msg", "post-applypatch", "post-checkout", "post-commit",
	"post-merge", "post-rewrite", "pre-applypatch",
	"pre-commit", "pre-merge-commit", "pre-push", "pre-rebase", "prepare-commit-msg"}

// timed are words of the managers that no two runs share.
var timed = regexp.MustCompile(`[0-9.]+ ?(seconds|s\b)|duration: .*|Uploading LFS objects.*|sync hooks: .*`)

func managerEnv(t *testing.T, home, shared string) []string {
	t.Helper()
	testenv.Need(t, "git", "pre-commit", "git-lfs")
	bin := filepath.Join(filepath.Dir(home), "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(testenv.Lefthook(t), filepath.Join(bin, "lefthook")); err != nil {
		t.Fatal(err)
	}
	lfs := "#!/bin/sh\n[ \"$1\" = filter-process ] || echo \"== lfs $*\" >>\"$LOG\"\n" +
		"PATH=/usr/local/bin:/usr/bin:/bin exec git-lfs \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git-lfs"), []byte(lfs),
		0o755); err != nil { // a program is executable
		t.Fatal(err)
	}
	return testenv.Env(t, home, "PATH="+bin+":/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_GLOBAL="+
		filepath.Join(home, ".gitconfig"), "LOG="+filepath.Join(home, "log"),
		"LEFTHOOKS="+strings.Join(lefthooks, " "), "NAMES="+strings.Join(scripts.GitHooks, " "),
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "SHARED="+shared)
}

// saidByManagers are the lines of a play without those words, and without the
// blank rows of a progress that is shown or not, by how long it takes.
func saidByManagers(play string) []string {
	return slices.DeleteFunc(said(timed.ReplaceAllString(play, "")), func(line string) bool {
		return strings.TrimSpace(line) == ""
	})
}

// recorders are the recorder under every name.
const recorders = `mkdir "$HOME/seen"; for name in managed $NAMES; do ln -s "$HOME/recorder" "$HOME/seen/$name"; done
`

func TestHookManagersGetTheSameCalls(t *testing.T) {
	testenv.AsUser(t)
	for _, m := range managers {
		for place, arrange := range placed {
			if m.only != "" && place != m.only {
				continue
			}
			act, hooks := managedBriefly, []string(nil)
			if place == m.only || m.only == "" && place == "plain" {
				act, hooks = managed, m.hooks
			}
			t.Run(m.name+"/"+place, func(t *testing.T) {
				t.Parallel()
				home := filepath.Join(t.TempDir(), "home")
				shared := filepath.Join(filepath.Dir(home), "shared")
				env, before := managerEnv(t, home, shared), ""
				arrange := recorders + "cd work\n" + m.commit + "\ngit add -A; git commit -q -m managed; git push -q origin " +
					"main; cd ..\n" + arrange +
					"\n(cd \"$PLACE\" && " + m.install + ")\nls \"$(command git -C \"$PLACE\" rev-parse --path-format=absolute " +
					"--git-path hooks)\" | grep -v sample\n"
				if place == "previously global" {
					before = filepath.Join(home, "team")
				}
				without := playHooks(t, home, env, arrange+act)
				fillShared(t, shared, "/bin/sh", scripts.Dispatcher{Binary: filepath.Join(home, "nosuch"), Before: before})
				with := playHooks(t, home, env, arrange+lead+act)
				if diff := cmp.Diff(saidByManagers(without), saidByManagers(with)); diff != "" {
					t.Errorf("without and with the shared directory:\n%s", diff)
				}
				for _, hook := range hooks {
					if !strings.Contains(with, "\n== "+hook) {
						t.Errorf("the play does not show %s:\n%s", hook, with)
					}
				}
			})
		}
	}
}

// What docs/scope.md says of managers that see the shared directory.
func TestHookManagersThatSeeTheSharedDirectory(t *testing.T) {
	testenv.AsUser(t)
	home := filepath.Join(t.TempDir(), "home")
	shared := filepath.Join(filepath.Dir(home), "shared")
	env := managerEnv(t, home, shared)
	fillShared(t, shared, "/bin/sh", scripts.Dispatcher{Binary: filepath.Join(home, "nosuch")})
	arrange := recorders + lead + "cd work\n"
	for _, c := range []struct {
		name, does string
		says       []string
		changed    []string // of the shared directory
		own        []string // hooks of the repository's own
	}{
		{"pre-commit", `pre-commit install; echo "rc $?"`, []string{"Cowardly refusing to install hooks with " +
			"`core.hooksPath` set", "rc 1"}, nil, nil},
		{"pre-commit that does not see it", `GIT_CONFIG_GLOBAL=/dev/null pre-commit install; echo "rc $?"`,
			[]string{"pre-commit installed at .git/hooks/pre-commit", "rc 0"}, nil, []string{"pre-commit"}},
		{"git-lfs", `git lfs install`, []string{"Hook already exists: ", "rc 2: lfs install"}, nil, nil},
		{"git-lfs that does not see it", `GIT_CONFIG_GLOBAL=/dev/null git lfs install --local`,
			[]string{"Git LFS initialized", "rc 0: lfs"}, nil, []string{"post-checkout", "post-commit", "post-merge",
				"pre-push"}},
		{"lefthook that does not see it", `printf 'pre-commit:\n  commands:\n    x:\n      run: true\n' >lefthook.yml; GIT_CONFIG_GLOBAL=/dev/null lefthook install; echo "rc $?"`, []string{"rc 0"}, nil, []string{"pre-commit", "prepare-commit-msg"}},
		{"lefthook", `printf 'pre-commit:\n  commands:\n    x:\n      run: true\n' >lefthook.yml; lefthook install; echo "rc $?"`, []string{"Renamed ", "rc 0"}, []string{"pre-commit", "prepare-commit-msg"}, nil},
	} {
		play := playHooks(t, home, env, arrange+c.does)
		for _, want := range c.says {
			if !strings.Contains(play, want) {
				t.Errorf("%s does not say %q:\n%s", c.name, want, play)
			}
		}
		var changed, own []string
		for _, name := range scripts.GitHooks {
			if b, err := os.ReadFile(filepath.Join(shared, name)); err != nil || !scripts.IsDispatcher(b) {
				changed = append(changed, name)
			}
			if _, err := os.Stat(filepath.Join(home, "work", ".git", "hooks", name)); err == nil {
				own = append(own, name)
			}
		}
		slices.Sort(changed)
		slices.Sort(own)
		if !slices.Equal(changed, c.changed) || !slices.Equal(own, c.own) {
			t.Errorf("%s: shared hooks changed %v, want %v; own hooks %v, want %v\n%s", c.name, changed, c.changed, own, c.own,
				play)
		}
	}
}
