#!/usr/bin/env bash
# Copyright the steward-setup authors.
# SPDX-License-Identifier: Apache-2.0

set -euo pipefail

usage() {
  cat <<'END'
usage: ./test.sh [--quick | --record | --all]

Installs what the tests need and runs them, then every other check.

  --quick   only `go test ./...`, with the programs that are installed
  --record  records the sessions of the runtime anew that tests may read from
            testdata/sessions.tar.zst (docs/tests.md), if all tests pass
  --all     runs the tests of every package; otherwise those that passed today
            are not run again while nothing is another that they were given

As root on Debian, missing packages are installed. As an ordinary user the
line that installs them is printed, and tests that need them are skipped.
Where CI=true nothing is skipped: what is missing is a failure, and the tests of
every package are run.

The pinned agent runtime and two older ones go to
${XDG_CACHE_HOME:-~/.cache}/steward-setup-tests and are used again, as is for a
week what sessions of the runtime answered where nothing changed that an answer
depends on. STEWARD_TEST_LIVE=1 plays all of them. As root, the Go tests are run
by root and by an ordinary user.
END
}

ci=${CI-false}
quick=false record=false all=false
if [ "$ci" = true ]; then all=true; fi
case "${1-}" in
  '') ;;
  --quick) quick=true ;;
  --record) record=true all=true ;;
  --all) all=true ;;
  -h | --help) usage; exit 0 ;;
  *) usage >&2; exit 64 ;;
esac

cd "$(dirname "$0")"
root=$PWD
# Tests, linters and the compiler are short: what a garbage collection frees is
# rarely needed again before they end.
export GOGC=${GOGC-400} GOMEMLIMIT=${GOMEMLIMIT-1GiB}
# Another copy of this tree in another place is then compiled to the same.
export GOFLAGS="${GOFLAGS-} -trimpath"
# Root has a mount namespace of its own, which ends with it: see memory.
if [ "$(id -u)" -eq 0 ] && [ -z "${STEWARD_TEST_MOUNTS-}" ] && unshare --mount true 2>/dev/null; then
  STEWARD_TEST_MOUNTS=own exec unshare --mount ./test.sh "$@"
fi
# The name is short: the path of a socket has 108 bytes at most.
work=$(mktemp -d "${TMPDIR:-/tmp}/steward.XXXXXX")
memory="$work/m"
# leftovers removes what sessions of the runtime leave outside of $work, and ends
# the sandbox's bridges that outlived a session.
leftovers() {
  local process line
  rm -rf /tmp/claude-*/"${work//[^A-Za-z0-9]/-}"-*
  for process in /proc/[0-9]*; do
    line=$(tr '\0' ' ' 2>/dev/null <"$process/cmdline") || continue
    case $line in
      "socat UNIX-LISTEN:$work/"*) kill "${process##*/}" 2>/dev/null || true ;;
    esac
  done
}
trap 'leftovers; umount "$memory" 2>/dev/null || true; rm -rf "$work"' EXIT
chmod 755 "$work"
# Each session of the runtime that a test plays, whoever runs it, is a line of
# this file.
export STEWARD_TEST_SESSIONS="$work/sessions"
: >"$work/counts"
: >"$STEWARD_TEST_SESSIONS"
chmod 666 "$STEWARD_TEST_SESSIONS"
# What programs of the system answered to tests, whoever runs them.
export STEWARD_TEST_ANSWERS="$work/answers"
# What sessions of the runtime answered in earlier runs, for whoever runs them
# (internal/testenv/sessions).
kept="${XDG_CACHE_HOME:-$HOME/.cache}/steward-setup-tests/answers"
# What passed today, and what it was given (tools/tested).
passed="${kept%/*}/passed"
export STEWARD_TEST_KEPT="$work/kept" STEWARD_TEST_COMMON STEWARD_TEST_PLAYER STEWARD_TEST_PROGRAM STEWARD_TEST_SOURCES
export STEWARD_TEST_LIVE=${STEWARD_TEST_LIVE-}
# Those that this tree has recordings of, and where new ones are written.
export STEWARD_TEST_RECORDED="$work/recorded" STEWARD_TEST_RECORD=''
if $record; then STEWARD_TEST_RECORD="$work/record"; fi
mkdir -m 1777 "$STEWARD_TEST_ANSWERS" "$work/record"
mkdir "$STEWARD_TEST_KEPT" "$STEWARD_TEST_RECORDED"

