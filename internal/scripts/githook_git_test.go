// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: with the shared hooks directory git runs the same hooks as
// without it: in the same order, by the same name, with the same arguments,
// stdin and environment, and to the same end. Real git says so, in one place on
// disk, once with and once without.

package scripts_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// recorder is every hook of the tests, by the name that it is started with. It
// notes down everything that it is given, and ends with 7 if $FAIL names it. It
// has nothing but what the shell itself does: it is started thousands of times.
// What is unset a shell sets for itself, and we the last.
const recorder = `#!/bin/sh
unset _ PWD OLDPWD SHLVL STEWARD_SETUP_HOOK
vars=$(export -p) name=${0##*/} args= stdin=
# git refreshes an index once more where a file is as young as it
[ "$name" != post-index-change ] || [ -n "${EVERY-}" ] || exit 0
for arg; do args="$args <$arg>"; done
if [ "$name" != proc-receive ]; then # it has to answer before its stdin ends
	while IFS= read -r line; do stdin="$stdin$line
"; done
	stdin="stdin <$stdin$line>"
fi
cd -P .
printf '== %s as %s\nargs%s\ncwd %s\n%s\n%s\n' "$name" "$0" "$args" "$PWD" "$vars" "$stdin" >>"$LOG" || exit 7
[ "${FAIL-}" != "$name" ] || exit 7
`

// begin makes what all setups start from: origin.git, a clone of it in work.
const begin = `
set -u
git() { command git "$@"; code=$?; echo "rc $code: $*"; return $code; }
cd "$HOME"
command git config --global user.name Ada
command git config --global user.email ada@example.invalid
command git config --global init.defaultBranch main
git init -q --bare origin.git
git clone -q origin.git work 2>/dev/null
cd work
echo one >file; git add file; git commit -q -m one
git push -q origin main
cd ..
`

// scenario makes git run each of its hooks, in $PLACE. $HOOKS is where the
// hooks that count lie.
const scenario = `
cd "$PLACE"
git checkout -q -b topic
echo two >two; git add two
git commit -q -m two
FAIL=pre-commit; export FAIL
echo fails >fails; git add fails; git commit -q -m fails
FAIL=commit-msg git commit -q -m fails
unset FAIL
git commit -q --no-verify -m unverified
git commit -q --amend -m amended
(cd / && command git -C "$PLACE" --no-pager commit -q --allow-empty -m 'from elsewhere'; echo "rc $?")
mkdir -p sub; (cd sub; git commit -q --allow-empty -m 'from a subdirectory')
git checkout -q -b side HEAD~2
echo three >three; git add three; git commit -q -m three
git merge -q --no-edit topic
git checkout -q --detach HEAD~1
git checkout -q -- three
git switch -q side
git branch -q rebased HEAD~1 && git switch -q rebased
FAIL=pre-rebase git rebase -q topic
git rebase -q topic
git format-patch -q -1 --stdout >"$HOME/patch"
git reset -q --hard HEAD~1
git am -q "$HOME/patch"
git tag v1
FAIL=pre-push git push -q origin HEAD:refs/heads/new
git push -q origin HEAD:refs/heads/new
git push -q origin :refs/heads/new v1
FAIL=post-checkout git checkout -q topic
git repack -q; git commit -q --allow-empty -m packed; git repack -q
git -c gc.autoDetach=false -c gc.autoPackLimit=1 gc -q --auto
git worktree add -q "$HOME/more" -b more
(cd "$HOME/more" && git commit -q --allow-empty -m 'in a new worktree')
git stash -q
git update-ref refs/heads/direct HEAD
FAIL=reference-transaction git update-ref refs/heads/refused HEAD
EVERY=1 git hook run --ignore-missing post-index-change -- 1 0
for name in sendemail-validate p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit; do
	git hook run --ignore-missing "$name" -- "a b" ''
	FAIL=$name git hook run --ignore-missing "$name"
done
git clone -q "$HOME/origin.git" "$HOME/cloned"
git log --all --format='%H %D %s'
`

