#!/bin/sh
# Copyright the steward-setup authors.
# SPDX-License-Identifier: Apache-2.0
#
# Makes the pictures of this directory from the program as it is. The runtime
# has to be on PATH.

set -eu
cd "$(dirname "$0")/../.."
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/steward-setup" ./cmd/steward-setup
# Every question is answered, so that the review comes first.
go -C tools run ./screenshot -keys ../docs/images/wizard.keys -out ../docs/images -size 100x30 -- \
    "$bin/steward-setup" try --skip=tools --policy-to=project --project-name= --project-config=no --domains=github,go \
    --allow-host=none --caches=none --ask=none --gh-config=no --gnupg=no --sandbox-only=no --project-reads=no --floor=no \
    --wrapper=copy --alias=no --status-line=plain --strict-allowlist=no --allow-write=no --standing-approval=no

# A home that was set up by the program, as its user would.
cat >"$bin/proof" <<END
#!/bin/sh
set -eu
export SHELL=/bin/bash PATH="\$HOME/.local/bin:$PATH"
mkdir -p "\$HOME/.local/bin" "\$HOME/code/tracker"
cp "$bin/steward-setup" "\$HOME/.local/bin"
cd "\$HOME/code/tracker"
git init --quiet
id=\$(steward-setup install --plan --domains=github --json | sed -n 's/^ *"id": "\([0-9a-f-]*\)",*\$/\1/p' | head -n 1)
steward-setup install --apply "\$id" --domains=github >"\$HOME/applied" || true
echo '. "\$HOME/.claude/agent-isolation/claude-iso.sh"' >"\$HOME/.bashrc"
clear
exec steward-setup "\$@"
END
chmod 755 "$bin/proof"
go -C tools run ./screenshot -keys ../docs/images/verify.keys -out ../docs/images -size 120x36 -- "$bin/proof" verify