# Package, the program or file that shows that it is there, and why a test
# needs it.
packages=(
  'bubblewrap       bwrap       the sandbox itself: the runtime starts every command through it'
  'socat            socat       carries the sandbox network to its proxy'
  'ripgrep          rg          the runtime looks for it before it enables the sandbox'
  'git              git         real repositories with real worktrees'
  'zsh              zsh         rc files and the wrapper are tried in the shell itself'
  'fish             fish        likewise'
  'ksh              ksh         likewise'
  'mksh             mksh        likewise'
  'tcsh             tcsh        likewise'
  'dash             dash        likewise'
  'tmux             tmux        the wizard is driven in a real terminal'
  'openssh-client   ssh-agent   a socket that the sandbox must refuse'
  'openssh-server   /usr/sbin/sshd a clone and a push over SSH, on a stage'
  'curl             curl        asks for a host that the sandbox must refuse'
  'python3          python3     opens files that the sandbox must hide, unseen by rules'
  'gnupg            gpg         a key that signs through an agent, which the sandbox refuses'
  'docker.io        docker      the real client, against a service that answers'
  'podman           podman      likewise, and that service: it needs no container'
  'busybox          busybox     a third shell for the hook scripts'
  'pre-commit       pre-commit  a hook manager: its hooks must run the same under the shared directory'
  'git-lfs          git-lfs     likewise'
  'chromium         chromium    renders a page in the sandbox, or is refused'
  'chromium-headless-shell chromium-headless-shell likewise: it has no profile to lock'
  'npm              npm         installs the agent runtime and a hook manager, and fetches packages in tests'
  'python3-pip      pip         likewise fetches a package, from a registry on loopback'
  'shellcheck       shellcheck  reads the shell scripts'
  'zstd             zstd        unpacks the recorded sessions'
  'fonts-dejavu-core /usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf draws the screenshots'
)

# note RESULT counts one result for the summary.
note() { echo "$1" >>"$work/counts"; }

# step NAME COMMAND... runs one step. Whatever it answers, the next one
# follows: reporting never stops early.
step() {
  local name=$1 start=$SECONDS before rc took
  shift
  printf '\n== %s\n' "$name"
  cpu
  before=$spent
  set +e
  (set -e; "$@")
  rc=$?
  set -e
  cpu
  took="$((SECONDS - start)) s, $((spent - before)) s of a processor"
  case $rc in
    0) note passed; echo "-- ok, $took" ;;
    *) note failed; echo "-- FAILED, $took" ;;
  esac
}

# cpu sets spent to the seconds of a processor that all has taken so far: the
# time on the clock says little where others work too.
cpu() {
  times >"$work/times"
  spent=$(awk 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/); print int(60 * (u[1] + s[1]) + u[2] + s[2]) }' "$work/times")
}

# present SIGN: is the program or the file there?
present() { command -v "$1" >/dev/null || [ -e "$1" ]; }

install_packages() {
  local missing=() name sign reason
  for row in "${packages[@]}"; do
    read -r name sign reason <<<"$row"
    if ! present "$sign"; then
      missing+=("$name")
      echo "missing: $name: $reason"
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then
    echo 'everything is installed'
  elif ! command -v apt-get >/dev/null; then
    echo "This is not Debian: install these with your own package manager."
    [ "$ci" != true ]
  elif [ "$(id -u)" -ne 0 ]; then
    echo "Run this, then ./test.sh again:"
    echo "  sudo apt-get install --no-install-recommends ${missing[*]}"
    [ "$ci" != true ]
  else
    # A fresh machine has no package lists; old lists name files that are
    # gone. Both show as a failure to install.
    apt_install "${missing[@]}" || { apt_get update && apt_install "${missing[@]}"; }
  fi
}