// brief is a part of that, for setups that differ only in where hooks are
// found.
const brief = `
cd "$PLACE"
git checkout -q -b topic
echo two >two; git add two; git commit -q -m two
FAIL=commit-msg git commit -q --allow-empty -m fails
git push -q origin HEAD:refs/heads/new
(mkdir -p sub; cd sub; git commit -q --allow-empty -m 'from a subdirectory')
git worktree add -q "$HOME/more" -b more
(cd "$HOME/more" && git commit -q --allow-empty -m 'in a new worktree')
git log --all --format='%H %D %s'
`

// server makes git run the hooks of a repository that is pushed to.
const server = `
ln -s "$HOME/recorder" origin.git/hooks/pre-receive
for name in update post-receive post-update reference-transaction; do ln -s "$HOME/recorder" origin.git/hooks/$name; done
cd work
git commit -q --allow-empty -m pushed
git push -q origin HEAD:refs/heads/a HEAD:refs/heads/b
FAIL=update git push -q origin HEAD:refs/heads/c
FAIL=pre-receive git push -q origin HEAD:refs/heads/c
git clone -q "$HOME/origin.git" "$HOME/live"
git -C "$HOME/live" config receive.denyCurrentBranch updateInstead
echo more >>file; git commit -q -am more
git push -q "$HOME/live" HEAD:main
cat "$HOME/live/file"
echo dirty >"$HOME/live/file"; echo again >>file; git commit -q -am again
git push -q "$HOME/live" HEAD:main
git -C "$HOME/live" add file
git push -q "$HOME/live" HEAD:main
git -C "$HOME/live" reset -q --hard
ln -s "$HOME/recorder" "$HOME/live/.git/hooks/push-to-checkout"
git push -q "$HOME/live" HEAD:main
cat "$HOME/live/file"
git init -q "$HOME/unborn" && git -C "$HOME/unborn" config receive.denyCurrentBranch updateInstead
git push -q "$HOME/unborn" HEAD:main
cat "$HOME/unborn/file"
git -C "$HOME/origin.git" config receive.procReceiveRefs refs/for
git push -q origin HEAD:refs/for/main
ln -s "$HOME/recorder" "$HOME/origin.git/hooks/proc-receive"
git push -q origin HEAD:refs/for/main
`

// everywhere puts the recorder into $HOOKS under every hook's name.
const everywhere = `
mkdir -p "$HOOKS"; for name in $NAMES; do ln -sf "$HOME/recorder" "$HOOKS/$name"; done
`

