#!/bin/sh
# Copyright the steward-setup authors.
# SPDX-License-Identifier: Apache-2.0
#
# Makes the pictures of this directory from the program as it is.

set -eu
cd "$(dirname "$0")/../.."
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/steward-setup" ./cmd/steward-setup
# Every question is answered, so that the pages stand one after the other.
go -C tools run ./screenshot -keys ../docs/images/wizard.keys -out ../docs/images -size 100x30 -- \
    "$bin/steward-setup" try --skip=tools --policy-to=project --project-name= --project-config=no --domains=github,go \
    --allow-host=none --caches=none --ask=none --gh-config=no --gnupg=no --sandbox-only=no \
    --wrapper=copy --alias=no --status-line=plain --strict-allowlist=no --allow-write=no --standing-approval=no