apt_get() { DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" >"$work/apt" 2>&1 || { cat "$work/apt"; return 1; }; }
apt_install() { apt_get install -y --no-install-recommends "$@"; }

# manifest KEY is what the manifest says of claude-code: version, the pin, or
# min_version, the floor.
manifest() {
  awk -F'"' -v key="$1" '/^\[/ { ours = ($0 == "[tools.claude-code]") } ours && $1 ~ "^" key " *= *$" { print $2; exit }' manifests/pinned-versions.toml
}

# runtime VERSION is where install_runtime puts the runtime's own binary, which
# npm brings in a package for this platform.
runtime() {
  local os arch
  os=$(uname -s | tr '[:upper:]' '[:lower:]')
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) arch=$(uname -m) ;;
  esac
  echo "${XDG_CACHE_HOME:-$HOME/.cache}/steward-setup-tests/claude-$1/node_modules/@anthropic-ai/claude-code-$os-$arch/claude"
}

runtime_works() {
  [ -x "$(runtime "$1")" ] && env -i HOME="$work" PATH=/usr/bin:/bin "$(runtime "$1")" --version 2>/dev/null | grep -qF "$1"
}

install_runtime() {
  local version=$1 dir new
  [ -n "$version" ] || { echo "manifests/pinned-versions.toml names no version of claude-code"; return 1; }
  if runtime_works "$version"; then
    echo "claude-code $version is installed"
    return
  fi
  if ! command -v npm >/dev/null; then
    echo "npm is not installed: tests that need claude-code $version are skipped"
    [ "$ci" != true ]
    return
  fi
  # Beside the final place and then renamed: what is found there was
  # installed to the end.
  dir=$(runtime "$version")
  dir=${dir%/node_modules/*/*/*}
  new=$dir.$$
  mkdir -p "$new"
  npm install --prefix "$new" --ignore-scripts --no-audit --no-fund --loglevel=error \
    "@anthropic-ai/claude-code@$version" || { rm -rf "$new"; return 1; }
  rm -rf "$dir"
  mv "$new" "$dir"
  runtime_works "$version" || { echo "$(runtime "$version") does not answer --version with $version"; return 1; }
}

# npm_tools is where install_npm_tools puts hook and package managers.
npm_tools() { runtime x | sed "s|/claude-x/.*|/${tools// /-}|"; }

# lefthook is that hook manager's own binary.
lefthook() { runtime x | sed "s|.*/claude-code-\\(.*\\)/claude\$|$(npm_tools)/node_modules/lefthook-\\1/bin/lefthook|"; }

install_npm_tools() {
  local dir new
  dir=$(npm_tools)
  if [ -d "$dir" ]; then
    echo "$tools: installed"
    return
  fi
  if ! command -v npm >/dev/null; then
    echo "npm is not installed: tests that need $tools are skipped"
    [ "$ci" != true ]
    return
  fi
  new=$dir.$$
  mkdir -p "$new"
  # shellcheck disable=SC2086 # a word each
  npm install --prefix "$new" --ignore-scripts --no-audit --no-fund --loglevel=error $tools || { rm -rf "$new"; return 1; }
  mv "$new" "$dir"
  [ -x "$(lefthook)" ]
}

# memory makes the directory of what tests write: in memory, where root may mount
# that and there is enough. On a disk with a journal making a file takes fifteen
# times the processor, and each write that must last waits.
memory() {
  mkdir -p "$memory"
  if [ -n "${STEWARD_TEST_MOUNTS-}" ] && awk '/^MemAvailable:/ { exit !($2 > 6000000) }' /proc/meminfo &&
    mount -t tmpfs -o mode=755 steward-tests "$memory"; then
    echo "$memory is in memory"
  fi
  mkdir -m 1777 "$memory/root"
}

