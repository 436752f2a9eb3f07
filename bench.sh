#!/usr/bin/env bash
# Copyright the steward-setup authors.
# SPDX-License-Identifier: Apache-2.0
#
# Prints what the hooks and status lines cost, as ratios to a Go program that
# only reads its input, measured in the same run. With
#
#     ./bench.sh -sessions FILE
#
# FILE being a Claude Code, it prints what the sessions of verify and doctor cost
# in processor time, as ratios to one with nothing to do. It fails nothing: times
# are for reading, on a machine that is doing other things too.

set -euo pipefail
cd "$(dirname "$0")"
bin=$(mktemp -d "${TMPDIR:-/tmp}/steward-setup-bench.XXXXXX")
chmod 755 "$bin" # root's sessions are played as nobody
trap 'rm -rf "$bin"' EXIT
# As it is released: without cgo, which would load the C library at each start.
export CGO_ENABLED=0
go build -o "$bin" ./cmd/steward-setup ./cmd/steward-hook
go -C tools build -o "$bin/floor" ./bench/floor
go -C tools run ./bench -program "$bin/steward-setup" -hook "$bin/steward-hook" -floor "$bin/floor" "$@"