// setups are repositories as users have them.
var setups = []struct {
	name, arrange, act string
	// before and asks are what the shared directory is filled with.
	before string
	asks   bool
}{
	{name: "plain", arrange: `PLACE=$HOME/work HOOKS=$HOME/work/.git/hooks` + everywhere, act: scenario},
	{name: "no hooks", arrange: `PLACE=$HOME/work`, act: brief},
	{name: "linked worktree", arrange: `git -C work worktree add -q "$HOME/linked" -b linked
PLACE=$HOME/linked HOOKS=$HOME/work/.git/hooks` + everywhere, act: scenario},
	{name: "worktree of a bare repository",
		arrange: `git clone -q --bare origin.git bare.git; git -C bare.git worktree add -q "$HOME/linked" -b linked
PLACE=$HOME/linked HOOKS=$HOME/bare.git/hooks` + everywhere, act: brief},
	{name: "submodule", arrange: `git init -q super; cd super; git -c protocol.file.allow=always submodule --quiet add "$HOME/origin.git" part; cd ..
PLACE=$HOME/super/part HOOKS=$HOME/super/.git/modules/part/hooks` + everywhere, act: scenario},
	{name: "separate git directory", arrange: `git clone -q --separate-git-dir "$HOME/apart.git" origin.git apart
PLACE=$HOME/apart HOOKS=$HOME/apart.git/hooks` + everywhere, act: brief},
	{name: "core.hooksPath of its own", arrange: `PLACE=$HOME/work HOOKS=$HOME/work/.husky/_
git -C work config core.hooksPath .husky/_; mkdir -p .husky; ln -s "$HOME/recorder" work/.git/hooks/pre-commit` + everywhere, act: scenario},
	{name: "hooks of a hook manager", arrange: `PLACE=$HOME/work
for name in pre-commit commit-msg pre-push; do cat >work/.git/hooks/$name <<'END'
#!/usr/bin/env bash
HERE="$(cd "$(dirname "$0")" && pwd)"
exec "$HERE/managed" hook-impl --hook-dir "$HERE" -- "$@"
END
done; ln -s "$HOME/recorder" work/.git/hooks/managed; chmod +x work/.git/hooks/*`, act: scenario},
	{name: "hooks that cannot run", arrange: `PLACE=$HOME/work; cd work/.git/hooks
printf 'echo without a first line >>"$LOG"\n' >pre-commit; chmod +x pre-commit
ln -s "$HOME/recorder" post-commit
printf '#!/nosuch/interpreter\n' >commit-msg; chmod +x commit-msg
printf '#!/bin/sh\nkill -9 $$\n' >pre-push; chmod +x pre-push; cd "$HOME"`, act: brief},
	{name: "a global core.hooksPath before", arrange: `PLACE=$HOME/work; ln -s "$HOME/recorder" work/.git/hooks/pre-commit
git config --global core.hooksPath '~/team'; HOOKS=$HOME/team` + everywhere, before: "~/team", act: scenario},
	{name: "a relative core.hooksPath before", arrange: `PLACE=$HOME/work
git config --global core.hooksPath .githooks; HOOKS=$HOME/work/.githooks` + everywhere, before: ".githooks",
		// For git worktree add alone git resolves the path in the directory that
		// it was called in, which a hook cannot know.
		act: strings.Replace(brief, `git worktree add -q`, `git -c core.hooksPath=/dev/null worktree add -q`, 1)},
	{name: "hooks switched off before", arrange: `PLACE=$HOME/work; git config --global core.hooksPath /dev/null; HOOKS=$HOME/work/.git/hooks` + everywhere, before: "/dev/null", act: brief},
	{name: "hooks switched off by an empty value",
		arrange: `PLACE=$HOME/work; git config --global core.hooksPath ''; HOOKS=$HOME/work/.git/hooks` + everywhere,
		before:  "/", act: brief},
	{name: "a dispatcher that becomes what git names",
		arrange: `PLACE=$HOME/work; git config --global core.hooksPath '~/team'; ` + dispatcher("exec "), before: "~/team",
		act: brief},
	{name: "a dispatcher that starts what git names",
		arrange: `PLACE=$HOME/work; git config --global core.hooksPath '~/team'; ` + dispatcher(""), before: "~/team",
		act: brief},
	{name: "another core.hooksPath on a condition",
		arrange: `PLACE=$HOME/work; ln -s "$HOME/recorder" work/.git/hooks/pre-commit
git config --file team.conf core.hooksPath '~/team'; git config --global includeIf.gitdir:~/work/.path '~/team.conf'; HOOKS=$HOME/team` + everywhere, asks: true, act: brief},
	{name: "a condition that does not hold", arrange: `PLACE=$HOME/work; HOOKS=$HOME/work/.git/hooks
git config --file team.conf core.hooksPath '~/team'; git config --global includeIf.gitdir:~/elsewhere/.path '~/team.conf'` + everywhere, asks: true, act: brief},
	{name: "pushed to", act: server},
}

// dispatcher puts a hook into ~/team under every name that starts, in this way,
// what git names as that hook, unless that is itself; the repository has hooks
// too.
func dispatcher(way string) string {
	return `HOOKS=$HOME/work/.git/hooks` + everywhere + `
mkdir team; cat >team/pre-commit <<'END'
#!/bin/sh
name=${0##*/} again=$((${again:-0} + 1)); export again
[ "$again" -lt 5 ] || { echo "$name: endless"; exit 1; }
[ "$name" = post-index-change ] || echo "team $name" >>"$LOG" # as the recorder
hook=$(git rev-parse --git-path "hooks/$name")
if [ -x "$hook" ] && ! [ "$hook" -ef "$0" ]; then
	` + way + `"$hook" "$@"
fi
END
chmod +x team/pre-commit; for name in $NAMES; do [ "$name" = pre-commit ] || cp team/pre-commit "team/$name"; done
`
}

// shells are the interpreters that /bin/sh may be.
var shells = map[string]string{"sh": "/bin/sh", "bash": "/bin/bash --posix", "busybox": "/usr/bin/busybox sh"}