# linked puts the tests of each package into a binary, once for whoever runs
# them.
linked() { go test -c -vet=off -ldflags='-s -w' -o "$work/tests/" ./... | sed '/no test files/d'; }

# compiled waits for what began first, and says what was said there.
compiled() {
  while kill -0 "$compiling" 2>/dev/null; do sleep 0.1; done
  cat "$work/compiling"
  [ -e "$work/compiled" ]
}

# tests WHO[:PROGRAM]... has every package tested by each of the users
# (tools/tested): a line for each package that passed, every skipped test with
# its reason, and what the failed tests printed; each test counts.
tests() {
  if ! $all && [ -z "$STEWARD_TEST_LIVE" ] && [ -r /proc/version ]; then
    mkdir -p "$passed"
    find "$passed" -mtime +1 -type f -delete
    set -- -before "$passed" -system "$(system)" -work "$work" -copy "$memory/src" "$@"
  fi
  go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' ./... |
    TMPDIR="$memory/root" "$work/tested" -run "$work/tests" -keep "$work/counts" "$@"
}

# system names the day and what tests are given that is no part of this tree, nor
# asked for by name.
system() {
  { date +%F; cat /proc/version testdata/sessions.tar.zst /var/lib/dpkg/status
    find /usr/bin /usr/sbin /usr/local/bin -printf '%p %s %T@ %l\n'
    find /etc -type f -exec sha256sum {} +; } 2>/dev/null | sha256sum
}

# as_user makes a program that runs a test binary as the user nobody in a copy
# of this tree: without the rights of root a file can be read-only, a directory
# closed, and the sandbox is set up another way.
as_user() {
  local user="$memory"
  mkdir -p "$user/home" "$user/tmp" "$user/src" "$work/runtimes"
  chmod 755 "$user" "$work/runtimes"
  tar -cf - --exclude=./.git . | tar -xf - -C "$user/src" --no-same-owner
  local vars='' name
  for name in STEWARD_TEST_CLAUDE STEWARD_TEST_CLAUDE_FLOOR STEWARD_TEST_CLAUDE_OLD STEWARD_TEST_LEFTHOOK; do
    [ -n "${!name-}" ] || continue
    ln "${!name}" "$work/runtimes/$name" 2>/dev/null || cp "${!name}" "$work/runtimes/$name"
    vars+="$name='$work/runtimes/$name' "
  done
  for name in STEWARD_TEST_{BINARY,HALVES,SESSIONS,ANSWERS,KEPT,RECORDED,RECORD,COMMON,PLAYER,PROGRAM,SOURCES,LIVE}; do
    vars+="$name='${!name}' "
  done
  chown -R nobody: "$user/home" "$user/tmp" "$user/src" "$STEWARD_TEST_KEPT" # root writes there all the same
  chmod -R a+rX "$work/tests"
  # It is started in the package's directory with the binary and its arguments.
  cat >"$work/as-user" <<END
#!/bin/bash
set -eu
cd "$user/src\${PWD#"$root"}"
exec setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups --inh-caps=-all \\
  env -i CI="$ci" GOGC="$GOGC" GOMEMLIMIT="$GOMEMLIMIT" $vars PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 \\
  HOME="$user/home" TMPDIR="$user/tmp" USER=nobody LOGNAME=nobody \\
  "\$@"
END
  chmod 755 "$work/as-user"
}

modules() {
  go mod download
  go -C tools mod download
}

formatted() {
  local list
  list=$(gofmt -l .)
  [ -z "$list" ] || { printf 'gofmt would change:\n%s\n' "$list"; return 1; }
}

# lint runs go vet's checks, too (govet). It builds the linter without optimising what
# is its own: that takes two thirds of the time, and running it takes no longer.
lint() {
  local linter="${kept%/*}/golangci-lint"
  go -C tools build '-gcflags=github.com/...=-N -l' '-gcflags=honnef.co/...=-N -l' -ldflags='-s -w' -o "$linter" \
    github.com/golangci/golangci-lint/v2/cmd/golangci-lint
  "$linter" run ./...
  cd tools
  "$linter" run ./...
}

# other_platforms checks the types of what this machine cannot run, links one of
# them, and does not optimise it, since nobody runs it. darwin/amd64 has the same
# files as darwin/arm64, and the same types of the system.
other_platforms() {
  local typed="$work/typed"
  echo darwin/arm64
  CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build '-gcflags=all=-N -l' -ldflags='-s -w' -o /dev/null ./cmd/...
  CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 "$typed" ./...
  diff <(files darwin/arm64) <(files darwin/amd64) && echo 'darwin/amd64: the same files'
  echo linux/arm64
  CGO_ENABLED=0 GOOS=linux GOARCH=arm64 "$typed" ./...
}

# files PLATFORM lists those of this tree that are compiled for it.
files() {
  CGO_ENABLED=0 GOOS=${1%/*} GOARCH=${1#*/} go list -f '{{.ImportPath}} {{.GoFiles}} {{.SFiles}}' ./...
}

# light_start fails when a package allocates more than 100 kB before main, or,
# in the small program for hooks, all of them more than 100 kB: hooks run on
# every tool call. Bytes, since times are noisy.
light_start() {
  local program worst sum
  for program in steward-setup steward-hook; do
    env -i HOME="$work" PATH=/usr/bin:/bin GODEBUG=inittrace=1 \
      "$work/$program" hook bypass-warn </dev/null 2>"$work/init" || true
    awk '$1 == "init" { for (i = 3; i < NF; i++) if ($(i+1) == "bytes,") print $i, "bytes", $2 }' "$work/init" |
      sort -rn >"$work/sizes"
    read -r worst sum < <(awk 'NR == 1 { worst = $1 } { sum += $1 } END { print worst, sum }' "$work/sizes")
    echo "$program: $sum bytes, of which:"
    head -3 "$work/sizes"
    [ "${worst:?nothing was measured}" -le 100000 ] || return 1
  done
  [ "$sum" -le 100000 ]
}

shell_scripts() {
  if ! command -v shellcheck >/dev/null; then
    echo 'shellcheck is not installed'
    [ "$ci" != true ]
    return
  fi
  find test.sh .ci/run templates -type f \( -name '*.sh' -o -name run \) -exec shellcheck {} +
}

# programs builds what every test shares, without symbols for debuggers: it is
# copied to each machine that a session is played on, and read for digests.
programs() {
  go build -ldflags='-s -w' -o "$work" ./cmd/steward-setup ./cmd/steward-hook
  go -C tools build -o "$work" ./tested ./typed
}

# build_id names what packages are built from, whatever the commit is. An id is of one
# package and what it takes in of others: those that it imports have theirs.
build_id() { go list -buildvcs=false -deps -export -f '{{if not .Standard}}{{.BuildID}}{{end}}' "$@" | sha256sum; }

# sources names what takes part in a session, wherever it is and with whatever compiler:
# hooks, the launch and what a stage starts (TestWhatRunsInASessionIsNamed).
sources() {
  local files=$'{{with .Module}}{{if .Main}}{{range $.GoFiles}}{{$.Dir}}/{{.}}\n{{end}}{{range $.EmbedFiles}}{{$.Dir}}/{{.}}\n{{end}}{{end}}{{end}}'
  { go list -deps -f "$files" "${in_sessions[@]}"; go list -f "$files" ./cmd/steward-setup; echo go.sum; } |
    sed '/^$/d' | LC_ALL=C sort -u | tr '\n' '\0' | xargs -0 cat | sha256sum
}

# keep_answers keeps what this run's sessions answered, beside what it had of
# earlier ones, for a week.
keep_answers() {
  find "$STEWARD_TEST_KEPT" -mtime +7 -type f -delete
  cp -r --preserve=timestamps "$STEWARD_TEST_KEPT" "$kept.$$"
  chmod 700 "$kept.$$"
  rm -rf "$kept"
  mv "$kept.$$" "$kept"
}