func TestGitRunsTheSameHooks(t *testing.T) {
	testenv.AsUser(t)
	testenv.Need(t, "git", "bash", "busybox")
	for shell, interpreter := range shells {
		for _, s := range setups {
			if shell != "sh" && s.name != "linked worktree" && s.name != "another core.hooksPath on a condition" {
				continue
			}
			if shell != "sh" {
				s.act = brief
			}
			t.Run(shell+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				home := filepath.Join(t.TempDir(), "home")
				shared := filepath.Join(filepath.Dir(home), "shared")
				env := testenv.Env(t, home, "PATH=/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_GLOBAL="+
					filepath.Join(home, ".gitconfig"), "LOG="+filepath.Join(home, "log"),
					"NAMES="+strings.Join(scripts.GitHooks, " "), "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
					"GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "SHARED="+shared)
				without := playHooks(t, home, env, s.arrange+"\n"+s.act)
				before := s.before
				if rest, ok := strings.CutPrefix(before, "~/"); ok {
					before = filepath.Join(home, rest)
				}
				fillShared(t, shared, interpreter, scripts.Dispatcher{Binary: filepath.Join(home, "nosuch"), Before: before,
					Asks: s.asks})
				with := playHooks(t, home, env, s.arrange+"\n"+lead+s.act)
				if diff := cmp.Diff(said(without), said(with)); diff != "" {
					t.Errorf("without and with the shared directory:\n%s", diff)
				}
				if strings.Contains(s.arrange, everywhere) && s.act == scenario {
					for _, name := range scripts.GitHooks {
						if !slices.Contains(serverHooks, name) && !strings.Contains(with, "\n== "+name+" ") {
							t.Errorf("the scenario does not make git run %s", name)
						}
					}
				}
				if s.act == server {
					for _, name := range serverHooks {
						if !strings.Contains(with, "\n== "+name+" ") {
							t.Errorf("the scenario does not make git run %s", name)
						}
					}
				}
			})
		}
	}
}

var serverHooks = []string{"pre-receive", "update", "proc-receive", "post-receive", "post-update", "push-to-checkout"}

// fillShared fills the shared directory, for this interpreter.
func fillShared(t *testing.T, dir, interpreter string, d scripts.Dispatcher) {
	t.Helper()
	b, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b = []byte(strings.Replace(string(b), "#!/bin/sh", "#!"+interpreter, 1))
	for _, name := range scripts.GitHooks {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o755); err != nil { // a hook is executable
			t.Fatal(err)
		}
	}
}

// said are the lines of a play, without names that are made up at random, and
// without who says that a hook could not be started or did not end well: git,
// or the shell or the shared hook in its place. push-to-checkout runs in the
// work tree, where the name that git gives it leads nowhere. A hook that ends
// without reading is noticed by git or not, by which of them is faster.
func said(play string) []string {
	lines := strings.Split(quarantine.ReplaceAllString(play, "tmp_objdir"), "\n")
	for i, line := range lines {
		lines[i] = refused.ReplaceAllString(line, "refused")
	}
	return slices.DeleteFunc(lines, func(line string) bool {
		return strings.Contains(line, "cannot run ") || strings.Contains(line, "exec: ") ||
			strings.Contains(line, "died of signal") ||
			strings.HasPrefix(line, "Working directory has ") || strings.Contains(line, "find hook 'proc-receive'") ||
			strings.Contains(line, "packet write") || strings.Contains(line, "Broken pipe")
	})
}

var (
	quarantine = regexp.MustCompile(`tmp_objdir-[a-z]+-\w+`)
	refused    = regexp.MustCompile(`\((push-to-checkout hook declined|Working directory has (un)?staged changes|(fail to negotiate version|cannot find hook).*)\)|error: .*proc-receive.*|as \S*hooks/push-to-checkout`)
)

// lead leads git to the shared directory.
const lead = `printf '[core]\n\thooksPath = %s\n' "$SHARED" >>"$HOME/.gitconfig"
`

// playHooks builds a home from nothing, lets git work in it, and returns what
// git and the hooks said.
func playHooks(t *testing.T, home string, env []string, script string) string {
	t.Helper()
	if err := os.RemoveAll(home); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	testenv.Write(t, filepath.Join(home, "recorder"), recorder, 0o755)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // a hook that waits for git while git waits for it
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", begin+script+"\ncat \"$LOG\" 2>/dev/null; :\n")
	cmd.Dir, cmd.Env = home, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