# recorded packs the recordings, the same ones always into the same file.
recorded() {
  tar -cf - -C "$work/record" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=a=rX,u+w . |
    zstd -q -19 --long=27 -f -o testdata/sessions.tar.zst
  ls -l testdata/sessions.tar.zst
}

# recordings unpacks them.
recordings() {
  if command -v zstd >/dev/null && [ -f testdata/sessions.tar.zst ]; then
    zstd -q -d --long=27 -c testdata/sessions.tar.zst | tar -xf - -C "$STEWARD_TEST_RECORDED" --no-same-owner --no-overwrite-dir
  fi
}

summary() { "$work/tested" -summary "$work/counts" -sessions "$STEWARD_TEST_SESSIONS"; }

pinned=$(manifest version)
floor=$(manifest min_version)
in_sessions=(./cmd/steward-hook ./internal/agent/claude/iso ./internal/rehearsal ./internal/ownshell ./internal/ui/plain
  ./internal/ui/jsonv1)
tools='lefthook@1.11.3 pnpm@9.15.9 yarn@1.22.22'
older=2.1.141 # from which on anything is claimed: testenv.ClaudeOld
# What is compiled does not wait for what apt and npm fetch.
(set -e; modules; programs; linked; touch "$work/compiled") >"$work/compiling" 2>&1 &
compiling=$!
if ! $quick; then
  step 'packages' install_packages
  step 'agent runtime' install_runtime "$pinned"
  step 'oldest accepted agent runtime' install_runtime "$floor"
  step 'older agent runtime' install_runtime "$older"
  step 'hook and package managers' install_npm_tools
fi
if [ -x "$(lefthook)" ]; then
  STEWARD_TEST_LEFTHOOK=$(lefthook)
  STEWARD_TEST_PNPM=$(npm_tools)/node_modules/.bin/pnpm
  export STEWARD_TEST_LEFTHOOK STEWARD_TEST_PNPM
fi
for row in "CLAUDE $pinned" "CLAUDE_FLOOR $floor" "CLAUDE_OLD $older"; do
  read -r name version <<<"$row"
  if runtime_works "$version"; then export "STEWARD_TEST_$name=$(runtime "$version")"; fi
done
step 'modules, programs and tests, compiled' compiled
export STEWARD_TEST_BINARY="$work/steward-setup"
STEWARD_TEST_COMMON="$(build_id ./internal/model ./internal/agent/claude/play) $(cat internal/testenv/*.go internal/testenv/sessions/*.go | sha256sum)"
STEWARD_TEST_PLAYER=$(build_id ./internal/rehearsal ./internal/agent/claude/play)
STEWARD_TEST_SOURCES=$(sources)
STEWARD_TEST_PROGRAM="$(build_id "${in_sessions[@]}") $(cat internal/agent/claude/setup/*.go | sha256sum) $STEWARD_TEST_SOURCES"
if [ -d "$kept" ]; then find "$kept" -type f -exec cp -p -t "$STEWARD_TEST_KEPT" {} +; fi
recordings
step 'a place in memory' memory
if $quick; then
  step 'tests' tests user
  keep_answers
  summary
  exit
fi
step 'format' formatted
if [ "$(id -u)" -eq 0 ]; then
  # Both run the tests, and a test may leave itself to one of them
  # (testenv.AsRoot, testenv.AsUser).
  export STEWARD_TEST_HALVES=both
  step 'an ordinary user' as_user
  step 'tests, as root and as an ordinary user' tests root "user:$work/as-user"
else
  step 'tests' tests user
fi
keep_answers
if $record && grep -q '^failed' "$work/counts"; then
  echo 'testdata/sessions.tar.zst stays as it is: only a run in which nothing failed is recorded'
elif $record; then
  step 'recordings' recorded
fi
step 'tests of the tools' go -C tools test ./...
step 'linters' lint
step 'other platforms' other_platforms
step 'start' light_start
step 'shell scripts' shell_scripts
summary
